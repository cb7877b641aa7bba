/* Adds the values of private cells to memory.
 *
 *     for each group of the region's tallies that are combined in one way (plan.h):
 *         for (k = 0; k < tallies of the group; k++)      one body, its counters are first + k * stride
 *             this lane's values of tally k --reduce over the live lanes--> an elected lane adds them
 *
 * The code is a loop. Code for each tally would make shaders many times as long, and compile time grows
 * faster than length. A chain of selects picks the values of tally k, so cells stay registers.
 *
 * A lane's own number fits 32 bits, a wave's sum may not (a wave has 128 lanes at most). So the number is
 * added in parts of at most 2^25, one round for each part. A second round is rare. */
#include <string.h>

#include "compiler/instrument/code/strategy.h"

enum { PART = 25 /* bits */, FEW_MARKS = 6 };

typedef struct group {
    const wpg_function_plan *f;
    const wpg_leaving *leaving;
    const uint32_t *tallies; /* [count] */
    uint32_t count;
    uint32_t visits; /* the first so many are marks and trips: waves the most, uniform the fewest visits */
    uint32_t k;      /* u32; the constant 0 if there is one only */
    uint32_t round;  /* u32 */
} group;

static const wpg_tally *tally_at(const group *g, uint32_t i)
{
    return &g->f->tallies[g->tallies[i]];
}

static uint32_t if_live(wpg_inject *in, const group *g, uint32_t value)
{
    return g->leaving->now.live ? wpg_select_u32(in, g->leaving->now.live, value, in->c_zero) : value;
}

static uint32_t both(wpg_inject *in, uint32_t a, uint32_t b)
{
    return WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, a, b);
}

static uint32_t not_zero(wpg_inject *in, uint32_t value)
{
    return WPG_EMIT(in, SpvOpINotEqual, in->t_bool, value, in->c_zero);
}

/* ids[k]; zero where an id is 0. */
static uint32_t pick(wpg_inject *in, const uint32_t *ids, uint32_t count, uint32_t k)
{
    uint32_t value = ids[0];
    for (uint32_t i = 0; i < count; i++)
        if (!ids[i])
            value = in->c_zero;
    for (uint32_t i = 0; i < count; i++) {
        if (!ids[i] || ids[i] == value)
            continue;
        uint32_t here = WPG_EMIT(in, SpvOpIEqual, in->t_bool, k, wpg_const_u32(in->module, i));
        value = wpg_select_u32(in, here, ids[i], value);
    }
    return value;
}

/* How often this lane has come to a tally: a mark, or by a loop's trips. */
static uint32_t visits_of(wpg_inject *in, const group *g, const wpg_tally *t)
{
    if (t->method != WPG_METHOD_MARK)
        return wpg_cell_visits(in, g->f, t);
    uint32_t marks = wpg_cell_load(in, t->lanes_cell);
    if (t->mark)
        marks = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, marks, wpg_const_u32(in->module, t->mark));
    return WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, marks, in->c_one);
}

/* This lane's numbers of tally k. */
typedef struct numbers {
    uint32_t lanes, waves, uniform;
} numbers;

static uint32_t cell_or_none(wpg_inject *in, uint32_t cell)
{
    return cell == WPG_NO_CELL ? 0 : wpg_cell_load(in, cell);
}

static numbers pick_numbers(wpg_inject *in, const group *g)
{
    uint32_t *lanes = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, g->count);
    uint32_t *waves = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, g->count);
    uint32_t *uniform = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, g->count);
    if (!lanes || !waves || !uniform)
        return (numbers){in->c_zero, in->c_zero, in->c_zero};
    for (uint32_t i = 0; i < g->count; i++) {
        const wpg_tally *t = tally_at(g, i);
        if (i < g->visits) {
            lanes[i] = waves[i] = visits_of(in, g, t);
            continue;
        }
        lanes[i] = cell_or_none(in, t->lanes_cell);
        waves[i] = cell_or_none(in, t->waves_cell);
        uniform[i] = cell_or_none(in, t->uniform_cell);
    }
    numbers own = {.lanes = pick(in, lanes, g->count, g->k)};
    if (g->visits == g->count) {
        own.waves = own.lanes;
        own.uniform = own.lanes;
        return own;
    }
    /* The fewest visits are the complement of the largest complement, which helpers do not change. */
    for (uint32_t i = 0; i < g->visits; i++)
        uniform[i] = WPG_EMIT(in, SpvOpNot, in->t_u32, lanes[i]);
    own.waves = pick(in, waves, g->count, g->k);
    own.uniform = pick(in, uniform, g->count, g->k);
    return own;
}

