/* Private cells: counting in registers, and what brings it to memory.
 *
 * A cell is a 32-bit Function variable. What is in the cells of a region's tallies, taken over the lanes that
 * leave the region at a place:
 *
 *     lanes cell             each lane has added its own visits:                    sum
 *     waves, uniform cell    an elected lane has added one for each visit:          sum
 *                            or (equal) every lane of the wave has, at places that all lanes still in the
 * region's loop pass together: the lane with most visits has seen all: largest
 *
 * Helper lanes add too; they are left out where cells are taken together, and elected are live lanes only.
 *
 * A lane's own number fits 32 bits, a wave's sum may not: before sums are taken, any lane with a number of
 * 2^25 or more (the wave has 128 lanes at most) brings every lane's numbers to memory for itself. The largest
 * needs no such care. */
#include "compiler/instrument/strategy.h"

enum { SPILL_FROM = 25 }; /* bits */

void wpg_cells_declare(wpg_inject *in)
{
    bool any = false;
    for (uint32_t i = 0; i < in->plan->function_count; i++)
        any |= in->plan->functions[i].cell_count != 0;
    if (!any)
        return;
    wpg_require_capability(in->module, SpvCapabilityGroupNonUniformArithmetic);
    in->p_cell = wpg_type_pointer(in->module, SpvStorageClassFunction, in->t_u32);
    wpg_live_declare_lane(in);
}

void wpg_cells_enter(wpg_inject *in, const wpg_function_plan *function)
{
    in->cells = NULL;
    if (function->cell_count)
        in->cells = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, function->cell_count);
    in->cfg = function->cfg;
}

/* The variable of a cell. Those of a loop are zeroed where it is entered; the function's begin at zero. */
static uint32_t variable(wpg_inject *in, uint32_t cell)
{
    if (!in->cells)
        return in->c_zero; /* out of memory: the module is spoilt */
    if (!in->cells[cell]) {
        in->cells[cell] = wpg_module_fresh_id(in->module);
        wpg_inst_add(in->module, in->cfg->blocks[0].label->next, SpvOpVariable, in->p_cell, in->cells[cell],
                     SpvStorageClassFunction, in->c_zero);
    }
    return in->cells[cell];
}

static uint32_t load(wpg_inject *in, uint32_t cell)
{
    return WPG_EMIT(in, SpvOpLoad, in->t_u32, variable(in, cell));
}

static void store(wpg_inject *in, uint32_t cell, uint32_t value)
{
    wpg_inst_add(in->module, in->where, SpvOpStore, variable(in, cell), value);
}

static void add(wpg_inject *in, uint32_t cell, uint32_t value)
{
    store(in, cell, WPG_EMIT(in, SpvOpIAdd, in->t_u32, load(in, cell), value));
}

static uint32_t select_u32(wpg_inject *in, uint32_t condition, uint32_t yes, uint32_t no)
{
    return WPG_EMIT(in, SpvOpSelect, in->t_u32, condition, yes, no);
}

static uint32_t reduce(wpg_inject *in, SpvOp opcode, uint32_t value)
{
    return WPG_EMIT(in, opcode, in->t_u32, in->subgroup_scope, SpvGroupOperationReduce, value);
}

/* Bool: some bit of the mask is set. */
static uint32_t any_in(wpg_inject *in, uint32_t mask)
{
    uint32_t none = wpg_const_null(in->module, in->t_uvec4);
    uint32_t differ = WPG_EMIT(in, SpvOpINotEqual, wpg_type_vector(in->module, in->t_bool, 4), mask, none);
    return WPG_EMIT(in, SpvOpAny, in->t_bool, differ);
}

/* -- Adding */

