/* Adds the values of private cells to memory.
 *
 *     for each group of the region's tallies that are combined in one way (plan.h):
 *         do {
 *             do {
 *                 this lane's values of the next tally --reduce over the live lanes--> the wave's
 *                 one live lane holds them
 *             } while (there are tallies, and live lanes that hold none);
 *             each live lane adds what it holds: its counters are first + k * stride
 *         } while (there are tallies);
 *
 * So n live lanes add n tallies at a time, beside each other in memory. One elected lane would make n
 * additions, one after the other. Of steady tallies each lane knows the wave's numbers by itself.
 *
 * The code is a loop. Code for each tally would make shaders many times as long, and compile time grows
 * faster than length. A chain of selects picks the values of tally k, so cells stay registers.
 *
 * A lane's own number fits 32 bits, a wave's sum may not (a wave has 128 lanes at most). So the number is
 * added in parts of at most 2^24, one round for each part. A second round is rare: it comes where the wave's
 * sum shows that a lane may have had a full part. */
#include <assert.h>
#include <string.h>

#include "compiler/instrument/code/strategy.h"
#include "compiler/instrument/counting/paths.h"
#include "compiler/instrument/counting/waves.h"

enum { PART = 24 /* bits */, FEW_MARKS = 6 };

/* Variables: the next tally, its round, how many live lanes hold a tally; what this lane holds, of which. */
enum { NEXT, ROUND, HELD, LANES, WAVES, UNIFORM, TALLY, VARIABLES };
static_assert((int)VARIABLES == (int)WPG_SCRATCH, "inject.h keeps as many");

typedef struct group {
    const wpg_function_plan *f;
    const wpg_leaving *leaving;
    uint32_t rank, lanes;    /* u32: live lanes below this one, and all; 0 where no group needs them */
    uint32_t step;           /* u32: lanes, but 1 where there is none */
    uint32_t alike;          /* bool: all live lanes have the same numbers; 0: not asked */
    const uint32_t *tallies; /* [count] */
    uint32_t count;
    bool shared;     /* SUMS: uniform is the largest of the lanes', not their sum */
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

static uint32_t less(wpg_inject *in, uint32_t a, uint32_t b)
{
    return WPG_EMIT(in, SpvOpULessThan, in->t_bool, a, b);
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

/* The cells of a group of marks, which are one after the other: k / 32 tells the cell. Returns how many. */
static uint32_t mark_cells(wpg_inject *in, const group *g, uint32_t **ids)
{
    uint32_t cells = 0;
    *ids = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, g->count / WPG_MARKS_OF_A_CELL + 1);
    for (uint32_t i = 0; *ids && i < g->count; i += WPG_MARKS_OF_A_CELL)
        (*ids)[cells++] = wpg_cell_load(in, tally_at(g, i)->lanes_cell);
    return cells;
}

/* Whether all live lanes have the same marks: then the numbers of each are known without a ballot for it. 0:
 * not asked. */
static uint32_t marks_alike(wpg_inject *in, const group *g)
{
    if (in->plan->options->target.loses_exit_values)
        return 0; /* lavapipe 22.3.6 gets the program's own data wrong then: seed 28000079 of e2e/random */
    uint32_t *ids, cells = mark_cells(in, g, &ids), differ = in->c_zero, live = g->leaving->now.live;
    uint32_t all_bits = wpg_const_u32(in->module, UINT32_MAX);
    for (uint32_t i = 0; i < cells; i++) {
        uint32_t own = ids[i], other;
        if (live) {
            /* Helpers have marks of their own. */
            other = wpg_reduce(in, SpvOpGroupNonUniformBitwiseAnd, wpg_select_u32(in, live, own, all_bits));
            own = wpg_reduce(in, SpvOpGroupNonUniformBitwiseOr, wpg_select_u32(in, live, own, in->c_zero));
        } else {
            other = WPG_EMIT(in, SpvOpGroupNonUniformBroadcastFirst, in->t_u32, in->subgroup_scope, own);
        }
        other = WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, own, other);
        differ = i ? WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, differ, other) : other;
    }
    if (live)
        return WPG_EMIT(in, SpvOpIEqual, in->t_bool, differ, in->c_zero);
    uint32_t some = wpg_any_in(in, wpg_live_ballot(in, wpg_is_set(in, differ)));
    return WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, some);
}

