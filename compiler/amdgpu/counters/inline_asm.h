/* One call of inline assembly that LLVM neither moves, doubles nor removes. Threads: as LLVM's. */
#ifndef WPG_COMPILER_AMDGPU_COUNTERS_INLINE_ASM_H
#define WPG_COMPILER_AMDGPU_COUNTERS_INLINE_ASM_H

#include <llvm-c/Types.h>

#include "compiler/amdgpu/counters/counter_text.h"
#include "runtime/base/error.h"

/* Puts `text` where the builder is and empties it. `input`: NULL, or an i64 for operand $0, in scalar
 * registers. `clobbers`: in LLVM's form ("~{scc},~{vcc}"). */
wpg_status wpg_inline_asm(LLVMBuilderRef builder, wpg_text *text, LLVMValueRef input, const char *clobbers,
                          wpg_error *err);

#endif
