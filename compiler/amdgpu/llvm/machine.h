/* The machine blocks of a kernel, read from LLVM's assembly text.
 *
 * Each machine block names the structurised block it comes from: LLVM prints the name beside the label (";
 * %wpg.5"). wpg_machine_name gives block i its name before code generation. Blocks that code generation made
 * (a split edge, a preheader, a loop over the lanes of a divergent descriptor) carry none. Edges are read
 * from branches and from the order of blocks. Plain text, no LLVM. Threads: any. Source: LLVM 22,
 * AMDGPUAsmPrinter with LLVMSetTargetMachineAsmVerbosity. */
#ifndef WPG_COMPILER_AMDGPU_LLVM_MACHINE_H
#define WPG_COMPILER_AMDGPU_LLVM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/amdgpu/flow/flow.h"

enum { WPG_MACHINE_FOREIGN = -1, WPG_MACHINE_NAME = 20 };

typedef struct wpg_machine_block {
    int64_t structurised; /* index, or WPG_MACHINE_FOREIGN */
    uint32_t instructions,
        scratch; /* scratch: dwords a lane that its instructions move (wpg_machine_scratch) */
} wpg_machine_block;

typedef struct wpg_machine {
    wpg_flow_graph graph;
    wpg_machine_block *blocks;
} wpg_machine;

/* "wpg.INDEX" into `name`. */
void wpg_machine_name(char name[WPG_MACHINE_NAME], uint32_t index);
/* True if the line of assembly, of `length` bytes, begins a machine block. *structurised is then the
 * structurised block that it comes from, or WPG_MACHINE_FOREIGN. */
bool wpg_machine_begins_block(int64_t *structurised, const char *line, size_t length);

/* Arrays live in `arena`. WPG_E_NOT_FOUND: no such kernel in the text; WPG_E_FORMAT: a branch to nowhere. */
wpg_status wpg_machine_read(wpg_machine *machine, const char *assembly, const char *kernel, bool pal,
                            wpg_arena *arena, wpg_error *err);

/* Dwords that a line of assembly moves from or to a lane's scratch memory, 0 if none. Spills and private
 * arrays count alike: scratch_* instructions, and on GPUs without them (gfx9, gfx10) buffer_* instructions.
 * Our HSA code uses buffer_* for nothing else. PAL code uses buffer_* for the program's buffers too, so there
 * only spills count, by LLVM's remark "Folded". Spills into lanes of a register (v_writelane) or into
 * accumulation registers are no traffic. */
unsigned wpg_machine_scratch(const char *line, size_t length, bool pal);

#endif
