/* Ids: the instruction that defines an id, the next free id, the ids in an instruction. */
#include "compiler/spirv/module.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/grammar.h"
#include "compiler/spirv/module_internal.h"

void wpg_module_set_def(wpg_module *module, uint32_t id, wpg_inst *inst)
{
    if (!id)
        return;
    if (id >= WPG_SPIRV_MAX_BOUND) {
        module->arena.failed = 1;
        return;
    }
    if (id >= module->defs_capacity) {
        uint32_t capacity = id + id / 2 + 64;
        wpg_inst **moved = realloc(module->defs, capacity * sizeof(wpg_inst *));
        if (!moved) {
            module->arena.failed = 1;
            return;
        }
        memset(moved + module->defs_capacity, 0, (capacity - module->defs_capacity) * sizeof(wpg_inst *));
        module->defs = moved;
        module->defs_capacity = capacity;
    }
    module->defs[id] = inst;
    if (id >= module->bound)
        module->bound = id + 1;
}

uint32_t wpg_module_fresh_id(wpg_module *module)
{
    if (module->bound >= WPG_SPIRV_MAX_BOUND) {
        module->arena.failed = 1;
        return 0;
    }
    return module->bound++;
}

void wpg_inst_read_ids(wpg_inst *inst)
{
    const wpg_opcode_info *info = wpg_opcode_lookup(inst->opcode);
    unsigned at = 1;
    inst->type = inst->result = 0;
    if (info && info->has_type && at < inst->count)
        inst->type = inst->words[at++];
    if (info && info->has_result && at < inst->count)
        inst->result = inst->words[at];
}
