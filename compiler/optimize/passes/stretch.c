/* See stretch.h.
 *
 *      b0: needed; dead            b0: needed; lifted
 *          [construct, dead]           if (condition) {
 *      b1: dead; lifted; after            dead; [construct]; dead
 *          [construct, dead]              [construct]; dead
 *      b2: dead; after; rest          }
 *                                      phis; after; rest
 *
 * Blocks of a stretch are of one construct, each behind the one before: a merge block behind its construct,
 * or the only successor. What is needed does not use what is dead, but for products with zero (`after`). So
 * what is needed and uses none of these may stand before the branch. Where something dead uses what stands
 * behind the branch, the stretch ends. */
#include "compiler/optimize/passes/stretch.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/loops.h"
#include "compiler/optimize/ir/split.h"
#include "compiler/spirv/builder.h"

enum { NOWHERE, DEAD, AFTER };     /* wpg_stretch.in */
enum { LEVELS = 2 };               /* of float work that is kept together */
enum { NO_PART, IN_LISTS, WHOLE }; /* wpg_stretch.part */

typedef struct builder {
    wpg_stretch *s;
    const wpg_zero_live *live;
    const wpg_stretch_price *price;
    const wpg_view *view;
    const wpg_module *module;
    const wpg_cfg *cfg;
    wpg_operand_list operands;
    bool nomem;
} builder;

static wpg_inst *end_of(const wpg_cfg *cfg, uint32_t block)
{
    return cfg->blocks[block].merge ? cfg->blocks[block].merge : cfg->blocks[block].terminator;
}

static void put(builder *b, const wpg_inst *inst, uint8_t place)
{
    b->s->in[inst->result] = place;
    b->nomem |= !wpg_vec_push(&b->s->ids, inst->result);
}

static void put_block(builder *b, uint32_t block, uint8_t part)
{
    b->s->part[block] = part;
    b->nomem |= !wpg_vec_push(&b->s->blocks, block);
}

static void forget(wpg_stretch *s)
{
    for (size_t i = 0; i < s->blocks.count; i++)
        s->part[s->blocks.data[i]] = NO_PART;
    wpg_vec_clear(&s->blocks);
}

static uint8_t place_of(const builder *b, uint32_t id)
{
    return id < b->view->bound ? b->s->in[id] : NOWHERE;
}

/* The places of its operands: one bit each. */
static unsigned uses(builder *b, const wpg_inst *inst)
{
    unsigned places = 0;
    b->nomem |= !wpg_used_ids(&b->operands, b->module, inst);
    for (size_t i = 0; i < b->operands.count; i++)
        places |= 1u << place_of(b, inst->words[b->operands.data[i]]);
    return places;
}

static bool stays(const builder *b, const wpg_inst *inst)
{
    return inst->opcode == SpvOpVariable || inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine ||
           wpg_inst_is_non_semantic(b->module, inst);
}

/* A sample stands in the block of its OpSampledImage: both go the same way. Of an instruction whose operands
 * `uses` has listed. */
static bool splits_sampled_image(const builder *b, const wpg_inst *inst, uint8_t way)
{
    bool splits = false;
    for (size_t i = 0; i < b->operands.count && !splits; i++) {
        const uint32_t id = inst->words[b->operands.data[i]];
        splits = place_of(b, id) != way && wpg_module_opcode_of(b->module, id) == SpvOpSampledImage;
    }
    return splits;
}

static void add_cost(builder *b, const wpg_inst *inst, wpg_stretch_runs runs)
{
    const double cost = wpg_inst_cost(b->module, inst);
    b->s->cost += cost * runs.likely;
    b->s->measured += cost * runs.measured;
}

