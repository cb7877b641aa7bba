/* Makes values of Function memory ahead of the SSA tier's hook, and drops what nobody reads then. Passes of
 * SPIRV-Tools take time by the instruction: half of a shader's are gone before they see it. What is left to
 * them: composites, pointers, constructs that do nothing. Private to compiler/optimize/passes. Threads: as
 * the module. */
#ifndef WPG_COMPILER_OPTIMIZE_PASSES_PROMOTE_H
#define WPG_COMPILER_OPTIMIZE_PASSES_PROMOTE_H

#include "compiler/spirv/module.h"

/* Variables of scalars, vectors and matrices become values, with phis where paths meet (Cytron et al.,
 * "Efficiently Computing Static Single Assignment Form and the Control Dependence Graph", 1991; pruned).
 * Left alone: variables whose pointer goes anywhere but into plain loads, stores and constant indices, and
 * functions without structured control flow. False when memory runs out. */
bool wpg_promote_variables(wpg_module *module);

/* Removes pure instructions whose result nobody uses, and stores to variables of functions that nobody
 * loads. Control flow stays. False when memory runs out. */
bool wpg_drop_unused(wpg_module *module);

/* Removes names and decorations of ids that are below `bound` and have no definition. */
void wpg_drop_annotations(wpg_module *module, uint32_t bound);

#endif
