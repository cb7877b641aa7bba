/* Profile files: reads any of LLVM's formats into a wpg_profile, and writes them from one.
 *
 *     read       raw 8 to 11, indexed 4 to 13, LLVM text; told apart by their magic
 *     written    raw 8 to 11, indexed 7 (llvm-profdata 14 to 22 read it), text
 *
 * Files are untrusted: every offset, count and size is checked before use. Only what a shader profile can
 * hold is taken: IR-level counters and MemOPSize values. Other value kinds, coverage bitmaps, temporal traces
 * and memory profiles are skipped.
 *
 * Owns: nothing; the caller frees the bytes that wpg_profile_encode gives.
 * Threads: any, on different profiles.
 * Source: the layouts and their sources are in profile_format.inc. */
#ifndef WPG_RUNTIME_PROFILE_PROFILE_IO_H
#define WPG_RUNTIME_PROFILE_PROFILE_IO_H

#include "runtime/profile/profile.h"

/* Counters are clamped to this when written: room for weighted merging before LLVM's own limits. */
#define WPG_PROFILE_COUNTER_CLAMP (UINT64_C(1) << 56)

typedef enum wpg_profile_format {
    WPG_PROFILE_RAW_8 = 8,   /* LLVM 14-17 */
    WPG_PROFILE_RAW_9 = 9,   /* LLVM 18 */
    WPG_PROFILE_RAW_10 = 10, /* LLVM 19-22, the default */
    WPG_PROFILE_RAW_11 = 11, /* LLVM 23, experimental: see profile_format.inc */
    WPG_PROFILE_INDEXED = 64,
    WPG_PROFILE_TEXT,
} wpg_profile_format;

/* Adds every record of the bytes into `profile`; *stats (may be NULL) is added to. Raw profiles may stand
 * behind each other. On failure the profile is as it was: WPG_E_FORMAT (malformed, truncated, or no profile
 * at all), WPG_E_VERSION (a version or byte order this build does not read), WPG_E_UNSUPPORTED (a kind of
 * profile that is no counter profile of this sort: front-end, context-sensitive, byte coverage, ...),
 * WPG_E_LIMIT, WPG_E_NOMEM (which may come when part of the records is added already). */
wpg_status wpg_profile_read_memory(wpg_profile *profile, wpg_profile_stats *stats, const void *data,
                                   size_t size, wpg_error *err);
/* The same from a file; messages begin with its path. Also WPG_E_NOT_FOUND, WPG_E_IO. */
wpg_status wpg_profile_read_file(wpg_profile *profile, wpg_profile_stats *stats, const char *path,
                                 wpg_error *err);

/* The same from what a user named on a command line: "-" or /dev/fd/N too (wpg_file_read_given). */
wpg_status wpg_profile_read_given(wpg_profile *profile, wpg_profile_stats *stats, const char *path,
                                  wpg_error *err);

/* The bytes of a file holding `profile`. *data is malloc'd, the caller frees it. Value sites with more than
 * 255 values keep the 255 most frequent in the binary formats. Equal profiles give equal bytes.
 * WPG_E_ARGUMENT: unknown format; WPG_E_LIMIT: too large for the format, or two names share an MD5 half. */
wpg_status wpg_profile_encode(uint8_t **data, size_t *size, const wpg_profile *profile,
                              wpg_profile_format format, wpg_error *err);
/* Encodes and writes; the file appears whole or not at all. */
wpg_status wpg_profile_write_file(const char *path, const wpg_profile *profile, wpg_profile_format format,
                                  wpg_error *err);

#endif
