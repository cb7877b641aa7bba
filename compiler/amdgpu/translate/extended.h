/* GLSL.std.450 in two files: extended.c has the exact or simple functions, transcendental.c the others. */
#ifndef WPG_COMPILER_AMDGPU_TRANSLATE_EXTENDED_H
#define WPG_COMPILER_AMDGPU_TRANSLATE_EXTENDED_H

#include "compiler/amdgpu/translate/translate_internal.h"

#include <spirv/unified1/GLSL.std.450.h>

/* Translates a transcendental function, from sine to power. `b` is NULL for functions of one operand. Both
 * have one float type of 16 or 32 bits. NULL: a failure, or another function, which is no failure. */
LLVMValueRef wpg_tr_transcendental(wpg_tr *t, enum GLSLstd450 which, LLVMValueRef a, LLVMValueRef b);
/* 1 / sqrt(a). */
LLVMValueRef wpg_tr_inverse_sqrt(wpg_tr *t, LLVMValueRef a);

#endif
