/* The work of the profiled functions: weighted instructions (wpg_inst_cost) times the waves that run them, or
 * the lanes where waves were not counted. Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_WORK_H
#define WPG_COMPILER_OPTIMIZE_IR_WORK_H

#include "compiler/optimize/ir/pass.h"

/* Of the module as it stands. Negative: a block's counts are not known, or a function's control flow is not
 * structured. */
double wpg_work(const wpg_context *context);

#endif
