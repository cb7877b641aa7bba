/* What an instruction costs, in the unit that all of the compiler judges work by. Generate mode counts what
 * use mode finds worth it, so both ask here. Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_INST_COST_H
#define WPG_COMPILER_ANALYSIS_INST_COST_H

#include "compiler/spirv/module.h"

bool wpg_is_non_semantic_set(const wpg_module *module, uint32_t set);
/* True for an instruction of a non-semantic set. It has no effect; no pass changes a decision for it. */
static inline bool wpg_inst_is_non_semantic(const wpg_module *module, const wpg_inst *inst)
{
    return inst->opcode == SpvOpExtInst && inst->count > 4 && wpg_is_non_semantic_set(module, inst->words[3]);
}

/* Cost in weighted instructions: 1 for an add, more for transcendentals, divisions and memory; times the
 * result's components. */
uint32_t wpg_inst_cost(const wpg_module *module, const wpg_inst *inst);

#endif
