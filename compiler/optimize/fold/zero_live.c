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

/* An action of a plan. */
typedef struct action {
    uint64_t plan;
    unsigned operand; /* as in wpg_weight_action */
    uint32_t next;    /* of the same instruction, index + 1; 0 ends the list */
} action;

typedef struct finder {
    wpg_zero_live *live;
    const wpg_view *view;
    const wpg_module *module;
    WPG_VEC(action) actions;
    uint32_t *first_action; /* [bound] index + 1 in actions */
    uint64_t *chain;        /* [construct_count] plans under which it and all around it are live */
    uint64_t *news;         /* [bound] plans under which what is behind the value is not marked yet */
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

uint32_t wpg_zero_live_around(const wpg_cfg *cfg, uint32_t block)
{
    const uint32_t headed = cfg->blocks[block].heads;
    return headed != WPG_NO_BLOCK && cfg->constructs[headed].kind != WPG_CONSTRUCT_LOOP
               ? cfg->constructs[headed].parent
               : cfg->blocks[block].construct;
}

bool wpg_zero_construct_lives(const wpg_zero_live *live, uint32_t construct)
{
    return live->live[construct] & live->asked;
}

uint64_t wpg_zero_live_dead_plans(const wpg_zero_live *live, const wpg_inst *inst, uint64_t plans)
{
    const wpg_inst *variable = stored_by(live->view->module, inst);
    if (variable)
        return plans & ~live->needed[variable->result];
    return inst->result && inst->result < live->view->bound && live->ground->removable[inst->result]
               ? plans & ~live->needed[inst->result]
               : 0;
}

bool wpg_zero_live_is_dead(const wpg_zero_live *live, const wpg_inst *inst)
{
    return wpg_zero_live_dead_plans(live, inst, live->asked);
}

/* -- Marks -- */

static void need(finder *f, uint32_t id, uint64_t plans)
{
    if (id >= f->view->bound || !wpg_view_is_local(f->view, id))
        return;
    const uint64_t more = plans & ~f->live->needed[id];
    if (!more)
        return;
    f->live->needed[id] |= more;
    if (!f->news[id])
        f->worklist[f->count++] = id;
    f->news[id] |= more;
}

/* All but the operand in word `without`; 0: all. */
static void need_operands(finder *f, const wpg_inst *inst, unsigned without, uint64_t plans)
{
    f->nomem |= !wpg_used_ids(&f->operands, f->module, inst);
    for (size_t i = 0; i < f->operands.count; i++)
        if (f->operands.data[i] != without)
            need(f, inst->words[f->operands.data[i]], plans);
}

static void mark_construct(finder *f, uint32_t construct, uint64_t plans)
{
    const wpg_cfg *cfg = f->view->cfg;
    const wpg_zero_ground *ground = f->live->ground;
    const uint64_t more = plans & ~f->live->live[construct];
    if (!more)
        return;
    f->live->live[construct] |= more;
    for (uint32_t b = ground->own[construct]; b != WPG_NO_BLOCK; b = ground->next_own[b])
        need_operands(f, cfg->blocks[b].terminator, 0, more);
    for (uint32_t c = ground->inner[construct]; c != WPG_NO_BLOCK; c = ground->next_inner[c])
        if (cfg->constructs[c].leaves_early)
            mark_construct(f, c, more);
}

/* The block has to run. What stands in the header of a selection is around the selection. */
static void mark_block(finder *f, uint32_t block, uint64_t plans)
{
    const wpg_cfg *cfg = f->view->cfg;
    for (uint32_t c = wpg_zero_live_around(cfg, block); c != WPG_NO_BLOCK && plans & ~f->chain[c];
         c = cfg->constructs[c].parent) {
        mark_construct(f, c, plans);
        f->chain[c] |= plans;
    }
}

static void need_stores(finder *f, uint32_t variable, uint64_t plans)
{
    const wpg_zero_ground *ground = f->live->ground;
    for (uint32_t i = ground->first_store[variable]; i; i = ground->stores[i - 1].next) {
        need_operands(f, ground->stores[i - 1].inst, 0, plans);
        mark_block(f, ground->stores[i - 1].block, plans);
    }
}

static void need_behind(finder *f, uint32_t id)
{
    const wpg_inst *inst = wpg_module_def(f->module, id);
    const uint32_t block = f->view->block_of[id];
    uint64_t plans = f->news[id];
    f->news[id] = 0;
    if (!inst || block == WPG_NO_BLOCK)
        return;
    mark_block(f, block, plans);
    for (uint32_t i = f->first_action[id]; i; i = f->actions.data[i - 1].next) {
        const action *a = &f->actions.data[i - 1];
        if (a->operand && plans & a->plan)
            need_operands(f, inst, a->operand, a->plan);
        plans &= ~a->plan;
    }
    if (!plans)
        return;
    need_operands(f, inst, 0, plans);
    if (inst->opcode == SpvOpVariable)
        need_stores(f, id, plans);
    if (inst->opcode == SpvOpPhi && f->view->cfg->blocks[block].merges != WPG_NO_BLOCK)
        mark_construct(f, f->view->cfg->blocks[block].merges, plans);
    for (uint32_t i = 4; inst->opcode == SpvOpPhi && i < inst->count; i += 2) {
        const uint32_t from = wpg_cfg_find(f->view->cfg, inst->words[i]);
        if (from != WPG_NO_BLOCK)
            mark_block(f, from, plans);
    }
}

static bool chooses(const wpg_inst *terminator)
{
    return terminator->opcode == SpvOpBranch || terminator->opcode == SpvOpBranchConditional ||
           terminator->opcode == SpvOpSwitch;
}

static void mark_effects(finder *f, uint64_t plans)
{
    const wpg_cfg *cfg = f->view->cfg;
    for (uint32_t i = 0; i < f->live->ground->effect_count; i++) {
        const wpg_zero_effect *effect = &f->live->ground->effects[i];
        need_operands(f, effect->inst, 0, plans);
        if (effect->inst->result)
            need(f, effect->inst->result, plans);
        mark_block(f, effect->block, plans);
    }
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        const wpg_construct *construct = &cfg->constructs[c];
        const bool never_ends = construct->kind == WPG_CONSTRUCT_LOOP && construct->back_edge == WPG_NO_BLOCK;
        if (cfg->blocks[construct->header].rpo != WPG_NO_BLOCK &&
            ((construct->leaves_early && construct->parent == WPG_NO_BLOCK) || never_ends ||
             cfg->blocks[construct->merge].rpo == WPG_NO_BLOCK))
            mark_construct(f, c, plans);
    }
}

