/* Folds 32-bit floating-point operations whose result is the same number on every implementation:
 * comparisons, and arithmetic without a rounding. Threads: no state. Source: SPIR-V 1.6, 3.52; Vulkan 1.3,
 * "Precision and Operation of SPIR-V Instructions". */
#ifndef WPG_COMPILER_SPIRV_CONST_FLOAT_H
#define WPG_COMPILER_SPIRV_CONST_FLOAT_H

#include "compiler/spirv/module.h"

enum { WPG_FLOAT_OPERANDS = 3 };

/* Compares two floats, given as bits. False if `opcode` is no comparison, or an operand is a NaN or denormal:
 * what becomes of these is the driver's. */
bool wpg_fold_float_comparison(uint64_t *out, SpvOp opcode, uint64_t left, uint64_t right);

/* A 32-bit integer of a float, given as bits: OpConvertFToS, OpConvertFToU. False if `opcode` is neither, the
 * number does not fit, or it is a NaN, an infinity or denormal. */
bool wpg_fold_float_to_int(uint64_t *out, SpvOp opcode, uint64_t bits);

/* Sums, products, quotients of 0, conversions of integers, min, max, clamp, mix, step, whole numbers next to
 * one, fract, abs and sign, given and returned as bits. `function` is the GLSL.std.450 number of an
 * OpExtInst. False if the operation is none of these, a result on the way is rounded, or a number is a NaN,
 * an infinity or denormal. */
bool wpg_fold_exact_float(uint64_t *out, SpvOp opcode, uint32_t function, const uint64_t *bits,
                          uint32_t count);

#endif