/* Takes the block's instructions up to its end, or to the first that has to stay behind the stretch. */
static bool take_block(builder *b, uint32_t block)
{
    wpg_stretch *s = b->s;
    wpg_inst *end = end_of(b->cfg, block);
    const wpg_stretch_runs runs = b->price->runs[block];
    const bool first = block == s->first;
    s->last = block;
    put_block(b, block, IN_LISTS);
    for (wpg_inst *inst = b->cfg->blocks[block].label->next; inst != end; inst = inst->next) {
        s->stop = inst;
        if (stays(b, inst)) {
            if (uses(b, inst) & (1u << DEAD | 1u << AFTER))
                return false;
            continue;
        }
        const bool dead = wpg_zero_live_is_dead(b->live, inst);
        if (inst->opcode == SpvOpPhi) {
            if (!first && !dead)
                return false;
            if (!first)
                put(b, inst, DEAD);
            continue;
        }
        const unsigned used = uses(b, inst);
        const bool follows = used & (1u << DEAD | 1u << AFTER);
        if (dead) {
            if ((used & 1u << AFTER) || splits_sampled_image(b, inst, DEAD))
                return false;
            if (inst->result)
                put(b, inst, DEAD);
            add_cost(b, inst, runs);
            b->nomem |= first && !wpg_vec_push(&s->dead, inst);
        } else if (follows) {
            if (!wpg_zero_may_move(b->module, inst) || splits_sampled_image(b, inst, AFTER) ||
                (inst->opcode == SpvOpLoad && !wpg_load_is_read_only(b->module, inst)))
                return false;
            put(b, inst, AFTER);
            b->nomem |= !wpg_vec_push(&s->after, inst);
        } else if (!first) {
            if (!wpg_zero_may_move(b->module, inst) || splits_sampled_image(b, inst, NOWHERE))
                return false;
            b->nomem |= !wpg_vec_push(&s->lifted, inst);
        }
    }
    s->stop = end;
    return true;
}

/* Marks what the construct makes; false: it needs what stands behind the stretch. */
static bool take_construct(builder *b, uint32_t construct, uint32_t from)
{
    const wpg_cfg *cfg = b->cfg;
    const wpg_zero_ground *ground = b->live->ground;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t i = ground->first_member[construct]; i < ground->first_member[construct + 1]; i++) {
            const uint32_t m = ground->members[i];
            const bool head = m == from;
            const wpg_inst *begin = head ? cfg->blocks[m].terminator : cfg->blocks[m].label->next;
            const wpg_stretch_runs runs = b->price->runs[m];
            for (const wpg_inst *inst = begin;; inst = inst->next) {
                if (!pass && (uses(b, inst) & 1u << AFTER))
                    return false;
                if (pass && inst->result)
                    put(b, inst, DEAD);
                if (pass)
                    add_cost(b, inst, runs);
                if (inst == cfg->blocks[m].terminator)
                    break;
            }
            if (pass && !head)
                put_block(b, m, WHOLE);
        }
    return true;
}

static bool may_be_crossed(const builder *b, uint32_t construct)
{
    return !wpg_zero_construct_lives(b->live, construct) && !b->cfg->constructs[construct].leaves_early;
}

/* The block behind a block that was taken whole; WPG_NO_BLOCK: the stretch ends there. */
static uint32_t next_block(builder *b, uint32_t block)
{
    const wpg_cfg *cfg = b->cfg;
    const wpg_block *here = &cfg->blocks[block];
    uint32_t next = WPG_NO_BLOCK, construct = here->heads, from = block;
    if (construct == WPG_NO_BLOCK) {
        if (here->terminator->opcode != SpvOpBranch)
            return WPG_NO_BLOCK;
        next = here->successors[0];
        if (cfg->blocks[next].heads != WPG_NO_BLOCK &&
            cfg->constructs[cfg->blocks[next].heads].kind == WPG_CONSTRUCT_LOOP) {
            construct = cfg->blocks[next].heads;
            from = WPG_NO_BLOCK;
            for (uint32_t p = 0; p < cfg->blocks[next].predecessor_count; p++)
                if (cfg->blocks[next].predecessors[p] != block &&
                    cfg->blocks[next].predecessors[p] != cfg->constructs[construct].back_edge)
                    return WPG_NO_BLOCK;
        } else if (cfg->blocks[next].predecessor_count != 1) {
            return WPG_NO_BLOCK;
        }
    }
    if (construct != WPG_NO_BLOCK) {
        next = cfg->constructs[construct].merge;
        if (!may_be_crossed(b, construct))
            return WPG_NO_BLOCK;
    }
    const wpg_block *there = &cfg->blocks[next];
    if (there->rpo == WPG_NO_BLOCK || wpg_zero_live_around(cfg, next) != wpg_zero_live_around(cfg, block) ||
        there->continues != WPG_NO_BLOCK || b->live->ground->whole[next])
        return WPG_NO_BLOCK;
    return construct == WPG_NO_BLOCK || take_construct(b, construct, from) ? next : WPG_NO_BLOCK;
}

