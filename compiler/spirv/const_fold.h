/* Constants of scalar integer and boolean operations, exact in SPIR-V's terms. No floating point: a driver's
 * rounding, denormals and contraction are its own. Threads: no state. Source: SPIR-V 1.6, 3.52. */
#ifndef WPG_COMPILER_SPIRV_CONST_FOLD_H
#define WPG_COMPILER_SPIRV_CONST_FOLD_H

#include "compiler/spirv/module.h"

enum { WPG_FOLD_OPERANDS = 3 };

/* Folds one scalar integer or boolean operation. `bits` are operand values of widths `width` (1 = bool), of
 * which no more is looked at; *out is masked to `out_width`. False when the operation is not known here or
 * has no defined result (division by zero, shift by too much, signed overflow of a division). Results as of
 * SPIR-V 1.6, 3.52. */
bool wpg_fold_scalar(uint64_t *out, SpvOp opcode, uint32_t out_width, const uint64_t *bits,
                     const uint32_t *width, uint32_t count);
/* Width of a scalar int (*is_float false), bool (1) or float type; 0 for any other type. */
uint32_t wpg_scalar_width(const wpg_module *module, uint32_t type, bool *is_float, bool *is_signed);

#endif
