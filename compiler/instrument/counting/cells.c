/* Private cells: counting in registers.
 *
 * A cell is a 32-bit Function variable. At each place where lanes leave a region, the cells of the region's
 * tallies are combined over the leaving lanes (flush.c):
 *
 *     cell                   what it holds                                          combined by
 *     marks                  a bit: this lane has come here                         ballot
 *     lanes cell             each lane has added its own visits                     sum
 *     waves, uniform cell    an elected lane has added one for each visit           sum
 *                            or (equal) every lane of the wave has                  largest
 *     uniform cell           where a region's lanes leave together: every lane has  largest
 *                            added one for each visit by all of E
 *
 * Cells are `equal` at places that all lanes still in the region's loop pass together. There the lane with
 * most visits has seen all of them.
 *
 * Helper lanes add too. They are left out when cells are combined, and only live lanes are elected. */
#include <string.h>

#include "compiler/instrument/code/strategy.h"

static void add(wpg_inject *in, uint32_t cell, uint32_t value)
{
    wpg_cell_store(in, cell, WPG_EMIT(in, SpvOpIAdd, in->t_u32, wpg_cell_load(in, cell), value));
}

/* -- Adding */

static void add_where_it_stands(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    const wpg_tally *t = &f->tallies[point->index];
    if (t->waves_cell == WPG_NO_CELL) {
        add(in, t->lanes_cell, in->c_one); /* what the wave did follows from it (rule (passed) of rules.c) */
        return;
    }
    wpg_live now = wpg_live_known(in, f, point);
    uint32_t elected = wpg_live_elected(in, f, point->block, now), uniform = now.equal;
    if (!wpg_shares_uniform(&f->regions[t->region]))
        uniform = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, elected, uniform);
    add(in, t->lanes_cell, in->c_one);
    add(in, t->waves_cell, wpg_select_u32(in, elected, in->c_one, in->c_zero));
    add(in, t->uniform_cell, wpg_select_u32(in, uniform, in->c_one, in->c_zero));
}

/* What a branch's block knows of one direction: bools. */
typedef struct direction {
    uint32_t some, equal; /* some live lanes go there; these are all of E */
} direction;

static direction of_mask(wpg_inject *in, uint32_t mask)
{
    return (direction){wpg_any_in(in, mask), wpg_live_masks_equal(in, mask, in->entry_mask)};
}

/* One target of a branch; `goes` holds in this lane if the branch's condition is `when`. */
static void add_edge(wpg_inject *in, const wpg_function_plan *f, const wpg_tally *t, direction to,
                     uint32_t goes, bool when, uint32_t elected)
{
    if (!t->equal) {
        to.some = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, to.some, elected);
        if (!wpg_shares_uniform(&f->regions[t->region]))
            to.equal = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, to.equal, to.some);
    }
    add(in, t->lanes_cell,
        wpg_select_u32(in, goes, when ? in->c_one : in->c_zero, when ? in->c_zero : in->c_one));
    add(in, t->waves_cell, wpg_select_u32(in, to.some, in->c_one, in->c_zero));
    add(in, t->uniform_cell, wpg_select_u32(in, to.equal, in->c_one, in->c_zero));
}

/* The condition is equal in all lanes: no ballot. A wave without a live lane holds no elected one, and what
 * helpers add is left out. */
static void find_steady_directions(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point,
                                   uint32_t condition, direction *yes, direction *no)
{
    uint32_t all = wpg_live_known(in, f, point).equal;
    yes->some = condition;
    yes->equal = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, condition, all);
    no->some = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, condition);
    no->equal = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, no->some, all);
}

