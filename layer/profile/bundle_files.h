/* The layer's side of the bundle (runtime/bundle/bundle.h): the files beside the profiles if the setting
 * BUNDLE names a folder. Making a pipeline notes its shaders, and the next flush writes them: so making a
 * pipeline never waits for a disk. Threads: any. */
#ifndef WPG_LAYER_PROFILE_BUNDLE_FILES_H
#define WPG_LAYER_PROFILE_BUNDLE_FILES_H

#include "layer/base/stage.h"
#include "layer/profile/records.h"

/* True if there is a bundle; its folder (absolute, static storage), "" if there is none. */
bool wpg_bundle_on(void);
const char *wpg_bundle_folder(void);

/* A device of the process counts (name and driver). The facts of pipelines described from then on say so
 * ("made.<hash>"), with the program, the sampling and the version of wavepgo. The first four devices. */
void wpg_bundle_made_on(const char *device);

/* A pipeline, as the bundle knows it. Borrowed. */
typedef struct wpg_bundle_subject {
    wpg_hash128 pipeline;
    const wpg_rewrite *stages; /* [count], in stage order */
    size_t count;
    wpg_counted *const *counted; /* [counted_count]: hold the maps of its stages; elements may be NULL */
    size_t counted_count;
    bool part; /* of pipelines: it has no record of its own */
} wpg_bundle_subject;

/* True for the first BUNDLE_PIPELINES pipelines (and library parts, by their shader): they have files of
 * their own. The limit is said once. */
bool wpg_bundle_takes(wpg_hash128 pipeline);

/* Notes a new pipeline: the words and infos of its shaders, and the constant facts of its record. */
void wpg_bundle_pipeline(const wpg_bundle_subject *subject);

/* Notes the constant facts of a pipeline that only command buffers know. Its shaders were given to
 * wpg_bundle_pipeline when they were made. */
void wpg_bundle_describe(const wpg_bundle_subject *subject);

/* Notes the smallest and largest value seen in a shader, merged with earlier values of `key` (a word,
 * runtime/bundle/facts.h). For probes whose results do not add; written to shaders/<hash>.extremes. Does
 * nothing without a bundle. */
void wpg_bundle_extreme(wpg_hash128 shader, const char *key, int64_t low, int64_t high);

/* Writes what changed, then the index. Under the files lock (files.c calls it after the profiles). */
void wpg_bundle_write(void);
/* Writes the shaders alone that wait to be written. The index does not list them yet. */
void wpg_bundle_write_shaders(void);
/* Writes these, and the facts of pipelines that are new or were used more, and lists them in the index. To be
 * called each second: each pipeline's facts are written at the 1st, 2nd, 4th, 8th... call that finds them
 * changed. Under the files lock. */
void wpg_bundle_write_new(void);
void wpg_bundle_files_finish(void);

#endif
