/* See zero_live.h.
 *
 * A value is needed if something with an effect, or a needed value, uses it. A construct is live if a needed
 * value or an effect is in it, or if a needed phi tells its ways apart. Only then the conditions in it are
 * needed. A construct with ways out beside its merge block is as live as the construct around it.
 *
 * A variable of the function is needed if a needed instruction reads it. Then all stores to it are. */
#include "compiler/optimize/fold/zero_live.h"

#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/split.h"

/* A store to a variable of the function. */
typedef struct wpg_zero_store {
    const wpg_inst *inst;
    uint32_t block, next; /* next: of the same variable, index + 1; 0 ends the list */
} wpg_zero_store;

/* What runs whatever is needed. */
typedef struct wpg_zero_effect {
    const wpg_inst *inst;
    uint32_t block;
} wpg_zero_effect;

typedef struct finder {
    wpg_zero_live *live;
    const wpg_view *view;
    const wpg_module *module;
    const wpg_weight_plan *plan;
    uint32_t *action_of; /* [bound] index + 1 in plan->actions */
    uint32_t *worklist, count;
    wpg_operand_list operands;
    bool nomem;
} finder;

static const wpg_inst *own_variable(const wpg_module *module, uint32_t pointer)
{
    const wpg_inst *root = wpg_pointer_root(module, pointer);
    return root && root->opcode == SpvOpVariable && root->words[3] == SpvStorageClassFunction ? root : NULL;
}

/* The variable of the function that the instruction stores to, and nothing else does it do; NULL: another. */
static const wpg_inst *stored_by(const wpg_module *module, const wpg_inst *inst)
{
    const bool is_volatile =
        inst->opcode == SpvOpStore && inst->count > 3 && (inst->words[3] & SpvMemoryAccessVolatileMask);
    return inst->opcode == SpvOpStore && !is_volatile ? own_variable(module, inst->words[1]) : NULL;
}

bool wpg_zero_may_move(const wpg_module *module, const wpg_inst *inst)
{
    const unsigned traits = wpg_inst_traits(module, inst);
    return inst->result && ((traits & WPG_TRAIT_PURE) || (traits & WPG_TRAIT_DERIVATIVE)) &&
           !(traits & (WPG_TRAITS_FIXED & ~(unsigned)WPG_TRAIT_DERIVATIVE));
}

static bool is_removable(const wpg_module *module, const wpg_inst *inst)
{
    if (stored_by(module, inst))
        return true;
    if (!inst->result)
        return false;
    if (inst->opcode == SpvOpPhi)
        return true;
    if (!wpg_zero_may_move(module, inst))
        return false;
    return inst->opcode != SpvOpLoad || wpg_load_is_read_only(module, inst) ||
           own_variable(module, inst->words[3]);
}

uint32_t wpg_zero_live_around(const wpg_cfg *cfg, uint32_t block)
{
    const uint32_t headed = cfg->blocks[block].heads;
    return headed != WPG_NO_BLOCK && cfg->constructs[headed].kind != WPG_CONSTRUCT_LOOP
               ? cfg->constructs[headed].parent
               : cfg->blocks[block].construct;
}

bool wpg_zero_live_is_dead(const wpg_zero_live *live, const wpg_inst *inst)
{
    const wpg_inst *variable = stored_by(live->view->module, inst);
    if (variable)
        return !live->needed[variable->result];
    return inst->result && inst->result < live->view->bound && !live->needed[inst->result] &&
           live->ground->removable[inst->result];
}

/* -- Marks -- */

static void need(finder *f, uint32_t id)
{
    if (id >= f->view->bound || !wpg_view_is_local(f->view, id) || f->live->needed[id] ||
        wpg_module_opcode_of(f->module, id) == SpvOpLabel)
        return;
    f->live->needed[id] = true;
    f->worklist[f->count++] = id;
}

/* All but the operand in word `without`; 0: all. */
static void need_operands(finder *f, const wpg_inst *inst, unsigned without)
{
    f->nomem |= !wpg_used_ids(&f->operands, f->module, inst);
    for (size_t i = 0; i < f->operands.count; i++)
        if (f->operands.data[i] != without)
            need(f, inst->words[f->operands.data[i]]);
}