/* -- Uses behind the stretch -- */

static bool add_uses(builder *b, wpg_inst *user)
{
    bool fits = wpg_used_ids(&b->operands, b->module, user);
    for (size_t i = 0; i < b->operands.count && fits; i++)
        if (place_of(b, user->words[b->operands.data[i]]) == DEAD)
            fits = wpg_vec_push(&b->s->uses, (wpg_stretch_use){user, b->operands.data[i]});
    return fits;
}

/* Is the instruction of a block that the stretch has in its lists behind the branch? */
static bool goes_behind(const wpg_stretch *s, const wpg_zero_live *live, const wpg_inst *inst)
{
    return inst->result ? inst->result < live->view->bound && s->in[inst->result] == DEAD
                        : wpg_zero_live_is_dead(live, inst);
}

/* The blocks that use what is dead: all from *first on, before *end. */
static void mark_users(uint32_t *first, uint32_t *end, builder *b)
{
    const wpg_stretch *s = b->s;
    *first = b->cfg->count;
    *end = 0;
    for (size_t i = 0; i < s->ids.count; i++) {
        const uint32_t id = s->ids.data[i], users = s->in[id] == DEAD ? b->view->first_user[id + 1] : 0;
        for (uint32_t u = b->view->first_user[id]; u < users; u++) {
            const uint32_t block = wpg_view_block_of(b->view, b->view->users[u]);
            if (block == WPG_NO_BLOCK)
                continue;
            s->uses_dead[block] = true;
            *first = block < *first ? block : *first;
            *end = block < *end ? *end : block + 1;
        }
    }
}

static bool find_uses(builder *b)
{
    const wpg_stretch *s = b->s;
    const wpg_cfg *cfg = b->cfg;
    bool fits = true;
    uint32_t first, end;
    mark_users(&first, &end, b);
    for (uint32_t i = first; i < end && fits; i++) {
        bool is_behind = s->part[i] == NO_PART;
        const bool uses_dead = s->uses_dead[i];
        s->uses_dead[i] = false;
        if (s->part[i] == WHOLE || !uses_dead)
            continue;
        for (wpg_inst *inst = cfg->blocks[i].label->next; fits; inst = inst->next) {
            is_behind |= inst == s->stop && i == s->last;
            const bool ends = inst == cfg->blocks[i].terminator || inst == cfg->blocks[i].merge;
            if (is_behind || (!ends && !goes_behind(s, b->live, inst)))
                fits = add_uses(b, inst);
            if (inst == cfg->blocks[i].terminator)
                break;
        }
    }
    return fits;
}

/* Is the result a number where null stands for operands, and others are numbers? */
static bool stays_finite(const wpg_module *module, const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFNegate:
    case SpvOpVectorTimesScalar:
    case SpvOpDot:
        return true;
    case SpvOpExtInst:
        break;
    default:
        return false;
    }
    if (!wpg_is_glsl_set(module, inst->words[3]))
        return false;
    switch (inst->words[4]) {
    case GLSLstd450Sqrt:
    case GLSLstd450FAbs:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450FClamp:
    case GLSLstd450FMix:
    case GLSLstd450Fma:
        return true;
    default:
        return false;
    }
}

