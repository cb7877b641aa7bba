/* The directory: how a shader finds its pipeline's counters from literals that depend on the hash alone.
 *
 *     seeds:  [ 0 | e | 0 | e' | ... ]                        32 bits each; index = low bits of the hash
 *     cells:  [ &scratch | &counters of A | &scratch | ... ]  64 bits each; index = (tag * seed) >> shift
 *
 * Pipelines whose hashes share a seed are told apart by their tags: the host chooses a seed that leads each
 * tag to a cell of its own. A pipeline that joins changes the seed. The new cells of the others are filled
 * before that, and their old cells stay theirs. So a shader that runs meanwhile finds its counters by either
 * seed. Nothing a shader has as a literal depends on what was made before.
 *
 * Seed 0 leads to cell 0, which is the scratch block's for ever, as is every cell that nobody has.
 *
 * A pipeline that leaves gives back its cells, those of earlier seeds too. The seed stays as it is: the words
 * of the others go on by it.
 *
 * Owns: the bookkeeping. The words belong to the caller, and lie where the device reads them.
 * Threads: one at a time; the caller locks.
 * Source: Belazzougui, Botelho, Dietzfelbinger: Hash, displace, and compress (ESA 2009). Here pipelines join
 * one by one. */
#ifndef WPG_RUNTIME_COUNTERS_DIRECTORY_H
#define WPG_RUNTIME_COUNTERS_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

/* What a pipeline's words hold as literals, beside the addresses. */
typedef struct wpg_directory_key {
    size_t seed;    /* index of its seed */
    uint32_t tag;   /* odd: no seed but 0 leads all tags to one cell */
    uint32_t shift; /* of the product */
} wpg_directory_key;

typedef struct wpg_directory {
    size_t count;                          /* of seeds, and of cells: a power of two, at least 256 */
    uint32_t *seeds;                       /* the caller's */
    uint64_t *cells;                       /* the caller's; NULL: no device reads them */
    struct wpg_directory_member **members; /* [count]: the pipelines of each seed */
    struct wpg_directory_member **owners;  /* [count]: of cells; NULL = free */
    uint32_t *next_cell;                   /* [count]: of the same owner; 0: none */
    uint64_t scratch;                      /* the address in cells that nobody has */
} wpg_directory;

/* Bytes of `count` cells, then `count` seeds. */
size_t wpg_directory_bytes(size_t count);
size_t wpg_directory_seeds_at(size_t count); /* bytes before the seeds */
wpg_directory_key wpg_directory_key_of(wpg_hash128 hash, size_t count);

/* `words`: wpg_directory_bytes of memory aligned to 8, or NULL: nothing is written. Every cell gets the
 * address `scratch`. WPG_E_NOMEM. */
wpg_status wpg_directory_init(wpg_directory *directory, size_t count, void *words, uint64_t scratch,
                              wpg_error *err);
void wpg_directory_finish(wpg_directory *directory);

/* Leads the words of that hash to `address`; once for each hash that is not there. WPG_E_LIMIT: the directory
 * is full, or another pipeline has the same seed and tag. */
wpg_status wpg_directory_add(wpg_directory *directory, wpg_hash128 hash, uint64_t address, wpg_error *err);

/* Leads the words of that hash to scratch again. No shader with these words runs, or may run later. */
void wpg_directory_remove(wpg_directory *directory, wpg_hash128 hash);

#endif