static void mark_construct(finder *f, uint32_t construct)
{
    const wpg_cfg *cfg = f->view->cfg;
    if (f->live->live[construct])
        return;
    f->live->live[construct] = true;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (cfg->blocks[b].rpo != WPG_NO_BLOCK && cfg->blocks[b].construct == construct)
            need_operands(f, cfg->blocks[b].terminator, 0);
    for (uint32_t c = 0; c < cfg->construct_count; c++)
        if (cfg->constructs[c].parent == construct && cfg->constructs[c].leaves_early)
            mark_construct(f, c);
}

/* The block has to run. What stands in the header of a selection is around the selection. */
static void mark_block(finder *f, uint32_t block)
{
    const wpg_cfg *cfg = f->view->cfg;
    for (uint32_t c = wpg_zero_live_around(cfg, block); c != WPG_NO_BLOCK; c = cfg->constructs[c].parent)
        mark_construct(f, c);
}

static void need_stores(finder *f, uint32_t variable)
{
    const wpg_zero_ground *ground = f->live->ground;
    for (uint32_t i = ground->first_store[variable]; i; i = ground->stores[i - 1].next) {
        need_operands(f, ground->stores[i - 1].inst, 0);
        mark_block(f, ground->stores[i - 1].block);
    }
}

static void need_behind(finder *f, uint32_t id)
{
    const wpg_inst *inst = wpg_module_def(f->module, id);
    const uint32_t block = f->view->block_of[id];
    if (!inst || block == WPG_NO_BLOCK)
        return;
    mark_block(f, block);
    if (f->action_of[id]) {
        const unsigned operand = f->plan->actions.data[f->action_of[id] - 1].operand;
        if (operand)
            need_operands(f, inst, operand);
        return;
    }
    need_operands(f, inst, 0);
    if (inst->opcode == SpvOpVariable)
        need_stores(f, id);
    if (inst->opcode == SpvOpPhi && f->view->cfg->blocks[block].merges != WPG_NO_BLOCK)
        mark_construct(f, f->view->cfg->blocks[block].merges);
    for (uint32_t i = 4; inst->opcode == SpvOpPhi && i < inst->count; i += 2) {
        const uint32_t from = wpg_cfg_find(f->view->cfg, inst->words[i]);
        if (from != WPG_NO_BLOCK)
            mark_block(f, from);
    }
}

static bool chooses(const wpg_inst *terminator)
{
    return terminator->opcode == SpvOpBranch || terminator->opcode == SpvOpBranchConditional ||
           terminator->opcode == SpvOpSwitch;
}

static void mark_effects(finder *f)
{
    const wpg_cfg *cfg = f->view->cfg;
    for (uint32_t i = 0; i < f->live->ground->effect_count; i++) {
        const wpg_zero_effect *effect = &f->live->ground->effects[i];
        need_operands(f, effect->inst, 0);
        if (effect->inst->result)
            need(f, effect->inst->result);
        mark_block(f, effect->block);
    }
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        const wpg_construct *construct = &cfg->constructs[c];
        const bool never_ends = construct->kind == WPG_CONSTRUCT_LOOP && construct->back_edge == WPG_NO_BLOCK;
        if (cfg->blocks[construct->header].rpo != WPG_NO_BLOCK &&
            ((construct->leaves_early && construct->parent == WPG_NO_BLOCK) || never_ends ||
             cfg->blocks[construct->merge].rpo == WPG_NO_BLOCK))
            mark_construct(f, c);
    }
}

bool wpg_zero_live_find(wpg_zero_live *live, const wpg_zero_ground *ground, const wpg_weight_plan *plan,
                        wpg_arena *arena)
{
    const wpg_view *view = ground->view;
    finder f = {.live = live, .view = view, .module = view->module, .plan = plan};
    *live = (wpg_zero_live){.ground = ground,
                            .view = view,
                            .needed = WPG_ARENA_ARRAY(arena, bool, view->bound),
                            .live = WPG_ARENA_ARRAY(arena, bool, view->cfg->construct_count + 1)};
    f.action_of = WPG_ARENA_ARRAY(arena, uint32_t, view->bound);
    f.worklist = WPG_ARENA_ARRAY(arena, uint32_t, view->bound);
    if (!live->needed || !live->live || !f.action_of || !f.worklist)
        return false;
    for (size_t i = 0; i < plan->actions.count; i++)
        f.action_of[plan->actions.data[i].inst->result] = (uint32_t)i + 1;
    mark_effects(&f);
    while (f.count)
        need_behind(&f, f.worklist[--f.count]);
    wpg_vec_free(&f.operands);
    return !f.nomem;
}

