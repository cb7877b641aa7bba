#include "runtime/profile/names.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    ZLIB_MOST_RATIO = 1032, /* deflate cannot do better: a larger claim is a lie, found before allocating */
    MOST_NAME_BYTES = 1 << 30,
};

static wpg_status add_names(wpg_names *names, const uint8_t *text, size_t size, wpg_error *err)
{
    const uint8_t *end = text + size;
    while (text < end) {
        const uint8_t *stop = memchr(text, 1, (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        char *name = wpg_arena_alloc(&names->arena, length + 1, 1);
        if (!name)
            return wpg_fail(err, WPG_E_NOMEM, "no memory for names");
        memcpy(name, text, length);
        uint64_t ref = wpg_profile_name_ref(name, length);
        if (!wpg_map_get(&names->by_ref, ref, NULL) && !wpg_map_set(&names->by_ref, ref, (uintptr_t)name))
            return wpg_fail(err, WPG_E_NOMEM, "no memory for names");
        text += length + 1;
    }
    return WPG_OK;
}

static wpg_status add_compressed(wpg_names *names, const uint8_t *data, size_t size, uint64_t plain_size,
                                 wpg_error *err)
{
    if (plain_size / ZLIB_MOST_RATIO > size || plain_size > MOST_NAME_BYTES)
        return wpg_fail(err, WPG_E_FORMAT, "compressed names claim to be %llu bytes",
                        (unsigned long long)plain_size);
    uint8_t *plain = malloc((size_t)plain_size + 1);
    if (!plain)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for names");
    uLongf got = (uLongf)plain_size;
    wpg_status status;
    if (uncompress(plain, &got, data, (uLong)size) != Z_OK || got != plain_size)
        status = wpg_fail(err, WPG_E_FORMAT, "the compressed names are damaged");
    else
        status = add_names(names, plain, (size_t)got, err);
    free(plain);
    return status;
}

wpg_status wpg_names_read(wpg_names *names, const uint8_t *data, size_t size, wpg_error *err)
{
    wpg_reader r = wpg_reader_over(data, size);
    while (r.at < r.size) {
        uint64_t plain_size = wpg_read_uleb(&r), compressed_size = wpg_read_uleb(&r);
        uint64_t chunk = compressed_size ? compressed_size : plain_size;
        const uint8_t *bytes = chunk <= r.size - r.at ? wpg_read_bytes(&r, (size_t)chunk) : NULL;
        if (!bytes)
            return wpg_fail(err, WPG_E_FORMAT, "the names section is truncated");
        if (compressed_size)
            WPG_TRY(add_compressed(names, bytes, (size_t)chunk, plain_size, err));
        else
            WPG_TRY(add_names(names, bytes, (size_t)chunk, err));
        while (r.at < r.size && r.data[r.at] == 0) /* linkers pad between the chunks of object files */
            r.at++;
    }
    return WPG_OK;
}

const char *wpg_names_find(const wpg_names *names, uint64_t ref)
{
    uint64_t value;
    return wpg_map_get(&names->by_ref, ref, &value) ? (const char *)(uintptr_t)value : NULL;
}

void wpg_names_finish(wpg_names *names)
{
    wpg_map_free(&names->by_ref);
    wpg_arena_finish(&names->arena);
}