/* One ballot tells both targets, in modules without demotes, the only ones whose edges the plan takes. */
static void find_directions(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point,
                            uint32_t condition, direction *yes, direction *no)
{
    const wpg_block *block = &f->cfg->blocks[point->block];
    uint32_t live = wpg_live_test(in, f, point->block);
    uint32_t taken = live ? WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, condition, live) : condition;
    taken = wpg_live_ballot(in, taken);
    wpg_live_learn(in, f, point->block, block->successors[0], taken);
    *yes = of_mask(in, taken);
    if (point->other == WPG_NO_TALLY)
        return;
    uint32_t rest = WPG_EMIT(in, SpvOpNot, in->t_uvec4, taken);
    rest = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_uvec4, wpg_live_mask(in, f, point->block, live), rest);
    wpg_live_learn(in, f, point->block, block->successors[block->successor_count - 1], rest);
    *no = of_mask(in, rest);
}

static void add_edges(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    const wpg_tally *yes = point->index != WPG_NO_TALLY ? &f->tallies[point->index] : NULL;
    const wpg_tally *no = point->other != WPG_NO_TALLY ? &f->tallies[point->other] : NULL;
    uint32_t condition = f->cfg->blocks[point->block].terminator->words[1], elected = 0;
    direction taken = {0}, rest = {0};
    if (f->steady && wpg_is_steady_value(f->steady, condition, point->block))
        find_steady_directions(in, f, point, condition, &taken, &rest);
    else
        find_directions(in, f, point, condition, &taken, &rest);
    if ((yes && !yes->equal) || (no && !no->equal)) {
        wpg_live now = {.live = wpg_live_test(in, f, point->block)};
        now.mask = wpg_live_mask(in, f, point->block, now.live);
        elected = wpg_live_elected(in, f, point->block, now);
    }
    if (yes)
        add_edge(in, f, yes, taken, condition, true, elected);
    if (no)
        add_edge(in, f, no, rest, condition, false, elected);
}

/* Both sides of a condition; lanes of the false side are not counted. */
static void add_select(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    const wpg_tally *yes = &f->tallies[point->index], *no = &f->tallies[point->other];
    uint32_t taken = point->condition, some, others;
    wpg_live now = {.live = wpg_live_test(in, f, point->block)};
    if (f->steady && wpg_is_steady_value(f->steady, taken, point->block)) {
        some = taken;
        others = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, taken);
    } else {
        if (now.live)
            taken = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, taken, now.live);
        taken = wpg_live_ballot(in, taken);
        now.mask = wpg_live_mask(in, f, point->block, now.live);
        uint32_t rest = WPG_EMIT(in, SpvOpNot, in->t_uvec4, taken);
        rest = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_uvec4, now.mask, rest);
        some = wpg_any_in(in, taken);
        others = wpg_any_in(in, rest);
    }
    if (!yes->equal) {
        now.mask = wpg_live_mask(in, f, point->block, now.live);
        uint32_t elected = wpg_live_elected(in, f, point->block, now);
        some = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, some, elected);
        others = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, others, elected);
    }
    add(in, yes->lanes_cell, wpg_select_u32(in, point->condition, in->c_one, in->c_zero));
    add(in, yes->waves_cell, wpg_select_u32(in, some, in->c_one, in->c_zero));
    add(in, no->waves_cell, wpg_select_u32(in, others, in->c_one, in->c_zero));
}

/* -- Marks */

static void mark(wpg_inject *in, uint32_t cell, uint32_t bits)
{
    wpg_cell_store(in, cell, WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, wpg_cell_load(in, cell), bits));
}

static uint32_t bit_of(wpg_inject *in, const wpg_tally *t)
{
    return wpg_const_u32(in->module, UINT32_C(1) << t->mark);
}

static void mark_select(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    const wpg_tally *yes = &f->tallies[point->index], *no = &f->tallies[point->other];
    if (yes->lanes_cell == no->lanes_cell) {
        mark(in, yes->lanes_cell, wpg_select_u32(in, point->condition, bit_of(in, yes), bit_of(in, no)));
        return;
    }
    mark(in, yes->lanes_cell, wpg_select_u32(in, point->condition, bit_of(in, yes), in->c_zero));
    mark(in, no->lanes_cell, wpg_select_u32(in, point->condition, in->c_zero, bit_of(in, no)));
}

/* -- Loops and regions */