/* -- Ground -- */

typedef struct lister {
    const wpg_view *view;
    bool *removable, *whole;
    uint32_t *first_store;
    WPG_VEC(wpg_zero_store) stores;
    WPG_VEC(wpg_zero_effect) effects;
    bool nomem;
} lister;

static bool says_nothing(const wpg_module *module, const wpg_block *block, const wpg_inst *inst)
{
    return inst == block->merge || inst->opcode == SpvOpVariable || inst->opcode == SpvOpLine ||
           inst->opcode == SpvOpNoLine || wpg_inst_is_non_semantic(module, inst) ||
           (inst == block->terminator && chooses(inst));
}

static void list_block(lister *l, uint32_t index)
{
    const wpg_module *module = l->view->module;
    const wpg_block *block = &l->view->cfg->blocks[index];
    for (const wpg_inst *inst = block->label->next;; inst = inst->next) {
        const wpg_inst *variable = stored_by(module, inst);
        if (variable && variable->result < l->view->bound) {
            uint32_t *first = &l->first_store[variable->result];
            l->nomem |= !wpg_vec_push(&l->stores, (wpg_zero_store){inst, index, *first});
            *first = (uint32_t)l->stores.count;
        } else if (is_removable(module, inst)) {
            l->removable[inst->result] = true;
        } else if (!says_nothing(module, block, inst)) {
            l->nomem |= !wpg_vec_push(&l->effects, (wpg_zero_effect){inst, index});
        }
        if (inst == block->terminator)
            break;
    }
}

/* Blocks by construct, each under all constructs around it. */
static bool list_members(wpg_zero_ground *ground, const wpg_cfg *cfg, wpg_arena *arena)
{
    const uint32_t constructs = cfg->construct_count;
    uint32_t *first = WPG_ARENA_ARRAY(arena, uint32_t, constructs + 2), *members = NULL;
    for (unsigned pass = 0; first && pass < 2; pass++) {
        for (uint32_t b = 0; b < cfg->count; b++)
            for (uint32_t c = cfg->blocks[b].construct;
                 cfg->blocks[b].rpo != WPG_NO_BLOCK && c != WPG_NO_BLOCK; c = cfg->constructs[c].parent) {
                if (pass)
                    members[first[c + 1]++] = b;
                else
                    first[c + 2]++;
            }
        for (uint32_t c = 0; !pass && c < constructs; c++)
            first[c + 2] += first[c + 1];
        if (!pass)
            members = WPG_ARENA_ARRAY(arena, uint32_t, first[constructs + 1]);
        if (!members)
            return false;
    }
    ground->first_member = first;
    ground->members = members;
    return first != NULL;
}

bool wpg_zero_ground_make(wpg_zero_ground *ground, const wpg_view *view, wpg_arena *arena)
{
    lister l = {.view = view,
                .removable = WPG_ARENA_ARRAY(arena, bool, view->bound),
                .whole = WPG_ARENA_ARRAY(arena, bool, view->cfg->count),
                .first_store = WPG_ARENA_ARRAY(arena, uint32_t, view->bound)};
    l.nomem = !l.removable || !l.whole || !l.first_store;
    for (uint32_t b = 0; b < view->cfg->count && !l.nomem; b++) {
        l.whole[b] = wpg_block_stays_whole_because(view->cfg, b) != NULL;
        if (view->cfg->blocks[b].rpo != WPG_NO_BLOCK)
            list_block(&l, b);
    }
    *ground = (wpg_zero_ground){
        .view = view,
        .removable = l.removable,
        .first_store = l.first_store,
        .whole = l.whole,
        .stores = wpg_arena_memdup(arena, l.stores.data, l.stores.count * sizeof *l.stores.data),
        .effects = wpg_arena_memdup(arena, l.effects.data, l.effects.count * sizeof *l.effects.data),
        .effect_count = (uint32_t)l.effects.count,
    };
    wpg_vec_free(&l.stores);
    wpg_vec_free(&l.effects);
    return !l.nomem && ground->stores && ground->effects && list_members(ground, view->cfg, arena);
}
