/* Estimates counts of structurised blocks from counts of the normal form's blocks, which the layer counts on
 * any driver.
 *
 *     placement --> which blocks ran together as often as one of the normal form (placement.h)
 *     counts --> the flow under which they did (flow_fit.h) --> in whole numbers (flow_round.h)
 *
 * Blocks are matched by LLVM's pseudo probes, as context-sensitive profiles of CPUs are, in a translation of
 * its own. If probes change the graph that LLVM makes, blocks are matched by lines, as sampled profiles are
 * by debug locations. The result is an estimate; counts by the kernel itself (counters/counters.h) are exact.
 * Waves and lanes are those of the machine that was profiled. Threads: one module, one thread. Sources: He et
 * al., "Revamping Sampling-Based PGO with Context-Sensitivity and Pseudo-instrumentation" (CGO 2024); Chen et
 * al., "AutoFDO" (CGO 2016). */
#ifndef WPG_COMPILER_AMDGPU_PROFILE_ORIGINS_H
#define WPG_COMPILER_AMDGPU_PROFILE_ORIGINS_H

#include <llvm-c/Types.h>

#include "compiler/amdgpu/llvm/amdgpu.h"
#include "compiler/amdgpu/llvm/counts.h"
#include "runtime/base/arena.h"
#include "runtime/base/error.h"

/* By block of the normal form; NULL: not counted. Borrowed. */
typedef struct wpg_origin_counts {
    uint32_t block_count;
    const uint64_t *waves, *lanes, *uniform;
} wpg_origin_counts;

typedef struct wpg_origins {
    bool by_lines;   /* else by probes */
    uint32_t placed; /* structurised blocks with an origin */
    double scale;    /* waves are the real ones times this, to be whole numbers; at least 1 */
    double rest;     /* error of the carried counts, 0 to 1 (flow_fit.h) */
} wpg_origins;

/* Counts of `function`, which was translated with probes or, `by_lines`, with lines, and structurised. They
 * pass wpg_counts_verify. Arrays live in `arena`. Without waves a lane counts as a wave. lanes NULL: they do
 * not fit the waves. WPG_E_NOT_FOUND: the function never ran. WPG_E_MISMATCH: hardly any count fits.
 * WPG_E_UNSUPPORTED: no flow can be found. */
wpg_status wpg_origins_counts(wpg_amdgpu_counts *counts, wpg_origins *origins, LLVMValueRef function,
                              const wpg_origin_counts *from, bool by_lines, unsigned wave_size,
                              wpg_arena *arena, wpg_error *err);

/* The identity of a shader's structurised graph. */
typedef struct wpg_amdgpu_graph {
    uint64_t checksum;
    uint32_t block_count;
} wpg_amdgpu_graph;
wpg_status wpg_amdgpu_graph_of(wpg_amdgpu_graph *graph, const wpg_module *normal, const wpg_stage *stage,
                               const wpg_amdgpu_options *options, wpg_error *err);

/* The same for a shader: translates and structurises it by `options`, with probes, and with lines if probes
 * change the graph. `checksum` is the graph's (wpg_amdgpu_graph_of). WPG_E_MISMATCH also: lines change the
 * graph, too. */
wpg_status wpg_amdgpu_origin_counts(wpg_amdgpu_counts *counts, wpg_origins *origins, const wpg_module *normal,
                                    const wpg_stage *stage, const wpg_amdgpu_options *options,
                                    const wpg_origin_counts *from, uint64_t checksum, wpg_arena *arena,
                                    wpg_error *err);

#endif
