/* `wavepgo verify`: checks whether the counts of a profile are possible: against the control flow of each
 * function's module, and against one another. Threads: one. */
#ifndef WPG_RUNTIME_CLI_VERIFY_VERIFY_H
#define WPG_RUNTIME_CLI_VERIFY_VERIFY_H

#include "compiler/analysis/graph/cfg.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"
#include "runtime/profile/shader_view.h"

enum { WPG_VERIFY_TEXT = 200 };

/* One impossible count. */
typedef struct wpg_verify_finding {
    const wpg_shader_counts *function;
    const char *rule; /* static: "flow", "masks", "waves", "selects", "branches", ... */
    uint32_t block;
    char text[WPG_VERIFY_TEXT];
} wpg_verify_finding;

typedef struct wpg_verify_result {
    WPG_VEC(wpg_verify_finding) findings;
    uint64_t checks; /* comparisons made */
    bool out_of_memory;
} wpg_verify_result;

/* Adds a finding. */
void wpg_verify_add(wpg_verify_result *result, const wpg_shader_counts *function, const char *rule,
                    uint32_t block, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Checks a function's counts by all rules. `cfg` is of the normal form they were counted in. NULL: unknown,
 * then only rules that need no control flow apply. Rules:
 *
 *     blocks      uniform <= waves <= lanes, no lanes without a wave, lanes <= waves x wave size
 *     flow        lanes conserve flow; of a branch max(arms) <= waves <= sum(arms)
 *                 (compiler/optimize/ir/weights_check.h)
 *     masks       blocks of one active-mask class have equal counts
 *     selects, branches, switches, loops, entry, samples
 *                 what the probes counted fits the blocks, and itself
 *
 * Saturated counts pass. */
void wpg_verify_function(wpg_verify_result *result, const wpg_shader_counts *function, const wpg_cfg *cfg);

/* Which shaders have no module because all their pipelines are beyond BUNDLE_PIPELINES: counted in a bundle,
 * without facts. */
typedef struct wpg_verify_beyond {
    bool any, shared_file; /* there is a bundle among the places; one with more.profraw */
    wpg_map shaders;       /* low half of a hash -> 1 if the facts of one of its pipelines are there */
} wpg_verify_beyond;
/* WPG_E_NOMEM. */
wpg_status wpg_verify_beyond_find(wpg_verify_beyond *beyond, const wpg_shader_view *view,
                                  const char *const *places, size_t count, wpg_error *err);
bool wpg_verify_is_beyond(const wpg_verify_beyond *beyond, wpg_hash128 shader);
void wpg_verify_beyond_finish(wpg_verify_beyond *beyond);

/* Prints the distance of the counts from those of the profile or bundle at `path`; returns the exit code.
 * With `json`: a member "against" of the object being printed. */
int wpg_verify_against(const char *command, const char *path, bool json, const wpg_profile *profile,
                       const wpg_shader_view *view);

#endif
