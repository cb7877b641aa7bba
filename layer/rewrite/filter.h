/* The PIPELINES setting: which pipelines are touched. Comma-separated items, each a hexadecimal prefix (8 or
 * more digits) of a pipeline or shader hash, or a glob over names: entry points, the
 * stage's object name in its chain or its module's, the pipeline's own of an earlier run (object_names.h),
 * and the strings a module carries (names, source files). A leading ! excludes. Threads: any. */
#ifndef WPG_LAYER_REWRITE_FILTER_H
#define WPG_LAYER_REWRITE_FILTER_H

#include "compiler/spirv/module.h"
#include "runtime/base/hash.h"

typedef struct wpg_filter_stage {
    wpg_hash128 shader;
    const char *entry, *name; /* name: "" if none was given */
    const wpg_module *module; /* its strings are looked at last */
} wpg_filter_stage;

/* true when the pipeline is wanted. An empty setting wants all. */
bool wpg_filter_wants(const char *setting, wpg_hash128 pipeline, const wpg_filter_stage *stages,
                      size_t stage_count);

#endif
