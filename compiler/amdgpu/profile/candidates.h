/* Use mode: compiles one shader in several ways by one profile, keeps the cheapest, reports all.
 *
 *     profile --verify--> for each of {none, lanes, waves, flattened}: compile --weights--> score
 *             --> the least scratch traffic, by waves, of those that do not lose occupancy
 *
 * No rule could replace the candidates. Weights from waves place spills better than no weights in most
 * kernels, and worse in some; so do flattened weights. Compiling every kind decides. The score is of the
 * emitted code (score.h) under the profile's waves: it models no caches and no latency. Order of
 * preference: scratch traffic, then occupancy, VGPRs, instructions issued, size of code; `none` comes first
 * among equals. A candidate with fewer waves a SIMD than `none` is out. So the chosen one is never worse than
 * `none` in traffic or occupancy.
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
    wpg_status status; /* of making the candidate; its figures are there if WPG_OK */
    bool chosen;
    char why[256]; /* why it was chosen or not, for people */
    wpg_amdgpu_figures figures;
    wpg_code_score score;
    wpg_weights_done weights;
    uint32_t marked; /* branches marked !unpredictable */
    /* The distance of the block frequencies under these weights from the counts that made the weights, 0 to
     * 1. Negative: not known. */
    double difference;
} wpg_amdgpu_candidate;

typedef struct wpg_amdgpu_use {
    wpg_amdgpu_candidate candidates[WPG_WEIGHTS_KINDS]; /* by wpg_weights_from */
    wpg_counts_verdict verdict;
} wpg_amdgpu_use;

/* *code is the chosen candidate. WPG_E_MISMATCH: the profile is of another function, or its counts are
 * impossible (use->verdict is filled in). Then nothing was applied and there is no code: compile without the
 * profile. A candidate that cannot be made stands in the table with its reason; only a failure of `none` is
 * an error. `use_options` may be NULL. */
wpg_status wpg_amdgpu_compile_use(wpg_amdgpu_code **code, wpg_amdgpu_use *use, const wpg_module *normal,
                                  const wpg_stage *stage, const wpg_amdgpu_options *options,
                                  const wpg_amdgpu_counts *counts, const wpg_amdgpu_use_options *use_options,
                                  wpg_error *err);

#endif