/* Whether this lane has the mark of tally k, of a group of marks. `beyond`: k may be behind the last. */
static uint32_t has_mark(wpg_inject *in, const group *g, uint32_t k, bool beyond)
{
    uint32_t *ids, cells = mark_cells(in, g, &ids), cell = in->c_zero, at = k;
    if (!ids)
        return in->c_true;
    if (cells > 1)
        cell = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, k, wpg_const_u32(in->module, 5));
    if (cells > 1 || beyond)
        at = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, k, wpg_const_u32(in->module, WPG_MARKS_OF_A_CELL - 1));
    uint32_t marks = pick(in, ids, cells, cell);
    uint32_t bit = WPG_EMIT(in, SpvOpShiftLeftLogical, in->t_u32, in->c_one, at);
    return wpg_is_set(in, WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, marks, bit));
}

static numbers of_mark(wpg_inject *in, const group *g)
{
    const wpg_leaving *l = g->leaving;
    uint32_t has = has_mark(in, g, g->k, g->alike);
    uint32_t mask = wpg_live_ballot(in, l->now.live ? wpg_both(in, has, l->now.live) : has);
    uint32_t lanes = WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                              SpvGroupOperationReduce, mask);
    uint32_t equal = wpg_live_masks_equal(in, mask, in->entry_mask);
    if (g->alike) {
        lanes = wpg_select_u32(in, g->alike, wpg_select_u32(in, has, g->lanes, in->c_zero), lanes);
        equal = WPG_EMIT(in, SpvOpSelect, in->t_bool, g->alike, wpg_both(in, has, l->now.equal), equal);
    }
    return (numbers){.lanes = lanes,
                     .waves = wpg_select_u32(in, wpg_is_set(in, lanes), in->c_one, in->c_zero),
                     .uniform = wpg_select_u32(in, equal, in->c_one, in->c_zero)};
}

/* The lanes' numbers -> the wave's. */
static numbers reduce(wpg_inject *in, const group *g, bool sums, numbers own)
{
    numbers wave = {.lanes = wpg_reduce(in, SpvOpGroupNonUniformIAdd, own.lanes)};
    SpvOp opcode = sums ? SpvOpGroupNonUniformIAdd : SpvOpGroupNonUniformUMax;
    wave.waves = wpg_reduce(in, opcode, own.waves);
    /* Visits alone go by their least: RADV 22.3 crashes on the largest complement of a constant. */
    bool least = g->visits == g->count;
    if (g->shared)
        opcode = SpvOpGroupNonUniformUMax;
    wave.uniform = wpg_reduce(in, least ? SpvOpGroupNonUniformUMin : opcode, own.uniform);
    if (!g->visits)
        return wave;
    uint32_t largest = wave.uniform;
    uint32_t fewest = least ? largest : WPG_EMIT(in, SpvOpNot, in->t_u32, largest);
    fewest = wpg_select_u32(in, g->leaving->now.equal, fewest, in->c_zero);
    wave.uniform = fewest;
    if (g->visits < g->count) {
        uint32_t of_visits = less(in, g->k, wpg_const_u32(in->module, g->visits));
        wave.uniform = wpg_select_u32(in, of_visits, fewest, largest);
    }
    return wave;
}

/* Of a number, what this round adds. */
static uint32_t part_of(wpg_inject *in, const group *g, uint32_t number)
{
    uint32_t size = UINT32_C(1) << PART;
    uint32_t parts = WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, number, wpg_const_u32(in->module, PART));
    uint32_t rest = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, number, wpg_const_u32(in->module, size - 1));
    uint32_t last = WPG_EMIT(in, SpvOpIEqual, in->t_bool, g->round, parts);
    uint32_t further = less(in, g->round, parts);
    rest = wpg_select_u32(in, last, rest, in->c_zero);
    return wpg_select_u32(in, further, wpg_const_u32(in->module, size), rest);
}

