/* Use mode: one shader compiled in several ways by one profile, the cheapest kept, all reported.
 *
 *     profile --verify--> for each of {none, lanes, waves, flattened}: compile --weights--> score
 *             --> the least scratch traffic, by waves, of those that do not lose occupancy
 *
 * Why candidates and not a rule: weights from waves place spills better than none in most kernels and worse
 * in some, gating divergent blocks likewise; no rule told which, while compiling twice more does. The score
 * is of the code as emitted (score.h) under the profile's waves: it knows no caches and no latency. Order of
 * preference: scratch traffic, then occupancy, VGPRs, instructions issued, size of code, and `none` first
 * among equals; a candidate with fewer waves a SIMD than `none` is out, so that what is kept is never worse
 * than `none` in traffic or occupancy.
 *
 * Threads: as wpg_amdgpu_compile. */
#ifndef WPG_COMPILER_AMDGPU_PROFILE_CANDIDATES_H
#define WPG_COMPILER_AMDGPU_PROFILE_CANDIDATES_H

#include "compiler/amdgpu/llvm/amdgpu.h"
#include "compiler/amdgpu/llvm/counts.h"
#include "compiler/amdgpu/profile/score.h"
#include "compiler/amdgpu/profile/verify.h"
#include "compiler/amdgpu/profile/weights_from.h"

typedef struct wpg_amdgpu_use_options {
    unsigned uniform_percent; /* 0: WPG_UNIFORM_PERCENT */
    unsigned vgprs;           /* cap on VGPRs, to look at spilling; 0: the code generator's own */
} wpg_amdgpu_use_options;

typedef struct wpg_amdgpu_candidate {
    wpg_weights_from from;
    wpg_status status; /* of making it; figures are there if WPG_OK */
    bool chosen;
    char why[256]; /* why it was chosen or not, for people */
    wpg_amdgpu_figures figures;
    wpg_code_score score;
    wpg_weights_done weights;
    uint32_t marked; /* branches that were told to be unpredictable */
    /* How far block frequencies by these weights are from the counts they were made of, 0 to 1; negative: not
     * told. */
    double difference;
} wpg_amdgpu_candidate;

typedef struct wpg_amdgpu_use {
    wpg_amdgpu_candidate candidates[WPG_WEIGHTS_KINDS]; /* by wpg_weights_from */
    wpg_counts_verdict verdict;
} wpg_amdgpu_use;

/* *code is the chosen one. WPG_E_MISMATCH: the profile is of another function, or its counts are impossible
 * (use->verdict is filled in): nothing was applied and there is no code; compile without. A candidate that
 * cannot be made is reported in the table and no error, unless it is `none`. `use_options` may be NULL. */
wpg_status wpg_amdgpu_compile_use(wpg_amdgpu_code **code, wpg_amdgpu_use *use, const wpg_module *normal,
                                  const wpg_stage *stage, const wpg_amdgpu_options *options,
                                  const wpg_amdgpu_counts *counts, const wpg_amdgpu_use_options *use_options,
                                  wpg_error *err);

#endif
