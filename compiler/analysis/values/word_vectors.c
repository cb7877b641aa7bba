/* See word_vectors.h. */
#include "compiler/analysis/values/word_vectors.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <string.h>

#include "compiler/analysis/values/equal_parts.h"

/* The sites that the vector's components are; 0: not all of them are. */
static uint64_t sites_of(const wpg_module *module, const wpg_inst *vector, const wpg_word_site *sites,
                         uint32_t count)
{
    const wpg_inst *type = wpg_module_def(module, vector->type);
    uint64_t all = 0;
    if (!type || type->opcode != SpvOpTypeVector ||
        wpg_module_opcode_of(module, type->words[2]) != SpvOpTypeFloat)
        return 0;
    for (uint32_t c = 0; c < type->words[3]; c++) {
        wpg_word_place place;
        uint32_t i = 0;
        if (!wpg_word_place_of_part(&place, module, vector, c))
            return 0;
        while (i < count && memcmp(&sites[i].place, &place, sizeof place) != 0)
            i++;
        if (i == count)
            return 0;
        all |= UINT64_C(1) << i;
    }
    return all;
}

static bool is_dear(const wpg_inst *inst)
{
    return inst->opcode == SpvOpFDiv || (inst->opcode == SpvOpExtInst && inst->words[4] >= GLSLstd450Sin &&
                                         inst->words[4] <= GLSLstd450InverseSqrt);
}

static bool find_given(bool *given, uint64_t *words, const wpg_cfg *cfg, const wpg_word_site *sites,
                       uint32_t count)
{
    bool any = false;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
             inst = inst->next) {
            if (inst->opcode != SpvOpLoad && inst->opcode != SpvOpBitcast &&
                inst->opcode != SpvOpVectorShuffle)
                continue;
            words[inst->result] = sites_of(cfg->module, inst, sites, count);
            given[inst->result] = words[inst->result] != 0;
            any |= given[inst->result];
        }
    return any;
}

wpg_status wpg_word_vectors(uint64_t *wanted, const wpg_cfg *cfg, const wpg_word_site *sites, uint32_t count,
                            wpg_arena *arena)
{
    const uint32_t bound = cfg->module->bound;
    bool *given = WPG_ARENA_ARRAY(arena, bool, bound);
    uint64_t *words = WPG_ARENA_ARRAY(arena, uint64_t, bound);
    wpg_equal_parts parts = {.cfg = cfg, .given = given, .words = words, .bound = bound, .arena = arena};
    *wanted = 0;
    if (!given || !words)
        return WPG_E_NOMEM;
    if (!count || !find_given(given, words, cfg, sites, count < 64 ? count : 64))
        return WPG_OK;
    if (!wpg_equal_parts_find(&parts))
        return WPG_E_NOMEM;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const wpg_block *block = &cfg->blocks[cfg->order[i]];
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next)
            if (inst->result && parts.merged[inst->result] && is_dear(inst))
                *wanted |= parts.rests[inst->result];
    }
    return WPG_OK;
}