/* The wave's numbers of the tally. *more: the id of a bool, there is more to add. */
static numbers of_cells(wpg_inject *in, const group *g, bool sums, uint32_t *more)
{
    numbers own = pick_numbers(in, g);
    own.lanes = if_live(in, g, own.lanes);
    own.waves = if_live(in, g, own.waves);
    if (g->visits < g->count)
        own.uniform = if_live(in, g, own.uniform);
    else if (g->leaving->now.live)
        own.uniform =
            wpg_select_u32(in, g->leaving->now.live, own.uniform, wpg_const_u32(in->module, UINT32_MAX));
    own.lanes = part_of(in, g, own.lanes);
    if (sums) {
        own.waves = part_of(in, g, own.waves);
        if (!g->shared)
            own.uniform = part_of(in, g, own.uniform);
    }
    numbers wave = reduce(in, g, sums, own);
    uint32_t first = WPG_EMIT(in, SpvOpIEqual, in->t_bool, g->round, in->c_zero);
    if (!sums || g->shared)
        wave.uniform = wpg_select_u32(in, first, wave.uniform, in->c_zero);
    if (sums) {
        /* A lane that has more has added a full part. Where none has, a round of zeros ends it. No lane has
         * more that is uniform than waves. */
        uint32_t any = WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, wave.lanes, wave.waves);
        *more = WPG_EMIT(in, SpvOpUGreaterThanEqual, in->t_bool, any,
                         wpg_const_u32(in->module, UINT32_C(1) << PART));
    } else {
        /* No lane has visits that its wave has not. */
        uint32_t parts =
            WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, wave.waves, wpg_const_u32(in->module, PART));
        *more = less(in, g->round, parts);
        wave.waves = wpg_select_u32(in, first, wave.waves, in->c_zero);
    }
    return wave;
}

/* Adds a tally's numbers, by those lanes for which `when` holds. */
static void add_numbers(wpg_inject *in, const group *g, uint32_t when, numbers wave)
{
    uint32_t any = wpg_is_set(in, WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, wave.lanes, wave.waves));
    wpg_if some = wpg_if_begin(in, when ? wpg_both(in, when, any) : any);
    wpg_memory_add_tally(in, tally_at(g, 0), wave.lanes, wave.waves, wave.uniform);
    wpg_if_end(in, some);
}

/* Counters of a tally: as number_tally of methods.c gives them. */
static uint32_t stride_of(const wpg_tally *t)
{
    return (t->full != WPG_NO_COUNTER) + 1u + (t->waves != WPG_NO_COUNTER) + (t->uniform != WPG_NO_COUNTER);
}

static uint32_t next_of(wpg_inject *in, uint32_t value)
{
    return WPG_EMIT(in, SpvOpIAdd, in->t_u32, value, in->c_one);
}

/* One tally of cells: an elected lane adds it. */
static void flush_one(wpg_inject *in, group g, bool sums)
{
    uint32_t again;
    wpg_scratch_store(in, ROUND, in->c_zero);
    wpg_repeat rounds = wpg_repeat_begin(in);
    g.round = wpg_scratch_load(in, ROUND);
    numbers wave = of_cells(in, &g, sums, &again);
    add_numbers(in, &g, g.leaving->elected, wave);
    wpg_scratch_store(in, ROUND, next_of(in, g.round));
    wpg_repeat_end(in, rounds, again);
}

static void hold(wpg_inject *in, uint32_t mine, unsigned which, uint32_t value)
{
    wpg_scratch_store(in, which, wpg_select_u32(in, mine, value, wpg_scratch_load(in, which)));
}

/* The next tally's numbers, held by the next live lane; where lanes are alike, each holds those of its own
 * tally. Returns the id of a bool: there are tallies left. */
static uint32_t hold_next(wpg_inject *in, group *g, bool marks, bool sums)
{
    uint32_t again = 0, held = wpg_scratch_load(in, HELD), first = wpg_scratch_load(in, NEXT),
             step = in->c_one;
    uint32_t count = wpg_const_u32(in->module, g->count);
    uint32_t mine = WPG_EMIT(in, SpvOpIEqual, in->t_bool, held, g->rank);
    g->k = first;
    g->round = marks ? in->c_zero : wpg_scratch_load(in, ROUND);
    if (g->alike) {
        step = wpg_select_u32(in, g->alike, g->step, in->c_one);
        uint32_t own = WPG_EMIT(in, SpvOpIAdd, in->t_u32, first, g->rank);
        g->k = wpg_select_u32(in, g->alike, own, first);
        mine = wpg_both(in, WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, mine, g->alike), less(in, g->k, count));
    }
    numbers wave = marks ? of_mark(in, g) : of_cells(in, g, sums, &again);
    hold(in, mine, LANES, wave.lanes);
    hold(in, mine, WAVES, wave.waves);
    hold(in, mine, UNIFORM, wave.uniform);
    hold(in, mine, TALLY, g->k);
    wpg_scratch_store(in, HELD, WPG_EMIT(in, SpvOpIAdd, in->t_u32, held, step));
    uint32_t next = WPG_EMIT(in, SpvOpIAdd, in->t_u32, first, step);
    if (again) {
        next = wpg_select_u32(in, again, first, next);
        wpg_scratch_store(in, ROUND, wpg_select_u32(in, again, next_of(in, g->round), in->c_zero));
    }
    wpg_scratch_store(in, NEXT, next);
    return less(in, next, count);
}