static bool list_actions(finder *f, const wpg_weight_plan *plan, uint64_t bit)
{
    bool fits = true;
    for (size_t i = 0; i < plan->actions.count && fits; i++) {
        const wpg_weight_action *a = &plan->actions.data[i];
        uint32_t *first = &f->first_action[a->inst->result];
        fits = wpg_vec_push(&f->actions, (action){bit, a->operand, *first});
        *first = (uint32_t)f->actions.count;
    }
    return fits;
}

bool wpg_zero_live_find(wpg_zero_live *live, const wpg_zero_ground *ground, const wpg_weight_plan *plans,
                        uint32_t count, wpg_arena *arena)
{
    const wpg_view *view = ground->view;
    const uint32_t constructs = view->cfg->construct_count + 1;
    finder f = {.live = live, .view = view, .module = view->module};
    *live = (wpg_zero_live){.ground = ground,
                            .view = view,
                            .needed = WPG_ARENA_ARRAY(arena, uint64_t, view->bound),
                            .live = WPG_ARENA_ARRAY(arena, uint64_t, constructs)};
    f.first_action = WPG_ARENA_ARRAY(arena, uint32_t, view->bound);
    f.worklist = wpg_arena_alloc_raw(arena, view->bound, sizeof *f.worklist);
    f.news = WPG_ARENA_ARRAY(arena, uint64_t, view->bound);
    f.chain = WPG_ARENA_ARRAY(arena, uint64_t, constructs);
    if (arena->failed)
        return false;
    for (uint32_t b = 0; b < view->cfg->count; b++) /* nobody has to ask what a label needs */
        live->needed[view->cfg->blocks[b].id] = UINT64_MAX;
    for (uint32_t k = 0; k < count; k++)
        f.nomem |= !list_actions(&f, &plans[k], UINT64_C(1) << k);
    mark_effects(&f, count == WPG_ZERO_PLANS ? UINT64_MAX : (UINT64_C(1) << count) - 1);
    while (f.count)
        need_behind(&f, f.worklist[--f.count]);
    wpg_vec_free(&f.operands);
    wpg_vec_free(&f.actions);
    return !f.nomem;
}

