#include "runtime/base/hash.h"

#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

wpg_hash128 wpg_hash_bytes(const void *data, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits(data, size);
    return (wpg_hash128){hash.low64, hash.high64};
}

uint64_t wpg_hash64_bytes(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

void wpg_hash_to_hex(char hex[WPG_HASH_HEX + 1], wpg_hash128 hash)
{
    (void)snprintf(hex, WPG_HASH_HEX + 1, "%016llx%016llx", (unsigned long long)hash.high,
                   (unsigned long long)hash.low);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool wpg_hash_from_hex(wpg_hash128 *hash, const char *text)
{
    uint64_t word[2] = {0, 0};
    for (int i = 0; i < WPG_HASH_HEX; i++) {
        int value = digit(text[i]); /* a NUL is no digit, so the end is never passed */
        if (value < 0)
            return false;
        word[i / 16] = word[i / 16] << 4 | (uint64_t)value;
    }
    *hash = (wpg_hash128){.low = word[1], .high = word[0]};
    return true;
}