static void flush_many(wpg_inject *in, group g, bool marks, bool sums)
{
    wpg_scratch_store(in, NEXT, in->c_zero);
    if (marks)
        g.alike = marks_alike(in, &g);
    else
        wpg_scratch_store(in, ROUND, in->c_zero);
    wpg_repeat outer = wpg_repeat_begin(in);
    const unsigned zeroed[] = {HELD, LANES, WAVES, UNIFORM, TALLY};
    for (unsigned i = 0; i < sizeof zeroed / sizeof *zeroed; i++)
        wpg_scratch_store(in, zeroed[i], in->c_zero);
    wpg_repeat inner = wpg_repeat_begin(in);
    uint32_t left = hold_next(in, &g, marks, sums);
    wpg_repeat_end(in, inner, wpg_both(in, left, less(in, wpg_scratch_load(in, HELD), g.lanes)));
    numbers held = {.lanes = wpg_scratch_load(in, LANES),
                    .waves = wpg_scratch_load(in, WAVES),
                    .uniform = wpg_scratch_load(in, UNIFORM)};
    in->offset = WPG_EMIT(in, SpvOpIMul, in->t_u32, wpg_scratch_load(in, TALLY),
                          wpg_const_u32(in->module, stride_of(tally_at(&g, 0))));
    add_numbers(in, &g, g.leaving->now.live, held);
    in->offset = 0;
    left = less(in, wpg_scratch_load(in, NEXT), wpg_const_u32(in->module, g.count));
    wpg_repeat_end(in, outer, left);
}

/* This lane's visits to tally k, of a group of steady ones. */
static uint32_t steady_visits(wpg_inject *in, const group *g, bool marks)
{
    uint32_t here = less(in, g->k, wpg_const_u32(in->module, g->count));
    if (marks)
        return wpg_select_u32(in, wpg_both(in, has_mark(in, g, g->k, true), here), in->c_one, in->c_zero);
    uint32_t *visits = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, g->count);
    if (!visits)
        return in->c_zero;
    for (uint32_t i = 0; i < g->count; i++)
        visits[i] = wpg_cell_visits(in, g->f, tally_at(g, i));
    return wpg_select_u32(in, here, pick(in, visits, g->count, g->k), in->c_zero);
}

/* `visits` of all live lanes together. */
static void add_steady(wpg_inject *in, const group *g, uint32_t visits)
{
    numbers wave = {.waves = visits, .lanes = WPG_EMIT(in, SpvOpIMul, in->t_u32, visits, g->lanes)};
    wave.uniform = wpg_select_u32(in, g->leaving->now.equal, visits, in->c_zero);
    in->offset =
        WPG_EMIT(in, SpvOpIMul, in->t_u32, g->k, wpg_const_u32(in->module, stride_of(tally_at(g, 0))));
    add_numbers(in, g, g->leaving->now.live, wave);
    in->offset = 0;
}

/* Steady tallies, one for each live lane at a time. Each lane adds its own part by part, so that the wave's
 * number fits: nothing in that loop needs another lane. */
static void flush_steady(wpg_inject *in, group g, bool marks)
{
    wpg_scratch_store(in, NEXT, in->c_zero);
    wpg_repeat outer = wpg_repeat_begin(in), parts = {0};
    uint32_t first = wpg_scratch_load(in, NEXT), most = wpg_const_u32(in->module, UINT32_C(1) << PART),
             rest = 0;
    g.k = WPG_EMIT(in, SpvOpIAdd, in->t_u32, first, g.rank);
    uint32_t visits = steady_visits(in, &g, marks);
    if (!marks) {
        wpg_scratch_store(in, HELD, visits);
        parts = wpg_repeat_begin(in);
        uint32_t left = wpg_scratch_load(in, HELD);
        visits = wpg_select_u32(in, less(in, left, most), left, most);
        rest = WPG_EMIT(in, SpvOpISub, in->t_u32, left, visits);
        wpg_scratch_store(in, HELD, rest);
    }
    add_steady(in, &g, visits);
    if (!marks)
        wpg_repeat_end(in, parts, wpg_is_set(in, rest));
    uint32_t next = WPG_EMIT(in, SpvOpIAdd, in->t_u32, first, g.step);
    wpg_scratch_store(in, NEXT, next);
    wpg_repeat_end(in, outer, less(in, next, wpg_const_u32(in->module, g.count)));
}