static bool is_used_inside(const builder *b, uint32_t id)
{
    for (uint32_t u = b->view->first_user[id]; u < b->view->first_user[id + 1]; u++) {
        const wpg_inst *user = b->view->users[u];
        if (!user->result || user->result >= b->view->bound || b->s->in[user->result] == DEAD)
            return true;
    }
    return false;
}

/* What a driver may join with its user behind the stretch goes there, too: a phi would part the two, and last
 * bits change (measured: Mesa makes |x| of sqrt(x) * sqrt(x)). */
static bool keep_together(builder *b)
{
    bool any = false;
    for (size_t i = 0; i < b->s->uses.count; i++) {
        const wpg_stretch_use *use = &b->s->uses.data[i];
        wpg_inst *def = wpg_module_def(b->module, use->user->words[use->operand]);
        const uint32_t block = b->view->block_of[def->result];
        if (b->s->in[def->result] != DEAD || b->s->part[block] != IN_LISTS || !stays_finite(b->module, def) ||
            !wpg_is_fused_by_use(b->module, use->user) || is_used_inside(b, def->result))
            continue;
        put(b, def, AFTER);
        b->nomem |= !wpg_vec_push(&b->s->after, def);
        any = true;
    }
    return any;
}

static void list_uses(builder *b)
{
    wpg_vec_clear(&b->s->uses);
    b->nomem |= !find_uses(b);
}

static void put_in_order(builder *b)
{
    wpg_stretch *s = b->s;
    size_t kept = 0;
    for (size_t i = 0; i < s->dead.count; i++)
        if (!s->dead.data[i]->result || s->in[s->dead.data[i]->result] == DEAD)
            s->dead.data[kept++] = s->dead.data[i];
    s->dead.count = kept;
    for (size_t i = 1; i < s->after.count; i++) { /* short lists */
        wpg_inst *inst = s->after.data[i];
        size_t j = i;
        for (; j && b->view->position[s->after.data[j - 1]->result] > b->view->position[inst->result]; j--)
            s->after.data[j] = s->after.data[j - 1];
        s->after.data[j] = inst;
    }
}

/* A phi takes no pointer, image or sampler. */
static bool may_be_carried_out(const builder *b)
{
    bool may = true;
    for (size_t i = 0; i < b->s->uses.count && may; i++) {
        const wpg_stretch_use *use = &b->s->uses.data[i];
        may = wpg_type_may_be_merged(b->module,
                                     wpg_module_def(b->module, use->user->words[use->operand])->type);
    }
    return may;
}

/* May null reach the instruction? It makes numbers of numbers, or passes values on: no branch, index or
 * divisor. */
static bool takes_null(const wpg_module *module, const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpPhi:
    case SpvOpCopyObject:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpSelect:
        return true;
    default:
        return stays_finite(module, inst);
    }
}

/* Behind a branch on the same word, where there is no null. */
static bool is_behind_branch(const builder *b, const wpg_inst *inst)
{
    const uint32_t block = inst->result ? b->view->block_of[inst->result] : WPG_NO_BLOCK;
    return block != WPG_NO_BLOCK && wpg_map_get(b->price->behind, b->cfg->blocks[block].id, NULL);
}

/* What is dead and stands behind the branch still runs, on null where the weight has its value. No loop may
 * hang on that, and nothing be undefined or infinite: a product of infinity and 0 is no 0. */
static bool is_harmless(builder *b)
{
    wpg_map seen = {0};
    WPG_VEC(const wpg_inst *) reached = {0};
    bool harmless = true;
    for (size_t i = 0; i < b->s->uses.count; i++)
        b->nomem |= !wpg_vec_push(&reached, b->s->uses.data[i].user);
    for (size_t i = 0; i < reached.count && harmless && !b->nomem; i++) {
        const wpg_inst *inst = reached.data[i];
        const bool ends = inst->opcode == SpvOpBranchConditional || inst->opcode == SpvOpSwitch;
        if (!ends && (!wpg_zero_live_is_dead(b->live, inst) || is_behind_branch(b, inst)))
            continue;
        harmless = takes_null(b->module, inst);
        if (!harmless || wpg_map_get(&seen, inst->result, NULL))
            continue;
        b->nomem |= !wpg_map_set(&seen, inst->result, 1);
        for (uint32_t u = b->view->first_user[inst->result]; u < b->view->first_user[inst->result + 1]; u++)
            b->nomem |= !wpg_vec_push(&reached, b->view->users[u]);
    }
    wpg_vec_free(&reached);
    wpg_map_free(&seen);
    return harmless;
}

