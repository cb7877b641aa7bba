/* Puts the first trip of a loop before the loop. See loop_clone.h, cloner.h.
 *
 *      P: ... OpBranch H                 P: ... OpBranch G
 *      H: phis (start P, next B);        G: the optimisation barriers' zero; OpBranch H'
 *         loop header, merge M           H': copy of the loop, phis with optimisation barriers, merge X
 *         ...                            B': OpBranchConditional false H' X
 *      B: back edge, OpBranch H   =>     X: goes on?; the nexts; phis as M had, of the copy;
 *      M: phis; rest                         OpSelectionMerge M; branch F, M
 *                                        F: OpBranch H
 *                                        H: phis (the nexts F, next B); the loop, merge Y
 *                                        Y: phis as M had; OpBranch M
 *                                        M: phis of Y's and X's values; rest
 *
 * The copy is still a loop, so its breaks and continues keep their meaning. Its back edge is never taken, and
 * drivers see that. B' alone leads to X with "goes on" true or, if B may leave the loop, with B's condition.
 * A value defined only on that way is null in X on the other ways. A value defined only on the others is null
 * on that way, where it has no reader.
 *
 * Structured reconvergence: all lanes of the copy meet again in X, as they would at the continue target or in
 * M. The lanes that go on are the lanes of the second trip. Source: SPIR-V 1.6, 2.11;
 * VK_KHR_shader_maximal_reconvergence.
 *
 * Counts: where every lane that entered took the same way, the lanes of the copy follow from the entries. The
 * loop has the rest, in waves as in lanes, since visits add up. Elsewhere the two cannot be told apart, and
 * the tables say so. */
#include "compiler/optimize/facts/value_fold.h"
#include "compiler/optimize/loops/cloner.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/spirv/builder.h"

/* -- Shape -- */

static bool has_successor(const wpg_block *block, uint32_t to)
{
    for (uint32_t s = 0; s < block->successor_count; s++)
        if (block->successors[s] == to)
            return true;
    return false;
}

const char *wpg_peel_shape_refusal(const wpg_view *view, const wpg_loop *loop)
{
    const wpg_block *back = &view->cfg->blocks[loop->back_edge];
    const wpg_inst *end = back->terminator;
    bool plain = end->opcode == SpvOpBranch && back->successor_count == 1;
    bool tests = end->opcode == SpvOpBranchConditional && back->successor_count == 2 &&
                 has_successor(back, loop->merge);
    if (!has_successor(back, loop->header) || (!plain && !tests))
        return "its back edge is no plain branch";
    for (uint32_t b = 0; b < view->cfg->count; b++)
        if (loop->members[b] && view->cfg->blocks[b].rpo == WPG_NO_BLOCK &&
            has_successor(&view->cfg->blocks[b], loop->merge))
            return "code that is never reached leaves it";
    return NULL;
}

/* -- Words -- */

static wpg_inst *end_of_block(const wpg_cloner *c, uint32_t label)
{
    wpg_inst *inst = wpg_module_def(c->module, label);
    while (inst && inst->next && inst->opcode != SpvOpBranch && inst->opcode != SpvOpBranchConditional)
        inst = inst->next;
    return inst;
}

/* Cuts the copy's back edge; gives whether the lane goes on, as known in B'. */
static uint32_t cut_back_edge(wpg_cloner *c)
{
    const wpg_block *back = wpg_cloner_block(c, c->plan->loop.back_edge);
    const wpg_inst *end = back->terminator;
    wpg_inst *cut = end_of_block(c, wpg_cloner_copied(c, back->id));
    uint32_t header = wpg_cloner_copied(c, wpg_cloner_block(c, c->plan->loop.header)->id);
    uint32_t goes_on = wpg_const_bool(c->module, true);
    if (end->opcode == SpvOpBranch) {
        c->also_from = wpg_cloner_copied(c, back->id);
    } else {
        goes_on = wpg_cloner_copied(c, end->words[1]);
        if (wpg_cfg_find(c->view->cfg, end->words[2]) != c->plan->loop.header) {
            uint32_t left = goes_on;
            goes_on = wpg_module_fresh_id(c->module);
            wpg_inst *merge = cut->prev->opcode == SpvOpLoopMerge ? cut->prev : cut;
            wpg_inst_add(c->module, merge, SpvOpLogicalNot, wpg_type_bool(c->module), goes_on, left);
        }
    }
    wpg_inst_add(c->module, cut, SpvOpBranchConditional, wpg_const_bool(c->module, false), header,
                 c->copy_merge, 0, 1);
    wpg_inst_remove(c->module, cut);
    return goes_on;
}

