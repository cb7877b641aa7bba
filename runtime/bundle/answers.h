/* A key-value table of the disk cache: 16-byte answers by 128-bit key, in memory and in one file a program.
 *
 * An answer takes long to compute and little to store, for instance a shader hash. wpg_answers_open reads the
 * file, wpg_answers_flush appends to the file. Several processes may share the file. A record with a wrong
 * checksum is skipped. No call syncs the file: a lost file costs time only.
 *
 * Owns: the answers in memory.
 * Threads: any. The table's lock is never held over the disk. */
#ifndef WPG_RUNTIME_BUNDLE_ANSWERS_H
#define WPG_RUNTIME_BUNDLE_ANSWERS_H

#include "runtime/bundle/cache.h"

#define WPG_ANSWERS_FOLDER "answers" /* in the cache folder */
enum {
    WPG_ANSWERS_MOST = 1 << 16, /* records in memory; a longer file is written anew, with its newest half */
};

typedef struct wpg_answers wpg_answers;

/* Reads the file of the program of that name. A missing file gives an empty table. NULL when memory runs
 * out. */
wpg_answers *wpg_answers_open(const wpg_cache *cache, const char *program);
bool wpg_answers_find(wpg_hash128 *answer, wpg_answers *answers, wpg_hash128 key);
/* Replaces an earlier answer. A full table, or one without memory, stays as it is. Returns the number of
 * records that were not flushed yet. */
size_t wpg_answers_note(wpg_answers *answers, wpg_hash128 key, wpg_hash128 answer);
/* WPG_E_IO: the file cannot be written; a later flush does not try these records again. Without a cache
 * folder: WPG_OK. */
wpg_status wpg_answers_flush(wpg_answers *answers, wpg_error *err);
/* Does not flush. */
void wpg_answers_close(wpg_answers *answers);

#endif