/* Some consecutive groups, in one way. */
static void flush_groups(wpg_inject *in, group *all, const wpg_region *r, wpg_flush_group from,
                         wpg_flush_group to)
{
    bool marks = to == WPG_FLUSH_STEADY || to == WPG_FLUSH_MARKS, sums = from == WPG_FLUSH_SUMS;
    group g = *all;
    g.tallies = r->tallies + r->group_start[from];
    g.count = r->group_start[to + 1] - r->group_start[from];
    g.visits = sums ? 0 : r->group_start[WPG_FLUSH_LARGEST] - r->group_start[from];
    g.shared = sums && wpg_shares_uniform(r);
    g.k = in->c_zero;
    if (!g.count)
        return;
    if (g.count == 1 && marks) {
        add_numbers(in, &g, g.leaving->elected, of_mark(in, &g));
        return;
    }
    if (g.count == 1 && to != WPG_FLUSH_VISITS) {
        flush_one(in, g, sums);
        return;
    }
    if (!all->rank) {
        uint32_t mask = g.leaving->now.mask;
        all->rank = WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                             SpvGroupOperationExclusiveScan, mask);
        all->lanes = WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                              SpvGroupOperationReduce, mask);
        all->step = all->lanes;
        if (g.leaving->now.live)
            all->step = wpg_select_u32(in, wpg_is_set(in, all->lanes), all->lanes, in->c_one);
    }
    g.rank = all->rank;
    g.lanes = all->lanes;
    g.step = all->step;
    if (to <= WPG_FLUSH_VISITS)
        flush_steady(in, g, marks);
    else
        flush_many(in, g, marks, sums);
}

static void flush_tallies(wpg_inject *in, const wpg_function_plan *f, const wpg_region *r,
                          const wpg_leaving *leaving, bool sums)
{
    group g = {.f = f, .leaving = leaving};
    const uint32_t *start = r->group_start;
    /* A mark is a number of visits, too: few of them go with others that are there anyway. */
    bool few = start[WPG_FLUSH_TRIPS] - start[WPG_FLUSH_MARKS] <= FEW_MARKS &&
               start[WPG_FLUSH_SUMS] > start[WPG_FLUSH_TRIPS];
    flush_groups(in, &g, r, WPG_FLUSH_STEADY, WPG_FLUSH_STEADY);
    flush_groups(in, &g, r, WPG_FLUSH_VISITS, WPG_FLUSH_VISITS);
    if (!few)
        flush_groups(in, &g, r, WPG_FLUSH_MARKS, WPG_FLUSH_MARKS);
    flush_groups(in, &g, r, few ? WPG_FLUSH_MARKS : WPG_FLUSH_TRIPS, WPG_FLUSH_LARGEST);
    if (sums)
        flush_groups(in, &g, r, WPG_FLUSH_SUMS, WPG_FLUSH_SUMS);
}

/* Of the told tallies, by their numbers together where that gains. */
static void flush_told(wpg_inject *in, const wpg_function_plan *f, const wpg_region *r,
                       const wpg_leaving *leaving)
{
    if (r->wave)
        wpg_wave_flush(in, f, r, leaving);
    else
        flush_tallies(in, f, r, leaving, r->told == r->group_start[WPG_FLUSH_GROUPS]);
}

void wpg_flush_marks(wpg_inject *in, const wpg_function_plan *f, uint32_t region, const wpg_leaving *leaving)
{
    group g = {.f = f, .leaving = leaving};
    flush_groups(in, &g, &f->regions[region], WPG_FLUSH_MARKS, WPG_FLUSH_MARKS);
}

void wpg_flush_region(wpg_inject *in, const wpg_function_plan *f, uint32_t region, const wpg_leaving *leaving)
{
    const wpg_region *r = &f->regions[region];
    if (!r->path && !r->wave) {
        flush_tallies(in, f, r, leaving, true);
        return;
    }
    if (r->path) {
        wpg_path_use use = wpg_path_ask(in, f, r->path, leaving);
        wpg_if tallied = wpg_if_begin(in, use.tallied);
        flush_told(in, f, r, leaving);
        wpg_path_take(in, r->path, &use, leaving);
        wpg_if_end(in, tallied);
        wpg_path_count(in, r->path, &use, leaving);
    } else {
        flush_told(in, f, r, leaving);
    }
    if (r->told == r->group_start[WPG_FLUSH_GROUPS])
        return;
    group g = {.f = f, .leaving = leaving};
    flush_groups(in, &g, r, WPG_FLUSH_SUMS, WPG_FLUSH_SUMS);
}