/* Nothing the application asked of the loop's trips is asked of one. */
static void clear_control(wpg_cloner *c)
{
    wpg_inst *inst =
        wpg_module_def(c->module, wpg_cloner_copied(c, wpg_cloner_block(c, c->plan->loop.header)->id));
    while (inst && inst->opcode != SpvOpLoopMerge)
        inst = inst->next;
    if (inst)
        wpg_inst_set_operands(c->module, inst,
                              (const uint32_t[]){inst->words[1], inst->words[2], SpvLoopControlMaskNone}, 3);
}

/* A phi of X: `on_way` where B' leads there to go on, `elsewhere` from all other blocks. Gives its id. */
static uint32_t phi_of_way(wpg_cloner *c, wpg_inst *where, uint32_t type, uint32_t on_way, uint32_t elsewhere)
{
    const wpg_block *merge = wpg_cloner_block(c, c->plan->loop.merge);
    uint32_t id = wpg_module_fresh_id(c->module);
    WPG_VEC(uint32_t) words = {0};
    if (!wpg_vec_reserve(&words, 4 + 2 * (size_t)merge->predecessor_count)) {
        c->nomem = true;
        return id;
    }
    words.data[words.count++] = type;
    words.data[words.count++] = id;
    for (uint32_t p = 0; p < merge->predecessor_count; p++) {
        words.data[words.count++] = merge->predecessors[p] == c->plan->loop.back_edge ? on_way : elsewhere;
        words.data[words.count++] = wpg_cloner_copied(c, wpg_cloner_block(c, merge->predecessors[p])->id);
    }
    if (c->also_from) {
        words.data[words.count++] = on_way;
        words.data[words.count++] = c->also_from;
    }
    wpg_inst_insert(c->module, where, SpvOpPhi, words.data, words.count);
    wpg_vec_free(&words);
    return id;
}

/* The loop's phis start from what the first trip leaves, by phis before `where`. */
static void start_from_first(wpg_cloner *c, wpg_inst *where)
{
    const wpg_block *header = wpg_cloner_block(c, c->plan->loop.header);
    uint32_t back = wpg_cloner_block(c, c->plan->loop.back_edge)->id;
    for (wpg_inst *phi = header->label->next; phi != header->terminator; phi = phi->next) {
        uint32_t next = 0;
        for (unsigned i = 3; phi->opcode == SpvOpPhi && i + 1 < phi->count; i += 2)
            if (phi->words[i + 1] == back)
                next = wpg_cloner_copied(c, phi->words[i]);
        for (unsigned i = 3; next && i + 1 < phi->count; i += 2)
            if (phi->words[i + 1] == c->rest_block)
                phi->words[i] = phi_of_way(c, where, phi->type, next, wpg_const_null(c->module, phi->type));
    }
}

