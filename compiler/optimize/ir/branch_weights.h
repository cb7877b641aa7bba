/* Branch weights, shared by the passes that make branches. Private to compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_BRANCH_WEIGHTS_H
#define WPG_COMPILER_OPTIMIZE_IR_BRANCH_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/spirv/module.h"

/* Scales two counts to weights whose sum fits 32 bits, as OpBranchConditional requires. A count that is not
 * zero stays at least 1. False if both counts are zero: SPIR-V forbids such weights. */
bool wpg_scale_weights(uint32_t weights[2], uint64_t on_true, uint64_t on_false);
/* Gives a conditional branch the weights of two counts. It stays as it is where both are zero. */
void wpg_branch_weigh(wpg_module *module, wpg_inst *branch, uint64_t on_true, uint64_t on_false);

#endif
