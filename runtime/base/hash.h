/* Content hashes of the project: XXH3-128 and XXH3-64, equal on every machine.
 *
 * Owns: nothing.
 * Threads: any.
 * Source: xxHash, XXH3. */
#ifndef WPG_RUNTIME_BASE_HASH_H
#define WPG_RUNTIME_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wpg_hash128 {
    uint64_t low, high;
} wpg_hash128;

enum { WPG_HASH_HEX = 32 }; /* characters of a hash in hexadecimal, without the NUL */

wpg_hash128 wpg_hash_bytes(const void *data, size_t size);
uint64_t wpg_hash64_bytes(const void *data, size_t size);
static inline bool wpg_hash_equal(wpg_hash128 a, wpg_hash128 b)
{
    return a.low == b.low && a.high == b.high;
}
/* Lower-case hexadecimal, high word first, as xxhsum -H2 prints it. */
void wpg_hash_to_hex(char hex[WPG_HASH_HEX + 1], wpg_hash128 hash);
/* Reads exactly 32 hexadecimal digits at `text`; false if they are not there. */
bool wpg_hash_from_hex(wpg_hash128 *hash, const char *text);

#endif
