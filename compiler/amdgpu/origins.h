/* Counts for structurised blocks out of counts of the normal form's, which is what the layer counts on any
 * driver: by the lines that instructions carry (lines.h), as compilers for CPUs use sampled profiles by debug
 * locations.
 *
 *     lines --> block of the normal form that most of a block's instructions come from --> probabilities of
 * edges
 *           --> a flow in whole numbers (flow_round.h)
 *
 * An estimate: of blocks that LLVM made (the structuriser's, of merged code) and of copies (unrolled loops)
 * nothing is known but their neighbours. What a kernel counts itself (counters.h) is exact. Threads: one
 * module, one thread. Source: Chen et al., "AutoFDO" (CGO 2016), for the way; not its flow. */
#ifndef WPG_COMPILER_AMDGPU_ORIGINS_H
#define WPG_COMPILER_AMDGPU_ORIGINS_H

#include <llvm-c/Types.h>

#include "compiler/amdgpu/amdgpu.h"
#include "compiler/amdgpu/counts.h"
#include "runtime/base/arena.h"
#include "runtime/base/error.h"

/* By block of the normal form; NULL: not counted. Borrowed. */
typedef struct wpg_origin_counts {
    uint32_t block_count;
    const uint64_t *waves, *lanes, *uniform;
} wpg_origin_counts;

typedef struct wpg_origins {
    uint32_t placed; /* structurised blocks with an origin */
    double scale;    /* counts are so many times the real ones, to be whole: from 1 */
} wpg_origins;

/* Counts of `function`, translated with lines and structurised, that hold what wpg_counts_verify asks; arrays
 * live in `arena`. Without waves a lane counts as one. lanes NULL: they do not fit the waves.
 * WPG_E_NOT_FOUND: it never ran; WPG_E_UNSUPPORTED: no flow comes of it. */
wpg_status wpg_origins_counts(wpg_amdgpu_counts *counts, wpg_origins *origins, LLVMValueRef function,
                              const wpg_origin_counts *from, unsigned wave_size, wpg_arena *arena,
                              wpg_error *err);

/* The same of a shader: translates and structurises it by `options`. */
wpg_status wpg_amdgpu_origin_counts(wpg_amdgpu_counts *counts, wpg_origins *origins, const wpg_module *normal,
                                    const wpg_stage *stage, const wpg_amdgpu_options *options,
                                    const wpg_origin_counts *from, wpg_arena *arena, wpg_error *err);

#endif