/* -- Groups */

/* Tallies of a group are marks one after the other: k / 32 tells the cell. */
static void flush_mark(wpg_inject *in, const group *g)
{
    uint32_t *ids = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, g->count / WPG_MARKS_OF_A_CELL + 1),
             cells = 0;
    const wpg_leaving *l = g->leaving;
    if (!ids)
        return;
    for (uint32_t i = 0; i < g->count; i += WPG_MARKS_OF_A_CELL)
        ids[cells++] = wpg_cell_load(in, tally_at(g, i)->lanes_cell);
    uint32_t bits = wpg_const_u32(in->module, WPG_MARKS_OF_A_CELL - 1), cell = in->c_zero, at = g->k;
    if (cells > 1) {
        cell = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, g->k, wpg_const_u32(in->module, 5));
        at = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, g->k, bits);
    }
    uint32_t marks = pick(in, ids, cells, cell);
    uint32_t bit = WPG_EMIT(in, SpvOpShiftLeftLogical, in->t_u32, in->c_one, at);
    uint32_t has = not_zero(in, WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, marks, bit));
    uint32_t mask = wpg_live_ballot(in, l->now.live ? both(in, has, l->now.live) : has);
    uint32_t lanes = WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                              SpvGroupOperationReduce, mask);
    uint32_t uniform =
        wpg_select_u32(in, wpg_live_masks_equal(in, mask, in->entry_mask), in->c_one, in->c_zero);
    wpg_if some = wpg_if_begin(in, both(in, l->elected, not_zero(in, lanes)));
    wpg_memory_add_tally(in, tally_at(g, 0), lanes, in->c_one, uniform);
    wpg_if_end(in, some);
}

/* The lanes' numbers -> the wave's. */
static numbers reduce(wpg_inject *in, const group *g, bool sums, numbers own)
{
    numbers wave = {.lanes = wpg_reduce(in, SpvOpGroupNonUniformIAdd, own.lanes)};
    SpvOp opcode = sums ? SpvOpGroupNonUniformIAdd : SpvOpGroupNonUniformUMax;
    wave.waves = wpg_reduce(in, opcode, own.waves);
    /* Visits alone go by their least: RADV 22.3 crashes on the largest complement of a constant. */
    bool least = g->visits == g->count;
    wave.uniform = wpg_reduce(in, least ? SpvOpGroupNonUniformUMin : opcode, own.uniform);
    if (!g->visits)
        return wave;
    uint32_t largest = wave.uniform;
    uint32_t fewest = least ? largest : WPG_EMIT(in, SpvOpNot, in->t_u32, largest);
    fewest = wpg_select_u32(in, g->leaving->now.equal, fewest, in->c_zero);
    wave.uniform = fewest;
    if (g->visits < g->count) {
        uint32_t of_visits =
            WPG_EMIT(in, SpvOpULessThan, in->t_bool, g->k, wpg_const_u32(in->module, g->visits));
        wave.uniform = wpg_select_u32(in, of_visits, fewest, largest);
    }
    return wave;
}

/* Of a number, what this round adds; *more gains the lanes that have yet more. */
static uint32_t part_of(wpg_inject *in, const group *g, uint32_t number, uint32_t *more)
{
    uint32_t size = UINT32_C(1) << PART;
    uint32_t parts = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, number, wpg_const_u32(in->module, PART));
    uint32_t rest = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, number, wpg_const_u32(in->module, size - 1));
    uint32_t last = WPG_EMIT(in, SpvOpIEqual, in->t_bool, g->round, parts);
    uint32_t further = WPG_EMIT(in, SpvOpULessThan, in->t_bool, g->round, parts);
    *more = *more ? WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, *more, further) : further;
    rest = wpg_select_u32(in, last, rest, in->c_zero);
    return wpg_select_u32(in, further, wpg_const_u32(in->module, size), rest);
}