/* -- Ground -- */

enum { UNKNOWN, READ_ONLY, MAY_CHANGE }; /* lister.memory */

typedef struct lister {
    const wpg_view *view;
    bool *removable, *whole;
    uint8_t *memory; /* [bound] of variables that are read */
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

/* Asks once a variable: wpg_load_is_read_only walks the module's annotations. */
static bool is_read_only(lister *l, const wpg_inst *load)
{
    const wpg_module *module = l->view->module;
    const wpg_inst *root = wpg_pointer_root(module, load->words[3]);
    if (!root || root->result >= l->view->bound || wpg_access_is_volatile(load))
        return wpg_load_is_read_only(module, load);
    uint8_t *memory = &l->memory[root->result];
    if (*memory == UNKNOWN)
        *memory = wpg_load_is_read_only(module, load) ? READ_ONLY : MAY_CHANGE;
    return *memory == READ_ONLY;
}

static bool is_removable(lister *l, const wpg_inst *inst)
{
    const wpg_module *module = l->view->module;
    if (!inst->result)
        return false;
    if (inst->opcode == SpvOpPhi)
        return true;
    if (!wpg_zero_may_move(module, inst))
        return false;
    return inst->opcode != SpvOpLoad || own_variable(module, inst->words[3]) || is_read_only(l, inst);
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
        } else if (is_removable(l, inst)) {
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

/* Each construct's own blocks, and the constructs in it. */
static bool list_nesting(wpg_zero_ground *ground, const wpg_cfg *cfg, wpg_arena *arena)
{
    uint32_t *own = WPG_ARENA_ARRAY(arena, uint32_t, cfg->construct_count + 1),
             *inner = WPG_ARENA_ARRAY(arena, uint32_t, cfg->construct_count + 1),
             *next_own = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count),
             *next_inner = WPG_ARENA_ARRAY(arena, uint32_t, cfg->construct_count + 1);
    if (arena->failed)
        return false;
    for (uint32_t c = 0; c < cfg->construct_count; c++)
        own[c] = inner[c] = WPG_NO_BLOCK;
    for (uint32_t b = cfg->count; b-- > 0;) {
        const uint32_t construct = cfg->blocks[b].construct;
        if (cfg->blocks[b].rpo == WPG_NO_BLOCK || construct == WPG_NO_BLOCK)
            continue;
        next_own[b] = own[construct];
        own[construct] = b;
    }
    for (uint32_t c = cfg->construct_count; c-- > 0;) {
        const uint32_t parent = cfg->constructs[c].parent;
        if (parent == WPG_NO_BLOCK)
            continue;
        next_inner[c] = inner[parent];
        inner[parent] = c;
    }
    ground->own = own;
    ground->inner = inner;
    ground->next_own = next_own;
    ground->next_inner = next_inner;
    return true;
}

bool wpg_zero_ground_make(wpg_zero_ground *ground, const wpg_view *view, wpg_arena *arena)
{
    lister l = {.view = view,
                .removable = WPG_ARENA_ARRAY(arena, bool, view->bound),
                .whole = WPG_ARENA_ARRAY(arena, bool, view->cfg->count),
                .memory = WPG_ARENA_ARRAY(arena, uint8_t, view->bound),
                .first_store = WPG_ARENA_ARRAY(arena, uint32_t, view->bound)};
    l.nomem = !l.removable || !l.whole || !l.memory || !l.first_store;
    if (!l.nomem)
        wpg_blocks_stay_whole(l.whole, view->cfg);
    for (uint32_t b = 0; b < view->cfg->count && !l.nomem; b++)
        if (view->cfg->blocks[b].rpo != WPG_NO_BLOCK)
            list_block(&l, b);
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
    return !l.nomem && ground->stores && ground->effects && list_members(ground, view->cfg, arena) &&
           list_nesting(ground, view->cfg, arena);
}
