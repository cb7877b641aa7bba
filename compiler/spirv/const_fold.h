/* Folds scalar integer and boolean operations on constants, exactly as SPIR-V defines them. Floats:
 * const_float.h. Threads: no state. Source: SPIR-V 1.6, 3.52. */
#ifndef WPG_COMPILER_SPIRV_CONST_FOLD_H
#define WPG_COMPILER_SPIRV_CONST_FOLD_H

#include "compiler/spirv/module.h"

enum { WPG_FOLD_OPERANDS = 3 };

/* Folds one scalar integer or boolean operation. `bits` holds the operands. Only the low `width` bits of each
 * are read (bool: 1). *out is masked to `out_width`. False if this function does not know the operation, or
 * the operation has no defined result: division by zero, too large a shift, signed overflow of a division. */
bool wpg_fold_scalar(uint64_t *out, SpvOp opcode, uint32_t out_width, const uint64_t *bits,
                     const uint32_t *width, uint32_t count);
/* Width of a scalar int (*is_float false), bool (1) or float type; 0 for any other type. */
uint32_t wpg_scalar_width(const wpg_module *module, uint32_t type, bool *is_float, bool *is_signed);

#endif