/* A loop in a scope is left: visits that depend on how. */
static void keep_visits(wpg_inject *in, const wpg_function_plan *f, uint32_t number)
{
    for (uint32_t i = 0; i < f->tally_count; i++) {
        const wpg_tally *t = &f->tallies[i];
        if (t->method == WPG_METHOD_TRIPS && t->loop == number && t->passes && t->lanes_cell != WPG_NO_CELL)
            wpg_cell_store(in, t->lanes_cell, wpg_cell_trips(in, f, t));
    }
}

/* Of the lanes that leave: the most and the fewest visits. Ids, 0 until they are needed. */
typedef struct extremes {
    uint32_t most, fewest;
} extremes;

static void find_extremes(wpg_inject *in, uint32_t visits, const wpg_leaving *l, extremes *found)
{
    uint32_t live = l->now.live, none = wpg_const_u32(in->module, UINT32_MAX);
    if (found->most)
        return;
    found->most = wpg_reduce(in, SpvOpGroupNonUniformUMax,
                             live ? wpg_select_u32(in, live, visits, in->c_zero) : visits);
    found->fewest =
        wpg_reduce(in, SpvOpGroupNonUniformUMin, live ? wpg_select_u32(in, live, visits, none) : visits);
}

/* Those of a tally. The loop's trips are asked once for all whose visits are the trips, or one more. */
static extremes extremes_of(wpg_inject *in, const wpg_function_plan *f, const wpg_tally *t, uint32_t visits,
                            const wpg_leaving *l, extremes *of_trips)
{
    const wpg_loop_plan *loop = &f->loops[t->loop];
    uint32_t passed = 0;
    extremes own = {0};
    if (loop->steady)
        return (extremes){visits, visits};
    for (uint32_t i = 0; i < loop->exit_count; i++)
        passed += t->passes[i];
    if (passed && passed < loop->exit_count) {
        find_extremes(in, visits, l, &own);
        return own;
    }
    find_extremes(in, wpg_cell_load(in, loop->trips_cell), l, of_trips);
    if (!passed)
        return *of_trips;
    own.most = WPG_EMIT(in, SpvOpIAdd, in->t_u32, of_trips->most, in->c_one);
    own.fewest = WPG_EMIT(in, SpvOpIAdd, in->t_u32, of_trips->fewest, in->c_one);
    return own;
}

/* A loop within a region is left: its tallies' cells gain this run's visits. */
static void leave_inner(wpg_inject *in, const wpg_function_plan *f, uint32_t number, const wpg_leaving *l)
{
    extremes of_trips = {0};
    for (uint32_t i = 0; i < f->tally_count; i++) {
        const wpg_tally *t = &f->tallies[i];
        if (t->method != WPG_METHOD_TRIPS || t->loop != number)
            continue;
        uint32_t visits = wpg_cell_trips(in, f, t);
        add(in, t->lanes_cell, visits);
        if (t->steady)
            continue;
        extremes of = extremes_of(in, f, t, visits, l, &of_trips);
        uint32_t uniform = wpg_select_u32(in, l->now.equal, of.fewest, in->c_zero);
        add(in, t->waves_cell, t->equal ? of.most : wpg_select_u32(in, l->elected, of.most, in->c_zero));
        bool by_all = t->equal || wpg_shares_uniform(&f->regions[t->region]);
        add(in, t->uniform_cell, by_all ? uniform : wpg_select_u32(in, l->elected, uniform, in->c_zero));
    }
}

static wpg_leaving who_leaves(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    wpg_leaving l = {.now = wpg_live_known(in, f, point)};
    l.elected = wpg_live_elected(in, f, point->block, l.now);
    return l;
}

static void leave_loop(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    const wpg_loop_plan *loop = &f->loops[point->index];
    if (f->regions[loop->region].exit != WPG_NO_BLOCK && loop->own) {
        keep_visits(in, f, point->index);
        return;
    }
    if (f->regions[loop->region].loop != point->index) {
        wpg_leaving l = who_leaves(in, f, point);
        leave_inner(in, f, point->index, &l);
    } else {
        wpg_leaving l = who_leaves(in, f, point);
        wpg_flush_region(in, f, loop->region, &l);
    }
}