/* The pieces, once it is known where the stretch ends. */
static void settle(builder *b)
{
    list_uses(b);
    for (unsigned level = 0; level < LEVELS && keep_together(b); level++)
        list_uses(b);
    put_in_order(b);
    if (b->s->stop->opcode == SpvOpPhi || !may_be_carried_out(b) || !is_harmless(b))
        b->s->cost = 0;
}

bool wpg_stretch_find(wpg_stretch *stretch, const wpg_zero_live *live, const wpg_stretch_price *price,
                      double least, uint32_t block, wpg_arena *arena)
{
    const wpg_view *view = live->view;
    builder b = {
        .s = stretch, .live = live, .price = price, .view = view, .module = view->module, .cfg = view->cfg};
    wpg_vec_clear(&stretch->dead);
    wpg_vec_clear(&stretch->lifted);
    wpg_vec_clear(&stretch->after);
    forget(stretch);
    if (!stretch->in) {
        stretch->in = WPG_ARENA_ARRAY(arena, uint8_t, view->bound);
        stretch->uses_dead = WPG_ARENA_ARRAY(arena, bool, view->cfg->count);
    }
    if (!stretch->part)
        stretch->part = WPG_ARENA_ARRAY(arena, uint8_t, view->cfg->count);
    stretch->first = stretch->last = block;
    stretch->cost = stretch->measured = 0;
    stretch->cheap = false;
    if (!stretch->in || !stretch->part || !stretch->uses_dead)
        return false;
    if (live->ground->whole[block])
        return true;
    while (block != WPG_NO_BLOCK && take_block(&b, block))
        block = next_block(&b, block);
    stretch->cheap = stretch->cost < least;
    if (stretch->cheap)
        stretch->cost = 0;
    else
        settle(&b);
    for (size_t i = 0; i < stretch->ids.count; i++)
        stretch->in[stretch->ids.data[i]] = NOWHERE;
    wpg_vec_clear(&stretch->ids);
    wpg_vec_free(&b.operands);
    return !b.nomem;
}

wpg_stretch wpg_stretch_take(wpg_stretch *from)
{
    const wpg_stretch none = {.cost = 0};
    wpg_stretch taken = *from;
    *from = (wpg_stretch){.in = from->in, .uses_dead = from->uses_dead, .ids = from->ids};
    taken.in = NULL;
    taken.uses_dead = NULL;
    taken.ids = none.ids;
    return taken;
}

bool wpg_stretch_holds(const wpg_stretch *stretch, uint32_t block)
{
    return stretch->part[block] == WHOLE;
}

/* -- The branch -- */

/* Phis before `where` for what is used behind the stretch: from the label `from` what it is, from `around`
 * null. */
static bool carry_out(const wpg_stretch_uses *uses, wpg_module *module, wpg_inst *where, uint32_t from,
                      uint32_t around)
{
    wpg_map phis = {0};
    bool fits = true;
    for (size_t i = 0; i < uses->count && fits; i++) {
        uint32_t *word = &uses->data[i].user->words[uses->data[i].operand];
        const uint32_t type = wpg_module_def(module, *word)->type;
        uint64_t phi;
        if (!wpg_map_get(&phis, *word, &phi)) {
            phi = wpg_module_fresh_id(module);
            (void)wpg_inst_add(module, where, SpvOpPhi, type, (uint32_t)phi, *word, from,
                               wpg_const_null(module, type), around);
            fits = wpg_map_set(&phis, *word, phi);
        }
        *word = (uint32_t)phi;
    }
    wpg_map_free(&phis);
    return fits;
}