static void add_where_it_stands(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    const wpg_tally *t = &f->tallies[point->index];
    if (t->waves_cell == WPG_NO_CELL) {
        add(in, t->lanes_cell,
            in->c_one); /* what the wave did follows from it (rule (passed) of methods.c) */
        return;
    }
    wpg_live now = wpg_live_now(in, f, point);
    uint32_t elected = wpg_live_elect(in, now);
    uint32_t both = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, elected, now.equal);
    add(in, t->lanes_cell, in->c_one);
    add(in, t->waves_cell, select_u32(in, elected, in->c_one, in->c_zero));
    add(in, t->uniform_cell, select_u32(in, both, in->c_one, in->c_zero));
}

/* One target of a branch: `taken` is the mask of the live lanes that go there. */
static void add_edge(wpg_inject *in, const wpg_tally *t, uint32_t taken, uint32_t goes, bool when,
                     uint32_t elected)
{
    uint32_t some = any_in(in, taken);
    uint32_t equal = wpg_live_masks_equal(in, taken, in->entry_mask);
    if (!t->equal) {
        some = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, some, elected);
        equal = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, equal, some);
    }
    add(in, t->lanes_cell,
        select_u32(in, goes, when ? in->c_one : in->c_zero, when ? in->c_zero : in->c_one));
    add(in, t->waves_cell, select_u32(in, some, in->c_one, in->c_zero));
    add(in, t->uniform_cell, select_u32(in, equal, in->c_one, in->c_zero));
}

/* The masks of both targets come from two ballots over all lanes that are here; the plan takes edges in
 * modules without demotes only, where E is a value, or read once. */
static void add_edges(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    const wpg_tally *yes = point->index != WPG_NO_TALLY ? &f->tallies[point->index] : NULL;
    const wpg_tally *no = point->other != WPG_NO_TALLY ? &f->tallies[point->other] : NULL;
    uint32_t condition = f->cfg->blocks[point->block].terminator->words[1];
    uint32_t helper = wpg_live_helper(in), taken = condition, elected = 0;
    wpg_live now = {.live = helper ? WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, helper) : 0};
    if (now.live)
        taken = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, condition, now.live);
    taken = wpg_live_ballot(in, taken);
    bool elects = (yes && !yes->equal) || (no && !no->equal);
    if (no || (elects && now.live))
        now.mask = wpg_live_ballot(in, now.live ? now.live : in->c_true);
    if (elects)
        elected = wpg_live_elect(in, now);
    if (yes)
        add_edge(in, yes, taken, condition, true, elected);
    if (no) {
        uint32_t rest = WPG_EMIT(in, SpvOpNot, in->t_uvec4, taken);
        rest = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_uvec4, now.mask, rest);
        add_edge(in, no, rest, condition, false, elected);
    }
}

/* -- Taking together */

/* The tangle that leaves a region or a loop, or is about to. */
typedef struct leaving {
    wpg_live now;
    uint32_t elected;
    uint32_t
        *visits; /* [tallies] this lane's visits, of those derived from the trips of the region's own loop */
} leaving;

static uint32_t if_live(wpg_inject *in, const leaving *l, uint32_t value, uint32_t otherwise)
{
    return l->now.live ? select_u32(in, l->now.live, value, otherwise) : value;
}

/* How often this lane has come to a tally derived from a loop's trips, in this run of the loop. */
static uint32_t visits_of(wpg_inject *in, const wpg_tally *t, const wpg_loop_plan *loop)
{
    uint32_t trips = load(in, loop->trips_cell), passed = 0, count = 0;
    for (uint32_t i = 0; i < loop->exit_count; i++)
        count += t->passes[i];
    if (count == 0)
        return trips;
    if (count == loop->exit_count)
        return WPG_EMIT(in, SpvOpIAdd, in->t_u32, trips, in->c_one);
    uint32_t exit = load(in, loop->exit_cell);
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        if (!t->passes[i])
            continue;
        uint32_t here = WPG_EMIT(in, SpvOpIEqual, in->t_bool, exit, wpg_const_u32(in->module, i));
        passed = passed ? WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, passed, here) : here;
    }
    return WPG_EMIT(in, SpvOpIAdd, in->t_u32, trips, select_u32(in, passed, in->c_one, in->c_zero));
}

