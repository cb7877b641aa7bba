/* The disk cache of rewritten words: blobs by 128-bit key, each in a file of its own.
 *
 * A file appears whole or not at all. A blob that was cut, changed or made for another key is not returned.
 * Nothing is synced to disk: losing the cache costs time only.
 *
 * Owns: nothing; the caller frees the blobs that it gets.
 * Threads: any. */
#ifndef WPG_RUNTIME_BUNDLE_CACHE_H
#define WPG_RUNTIME_BUNDLE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

typedef struct wpg_cache {
    char folder[3800]; /* "" = no cache */
} wpg_cache;

/* `setting` is the folder; "" = $XDG_CACHE_HOME/wavepgo or ~/.cache/wavepgo; "none" = no cache. A relative
 * folder counts from `base`. Nothing is made on disk yet. */
void wpg_cache_init(wpg_cache *cache, const char *setting, const char *base);

/* *data is malloc'd, the caller frees it. WPG_E_NOT_FOUND: not there, or no cache; WPG_E_FORMAT: damaged. */
wpg_status wpg_cache_get(uint8_t **data, size_t *size, const wpg_cache *cache, wpg_hash128 key,
                         wpg_error *err);
/* Replaces what was there. WPG_E_NOT_FOUND: no cache. */
wpg_status wpg_cache_put(const wpg_cache *cache, wpg_hash128 key, const void *data, size_t size,
                         wpg_error *err);

/* Removes every blob, the answers (answers.h), and what a killed process left half written; with `dry_run`
 * only counts. Files of other names stay. *files and *bytes: what was (or would be) removed. */
wpg_status wpg_cache_clear(size_t *files, uint64_t *bytes, const wpg_cache *cache, bool dry_run,
                           wpg_error *err);

#endif
