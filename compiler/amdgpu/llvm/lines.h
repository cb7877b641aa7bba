/* Debug locations name the block of the normal form that each instruction comes from: line = block id + 1.
 * LLVM carries them to the emitted code (`.loc`), and drops them where it merges or hoists. The code is the
 * same with and without them. Source: LLVM 22, SourceLevelDebugging, "Debug info and optimization". */
#ifndef WPG_COMPILER_AMDGPU_LLVM_LINES_H
#define WPG_COMPILER_AMDGPU_LLVM_LINES_H

#include <llvm-c/Types.h>

#include <stdbool.h>
#include <stdint.h>

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

/* The block of the normal form that an instruction comes from; false if it has none. *copies (may be NULL):
 * the number of copies that LLVM made of the instruction by unrolling, itself included. Each copy runs that
 * part of the block's executions. */
bool wpg_lines_of(uint32_t *block, unsigned *copies, LLVMValueRef instruction);

#endif
