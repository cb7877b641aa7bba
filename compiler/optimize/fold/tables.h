/* Arrays of the shader's own, one for all functions of an invocation. Private to compiler/optimize.
 * Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_TABLES_H
#define WPG_COMPILER_OPTIMIZE_FOLD_TABLES_H

#include "compiler/optimize/ir/pass.h"

/* Makes variables of the module of the entry function's arrays, before the function is copied. False when
 * memory runs out; the module is as good as before then. */
bool wpg_arrays_to_module(wpg_module *module, wpg_inst *function);

#endif