/* Waves and uniform of such a tally: rule (trips) of methods.c. */
static void reduce_visits(wpg_inject *in, const leaving *l, uint32_t visits, uint32_t *waves,
                          uint32_t *uniform)
{
    uint32_t most = wpg_const_u32(in->module, UINT32_MAX);
    *waves = reduce(in, SpvOpGroupNonUniformUMax, if_live(in, l, visits, in->c_zero));
    uint32_t least = reduce(in, SpvOpGroupNonUniformUMin, if_live(in, l, visits, most));
    *uniform = select_u32(in, l->now.equal, least, in->c_zero);
}

/* A loop within a region is left: its tallies' cells gain this run's visits. */
static void leave_inner(wpg_inject *in, const wpg_function_plan *f, uint32_t number, const leaving *l)
{
    const wpg_loop_plan *loop = &f->loops[number];
    for (uint32_t i = 0; i < f->tally_count; i++) {
        const wpg_tally *t = &f->tallies[i];
        if (t->method != WPG_METHOD_TRIPS || t->loop != number)
            continue;
        uint32_t visits = visits_of(in, t, loop), waves, uniform;
        reduce_visits(in, l, visits, &waves, &uniform);
        add(in, t->lanes_cell, visits);
        add(in, t->waves_cell, t->equal ? waves : select_u32(in, l->elected, waves, in->c_zero));
        add(in, t->uniform_cell, t->equal ? uniform : select_u32(in, l->elected, uniform, in->c_zero));
    }
}

/* A tally's own counters get what the lanes hold. */
static void flush_tally(wpg_inject *in, const wpg_function_plan *f, const wpg_tally *t, const leaving *l)
{
    uint32_t lanes = if_live(in, l, load(in, t->lanes_cell), in->c_zero), waves, uniform;
    uint32_t waves_here = t->waves_cell == WPG_NO_CELL ? l->visits[t - f->tallies] : load(in, t->waves_cell);
    uint32_t held = WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, lanes, if_live(in, l, waves_here, in->c_zero));
    uint32_t some = WPG_EMIT(in, SpvOpINotEqual, in->t_bool, held, in->c_zero);
    wpg_if any = wpg_if_begin(in, any_in(in, wpg_live_ballot(in, some)));
    uint32_t sum = reduce(in, SpvOpGroupNonUniformIAdd, lanes);
    if (t->waves_cell == WPG_NO_CELL) {
        reduce_visits(in, l, l->visits[t - f->tallies], &waves, &uniform);
    } else {
        SpvOp opcode = t->equal ? SpvOpGroupNonUniformUMax : SpvOpGroupNonUniformIAdd;
        waves = reduce(in, opcode, if_live(in, l, load(in, t->waves_cell), in->c_zero));
        uniform = reduce(in, opcode, if_live(in, l, load(in, t->uniform_cell), in->c_zero));
    }
    wpg_if elected = wpg_if_begin(in, l->elected);
    wpg_memory_add_tally(in, t, sum, waves, uniform);
    wpg_if_end(in, elected);
    wpg_if_end(in, any);
}

static bool is_flushed(const wpg_tally *t, uint32_t region)
{
    return t->region == region && t->lanes_cell != WPG_NO_CELL && t->method != WPG_METHOD_SUM;
}

/* Every lane that holds something brings it to memory for itself. */
static void spill_cell(wpg_inject *in, uint32_t cell, uint32_t counter)
{
    if (cell == WPG_NO_CELL || counter == WPG_NO_COUNTER)
        return;
    wpg_memory_add(in, &(wpg_add){counter, load(in, cell)}, 1);
    store(in, cell, in->c_zero);
}

