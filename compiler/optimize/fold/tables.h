/* Tables: arrays of the shader's own that hold constants and are read alone. Private to
 * compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_TABLES_H
#define WPG_COMPILER_OPTIMIZE_FOLD_TABLES_H

#include "compiler/optimize/ir/pass.h"

/* Makes variables of the module of the entry function's tables. False when memory runs out; the module is as
 * good as before then. */
bool wpg_tables_to_module(wpg_module *module, wpg_inst *function);

#endif