static void build(wpg_cloner *c)
{
    wpg_inst *header = wpg_cloner_block(c, c->plan->loop.header)->label;
    uint32_t merge = wpg_cloner_block(c, c->plan->loop.merge)->id, original = header->result;
    wpg_cloner_label(c, header, c->guard_block);
    wpg_inst *enter = wpg_inst_add(c->module, header, SpvOpBranch, wpg_cloner_copied(c, original));
    if (wpg_cloner_has_barriers(c)) {
        c->zero = wpg_opt_barrier_zero(c->module, c->view, &c->plan->loop, c->plan->preheader,
                                       c->plan->varying, enter);
        c->even = c->plan->agreed ? wpg_opt_barrier_zero_of(c->module, c->plan->agreed, enter) : 0;
    }
    wpg_cloner_copy(c, header);
    clear_control(c);
    uint32_t goes_on = cut_back_edge(c);

    wpg_cloner_label(c, header, c->copy_merge);
    wpg_inst *joined =
        wpg_inst_add(c->module, header, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
    uint32_t way = phi_of_way(c, joined, wpg_type_bool(c->module), goes_on, wpg_const_bool(c->module, false));
    wpg_inst_add(c->module, header, SpvOpBranchConditional, way, c->rest_block, merge);
    wpg_inst *rest_out = wpg_cloner_rewire(c);
    start_from_first(c, joined);
    wpg_cloner_merge(c, rest_out, joined);
    wpg_cloner_seal(c);
}

/* -- Counts -- */

/* Lanes in the copy, by the graph: a block's or a way's lanes are those of its only neighbour, or what the
 * others leave. */
typedef struct flow {
    const wpg_cloner *c;
    const wpg_cfg *cfg;
    uint64_t *lanes; /* [cfg->count] */
    bool *known;
} flow;

/* Does the copy go that way? */
static bool is_way(const flow *f, uint32_t from, uint32_t to)
{
    const wpg_guard_plan *plan = f->c->plan;
    const wpg_inst *end = f->cfg->blocks[from].terminator;
    if (!plan->live[from] || (plan->loop.members[to] && !plan->live[to]))
        return false;
    for (uint32_t i = 0; i < plan->fold_count; i++)
        if (plan->folds[i].block == from)
            return wpg_fold_target(end, plan->folds[i].bits) == f->cfg->blocks[to].id;
    return true;
}

static uint32_t ways_of(const flow *f, uint32_t from)
{
    uint32_t ways = 0;
    for (uint32_t s = 0; s < f->cfg->blocks[from].successor_count; s++)
        ways += is_way(f, from, f->cfg->blocks[from].successors[s]);
    return ways;
}

/* Lanes that went that way. */
static bool way_lanes(uint64_t *lanes, const flow *f, uint32_t from, uint32_t to)
{
    const wpg_block *source = &f->cfg->blocks[from], *target = &f->cfg->blocks[to];
    *lanes = 0;
    if (!is_way(f, from, to))
        return true;
    if (source->changes_mask)
        return false;
    if (f->known[from] && (ways_of(f, from) == 1 || !f->lanes[from])) {
        *lanes = f->lanes[from];
        return true;
    }
    if (f->c->plan->loop.members[to] && target->predecessor_count == 1 && f->known[to]) {
        *lanes = f->lanes[to];
        return true;
    }
    if (!f->known[from] || source->successor_count != 2)
        return false;
    uint32_t other = source->successors[source->successors[0] == to];
    if (!f->c->plan->loop.members[other] || f->cfg->blocks[other].predecessor_count != 1 ||
        !f->known[other] || f->lanes[other] > f->lanes[from])
        return false;
    *lanes = f->lanes[from] - f->lanes[other];
    return true;
}

static bool find_block(flow *f, uint32_t b)
{
    const wpg_block *block = &f->cfg->blocks[b];
    uint64_t in = 0, out = 0, lanes;
    bool all_in = b != f->c->plan->loop.header, all_out = block->successor_count > 0 && !block->changes_mask;
    for (uint32_t p = 0; p < block->predecessor_count && all_in; p++) {
        all_in = block->predecessors[p] < f->cfg->count && f->c->plan->loop.members[block->predecessors[p]] &&
                 way_lanes(&lanes, f, block->predecessors[p], b);
        in += all_in ? lanes : 0;
    }
    for (uint32_t s = 0; s < block->successor_count && all_out; s++) {
        all_out = way_lanes(&lanes, f, b, block->successors[s]);
        out += all_out ? lanes : 0;
    }
    if (!all_in && !all_out)
        return false;
    f->known[b] = true;
    f->lanes[b] = all_in ? in : out;
    return true;
}

/* Does the flow hold together? Counts made up, or of something else, need not. */
static bool is_sound(const flow *f)
{
    const wpg_loop *loop = &f->c->plan->loop;
    for (uint32_t b = 0; b < f->cfg->count; b++) {
        const wpg_block *block = &f->cfg->blocks[b];
        uint64_t in = 0, out = 0, lanes;
        bool all_in = loop->members[b] && f->known[b] && b != loop->header;
        bool all_out = loop->members[b] && f->known[b] && block->successor_count && !block->changes_mask;
        for (uint32_t p = 0; p < block->predecessor_count && all_in; p++) {
            all_in = way_lanes(&lanes, f, block->predecessors[p], b);
            in += all_in ? lanes : 0;
        }
        for (uint32_t s = 0; s < block->successor_count && all_out; s++) {
            all_out = way_lanes(&lanes, f, b, block->successors[s]);
            out += all_out ? lanes : 0;
        }
        if ((all_in && in != f->lanes[b]) || (all_out && out != f->lanes[b]))
            return false;
    }
    return true;
}

static bool find_flow(flow *f, const wpg_cloner *c, uint64_t entered, wpg_arena *arena)
{
    const wpg_cfg *cfg = c->view->cfg;
    *f = (flow){.c = c,
                .cfg = cfg,
                .lanes = WPG_ARENA_ARRAY(arena, uint64_t, cfg->count),
                .known = WPG_ARENA_ARRAY(arena, bool, cfg->count)};
    if (!f->lanes || !f->known)
        return false;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block_weight *weight =
            c->plan->loop.members[b] ? wpg_known_block(c->profile, cfg->blocks[b].id) : NULL;
        bool alone = c->plan->live[b] && !c->plan->rest_live[b];
        f->known[b] = b == c->plan->loop.header || !c->plan->live[b] || (weight && (alone || !weight->lanes));
        f->lanes[b] = b == c->plan->loop.header        ? entered
                      : f->known[b] && alone && weight ? weight->lanes
                                                       : 0;
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < cfg->count; b++)
            again |= c->plan->loop.members[b] && !f->known[b] && find_block(f, b);
    }
    for (uint32_t b = 0, sound = is_sound(f); !sound && b < cfg->count; b++)
        f->known[b] = false;
    return true;
}