/* Combines the tally's numbers over the lanes. Returns the id of a bool: there is more to add. */
static uint32_t flush_numbers(wpg_inject *in, const group *g, bool sums)
{
    numbers own = pick_numbers(in, g);
    uint32_t more = 0;
    own.lanes = if_live(in, g, own.lanes);
    own.waves = if_live(in, g, own.waves);
    if (g->visits < g->count)
        own.uniform = if_live(in, g, own.uniform);
    else if (g->leaving->now.live)
        own.uniform =
            wpg_select_u32(in, g->leaving->now.live, own.uniform, wpg_const_u32(in->module, UINT32_MAX));
    own.lanes = part_of(in, g, own.lanes, &more);
    if (sums) {
        own.waves = part_of(in, g, own.waves, &more);
        own.uniform = part_of(in, g, own.uniform, &more);
    }
    numbers wave = reduce(in, g, sums, own);
    if (sums) {
        more = wpg_any_in(in, wpg_live_ballot(in, more));
    } else {
        /* No lane has visits that its wave has not. */
        uint32_t parts =
            WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, wave.waves, wpg_const_u32(in->module, PART));
        more = WPG_EMIT(in, SpvOpULessThan, in->t_bool, g->round, parts);
        uint32_t first = WPG_EMIT(in, SpvOpIEqual, in->t_bool, g->round, in->c_zero);
        wave.waves = wpg_select_u32(in, first, wave.waves, in->c_zero);
        wave.uniform = wpg_select_u32(in, first, wave.uniform, in->c_zero);
    }
    uint32_t any = WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, wave.lanes, wave.waves);
    wpg_if some = wpg_if_begin(in, both(in, g->leaving->elected, not_zero(in, any)));
    wpg_memory_add_tally(in, tally_at(g, 0), wave.lanes, wave.waves, wave.uniform);
    wpg_if_end(in, some);
    return more;
}

/* Counters of a tally: as number_tally of methods.c gives them. */
static uint32_t stride_of(const wpg_tally *t)
{
    return (t->full != WPG_NO_COUNTER) + 1u + (t->waves != WPG_NO_COUNTER) + (t->uniform != WPG_NO_COUNTER);
}

/* Some consecutive groups, in one way. */
static void flush_groups(wpg_inject *in, group g, const wpg_region *r, wpg_flush_group from,
                         wpg_flush_group to)
{
    bool marks = to == WPG_FLUSH_MARKS, sums = from == WPG_FLUSH_SUMS;
    g.tallies = r->tallies + r->group_start[from];
    g.count = r->group_start[to + 1] - r->group_start[from];
    g.visits = sums ? 0 : r->group_start[WPG_FLUSH_LARGEST] - r->group_start[from];
    g.k = in->c_zero;
    if (!g.count)
        return;
    if (g.count == 1 && marks) {
        flush_mark(in, &g);
        return;
    }
    wpg_loop loop = wpg_loop_begin(in, g.count, !marks);
    uint32_t again = 0;
    if (g.count > 1) {
        g.k = loop.index;
        uint32_t stride = wpg_const_u32(in->module, stride_of(tally_at(&g, 0)));
        in->offset = WPG_EMIT(in, SpvOpIMul, in->t_u32, loop.index, stride);
    }
    g.round = loop.round;
    if (marks)
        flush_mark(in, &g);
    else
        again = flush_numbers(in, &g, sums);
    in->offset = 0;
    wpg_loop_end(in, loop, again);
}

void wpg_flush_region(wpg_inject *in, const wpg_function_plan *f, uint32_t region, const wpg_leaving *leaving)
{
    const wpg_region *r = &f->regions[region];
    group g = {.f = f, .leaving = leaving};
    /* A mark is a number of visits, too: few of them go with others that are there anyway. */
    bool few = r->group_start[WPG_FLUSH_TRIPS] <= FEW_MARKS &&
               r->group_start[WPG_FLUSH_SUMS] > r->group_start[WPG_FLUSH_TRIPS];
    if (!few)
        flush_groups(in, g, r, WPG_FLUSH_MARKS, WPG_FLUSH_MARKS);
    flush_groups(in, g, r, few ? WPG_FLUSH_MARKS : WPG_FLUSH_TRIPS, WPG_FLUSH_LARGEST);
    flush_groups(in, g, r, WPG_FLUSH_SUMS, WPG_FLUSH_SUMS);
}
