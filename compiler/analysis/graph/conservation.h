/* Conservation of flow (Kirchhoff's law): what the counts of some blocks say of the edges between them, and
 * of the other blocks. What arrives at a block comes over its edges, or starts there (the entry). What leaves
 * it goes over its edges, or ends there.
 *
 *     arriving edges --sum--> count of the block --sum--> leaving edges
 *        EXACT, or OPEN          known or not              EXACT, BOUND (some may end inside) or OPEN
 *
 * An edge or a count follows if one equation has no other unknown. Solving never guesses: what no chain of
 * such equations decides stays unknown. Contradictions are found afterwards, by comparing each side with its
 * block. Lanes conserve flow; waves do so only in structurised code (compiler/amdgpu/flow/flow.h).
 * Source: Knuth, Stevenson, "Optimal Measurement Points for Program Frequency Counts" (1973). Ownership:
 * arrays live in the arena given. Threads: plain data. */
#ifndef WPG_COMPILER_ANALYSIS_CONSERVATION_H
#define WPG_COMPILER_ANALYSIS_CONSERVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/arena.h"

typedef enum wpg_side_kind {
    WPG_SIDE_EXACT, /* the edges of this side sum to the block's count */
    WPG_SIDE_BOUND, /* to no more than that */
    WPG_SIDE_OPEN   /* says nothing */
} wpg_side_kind;

typedef struct wpg_side {
    uint32_t unknown; /* edges of this side */
    uint64_t sum;     /* of the others, saturating */
} wpg_side;

typedef struct wpg_conservation {
    uint32_t block_count;
    const uint32_t *first;   /* [block_count + 1]: edges first[b] .. first[b + 1] - 1 leave block b */
    const uint32_t *targets; /* by edge; the caller's, as `first` */
    /* By block, set by the caller before solving. At first no count is known, the entry's arriving side and
     * the leaving side of blocks without successors are open, every other side is exact. */
    wpg_side_kind *arriving, *leaving;
    uint64_t *counts;
    bool *known;
    /* Counts are exact, so a side whose known edges sum to the block's count leaves none to the others. Not
     * to be set for counts that were scaled or rounded. */
    bool exact;
    /* By edge: the result. */
    uint64_t *edges;
    bool *edge_known;
    wpg_side *in, *out;            /* by block: its sides, kept as edges become known */
    uint32_t *sources;             /* by edge */
    uint32_t *first_in, *incoming; /* [block_count + 2], by edge: those that arrive at block b */
} wpg_conservation;

/* False: no memory. */
bool wpg_conservation_create(wpg_conservation *flow, uint32_t block_count, const uint32_t *first,
                             const uint32_t *targets, wpg_arena *arena);

/* Finds every edge and count that follows. An edge that would be negative is 0. Sums saturate. False: no
 * memory. */
bool wpg_conservation_solve(wpg_conservation *flow, wpg_arena *arena);

typedef enum wpg_side_verdict {
    WPG_SIDE_AGREES,    /* or says nothing */
    WPG_SIDE_TOO_MUCH,  /* the known edges carry more than the block has */
    WPG_SIDE_TOO_LITTLE /* all edges are known and carry less */
} wpg_side_verdict;

/* Compares a side with its block's count, as far as both are known. */
wpg_side_verdict wpg_conservation_check(const wpg_conservation *flow, uint32_t block, bool leaving);

#endif