static wpg_block_weight part_of(wpg_block_weight whole, double share)
{
    whole.lanes = (uint64_t)((double)whole.lanes * share);
    whole.waves = (uint64_t)((double)whole.waves * share);
    whole.uniform = (uint64_t)((double)whole.uniform * share);
    return whole;
}

/* Unless a branch around it was noted. */
static bool note_whole(wpg_map *whole, uint32_t label, uint64_t lanes)
{
    return wpg_map_get(whole, label, NULL) || wpg_map_set(whole, label, lanes);
}

/* Weights of the blocks: those behind the branch run in a part of the waves. */
static bool give_weights(const wpg_stretch *s, const wpg_cfg *cfg, wpg_function_profile *profile,
                         const wpg_stretch_branch *by, uint32_t branch, uint32_t merge)
{
    const wpg_block_weight *known = wpg_profile_block(profile, cfg->blocks[s->first].id);
    const wpg_block_weight whole = known ? *known : (wpg_block_weight){0};
    bool fits = wpg_map_set(by->behind, branch, 1) && note_whole(by->whole, branch, whole.lanes);
    for (uint32_t b = 0; b < cfg->count && fits; b++) {
        if (s->part[b] == NO_PART || b == s->first)
            continue;
        wpg_block_weight *weight = wpg_profile_block(profile, cfg->blocks[b].id);
        fits = wpg_map_set(by->behind, cfg->blocks[b].id, 1) &&
               note_whole(by->whole, cfg->blocks[b].id, weight ? weight->lanes : 0);
        if (weight)
            *weight = part_of(*weight, by->share);
    }
    return fits && (!known || (wpg_profile_add_block(profile, branch, part_of(whole, by->share)) &&
                               wpg_profile_add_block(profile, merge, whole)));
}

wpg_status wpg_stretch_guard(const wpg_stretch *stretch, const wpg_view *view, wpg_function_profile *profile,
                             const wpg_stretch_branch *by, wpg_error *err)
{
    const wpg_cfg *cfg = view->cfg;
    wpg_module *module = view->module;
    const uint32_t first = stretch->first, last = stretch->last, before = cfg->blocks[first].id,
                   branch = wpg_module_fresh_id(module), merge = wpg_module_fresh_id(module);
    wpg_inst *at = first == last ? stretch->stop : end_of(cfg, first);
    bool fits = true;
    for (size_t i = 0; i < stretch->lifted.count; i++)
        wpg_inst_move(module, stretch->lifted.data[i], at);
    const uint32_t runs = by->condition(module, at, by->of);
    (void)wpg_inst_add(module, at, SpvOpSelectionMerge, merge, SpvSelectionControlDontFlattenMask);
    (void)wpg_inst_add(module, at, SpvOpBranchConditional, runs, branch, merge);
    (void)wpg_inst_add(module, at, SpvOpLabel, branch);
    for (size_t i = 0; i < stretch->dead.count; i++)
        wpg_inst_move(module, stretch->dead.data[i], at);
    (void)wpg_inst_add(module, stretch->stop, SpvOpBranch, merge);
    (void)wpg_inst_add(module, stretch->stop, SpvOpLabel, merge);
    fits = fits && carry_out(&stretch->uses, module, stretch->stop,
                             first == last ? branch : cfg->blocks[last].id, before);
    for (size_t i = 0; i < stretch->after.count; i++)
        wpg_inst_move(module, stretch->after.data[i], stretch->stop);
    wpg_retarget_phis(cfg, last, merge);
    if (first != last)
        wpg_retarget_phis(cfg, first, branch);
    fits = fits && give_weights(stretch, cfg, profile, by, branch, merge);
    return fits ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

void wpg_stretch_free(wpg_stretch *stretch)
{
    wpg_vec_free(&stretch->dead);
    wpg_vec_free(&stretch->lifted);
    wpg_vec_free(&stretch->after);
    wpg_vec_free(&stretch->uses);
    wpg_vec_free(&stretch->ids);
    wpg_vec_free(&stretch->blocks);
}
