/* Lanes alone, by bits: where an atomic operation is a loop over the lanes (software drivers), one for each
 * counted block is dear. Such a driver runs both arms of each branch, so it goes through all of them.
 *
 *     block b of loop L:       word |= bit of b
 *     back edge of L, and of each loop around L; wherever lanes leave the function:
 *                              while (word) { counters[lowest bit]++; word &= word - 1 }
 *
 * Exact: the innermost loop that repeats around b is L. So a lane runs b at most once from one back edge of L
 * to the next, or to where it leaves L. It comes back to L by a back edge of a loop around L alone, or leaves
 * the function. The word was added and cleared there. Helper lanes set bits, too, but add none: in modules
 * without demotes a lane is a helper all along. A call or a traced ray might end a lane before it adds: such
 * modules are counted in place.
 *
 * Used where it saves atomics enough: the code of a word stands at each of those places. */
#include <string.h>

#include "compiler/instrument/code/strategy.h"
#include "compiler/instrument/counting/methods.h"

enum { NO = WPG_NO_BLOCK, FEWEST = 4 };

/* Variable of in->scratch: what is left of a word. */
enum { LEFT };

/* -- Planning */

static uint32_t repeating_loop(const wpg_chooser *c, uint32_t loop)
{
    while (loop != NO && !wpg_loop_repeats(&c->structure, loop))
        loop = wpg_loop_around(&c->structure, loop);
    return loop;
}

/* The innermost loop that repeats around the class of a tally. */
static uint32_t loop_of(const wpg_chooser *c, uint32_t class)
{
    return repeating_loop(c, c->cfg->blocks[c->f->classes.representative[class]].loop);
}

static bool is_counted(const wpg_chooser *c, uint32_t class)
{
    return c->tallies.data[c->f->tally_of[class]].method == WPG_METHOD_LANE;
}

static void add_flush(wpg_chooser *c, uint32_t region, uint32_t block, wpg_inst *before)
{
    wpg_add_point(c, (wpg_point){.kind = WPG_POINT_FLUSH,
                                 .block = block,
                                 .before = before,
                                 .tally = WPG_NO_TALLY,
                                 .index = region});
}

/* Back edges of the loop and of those around it; how many. */
static uint32_t place_at_back_edges(wpg_chooser *c, uint32_t loop, uint32_t region, bool place)
{
    uint32_t places = 0;
    for (; loop != NO; loop = repeating_loop(c, wpg_loop_around(&c->structure, loop))) {
        const uint32_t back = c->cfg->constructs[loop].back_edge;
        places++;
        if (place)
            add_flush(c, region, back, wpg_end_of(c, back));
    }
    return places;
}

/* Marks in c->structure.seen the blocks that lanes of the loop come to, in it or later. NO: all. */
static void find_reached(wpg_chooser *c, uint32_t loop)
{
    const uint32_t first = loop == NO ? 0 : c->cfg->constructs[loop].header;
    uint8_t *seen = c->structure.seen;
    uint32_t *stack = c->structure.stack, depth = 0;
    memset(seen, 0, c->cfg->count);
    seen[first] = 1;
    stack[depth++] = first;
    while (depth) {
        const wpg_block *block = &c->cfg->blocks[stack[--depth]];
        for (uint32_t s = 0; s < block->successor_count; s++)
            if (!seen[block->successors[s]]) {
                seen[block->successors[s]] = 1;
                stack[depth++] = block->successors[s];
            }
    }
}

/* Where lanes that were in the loop leave the function; how many places. */
static uint32_t place_at_exits(wpg_chooser *c, uint32_t loop, uint32_t region, bool place)
{
    uint32_t places = 0;
    find_reached(c, loop);
    for (uint32_t b = 0; b < c->cfg->count; b++) {
        const wpg_block *block = &c->cfg->blocks[b];
        if (!c->structure.seen[b] || block->successor_count || block->terminator->opcode == SpvOpUnreachable)
            continue;
        places++;
        if (place)
            add_flush(c, region, b, block->terminator);
    }
    return places;
}

