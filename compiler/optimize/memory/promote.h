/* Our part of the SSA tier: makes values of Function memory, and drops what nobody reads then. It does what
 * the passes of the hook do (compiler/normalize/spirv_tools.cpp), with the same code as the result, in a
 * twentieth of their time. The hook is asked only where something is left that is not done here: pointers in
 * memory, initialized composites, decorated variables. Private to compiler/optimize. Threads: as the
 * module. */
#ifndef WPG_COMPILER_OPTIMIZE_MEMORY_PROMOTE_H
#define WPG_COMPILER_OPTIMIZE_MEMORY_PROMOTE_H

#include "compiler/analysis/graph/cfg.h"
#include "runtime/base/vec.h"

/* Graphs of functions, for the next step: wpg_promote_variables leaves blocks and branches as they are. */
typedef struct wpg_graphs {
    WPG_VEC(wpg_cfg *) of;
} wpg_graphs;
void wpg_graphs_finish(wpg_graphs *graphs);

/* Call in this order: names and decorations of what goes are left to wpg_drop_unused. */

/* Variables of structs and arrays become variables of their parts, where all indices are constant. False when
 * memory runs out. */
bool wpg_split_composites(wpg_module *module);

/* Variables of scalars, vectors and matrices become values, with phis where paths meet (Cytron et al.,
 * "Efficiently Computing Static Single Assignment Form and the Control Dependence Graph", 1991; pruned).
 * Left alone: variables whose pointer goes anywhere but into plain loads, stores and constant indices, and
 * functions without structured control flow. False when memory runs out. */
bool wpg_promote_variables(wpg_module *module, wpg_graphs *graphs);

/* Removes pure instructions whose result nobody uses, stores to variables of functions that nobody loads, and
 * constructs in which nothing has an effect. Then removes names and decorations of what is not there any
 * more. False when memory runs out. */
bool wpg_drop_unused(wpg_module *module, wpg_graphs *graphs);

/* What a construct or insert put into a composite goes straight to who takes it out again. The extracts stay,
 * used by nobody, for wpg_drop_unused. *changed is set where there were any. False when memory runs out. */
bool wpg_forward_parts(bool *changed, wpg_module *module);

/* Removes types, constants and variables of the module that nothing names, with their names and decorations.
 * False when memory runs out. */
bool wpg_drop_declarations(wpg_module *module);

/* Does the function declare a variable? */
bool wpg_has_variables(const wpg_inst *function);

/* Removes names and decorations of ids that are below `bound` and have no definition. */
void wpg_drop_annotations(wpg_module *module, uint32_t bound);

/* *left: there is memory of the shader's own that SPIRV-Tools might make values of. Not so a variable that is
 * an argument of a call, or one with an index that is no constant and nothing that loads it as a whole. Nor
 * a variable of the module that several functions use, or none. False when memory runs out. */
bool wpg_memory_is_left(bool *left, const wpg_module *module);

#endif
