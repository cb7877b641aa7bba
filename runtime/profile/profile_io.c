#include "runtime/profile/profile_io.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/profile/profile_format.h"

enum { MOST_FILE_BYTES = 1 << 30 };

typedef wpg_status reader(wpg_profile *, wpg_profile_stats *, const uint8_t *, size_t, wpg_error *);

/* The format by its first eight bytes, as llvm-profdata tells them apart; NULL if it is none. */
static reader *reader_for(const uint8_t *data, size_t size)
{
    wpg_reader r = wpg_reader_over(data, size);
    uint64_t magic = wpg_read_u64(&r), swapped = __builtin_bswap64(magic);
    if (magic == WPG_INDEXED_MAGIC)
        return wpg_indexed_read;
    if (magic == WPG_RAW_MAGIC_64 || magic == WPG_RAW_MAGIC_32 || swapped == WPG_RAW_MAGIC_64 ||
        swapped == WPG_RAW_MAGIC_32)
        return wpg_raw_read;
    for (size_t i = 0; i < size && i < 8; i++)
        if (data[i] >= 0x7f || (data[i] < 0x20 && !isspace(data[i])))
            return NULL;
    return wpg_text_read;
}

wpg_status wpg_profile_read_memory(wpg_profile *profile, wpg_profile_stats *stats, const void *data,
                                   size_t size, wpg_error *err)
{
    if (size == 0)
        return wpg_fail(err, WPG_E_FORMAT, "the file is empty");
    reader *read = reader_for(data, size);
    if (!read)
        return wpg_fail(err, WPG_E_FORMAT, "no profile: neither raw, indexed nor text");
    /* Into a profile of its own first, so that a file that breaks off adds nothing. */
    wpg_profile *fresh = wpg_profile_create();
    if (!fresh)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a profile");
    wpg_profile_stats in_file = {0}, merging = {0};
    wpg_status status = read(fresh, &in_file, data, size, err);
    if (status == WPG_OK)
        status = wpg_profile_merge(profile, fresh, 1, &merging, err);
    wpg_profile_destroy(fresh);
    if (status == WPG_OK && stats) {
        stats->added += merging.added;
        stats->merged += merging.merged + in_file.merged;
        stats->mismatched += merging.mismatched + in_file.mismatched;
        stats->ignored += in_file.ignored;
    }
    return status;
}

static wpg_status read_from(wpg_profile *profile, wpg_profile_stats *stats, const char *path, bool given,
                            wpg_error *err)
{
    uint8_t *data;
    size_t size;
    WPG_TRY((given ? wpg_file_read_given : wpg_file_read)(&data, &size, path, MOST_FILE_BYTES, err));
    wpg_error detail = {0};
    wpg_status status = wpg_profile_read_memory(profile, stats, data, size, &detail);
    free(data);
    if (status != WPG_OK)
        return wpg_fail(err, status, "%.120s: %.130s",
                        given && strcmp(path, "-") == 0 ? "standard input" : path, detail.message);
    return WPG_OK;
}

wpg_status wpg_profile_read_file(wpg_profile *profile, wpg_profile_stats *stats, const char *path,
                                 wpg_error *err)
{
    return read_from(profile, stats, path, false, err);
}

wpg_status wpg_profile_read_given(wpg_profile *profile, wpg_profile_stats *stats, const char *path,
                                  wpg_error *err)
{
    return read_from(profile, stats, path, true, err);
}

wpg_status wpg_profile_encode(uint8_t **data, size_t *size, const wpg_profile *profile,
                              wpg_profile_format format, wpg_error *err)
{
    wpg_writer w = {0};
    wpg_status status;
    if (format == WPG_PROFILE_INDEXED)
        status = wpg_indexed_write(&w, profile, err);
    else if (format == WPG_PROFILE_TEXT)
        status = wpg_text_write(&w, profile, err);
    else if (format >= WPG_PROFILE_RAW_8 && format <= WPG_PROFILE_RAW_11)
        status = wpg_raw_write(&w, profile, (unsigned)format, err);
    else
        status = wpg_fail(err, WPG_E_ARGUMENT, "unknown profile format %d", (int)format);
    if (status != WPG_OK) {
        wpg_writer_finish(&w);
        return status;
    }
    *data = w.data; /* never NULL: every format begins with a header */
    *size = w.size;
    return WPG_OK;
}

wpg_status wpg_profile_write_file(const char *path, const wpg_profile *profile, wpg_profile_format format,
                                  wpg_error *err)
{
    uint8_t *data;
    size_t size;
    WPG_TRY(wpg_profile_encode(&data, &size, profile, format, err));
    wpg_status status = wpg_file_write_atomic(path, data, size, err);
    free(data);
    return status;
}
