/* A profile seen as shaders and pipelines: the records of one function side by side.
 *
 * Use mode and the listings read the view.
 *
 * Owns: everything but the counters, which are borrowed from the profile. The profile must outlive the view,
 * unchanged.
 * Threads: any, once the view is made. */
#ifndef WPG_RUNTIME_PROFILE_SHADER_VIEW_H
#define WPG_RUNTIME_PROFILE_SHADER_VIEW_H

#include "runtime/base/arena.h"
#include "runtime/profile/pipeline_record.h"
#include "runtime/profile/profile.h"
#include "runtime/profile/record_name.h"

/* Counts of one function (0 = the entry function) of one shader; NULL = not measured. Records whose counter
 * count disagrees with the first kind's are left out and counted in the view's `inconsistent`. */
typedef struct wpg_shader_counts {
    wpg_hash128 shader;
    char stage[8];
    const char *entry;
    uint32_t function;
    uint64_t checksum; /* of the CFG the counts belong to */
    size_t block_count;
    const uint64_t *lanes, *waves, *uniform; /* [block_count] */
    size_t select_counter_count;             /* a multiple of the counters a site */
    const uint64_t *selects;
    const wpg_profile_record *records[WPG_RECORD_KINDS]; /* of every kind; of probes: probe_records.h */
    const uint64_t *samples; /* [WPG_SAMPLES_COUNTERS]; NULL: nothing was sampled */
} wpg_shader_counts;

typedef struct wpg_pipeline_stage_counts {
    wpg_hash128 shader;
    char stage[8];
    const char *entry;
    uint64_t checksum;
    const uint64_t *counters; /* [WPG_PIPELINE_COUNTERS] */
} wpg_pipeline_stage_counts;

typedef struct wpg_pipeline_counts {
    wpg_hash128 pipeline;
    wpg_pipeline_stage_counts *stages;
    size_t stage_count;
} wpg_pipeline_counts;

typedef struct wpg_shader_view {
    wpg_arena arena;
    wpg_shader_counts *shaders; /* sorted by shader hash text, stage, entry, function, checksum */
    size_t shader_count;
    wpg_pipeline_counts *pipelines; /* sorted by pipeline hash text */
    size_t pipeline_count;
    size_t foreign, inconsistent;    /* records that are not ours; records left out */
    const wpg_profile_record **made; /* who made the profile (made_record.h), sorted by name */
    size_t made_count;
    size_t pushed; /* pipelines with a record of their push constants (push_record.h) */
} wpg_shader_view;

wpg_status wpg_shader_view_create(wpg_shader_view **view, const wpg_profile *profile, wpg_error *err);
void wpg_shader_view_destroy(wpg_shader_view *view);

/* The functions of one shader stage: *first and the following, how many; 0 if the shader was never seen.
 * Functions of several checksums (profiles of several normal-form versions) stand side by side. */
size_t wpg_shader_view_find(const wpg_shader_counts **first, const wpg_shader_view *view, wpg_hash128 shader,
                            const char *stage, const char *entry);
const wpg_pipeline_counts *wpg_shader_view_find_pipeline(const wpg_shader_view *view, wpg_hash128 pipeline);

#endif