static void zero(wpg_inject *in, uint32_t cell)
{
    if (cell != WPG_NO_CELL)
        wpg_cell_store(in, cell, in->c_zero);
}

static void zero_region(wpg_inject *in, const wpg_function_plan *f, uint32_t region)
{
    const wpg_region *r = &f->regions[region];
    for (uint32_t i = 0; i < r->group_start[WPG_FLUSH_GROUPS]; i++) {
        const wpg_tally *t = &f->tallies[r->tallies[i]];
        zero(in, t->lanes_cell);
        zero(in, t->waves_cell);
        zero(in, t->uniform_cell);
    }
}

static void enter_loop(wpg_inject *in, const wpg_function_plan *f, uint32_t number)
{
    const wpg_loop_plan *loop = &f->loops[number];
    zero(in, loop->trips_cell);
    if (f->regions[loop->region].loop == number)
        zero_region(in, f, loop->region);
}

static void flush_function(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    if (in->plan->strategy->kinds == WPG_KIND_LANES) {
        wpg_flush_lane_marks(in, f, point->index);
        return;
    }
    wpg_leaving l = who_leaves(in, f, point);
    wpg_flush_region(in, f, point->index, &l);
}

/* Lanes part for good at the block's branch (code/trunk.c): the marks go to memory, and begin anew. */
static void flush_split(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    const wpg_region *r = &f->regions[point->index];
    const uint32_t condition = f->cfg->blocks[point->block].terminator->words[1];
    if (f->steady && wpg_is_steady_value(f->steady, condition, point->block))
        return;
    const wpg_leaving l = who_leaves(in, f, point);
    direction taken = {0}, rest = {0};
    find_directions(in, f, point, condition, &taken, &rest);
    const wpg_if parted = wpg_if_begin(in, wpg_both(in, taken.some, rest.some));
    wpg_flush_marks(in, f, point->index, &l);
    for (uint32_t i = r->group_start[WPG_FLUSH_MARKS]; i < r->group_start[WPG_FLUSH_MARKS + 1]; i++)
        if (f->tallies[r->tallies[i]].mark == 0)
            wpg_cell_store(in, f->tallies[r->tallies[i]].lanes_cell, in->c_zero);
    wpg_if_end(in, parted);
}

static void flush_cut(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    const wpg_leaving l = who_leaves(in, f, point);
    wpg_flush_marks(in, f, point->index, &l);
}

void wpg_cells_at(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    switch (point->kind) {
    case WPG_POINT_MARK:
        mark(in, f->tallies[point->index].lanes_cell, bit_of(in, &f->tallies[point->index]));
        break;
    case WPG_POINT_MARK_SELECT:
        mark_select(in, f, point);
        break;
    case WPG_POINT_SELECT:
        add_select(in, f, point);
        break;
    case WPG_POINT_ADD:
        add_where_it_stands(in, f, point);
        break;
    case WPG_POINT_EDGE:
        add_edges(in, f, point);
        break;
    case WPG_POINT_EXIT:
        wpg_cell_store(in, f->loops[point->index].exit_cell, wpg_const_u32(in->module, point->other));
        break;
    case WPG_POINT_BACK:
        add(in, f->loops[point->index].trips_cell, in->c_one);
        break;
    case WPG_POINT_ENTER:
        enter_loop(in, f, point->index);
        break;
    case WPG_POINT_LEAVE:
        leave_loop(in, f, point);
        break;
    case WPG_POINT_FLUSH:
        flush_function(in, f, point);
        break;
    case WPG_POINT_SPLIT:
        flush_split(in, f, point);
        break;
    case WPG_POINT_CUT:
        flush_cut(in, f, point);
        break;
    case WPG_POINT_COUNT:
    case WPG_POINT_SEGMENT:
        break;
    }
}
