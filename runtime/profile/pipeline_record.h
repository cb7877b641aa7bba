/* Pipeline records: which stages make up which pipeline, kept through merging.
 *
 * Each stage has one record of this name:
 *
 *     pipeline.<pipeline hash>.<shader hash>.<stage>.<entry point>#entry
 *
 * It holds WPG_PIPELINE_COUNTERS additive counters; its hash is the entry function's checksum. A shader's
 * records are sums over all pipelines with that shader. Pipeline records tell the pipelines apart.
 *
 * Owns: nothing.
 * Threads: any. */
#ifndef WPG_RUNTIME_PROFILE_PIPELINE_RECORD_H
#define WPG_RUNTIME_PROFILE_PIPELINE_RECORD_H

#include "runtime/profile/record_name.h"

enum {
    WPG_PIPELINE_RUNS,       /* program runs in which the pipeline was made */
    WPG_PIPELINE_LANES,      /* lanes of the stage's entry block: invocations */
    WPG_PIPELINE_WAVES,      /* waves of the entry block */
    WPG_PIPELINE_WAVES_RUNS, /* of the runs, those in which waves were measured; 0 = waves are absent, not
                                zero */
    WPG_PIPELINE_COUNTERS
};

/* *name is malloc'd. `stage->kind` and `stage->function` are not looked at. Errors as
 * wpg_record_name_compose. */
wpg_status wpg_pipeline_record_compose(char **name, wpg_hash128 pipeline, const wpg_record_name *stage,
                                       wpg_error *err);

/* Fills *pipeline and *stage (release with wpg_record_name_finish). WPG_E_FORMAT: not such a name. */
wpg_status wpg_pipeline_record_parse(wpg_hash128 *pipeline, wpg_record_name *stage, const char *name,
                                     wpg_error *err);

#endif
