/* Own work of a select's sides: see select_work.h.
 *
 * An instruction belongs to a side once all its uses do. Values without phis depend on each other without
 * cycles, so counting uses down from the selects finds the whole set. The search ends when enough is found:
 * its time goes by the selects, not by what they reach. */
#include "compiler/analysis/values/select_work.h"

#include "compiler/analysis/graph/inst_cost.h"
#include "compiler/spirv/grammar.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"

typedef struct searcher {
    const wpg_cfg *cfg;
    uint32_t bound;
    uint32_t *uses;            /* [bound] in the function */
    uint32_t *seen, *seen_for; /* [bound] uses found for side `side_number` */
    uint32_t side_number;      /* from 1 */
    uint32_t least, work;
    WPG_VEC(const wpg_inst *) own;
    wpg_operand_list used; /* of one instruction */
    bool failed;
} searcher;

/* Samples that work on their neighbours never go into a branch. Their components are counted, as ever:
 * profiles know select sites by their numbers. */
static uint32_t cost_of(const wpg_module *module, const wpg_inst *inst)
{
    const wpg_inst *type = wpg_module_def(module, inst->type);
    if (wpg_opcode_image_access(inst->opcode) != WPG_IMAGE_IMPLICIT)
        return wpg_inst_cost(module, inst);
    return type && type->opcode == SpvOpTypeVector ? type->words[3] : 1;
}

/* Calls `use` for each id that the instruction uses. */
static void each_used(searcher *s, const wpg_inst *inst, void (*use)(searcher *s, uint32_t id))
{
    (void)wpg_used_ids(&s->used, s->cfg->module,
                       inst); /* of unknown grammar: both counts lack the same uses */
    for (size_t i = 0; i < s->used.count; i++)
        if (inst->words[s->used.data[i]] < s->bound)
            use(s, inst->words[s->used.data[i]]);
}

static void note_use(searcher *s, uint32_t id)
{
    s->uses[id]++;
}

/* Never in the branch of a select. */
static bool stays(const wpg_inst *inst)
{
    return inst->opcode == SpvOpPhi || inst->opcode == SpvOpVariable || inst->opcode == SpvOpLabel ||
           inst->opcode == SpvOpFunctionCall || inst->opcode == SpvOpFunctionParameter;
}

static void use_by_side(searcher *s, uint32_t id)
{
    if (s->seen_for[id] != s->side_number) {
        s->seen_for[id] = s->side_number;
        s->seen[id] = 0;
    }
    const wpg_inst *inst = wpg_module_def(s->cfg->module, id);
    if (++s->seen[id] != s->uses[id] || !inst || stays(inst))
        return;
    uint32_t cost = cost_of(s->cfg->module, inst);
    s->work = s->work > UINT32_MAX - cost ? UINT32_MAX : s->work + cost;
    s->failed |= !wpg_vec_push(&s->own, inst);
}

static bool side_pays(searcher *s, const wpg_select_site *site, unsigned side)
{
    const wpg_block *block = &s->cfg->blocks[site->block];
    s->side_number++;
    s->work = 0;
    wpg_vec_clear(&s->own);
    for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
        if (inst->opcode == SpvOpSelect && inst->count == 6 && inst->words[3] == site->inst->words[3] &&
            inst->words[4 + side] < s->bound)
            use_by_side(s, inst->words[4 + side]);
    for (size_t i = 0; i < s->own.count && s->work < s->least && !s->failed; i++)
        each_used(s, s->own.data[i], use_by_side);
    return s->work >= s->least;
}

static bool count_uses(searcher *s, wpg_arena *arena)
{
    s->uses = WPG_ARENA_ARRAY(arena, uint32_t, s->bound);
    s->seen = WPG_ARENA_ARRAY(arena, uint32_t, s->bound);
    s->seen_for = WPG_ARENA_ARRAY(arena, uint32_t, s->bound);
    if (!s->uses || !s->seen || !s->seen_for)
        return false;
    for (uint32_t b = 0; b < s->cfg->count; b++) {
        const wpg_block *block = &s->cfg->blocks[b];
        for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
            each_used(s, inst, note_use);
        each_used(s, block->terminator, note_use);
    }
    return true;
}

wpg_status wpg_select_pays(bool **pays, const wpg_select_site *sites, uint32_t count, uint32_t least,
                           const wpg_cfg *cfg, wpg_arena *arena)
{
    searcher s = {.cfg = cfg, .bound = cfg->module->bound, .least = least};
    wpg_map judged = {0}; /* block and condition -> does it pay? */
    bool *list = WPG_ARENA_ARRAY(arena, bool, count);
    if (!list)
        return WPG_E_NOMEM;
    s.failed = count && !count_uses(&s, arena);
    for (uint32_t i = 0; i < count && !s.failed; i++) {
        uint64_t key = (uint64_t)sites[i].block << 32 | sites[i].inst->words[3], known;
        if (!wpg_map_get(&judged, key, &known)) {
            known = side_pays(&s, &sites[i], 0) || side_pays(&s, &sites[i], 1);
            s.failed |= !wpg_map_set(&judged, key, known);
        }
        list[i] = known != 0;
    }
    wpg_map_free(&judged);
    wpg_vec_free(&s.own);
    wpg_vec_free(&s.used);
    *pays = list;
    return s.failed ? WPG_E_NOMEM : WPG_OK;
}