/* Of `lanes`, all that entered or none of them: the counts; else only the lanes are known, which is enough
 * where nothing else was counted. */
static wpg_block_weight counts_of(const wpg_cloner *c, bool known, uint64_t lanes,
                                  const wpg_block_weight *entered, const wpg_block_weight *whole)
{
    wpg_block_weight none = {.origin = whole->origin, .uniform_known = true}, counts = none;
    if (known && !lanes)
        return none;
    if (known && lanes == whole->lanes && !whole->unknown_by)
        return *whole;
    counts = *entered;
    counts.origin = whole->origin;
    counts.lanes = lanes;
    if (!known || entered->unknown_by || (lanes != entered->lanes && c->profile->has_waves))
        counts.unknown_by = c->plan->pass;
    return counts;
}

/* What the first trip leaves of the loop's counts; false where it had more than there was. */
static bool take_away(wpg_block_weight *rest, const wpg_block_weight *whole, const wpg_block_weight *first)
{
    *rest = *whole;
    if (whole->unknown_by || first->unknown_by) {
        rest->unknown_by = whole->unknown_by ? whole->unknown_by : first->unknown_by;
        return true;
    }
    rest->lanes -= first->lanes;
    rest->waves -= first->waves;
    rest->uniform -= first->uniform;
    rest->uniform_known = whole->uniform_known && first->uniform_known;
    bool fits = first->lanes <= whole->lanes && first->waves <= whole->waves &&
                (!rest->uniform_known || first->uniform <= whole->uniform) && rest->waves <= rest->lanes;
    return fits && (!rest->uniform_known || rest->uniform <= rest->waves);
}

