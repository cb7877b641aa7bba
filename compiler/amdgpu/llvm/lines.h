/* Which block of the normal form each instruction comes from: as debug locations, line = block id + 1, which
 * LLVM carries to the emitted code (`.loc`) and drops where it merges or hoists. The code is the same with
 * and without. Source: LLVM 22, SourceLevelDebugging, "Debug info and optimization". */
#ifndef WPG_COMPILER_AMDGPU_LLVM_LINES_H
#define WPG_COMPILER_AMDGPU_LLVM_LINES_H

#include <llvm-c/Types.h>

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"

typedef struct wpg_lines {
    LLVMBuilderRef builder;
    LLVMMetadataRef scope;
    LLVMContextRef context;
    uint32_t next;
} wpg_lines;

/* Describes `function` and sets up *lines; what is built before the first block has no line. */
void wpg_lines_begin(wpg_lines *lines, LLVMModuleRef llvm, LLVMValueRef function, LLVMBuilderRef builder);
/* The next block, in the normal form's order, begins. */
void wpg_lines_block(wpg_lines *lines);

/* Block of the normal form that an instruction comes from; false: it has none. *copies (may be NULL): of how
 * many that LLVM made by unrolling it is one, so that each runs that part of what the block did. */
bool wpg_lines_of(uint32_t *block, unsigned *copies, LLVMValueRef instruction);

#endif
