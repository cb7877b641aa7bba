/* The bundle: a folder with everything that the runs of one program told, each kind in files of its own.
 *
 *     index.wavepgo                 facts of kind "bundle": one `is PATH KIND` for every file below
 *     <pipeline hash>.profraw       counts (also .profdata, .proftext): kind "profile"
 *     pipelines/<hash>.facts        what the program did with a pipeline: kind "pipeline"
 *     shaders/<hash>.spv            the words as the program gave them: kind "spirv"
 *     shaders/<hash>.info           stage, entry point, specialisation, checksums: kind "shader"
 *     shaders/<hash>.extremes       smallest and largest values seen by probes: kind "extremes"
 *     verdicts/<hash>.facts         what tuning found of a pipeline on a device (verdicts.h): kind "verdict"
 *     compare.json                  what use mode bought when it was measured last: of no kind
 *
 * A folder with an index is a bundle. Every kind carries its own denominators. Two living processes that
 * write into one bundle give a pipeline's facts two files (<hash>.<pid>.facts): the subject in the file
 * counts, not the file's name. Bundles are untrusted input.
 *
 * Owns: wpg_bundle owns its facts and paths, until wpg_bundle_finish.
 * Threads: one bundle, one thread at a time. */
#ifndef WPG_RUNTIME_BUNDLE_BUNDLE_H
#define WPG_RUNTIME_BUNDLE_BUNDLE_H

#include "runtime/base/hash.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"
#include "runtime/bundle/facts.h"

#define WPG_BUNDLE_INDEX "index.wavepgo"
/* What `wavepgo compare` measured with the bundle last (runtime/cli/compare/result.c). Not in the index: it
 * is of one machine, and merging leaves it out. */
#define WPG_BUNDLE_COMPARE "compare.json"

typedef struct wpg_bundle_spirv {
    char *subject, *path; /* owned; the file it can be copied from */
    wpg_hash128 words;    /* of its content; zero: not read yet */
} wpg_bundle_spirv;

/* A bundle in memory, less its profiles (wpg_profile_load reads those). Zero-initialised is empty. */
typedef struct wpg_bundle {
    WPG_VEC(wpg_facts *) sets;       /* one a kind and subject, ordered by both after loading */
    WPG_VEC(wpg_bundle_spirv) spirv; /* one a subject: of several contents that of the smallest hash */
    wpg_map spirv_at;                /* low half of the subject -> place in `spirv` */
    size_t conflicts;                /* properties that disagreed while merging */
} wpg_bundle;

bool wpg_is_bundle(const char *path);

/* Adds the bundle at `path`, everything in it weighing `weight` times. What the index names has to be there
 * and readable. */
wpg_status wpg_bundle_load(wpg_bundle *bundle, const char *path, uint64_t weight, wpg_error *err);
/* As wpg_bundle_load, for files of the kind `only`. Files of other kinds are not looked at. */
wpg_status wpg_bundle_load_kind(wpg_bundle *bundle, const char *path, const char *only, wpg_error *err);
/* Writes everything below `path`, the index last. Profiles that are to be listed are there already. */
wpg_status wpg_bundle_save(const char *path, wpg_bundle *bundle, wpg_error *err);
void wpg_bundle_finish(wpg_bundle *bundle);

/* Puts the finished bundle `made` in the place of `path`, in one step, and removes what was there. What is
 * there must be a bundle and hold nothing else, an empty folder or nothing: WPG_E_ARGUMENT, and nothing
 * changed. */
wpg_status wpg_bundle_replace(const char *path, const char *made, wpg_error *err);
/* Removes a bundle's own files, and its folders as far as that makes them empty. */
void wpg_bundle_remove(const char *path);

/* The facts of a kind and subject, NULL if there are none. */
wpg_facts *wpg_bundle_find(const wpg_bundle *bundle, const char *kind, const char *subject);

/* Removes the temporary files that killed processes left in a bundle (wpg_file_sweep). Returns their
 * number. */
size_t wpg_bundle_sweep(const char *path);

/* Lists what is in the folder now in its index. Any number of processes may do so at once. */
wpg_status wpg_bundle_write_index(const char *path, wpg_error *err);

/* "<bundle>/<folder>/<subject><ending>" of a kind. `tag` ("" = none) goes before the ending.
 * WPG_E_ARGUMENT: no such kind, or a subject that is no hash. */
wpg_status wpg_bundle_facts_path(char *path, size_t size, const char *bundle, const char *kind,
                                 const char *subject, const char *tag, wpg_error *err);

/* Key of the least and most trips of a loop (by its header's block) in the facts of kind "extremes" of its
 * shader. Checksum: of the profile's record. */
void wpg_bundle_trips_key(char key[WPG_FACTS_WORD], uint32_t function, uint32_t block, uint64_t checksum);

#endif