static bool mark_loop(wpg_cloner *c, uint32_t header)
{
    wpg_function_profile *profile = c->profile;
    return wpg_map_set(&profile->peeled, header, 1) && wpg_cloner_inherit(c, &profile->peeled, header) &&
           wpg_cloner_inherit(c, &profile->unswitched, header) &&
           wpg_cloner_inherit(c, &profile->valued, header) &&
           wpg_cloner_inherit(c, &profile->guarded, header);
}

static bool enter_member(wpg_cloner *c, const flow *f, uint32_t b, const wpg_block_weight *entered)
{
    wpg_block_weight *weight = wpg_profile_block(c->profile, f->cfg->blocks[b].id), rest;
    if (!weight)
        return true;
    wpg_block_weight first = counts_of(c, f->known[b], f->lanes[b], entered, weight);
    if (!take_away(&rest, weight, &first)) {
        rest = first = *weight;
        rest.unknown_by = first.unknown_by = c->plan->pass;
    }
    *weight = rest;
    return wpg_profile_add_block(c->profile, wpg_cloner_copied(c, f->cfg->blocks[b].id), first);
}

/* Blocks around the two: all that entered meet in X again if none returned. */
static bool enter_others(wpg_cloner *c, const flow *f, const wpg_block_weight *entered)
{
    const wpg_block_weight *merge =
        wpg_profile_block(c->profile, wpg_cloner_block(c, c->plan->loop.merge)->id);
    wpg_block_weight met = *entered, on, rest, left = merge ? *merge : *entered;
    uint64_t lanes = 0;
    bool known = way_lanes(&lanes, f, c->plan->loop.back_edge, c->plan->loop.header);
    for (uint32_t b = 0; b < f->cfg->count; b++)
        if (c->plan->loop.members[b] && c->plan->live[b] &&
            (!f->cfg->blocks[b].successor_count || f->cfg->blocks[b].changes_mask))
            met.unknown_by = c->plan->pass;
    on = counts_of(c, known, lanes, entered, entered);
    wpg_block_weight gone = *entered;
    gone.lanes = wpg_less(entered->lanes, lanes);
    gone = counts_of(c, known && !met.unknown_by, gone.lanes, entered, entered);
    if (!merge)
        left.unknown_by = c->plan->pass;
    if (!take_away(&rest, &left, &gone))
        rest.unknown_by = c->plan->pass;
    rest.origin = entered->origin;
    return wpg_profile_add_block(c->profile, c->guard_block, *entered) &&
           wpg_profile_add_block(c->profile, c->copy_merge, met) &&
           wpg_profile_add_block(c->profile, c->rest_block, on) &&
           wpg_profile_add_block(c->profile, c->rest_merge, rest);
}

static void enter_weights(wpg_cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    const wpg_block_weight *header =
        wpg_profile_block(c->profile, wpg_cloner_block(c, c->plan->loop.header)->id);
    wpg_block_weight entered = wpg_cloner_entered(c, header ? header->origin : 0);
    wpg_arena arena;
    flow f;
    wpg_arena_init(&arena);
    bool done = find_flow(&f, c, entered.lanes, &arena) && enter_others(c, &f, &entered);
    for (uint32_t b = 0; b < cfg->count && done; b++) {
        if (!c->plan->loop.members[b])
            continue;
        done = enter_member(c, &f, b, &entered);
        if (cfg->blocks[b].merge && cfg->blocks[b].merge->opcode == SpvOpLoopMerge)
            done &= mark_loop(c, cfg->blocks[b].id);
    }
    c->nomem |= !done;
    wpg_arena_finish(&arena);
}

wpg_status wpg_peel_apply(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                          const wpg_guard_plan *plan)
{
    wpg_cloner c;
    WPG_TRY(wpg_cloner_init(&c, context, profile, view, plan));
    /* H' is entered from G itself. */
    c.copy_of[wpg_cloner_block(&c, plan->preheader)->id] = c.guard_block;
    if (!c.nomem) {
        build(&c);
        enter_weights(&c);
    }
    return wpg_cloner_finish(&c);
}
