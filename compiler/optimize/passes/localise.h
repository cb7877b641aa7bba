/* Makes Private variables that one entry function alone uses local to it, so that the SSA tier turns them
 * into values (ssa.c). Private to compiler/optimize/passes. Threads: one module, one thread. */
#ifndef WPG_COMPILER_OPTIMIZE_PASSES_LOCALISE_H
#define WPG_COMPILER_OPTIMIZE_PASSES_LOCALISE_H

#include "compiler/optimize/ir/pass.h"

/* Ids stay. False when memory runs out. */
bool wpg_localise_globals(wpg_module *module);

#endif
