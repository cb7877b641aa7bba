/* Enumerates sites: see sites.h. */
#include "compiler/analysis/values/sites.h"

static bool is_constant(const wpg_module *module, uint32_t id)
{
    switch (wpg_module_opcode_of(module, id)) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstantNull:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstantOp:
    case SpvOpUndef:
        return true;
    default:
        return false;
    }
}

static bool is_site(const wpg_module *module, const wpg_inst *inst)
{
    if (inst->opcode != SpvOpSelect || inst->count != 6)
        return false;
    const wpg_inst *condition = wpg_module_def(module, inst->words[3]);
    return condition && wpg_module_opcode_of(module, condition->type) == SpvOpTypeBool &&
           !is_constant(module, inst->words[3]);
}

static uint32_t walk(wpg_select_site *sites, const wpg_cfg *cfg)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->rpo == WPG_NO_BLOCK)
            continue;
        for (wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next) {
            if (!is_site(cfg->module, inst))
                continue;
            if (sites)
                sites[count] = (wpg_select_site){inst, b};
            count++;
        }
    }
    return count;
}

wpg_status wpg_select_sites(wpg_select_site **sites, uint32_t *count, const wpg_cfg *cfg, wpg_arena *arena)
{
    uint32_t found = walk(NULL, cfg);
    wpg_select_site *list = WPG_ARENA_ARRAY(arena, wpg_select_site, found);
    if (!list)
        return WPG_E_NOMEM;
    walk(list, cfg);
    *sites = list;
    *count = found;
    return WPG_OK;
}