/* Cells that are summed: lanes, and waves unless every lane holds them. */
static void spill(wpg_inject *in, const wpg_function_plan *f, uint32_t region, const leaving *l)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < f->tally_count; i++) {
        const wpg_tally *t = &f->tallies[i];
        if (!is_flushed(t, region))
            continue;
        uint32_t lanes = load(in, t->lanes_cell);
        all = all ? WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, all, lanes) : lanes;
        if (t->waves_cell != WPG_NO_CELL && !t->equal)
            all = WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, all, load(in, t->waves_cell));
    }
    if (!all)
        return;
    uint32_t limit = wpg_const_u32(in->module, 1u << SPILL_FROM);
    uint32_t large = WPG_EMIT(in, SpvOpUGreaterThanEqual, in->t_bool, all, limit);
    if (l->now.live)
        large = WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, large, l->now.live);
    wpg_if some = wpg_if_begin(in, any_in(in, wpg_live_ballot(in, large))), among_live = {0};
    if (l->now.live)
        among_live = wpg_if_begin(in, l->now.live);
    for (uint32_t i = 0; i < f->tally_count; i++) {
        const wpg_tally *t = &f->tallies[i];
        if (!is_flushed(t, region))
            continue;
        spill_cell(in, t->lanes_cell, t->lanes);
        if (!t->equal) {
            spill_cell(in, t->waves_cell, t->waves);
            spill_cell(in, t->uniform_cell, t->uniform);
        }
    }
    if (l->now.live)
        wpg_if_end(in, among_live);
    wpg_if_end(in, some);
}

static void flush_region(wpg_inject *in, const wpg_function_plan *f, uint32_t region, const leaving *l)
{
    spill(in, f, region, l);
    for (uint32_t i = 0; i < f->tally_count; i++)
        if (is_flushed(&f->tallies[i], region))
            flush_tally(in, f, &f->tallies[i], l);
}

static leaving who_leaves(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    leaving l = {.now = wpg_live_now(in, f, point)};
    l.elected = wpg_live_elect(in, l.now);
    return l;
}

static void leave_loop(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    const wpg_loop_plan *loop = &f->loops[point->index];
    leaving l = who_leaves(in, f, point);
    if (f->regions[loop->region].loop != point->index) {
        leave_inner(in, f, point->index, &l);
        return;
    }
    l.visits = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, f->tally_count);
    for (uint32_t i = 0; l.visits && i < f->tally_count; i++) {
        const wpg_tally *t = &f->tallies[i];
        if (t->method != WPG_METHOD_TRIPS || t->loop != point->index)
            continue;
        l.visits[i] = t->passes ? visits_of(in, t, loop) : load(in, t->lanes_cell);
        if (t->passes)
            store(in, t->lanes_cell, l.visits[i]);
    }
    if (!l.visits)
        return;
    flush_region(in, f, loop->region, &l);
}

static void zero(wpg_inject *in, uint32_t cell)
{
    if (cell != WPG_NO_CELL)
        store(in, cell, in->c_zero);
}

static void zero_region(wpg_inject *in, const wpg_function_plan *f, uint32_t region)
{
    for (uint32_t i = 0; i < f->tally_count; i++) {
        const wpg_tally *t = &f->tallies[i];
        if (!is_flushed(t, region))
            continue;
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

/* Before a demote the lanes that stay live keep on counting: their cells begin anew, too. */
static void leave_function(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    leaving l = who_leaves(in, f, point);
    flush_region(in, f, point->index, &l);
    if (point->other)
        zero_region(in, f, point->index);
}

void wpg_cells_at(wpg_inject *in, const wpg_function_plan *f, const wpg_point *point)
{
    switch (point->kind) {
    case WPG_POINT_ADD:
        add_where_it_stands(in, f, point);
        break;
    case WPG_POINT_EDGE:
        add_edges(in, f, point);
        break;
    case WPG_POINT_EXIT:
        store(in, f->loops[point->index].exit_cell, wpg_const_u32(in->module, point->other));
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
        leave_function(in, f, point);
        break;
    case WPG_POINT_COUNT:
    case WPG_POINT_SEGMENT:
        break;
    }
}
