/* Proves that the results of a stage do not depend on the number of lanes of its waves. Then a pipeline may
 * be compiled for another wave size (compiler/optimize/README.md, Wave size). A stage without a proof is
 * refused. Source: SPIR-V 1.6, 3.27 (scopes), 3.21 (built-ins); VK_EXT_subgroup_size_control. */
#ifndef WPG_COMPILER_ANALYSIS_WAVE_FREE_H
#define WPG_COMPILER_ANALYSIS_WAVE_FREE_H

#include "compiler/spirv/stage.h"

/* True if the results of `stage` in the normal form `module` are the same for waves of every size. Otherwise
 * *why (static) names the rule that failed. Refused are
 *
 *   - subgroup, quad and cooperative instructions, the shader clock, a subgroup as scope of anything;
 *   - a built-in variable or execution mode that tells of subgroups, quads or cores;
 *   - floating-point atomics: the order in which lanes add shows in the last bits;
 *   - workgroup memory that is read after it was written without a barrier of the workgroup on every path
 *     between: shaders that count on lanes in lockstep do that;
 *   - stages whose invocations share outputs (tessellation control, task, mesh) or that end wave segments
 *     (ray tracing), and what is not known.
 *
 * Threads: no shared state. Also false when memory runs out. */
bool wpg_wave_free(const wpg_module *module, const wpg_stage *stage, const char **why);

#endif
