/* The layer's side of the bundle (runtime/bundle/bundle.h): what is written beside the profiles when the
 * setting BUNDLE names a folder. Shaders are noted as pipelines are made and written by the next flush, so
 * that making a pipeline never waits for a disk. Threads: any. */
#ifndef WPG_LAYER_PROFILE_BUNDLE_FILES_H
#define WPG_LAYER_PROFILE_BUNDLE_FILES_H

#include "layer/profile/records.h"
#include "layer/base/stage.h"

/* Whether there is a bundle; its folder (absolute, static storage), "" if there is none. */
bool wpg_bundle_on(void);
const char *wpg_bundle_folder(void);

/* A pipeline, as the bundle knows it. Borrowed. */
typedef struct wpg_bundle_subject {
    wpg_hash128 pipeline;
    const wpg_rewrite *stages; /* [count], in stage order */
    size_t count;
    wpg_counted *const *counted; /* [counted_count]: where the maps of its stages are; NULL elements: no */
    size_t counted_count;
    bool part; /* of pipelines: it has no record of its own */
} wpg_bundle_subject;

/* A pipeline was made: its shaders' words and infos, what its record says for good. */
void wpg_bundle_pipeline(const wpg_bundle_subject *subject);

/* What the record of a pipeline says for good, of one that only command buffers know: of shaders that were
 * given to wpg_bundle_pipeline when they were made. */
void wpg_bundle_describe(const wpg_bundle_subject *subject);

/* A smallest and largest value seen in a shader, merged with what is known of `key` (a word,
 * runtime/bundle/facts.h). For probes whose results do not add; written to shaders/<hash>.extremes. Without a
 * bundle it does nothing. */
void wpg_bundle_extreme(wpg_hash128 shader, const char *key, int64_t low, int64_t high);

/* Writes what changed, then the index. Under the files lock (files.c calls it after the profiles). */
void wpg_bundle_write(void);
void wpg_bundle_files_finish(void);

#endif