static void mark_class(wpg_chooser *c, uint32_t class, uint32_t region)
{
    wpg_tally *t = &c->tallies.data[c->f->tally_of[class]];
    t->method = WPG_METHOD_MARK;
    t->region = region;
    c->regions.data[region].mark_count++;
    wpg_add_point(c, (wpg_point){.kind = WPG_POINT_MARK,
                                 .block = c->f->classes.representative[class],
                                 .tally = WPG_NO_TALLY,
                                 .index = c->f->tally_of[class]});
}

static void plan_loop(wpg_chooser *c, uint32_t loop)
{
    uint32_t marks = 0;
    for (uint32_t class = 0; class < c->f->classes.class_count; class ++)
        marks += is_counted(c, class) && loop_of(c, class) == loop;
    const uint32_t words = (marks + WPG_MARKS_OF_A_CELL - 1) / WPG_MARKS_OF_A_CELL;
    const uint32_t places = place_at_back_edges(c, loop, NO, false) + place_at_exits(c, loop, NO, false);
    const bool pays = marks >= FEWEST && marks >= words * places;
    if (!marks || (!pays && !c->plan->options->small_arms))
        return;
    const uint32_t region = wpg_new_region(c, (wpg_region){.loop = NO, .exit = NO});
    for (uint32_t class = 0; class < c->f->classes.class_count && !c->failed; class ++)
        if (is_counted(c, class) && loop_of(c, class) == loop)
            mark_class(c, class, region);
    (void)place_at_back_edges(c, loop, region, true);
    (void)place_at_exits(c, loop, region, true);
}

void wpg_plan_lane_marks(wpg_chooser *c)
{
    const wpg_plan *plan = c->plan;
    if (!plan->options->target.loops_over_lanes || plan->strategy->kinds != WPG_KIND_LANES ||
        !wpg_plan_keeps_entry_mask(plan) || !c->has_function_region)
        return;
    plan_loop(c, NO);
    for (uint32_t i = 0; i < c->cfg->construct_count && !c->failed; i++)
        if (wpg_is_loop(&c->structure, i) && wpg_loop_repeats(&c->structure, i))
            plan_loop(c, i);
}

/* -- Injecting */

/* Each lane adds one to the counters of its bits, the lowest bit first. `first`: counter of bit 0. */
static void flush_word(wpg_inject *in, uint32_t cell, uint32_t first)
{
    uint32_t helper = wpg_live_helper(in), bits = wpg_cell_load(in, cell);
    if (helper)
        bits = wpg_select_u32(in, helper, in->c_zero, bits);
    wpg_scratch_store(in, LEFT, bits);
    wpg_if some = wpg_if_begin(in, wpg_is_set(in, bits));
    wpg_repeat each = wpg_repeat_begin(in);
    bits = wpg_scratch_load(in, LEFT);
    uint32_t less = WPG_EMIT(in, SpvOpISub, in->t_u32, bits, in->c_one);
    uint32_t below = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, WPG_EMIT(in, SpvOpNot, in->t_u32, bits), less);
    in->offset = WPG_EMIT(in, SpvOpBitCount, in->t_u32, below);
    wpg_memory_add(in, &(wpg_add){first, in->c_one}, 1);
    in->offset = 0;
    uint32_t left = WPG_EMIT(in, SpvOpBitwiseAnd, in->t_u32, bits, less);
    wpg_scratch_store(in, LEFT, left);
    wpg_repeat_end(in, each, wpg_is_set(in, left));
    wpg_if_end(in, some);
    wpg_cell_store(in, cell, in->c_zero);
}

void wpg_flush_lane_marks(wpg_inject *in, const wpg_function_plan *f, uint32_t region)
{
    const wpg_region *r = &f->regions[region];
    for (uint32_t i = 0; i < r->group_start[WPG_FLUSH_GROUPS]; i += WPG_MARKS_OF_A_CELL) {
        const wpg_tally *t = &f->tallies[r->tallies[i]];
        flush_word(in, t->lanes_cell, t->lanes);
    }
}
