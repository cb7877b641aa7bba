/* What private cells hold goes to memory.
 *
 *     for each group of the region's tallies (plan.h):
 *         for (k = 0; k < tallies of the group; k++)      one body, its counters are first + k * stride
 *             this lane's values of tally k --reduce over the live lanes--> an elected lane adds them
 *
 * A loop, since code for each tally would make shaders many times as long, and compilers take more than
 * linear time. The values of tally k are picked by a chain of selects: cells stay registers.
 *
 * A lane's own number fits 32 bits, a wave's sum may not (a wave has 128 lanes at most): it is added up in
 * parts of at most 2^25, a round for each; hardly ever is there a second one. */
#include <stddef.h>
#include <string.h>

#include "compiler/instrument/strategy.h"

enum { PART = 25 /* bits */, MARKS_OF_A_CELL = 32 };

typedef struct group {
    const wpg_function_plan *f;
    const wpg_leaving *leaving;
    const uint32_t *tallies; /* [count] */
    uint32_t count;
    uint32_t k;     /* u32; the constant 0 if there is one only */
    uint32_t round; /* u32 */
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

static uint32_t pick_cell(wpg_inject *in, const group *g, size_t member)
{
    uint32_t *ids = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, g->count);
    if (!ids)
        return in->c_zero;
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t cell;
        memcpy(&cell, (const char *)tally_at(g, i) + member, sizeof cell);
        ids[i] = cell == WPG_NO_CELL ? 0 : wpg_cell_load(in, cell);
    }
    return pick(in, ids, g->count, g->k);
}

/* -- Groups */

/* Tallies of a group are marks one after the other: k / 32 tells the cell. */
static void flush_mark(wpg_inject *in, const group *g)
{
    uint32_t *ids = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, g->count / MARKS_OF_A_CELL + 1), cells = 0;
    const wpg_leaving *l = g->leaving;
    if (!ids)
        return;
    for (uint32_t i = 0; i < g->count; i += MARKS_OF_A_CELL)
        ids[cells++] = wpg_cell_load(in, tally_at(g, i)->lanes_cell);
    uint32_t bits = wpg_const_u32(in->module, MARKS_OF_A_CELL - 1), cell = in->c_zero, at = g->k;
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

/* Visits of the loops' tallies: waves are the most, uniform the fewest, if the wave's lanes are E. */
static uint32_t pick_visits(wpg_inject *in, const group *g)
{
    uint32_t *ids = WPG_ARENA_ARRAY(&in->module->arena, uint32_t, g->count);
    for (uint32_t i = 0; ids && i < g->count; i++)
        ids[i] = wpg_cell_visits(in, g->f, tally_at(g, i));
    return ids ? pick(in, ids, g->count, g->k) : in->c_zero;
}

typedef struct numbers {
    uint32_t lanes, waves, uniform;
} numbers;

/* This lane's numbers -> the wave's. */
static numbers reduce(wpg_inject *in, const group *g, wpg_flush_group kind, numbers own)
{
    numbers wave = {.lanes = wpg_reduce(in, SpvOpGroupNonUniformIAdd, own.lanes)};
    SpvOp opcode = kind == WPG_FLUSH_SUMS ? SpvOpGroupNonUniformIAdd : SpvOpGroupNonUniformUMax;
    wave.waves = wpg_reduce(in, opcode, own.waves);
    if (kind == WPG_FLUSH_TRIPS) {
        /* The least is the complement of the largest complement, which helpers do not change. */
        uint32_t least = WPG_EMIT(in, SpvOpNot, in->t_u32, wpg_reduce(in, opcode, own.uniform));
        wave.uniform = wpg_select_u32(in, g->leaving->now.equal, least, in->c_zero);
    } else {
        wave.uniform = wpg_reduce(in, opcode, own.uniform);
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

/* The tally's numbers of all lanes, taken together; a bool: there is more to add. */
static uint32_t flush_numbers(wpg_inject *in, const group *g, wpg_flush_group kind)
{
    numbers own;
    uint32_t more = 0;
    if (kind == WPG_FLUSH_TRIPS) {
        uint32_t visits = pick_visits(in, g);
        own.uniform = if_live(in, g, WPG_EMIT(in, SpvOpNot, in->t_u32, visits));
        own.lanes = own.waves = if_live(in, g, visits);
    } else {
        own.lanes = if_live(in, g, pick_cell(in, g, offsetof(wpg_tally, lanes_cell)));
        own.waves = if_live(in, g, pick_cell(in, g, offsetof(wpg_tally, waves_cell)));
        own.uniform = if_live(in, g, pick_cell(in, g, offsetof(wpg_tally, uniform_cell)));
    }
    own.lanes = part_of(in, g, own.lanes, &more);
    if (kind == WPG_FLUSH_SUMS) {
        own.waves = part_of(in, g, own.waves, &more);
        own.uniform = part_of(in, g, own.uniform, &more);
    }
    numbers wave = reduce(in, g, kind, own);
    if (kind != WPG_FLUSH_SUMS) {
        uint32_t first = WPG_EMIT(in, SpvOpIEqual, in->t_bool, g->round, in->c_zero);
        wave.waves = wpg_select_u32(in, first, wave.waves, in->c_zero);
        wave.uniform = wpg_select_u32(in, first, wave.uniform, in->c_zero);
    }
    uint32_t any = WPG_EMIT(in, SpvOpBitwiseOr, in->t_u32, wave.lanes, wave.waves);
    wpg_if some = wpg_if_begin(in, both(in, g->leaving->elected, not_zero(in, any)));
    wpg_memory_add_tally(in, tally_at(g, 0), wave.lanes, wave.waves, wave.uniform);
    wpg_if_end(in, some);
    return wpg_any_in(in, wpg_live_ballot(in, more));
}

/* Counters of a tally: as number_tally of methods.c gives them. */
static uint32_t stride_of(const wpg_tally *t)
{
    return (t->full != WPG_NO_COUNTER) + 1u + (t->waves != WPG_NO_COUNTER) + (t->uniform != WPG_NO_COUNTER);
}

void wpg_flush_region(wpg_inject *in, const wpg_function_plan *f, uint32_t region, const wpg_leaving *leaving)
{
    const wpg_region *r = &f->regions[region];
    for (unsigned kind = 0; kind < WPG_FLUSH_GROUPS; kind++) {
        group g = {.f = f,
                   .leaving = leaving,
                   .tallies = r->tallies + r->group_start[kind],
                   .count = r->group_start[kind + 1] - r->group_start[kind],
                   .k = in->c_zero};
        bool marks = kind == WPG_FLUSH_MARKS;
        if (!g.count)
            continue;
        if (g.count == 1 && marks) {
            flush_mark(in, &g);
            continue;
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
            again = flush_numbers(in, &g, (wpg_flush_group)kind);
        in->offset = 0;
        wpg_loop_end(in, loop, again);
    }
}
