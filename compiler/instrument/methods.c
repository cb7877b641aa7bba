/* Choosing how each class of blocks is counted.
 *
 *     class --> bit of a scope                       runs once: a mark, looked at where lanes leave
 *           --> cells of a region                    runs in loops:
 *                 trips of its loop, or the branch that leads to it, or where it stands
 *           --> in place (naive)                     everything else
 *           --> sum of other tallies
 *
 * A region is where cells live until they are taken together over the wave and go to memory:
 *   - a scope (structure.h): from the function's start to one of its exits; for what runs once, and for
 *     outermost whole loops that are entered once;
 *   - an outermost whole loop that is entered more often: from its entry to its merge block;
 *   - the function: its cells go to memory wherever lanes leave it and before they demote, for classes of
 * loops that are not whole: sums of private counters do not care which lanes have left when (additive,
 * DESIGN 4 (a)).
 *
 * The rules below say when a tally is right; what is added is said in cells.c, what is taken together in
 * flush.c. Together, passed together: see structure.h.
 *
 * Mark: b is of a scope, repeats in no loop, and is together from the scope's root. Proof: a lane comes to b
 * once at most; those of one tangle at root that do come as one tangle, and all of them are in the tangle at
 * the exit, which is that of root. No lane dies on the way, none demotes (there is no scope otherwise). So
 * the ballot of the lanes that have the mark, at the exit, is L(b), and b has run once if it is not empty.
 *
 * Trips: b is counted by its loop l, if l is whole, b is together, b dominates l's back edge, and for each
 * exit block x of l either b dominates x or b does not reach x within an iteration. Proof: a lane that does
 * not leave l in an iteration passes b in it, once, as b lies in no inner loop. So a lane with t back edges
 * taken that left at x has come to b in iterations 1..t, and in the last one exactly if b dominates x. Its
 * count n is the length of an initial run of iterations: those in iteration k at b are the lanes with n >= k,
 * one tangle. Hence waves = max n, lanes = sum n over the lanes that entered; and iteration k is uniform if
 * those were all of E and all n >= k: uniform = min n, or 0.
 *    In a scope: the lanes at the exit that have not entered l hold n = 0. That leaves sum and max as they
 * are; and if the lanes at the exit are all of E, then those that entered are if none holds 0, and min n is 0
 * else. If they are not all of E, those that entered are not either.
 *
 *    Passed: the same where b does not dominate the back edge, but no lane takes it without having passed b:
 * the test of `while (x && y)`, whose second half is skipped only by lanes that leave. Each lane counts its
 * own visits, in a cell; they are again an initial run of iterations.
 *
 * Edge: the block h ends in a two-way branch, s is one of its targets and has no other predecessor, is no
 * merge block and no continue target. Then a tangle at the end of h sends those of its live lanes that take
 * the edge to s as one tangle; the ballot of the condition tells which.
 *
 * Where it stands: a ballot and an election at the block.
 *
 * What is chosen (`auto`): of the rules that are right the cheapest a visit, in that order; deep loops first,
 * while there are registers (MOST_CELLS; 32 marks share one); private counters that are not derived only
 * where the visits they make cheaper, 8 to the depth of loops, outweigh the places where they go to memory.
 * `derived` takes no such counters, `additive` no other ones. */
#include "compiler/instrument/methods.h"

#include <string.h>

#include "compiler/instrument/strategy.h"

enum { NO = WPG_NO_BLOCK, MOST_CELLS = 160, MOST_TRIP_WORK = 1 << 16, MARKS_OF_A_CELL = 32 };

/* -- Regions and loops */

static uint32_t new_region(wpg_chooser *c, wpg_region region)
{
    region.start_cell = WPG_NO_CELL;
    c->failed |= !wpg_vec_push(&c->regions, region);
    return (uint32_t)c->regions.count - 1;
}

static uint32_t region_of_function(wpg_chooser *c)
{
    if (c->function_region == NO)
        c->function_region = new_region(c, (wpg_region){.loop = NO, .exit = NO});
    return c->function_region;
}

static uint32_t region_of_scope(wpg_chooser *c, uint32_t scope)
{
    if (c->scope_region[scope] == NO)
        c->scope_region[scope] =
            new_region(c, (wpg_region){.loop = NO, .exit = c->structure.scopes[scope].exit});
    return c->scope_region[scope];
}

/* The scope in which all lanes that come to the block, or enter the loop that it heads, do so once. */
static uint32_t scope_for(const wpg_chooser *c, uint32_t block)
{
    uint32_t scope = c->structure.scope_of[block];
    if (scope == NO || !wpg_is_together_from(&c->structure, c->structure.scopes[scope].root, block))
        return NO;
    return scope;
}

static uint32_t new_cell(wpg_chooser *c)
{
    return c->f->cell_count++;
}

static bool cells_left(const wpg_chooser *c, uint32_t count)
{
    return c->f->cell_count + count <= MOST_CELLS;
}

static uint32_t loop_plan_of(wpg_chooser *c, uint32_t construct);

static uint32_t region_of_loop(wpg_chooser *c, uint32_t loop)
{
    uint32_t number = loop_plan_of(c, loop);
    return c->failed ? 0 : c->loops.data[number].region;
}

/* Where the cells of a whole loop live. */
static void place_loop(wpg_chooser *c, wpg_loop_plan *made)
{
    const wpg_construct *loop = &c->cfg->constructs[made->construct];
    uint32_t outermost = wpg_outermost_whole_loop(&c->structure, loop->header), scope;
    bool again = wpg_block_repeats(&c->structure, loop->merge);
    if (outermost != made->construct) {
        made->region = region_of_loop(c, outermost);
        made->equal = !c->failed && c->loops.data[c->loop_number[outermost]].own &&
                      wpg_is_passed_together(&c->structure, outermost, loop->merge);
    } else if (!again && (scope = scope_for(c, loop->merge)) != NO) {
        made->region = region_of_scope(c, scope);
        made->own = true;
    } else if (again && c->has_function_region) {
        made->region = region_of_function(c);
    } else {
        made->region = new_region(c, (wpg_region){.loop = (uint32_t)c->loops.count, .exit = NO});
        made->own = true;
    }
}

/* The number of a whole loop's plan, made when first asked for. */
static uint32_t loop_plan_of(wpg_chooser *c, uint32_t construct)
{
    if (c->loop_number[construct] != NO)
        return c->loop_number[construct];
    const wpg_block *merge = &c->cfg->blocks[c->cfg->constructs[construct].merge];
    wpg_loop_plan made = {.construct = construct, .trips_cell = WPG_NO_CELL, .exit_cell = WPG_NO_CELL};
    uint32_t *exits = WPG_ARENA_ARRAY(&c->plan->arena, uint32_t, merge->predecessor_count);
    for (uint32_t i = 0; exits && i < merge->predecessor_count; i++)
        if (c->cfg->blocks[merge->predecessors[i]].rpo != NO)
            exits[made.exit_count++] = merge->predecessors[i];
    made.exits = exits;
    place_loop(c, &made);
    uint32_t number = (uint32_t)c->loops.count;
    c->failed |= !exits || !wpg_vec_push(&c->loops, made);
    c->loop_number[construct] = number;
    return number;
}

/* Where private counters of a block in a loop live; `own`: the outermost loop around it, if that is entered
 * once in the region's life. NO if there is no such place. */
static uint32_t region_for(wpg_chooser *c, uint32_t b, uint32_t *own)
{
    uint32_t loop = wpg_outermost_whole_loop(&c->structure, b);
    *own = NO;
    if (loop == NO)
        return c->has_function_region ? region_of_function(c) : NO;
    uint32_t region = region_of_loop(c, loop);
    if (!c->failed && c->loops.data[c->loop_number[loop]].own)
        *own = loop;
    return c->failed ? NO : region;
}

/* What is added to a cell at the block reaches no exit of a loop around it within an iteration: so what
 * leaves the loop is what its header begins with. Asked only of drivers that need it. */
static bool is_kept_by_driver(const wpg_chooser *c, uint32_t b)
{
    const wpg_structure *s = &c->structure;
    if (!c->plan->options->target.loses_exit_values)
        return true;
    for (uint32_t loop = c->cfg->blocks[b].loop; loop != NO; loop = wpg_loop_around(s, loop)) {
        if (!wpg_loop_repeats(s, loop))
            continue;
        const wpg_block *merge = &c->cfg->blocks[c->cfg->constructs[loop].merge];
        wpg_mark_reached(s, loop, b);
        for (uint32_t i = 0; i < merge->predecessor_count; i++)
            if (merge->predecessors[i] == b || s->seen[merge->predecessors[i]])
                return false;
    }
    return true;
}

/* -- Tallies */

static uint32_t new_counter(wpg_chooser *c)
{
    return c->plan->options->first_counter + c->plan->counter_count++;
}

static uint32_t new_tally(wpg_chooser *c, wpg_method method)
{
    wpg_tally made = {.method = method,
                      .full = WPG_NO_COUNTER,
                      .lanes = WPG_NO_COUNTER,
                      .waves = WPG_NO_COUNTER,
                      .uniform = WPG_NO_COUNTER,
                      .region = NO,
                      .lanes_cell = WPG_NO_CELL,
                      .waves_cell = WPG_NO_CELL,
                      .uniform_cell = WPG_NO_CELL,
                      .loop = NO};
    c->failed |= !wpg_vec_push(&c->tallies, made);
    return (uint32_t)c->tallies.count - 1;
}

static void add_point(wpg_chooser *c, wpg_point point)
{
    point.record = point.resolve = NO;
    c->failed |= !wpg_vec_push(c->points, point);
}

/* The block's end: wpg_block_seek goes before its merge instruction. */
static wpg_inst *end_of(const wpg_chooser *c, uint32_t block)
{
    return c->cfg->blocks[block].terminator;
}

/* Private cells for lanes, waves and uniform, in a region. */
static void give_cells(wpg_chooser *c, uint32_t tally, uint32_t region, bool equal)
{
    if (c->failed)
        return;
    wpg_tally *t = &c->tallies.data[tally];
    t->region = region;
    t->lanes_cell = new_cell(c);
    t->waves_cell = new_cell(c);
    t->uniform_cell = new_cell(c);
    t->equal = equal;
}

static uint32_t find_trips(const wpg_chooser *c, uint32_t loop, const bool *passes)
{
    for (uint32_t t = 0; t < c->tallies.count; t++) {
        const wpg_tally *tally = &c->tallies.data[t];
        if (tally->method == WPG_METHOD_TRIPS && tally->loop == loop && tally->passes &&
            memcmp(tally->passes, passes, c->loops.data[loop].exit_count * sizeof *passes) == 0)
            return t;
    }
    return WPG_NO_TALLY;
}

/* A loop with one exit: what is passed before it has, in each run of the loop, one visit more than what is
 * passed after it, by each lane that entered; and those are the lanes of the merge block, once (mask.c). */
static void derive_sums(wpg_chooser *c)
{
    for (uint32_t i = 0; i < c->tallies.count; i++) {
        wpg_tally *t = &c->tallies.data[i];
        if (t->method != WPG_METHOD_TRIPS || !t->passes || c->loops.data[t->loop].exit_count != 1 ||
            !t->passes[0])
            continue;
        uint32_t after = find_trips(c, t->loop, &(const bool){false});
        uint32_t merge = c->cfg->constructs[c->loops.data[t->loop].construct].merge;
        if (after == WPG_NO_TALLY)
            continue;
        t->method = WPG_METHOD_SUM;
        t->region = NO;
        t->parts[0] = after;
        t->parts[1] = c->f->tally_of[c->f->classes.class_of[merge]];
    }
}

/* -- Marks */

static uint32_t new_mark(wpg_chooser *c, uint32_t region)
{
    uint32_t tally = new_tally(c, WPG_METHOD_MARK);
    if (c->failed)
        return tally;
    wpg_region *r = &c->regions.data[region];
    if (r->mark_count % MARKS_OF_A_CELL == 0)
        r->mark_cell = new_cell(c);
    wpg_tally *t = &c->tallies.data[tally];
    t->region = region;
    t->lanes_cell = r->mark_cell;
    t->mark = r->mark_count++ % MARKS_OF_A_CELL;
    return tally;
}

static bool choose_mark(wpg_chooser *c, uint32_t class, uint32_t b)
{
    uint32_t scope = wpg_block_repeats(&c->structure, b) ? NO : scope_for(c, b);
    if (scope == NO)
        return false;
    uint32_t region = region_of_scope(c, scope);
    uint32_t tally = c->failed ? WPG_NO_TALLY : new_mark(c, region);
    if (c->failed)
        return false;
    c->f->tally_of[class] = tally;
    if (b != c->structure.scopes[scope].root) {
        add_point(c, (wpg_point){.kind = WPG_POINT_MARK, .block = b, .tally = WPG_NO_TALLY, .index = tally});
        return true;
    }
    /* Whoever comes to the exit has come here. */
    c->regions.data[region].start_cell = c->tallies.data[tally].lanes_cell;
    c->regions.data[region].start_value = UINT32_C(1) << c->tallies.data[tally].mark;
    return true;
}

/* Some tally that is taken together as marks can be, too (flush.c). */
static bool has_company(const wpg_chooser *c, uint32_t region)
{
    for (uint32_t i = 0; i < c->tallies.count; i++) {
        const wpg_tally *t = &c->tallies.data[i];
        if (t->region == region &&
            (t->equal || (t->method == WPG_METHOD_TRIPS && c->loops.data[t->loop].own)))
            return true;
    }
    return false;
}

/* A single mark alone in its scope gains nothing. */
static void drop_lone_marks(wpg_chooser *c)
{
    for (uint32_t class = 0; class < c->f->classes.class_count; class ++) {
        wpg_tally *t = &c->tallies.data[c->f->tally_of[class]];
        if (t->method != WPG_METHOD_MARK || c->regions.data[t->region].mark_count != 1 ||
            has_company(c, t->region))
            continue;
        c->regions.data[t->region].mark_count = 0;
        t->method = c->plan->strategy->method;
        t->region = NO;
        t->lanes_cell = WPG_NO_CELL;
        for (size_t i = 0; i < c->points->count; i++)
            if (c->points->data[i].kind == WPG_POINT_MARK &&
                c->points->data[i].index == c->f->tally_of[class])
                c->points->data[i--] = c->points->data[--c->points->count];
    }
}

/* -- Trips */

static void need_trips(wpg_chooser *c, uint32_t number)
{
    if (c->failed || c->loops.data[number].trips_cell != WPG_NO_CELL)
        return;
    wpg_loop_plan *loop = &c->loops.data[number];
    loop->trips_cell = new_cell(c);
    uint32_t back = c->cfg->constructs[loop->construct].back_edge;
    add_point(c, (wpg_point){.kind = WPG_POINT_BACK,
                             .block = back,
                             .before = end_of(c, back),
                             .tally = WPG_NO_TALLY,
                             .index = number});
}

static void need_exits(wpg_chooser *c, uint32_t number)
{
    if (c->failed || c->loops.data[number].exit_cell != WPG_NO_CELL || c->loops.data[number].exit_count < 2)
        return;
    wpg_loop_plan *loop = &c->loops.data[number];
    loop->exit_cell = new_cell(c);
    for (uint32_t i = 0; i < loop->exit_count; i++)
        add_point(c, (wpg_point){.kind = WPG_POINT_EXIT,
                                 .block = loop->exits[i],
                                 .before = end_of(c, loop->exits[i]),
                                 .tally = WPG_NO_TALLY,
                                 .index = number,
                                 .other = i});
}

/* NULL if the rule does not hold; else which exits the block has been passed at. */
static const bool *trips_of(wpg_chooser *c, uint32_t b, uint32_t *number)
{
    uint32_t loop = c->cfg->blocks[b].loop;
    if (loop == NO || !wpg_loop_is_whole(&c->structure, loop) ||
        !wpg_is_passed_together(&c->structure, loop, b))
        return NULL;
    *number = loop_plan_of(c, loop);
    if (c->failed)
        return NULL;
    const wpg_loop_plan *plan = &c->loops.data[*number];
    if (!plan->own && !is_kept_by_driver(c, c->cfg->constructs[loop].merge))
        return NULL;
    if ((uint64_t)plan->exit_count * c->cfg->count > MOST_TRIP_WORK)
        return NULL;
    bool *passes = WPG_ARENA_ARRAY(&c->plan->arena, bool, plan->exit_count);
    if (!passes) {
        c->failed = true;
        return NULL;
    }
    wpg_mark_reached(&c->structure, loop, b);
    for (uint32_t i = 0; i < plan->exit_count; i++) {
        passes[i] = wpg_cfg_dominates(c->cfg, b, plan->exits[i]);
        /* Where the back edge is one way of a branch, the trip has been counted before lanes leave the other
         * way. */
        if (plan->exits[i] == c->cfg->constructs[loop].back_edge)
            passes[i] = false;
        else if (!passes[i] && c->structure.seen[plan->exits[i]])
            return NULL;
    }
    return passes;
}

static bool passes_some(const bool *passes, uint32_t exit_count)
{
    bool some = false;
    for (uint32_t i = 0; i < exit_count; i++)
        some |= passes[i];
    return some;
}

/* In a scope, lanes that never enter the loop have not left it either: where an exit counts, it is looked at
 * in the loop's merge block, and the visits kept in a cell. */
static bool choose_trips(wpg_chooser *c, uint32_t class, uint32_t b)
{
    uint32_t number;
    const bool *passes = trips_of(c, b, &number);
    if (!passes || c->failed)
        return false;
    uint32_t tally = find_trips(c, number, passes);
    if (tally == WPG_NO_TALLY) {
        tally = new_tally(c, WPG_METHOD_TRIPS);
        if (c->failed)
            return false;
        wpg_tally *t = &c->tallies.data[tally];
        const wpg_loop_plan *loop = &c->loops.data[number];
        t->loop = number;
        t->passes = passes;
        t->region = loop->region;
        if (!loop->own)
            give_cells(c, tally, loop->region, loop->equal);
        else if (c->regions.data[loop->region].exit != NO && passes_some(passes, loop->exit_count))
            t->lanes_cell = new_cell(c);
        need_trips(c, number);
        need_exits(c, number);
    }
    c->f->tally_of[class] = tally;
    return true;
}

/* In a loop that is entered once in its region's life only: there, what a lane has counted is what it has
 * counted in this run of the loop. */
static bool choose_passed(wpg_chooser *c, uint32_t class, uint32_t b, uint32_t region, uint32_t own)
{
    uint32_t loop = c->cfg->blocks[b].loop;
    if (own == NO || own != loop || !wpg_is_together_in(&c->structure, loop, b) ||
        !wpg_is_always_passed(&c->structure, loop, b))
        return false;
    uint32_t tally = new_tally(c, WPG_METHOD_TRIPS);
    if (c->failed)
        return true;
    wpg_tally *t = &c->tallies.data[tally];
    t->region = region;
    t->loop = c->loop_number[loop];
    t->lanes_cell = new_cell(c);
    add_point(c, (wpg_point){.kind = WPG_POINT_ADD, .block = b, .tally = WPG_NO_TALLY, .index = tally});
    c->f->tally_of[class] = tally;
    return true;
}

/* -- Edges */

static bool choose_edge(wpg_chooser *c, uint32_t class, uint32_t b, uint32_t region, uint32_t own)
{
    const wpg_structure *s = &c->structure;
    uint32_t h = wpg_forward_predecessor(s, b);
    const wpg_block *block = &c->cfg->blocks[b];
    if (h == NO || !is_kept_by_driver(c, h) || c->plan->demotes || wpg_is_loop(s, s->heads[b]) ||
        s->merges[b] != NO || s->continues[b] != NO)
        return false;
    /* What lanes do once, on their way out of the loop, costs less where it stands than a ballot in each
     * iteration. */
    uint32_t loop_of_h = c->cfg->blocks[h].loop;
    if (loop_of_h != NO && wpg_loop_repeats(s, loop_of_h)) {
        uint32_t back = c->cfg->constructs[loop_of_h].back_edge;
        wpg_mark_reached(s, loop_of_h, b);
        if (b != back && !s->seen[back])
            return false;
    }
    const wpg_inst *branch = c->cfg->blocks[h].terminator;
    if (branch->opcode != SpvOpBranchConditional || branch->words[2] == branch->words[3])
        return false;
    uint32_t tally = new_tally(c, WPG_METHOD_EDGE);
    give_cells(c, tally, region, own != NO && wpg_is_passed_together(s, own, h));
    (branch->words[2] == block->id ? c->edge_true : c->edge_false)[h] = tally;
    c->f->tally_of[class] = tally;
    return true;
}

static void place_edges(wpg_chooser *c)
{
    for (uint32_t b = 0; b < c->cfg->count; b++)
        if (c->edge_true[b] != WPG_NO_TALLY || c->edge_false[b] != WPG_NO_TALLY)
            add_point(c, (wpg_point){.kind = WPG_POINT_EDGE,
                                     .block = b,
                                     .before = end_of(c, b),
                                     .tally = WPG_NO_TALLY,
                                     .index = c->edge_true[b],
                                     .other = c->edge_false[b]});
}

/* -- Selects */

static bool select_by_marks(wpg_chooser *c, uint32_t *yes, uint32_t *no, uint32_t block)
{
    uint32_t scope = scope_for(c, block);
    if (scope == NO)
        return false;
    uint32_t region = region_of_scope(c, scope);
    if (c->failed)
        return false;
    *yes = new_mark(c, region);
    *no = new_mark(c, region);
    return true;
}

static bool select_by_cells(wpg_chooser *c, uint32_t *yes, uint32_t *no, uint32_t block)
{
    uint32_t own, region = region_for(c, block, &own);
    if (region == NO || !cells_left(c, 3) || !is_kept_by_driver(c, block))
        return false;
    *yes = new_tally(c, WPG_METHOD_SELECT);
    *no = new_tally(c, WPG_METHOD_SELECT);
    if (c->failed)
        return true;
    wpg_tally *t = &c->tallies.data[*yes], *f = &c->tallies.data[*no];
    t->region = f->region = region;
    t->equal = f->equal = own != NO && wpg_is_passed_together(&c->structure, own, block);
    t->lanes_cell = new_cell(c);
    t->waves_cell = new_cell(c);
    f->waves_cell = new_cell(c);
    return true;
}

bool wpg_choose_select(wpg_chooser *c, uint32_t *yes, uint32_t *no, uint32_t block, wpg_inst *before,
                       uint32_t condition)
{
    if (!c->cells || c->plan->demotes || c->cfg->blocks[block].changes_mask)
        return false;
    bool again = wpg_block_repeats(&c->structure, block);
    if (again ? !select_by_cells(c, yes, no, block) : !select_by_marks(c, yes, no, block))
        return false;
    add_point(c, (wpg_point){.kind = again ? WPG_POINT_SELECT : WPG_POINT_MARK_SELECT,
                             .block = block,
                             .before = before,
                             .tally = WPG_NO_TALLY,
                             .index = *yes,
                             .other = *no,
                             .condition = condition});
    return true;
}

/* Branches whose directions' waves follow from no block: both sides of a select at the block's end. */
static void choose_branches(wpg_chooser *c)
{
    const wpg_cfg *cfg = c->cfg;
    if (!(c->plan->options->probes & WPG_PROBE_BRANCHES) || !c->cells)
        return;
    c->f->branch_yes = WPG_ARENA_ARRAY(&c->plan->arena, uint32_t, cfg->count);
    c->f->branch_no = WPG_ARENA_ARRAY(&c->plan->arena, uint32_t, cfg->count);
    c->failed |= !c->f->branch_yes || !c->f->branch_no;
    for (uint32_t b = 0; !c->failed && b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        uint32_t yes, no;
        c->f->branch_yes[b] = c->f->branch_no[b] = WPG_NO_TALLY;
        if (block->rpo == NO || block->terminator->opcode != SpvOpBranchConditional ||
            block->successor_count != 2 ||
            (wpg_edge_runs_block(cfg, b, block->successors[0]) &&
             wpg_edge_runs_block(cfg, b, block->successors[1])) ||
            !wpg_choose_select(c, &yes, &no, b, block->terminator, block->terminator->words[1]))
            continue;
        c->f->branch_yes[b] = yes;
        c->f->branch_no[b] = no;
    }
}

/* -- Each class */

static bool may_use_function_region(const wpg_chooser *c)
{
    for (uint32_t b = 0; b < c->cfg->count; b++) {
        const wpg_block *block = &c->cfg->blocks[b];
        if (block->rpo == NO || !block->changes_mask)
            continue;
        /* A call may take lanes away that have not flushed. */
        for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
            if (inst->opcode == SpvOpFunctionCall || inst->opcode == SpvOpTraceRayKHR ||
                inst->opcode == SpvOpExecuteCallableKHR || inst->opcode == SpvOpReportIntersectionKHR)
                return false;
    }
    return true;
}

static uint32_t depth_of(const wpg_chooser *c, uint32_t block)
{
    uint32_t depth = 0;
    for (uint32_t loop = c->cfg->blocks[block].loop; loop != NO; loop = wpg_loop_around(&c->structure, loop))
        depth += wpg_loop_repeats(&c->structure, loop);
    return depth;
}

/* Private counters that follow from nothing else: worth it if what a visit saves beats what they cost where
 * they go to memory. Loops are taken to run 8 times; a place in memory to cost what two visits save. */
static bool is_worth_cells(const wpg_chooser *c, uint32_t b, uint32_t region)
{
    uint32_t depth = depth_of(c, b), places = region == c->function_region ? c->flushes : 1;
    return c->plan->options->strategy == WPG_STRATEGY_ADDITIVE || depth > 5 ||
           UINT32_C(1) << 3 * depth >= 2 * places;
}

/* Derived: how often it runs follows from something that is counted anyway, or at a branch. */
static bool derive(wpg_chooser *c, uint32_t class, uint32_t b)
{
    uint32_t own;
    if (!wpg_block_repeats(&c->structure, b))
        return choose_mark(c, class, b);
    if (!cells_left(c, 3))
        return false;
    if (choose_trips(c, class, b))
        return true;
    uint32_t region = c->failed ? NO : region_for(c, b, &own);
    return region != NO && is_worth_cells(c, b, region) &&
           (choose_passed(c, class, b, region, own) || choose_edge(c, class, b, region, own));
}

static void choose(wpg_chooser *c, uint32_t class)
{
    wpg_strategy_choice choice = c->plan->options->strategy;
    uint32_t b = c->f->classes.representative[class], region = NO, own;
    bool additive = choice == WPG_STRATEGY_ADDITIVE;
    if (c->cells && !additive && derive(c, class, b))
        return;
    if (c->cells && choice != WPG_STRATEGY_DERIVED && cells_left(c, 3) && is_kept_by_driver(c, b)) {
        if (additive && c->has_function_region)
            region = region_of_function(c);
        else if (wpg_block_repeats(&c->structure, b))
            region = region_for(c, b, &own);
        if (region != NO && !is_worth_cells(c, b, region))
            region = NO;
    }
    uint32_t tally = new_tally(c, region != NO ? WPG_METHOD_ADDITIVE : c->plan->strategy->method);
    if (region != NO) {
        give_cells(c, tally, region, false);
        add_point(c, (wpg_point){.kind = WPG_POINT_ADD, .block = b, .tally = WPG_NO_TALLY, .index = tally});
    }
    c->f->tally_of[class] = tally;
}

/* Deep classes first: what runs most gets the cells. */
static void choose_all(wpg_chooser *c)
{
    uint32_t deepest = 0, *depth = WPG_ARENA_ARRAY(&c->plan->arena, uint32_t, c->f->classes.class_count);
    if (!depth) {
        c->failed = true;
        return;
    }
    for (uint32_t class = 0; class < c->f->classes.class_count; class ++) {
        depth[class] = depth_of(c, c->f->classes.representative[class]);
        deepest = depth[class] > deepest ? depth[class] : deepest;
        c->f->tally_of[class] = WPG_NO_TALLY;
    }
    for (uint32_t level = deepest + 1; level-- > 0;)
        for (uint32_t class = 0; class < c->f->classes.class_count && !c->failed; class ++)
            if (depth[class] == level)
                choose(c, class);
}

static bool keeps_visits(const wpg_chooser *c, uint32_t loop)
{
    for (uint32_t i = 0; i < c->tallies.count; i++) {
        const wpg_tally *t = &c->tallies.data[i];
        if (t->method == WPG_METHOD_TRIPS && t->loop == loop && t->passes && t->lanes_cell != WPG_NO_CELL)
            return true;
    }
    return false;
}

static void place_enters(wpg_chooser *c, uint32_t number)
{
    uint32_t loop = c->loops.data[number].construct;
    const wpg_block *header = &c->cfg->blocks[c->cfg->constructs[loop].header];
    for (uint32_t p = 0; p < header->predecessor_count; p++) {
        uint32_t from = header->predecessors[p];
        if (c->cfg->blocks[from].rpo != NO && !wpg_construct_has(&c->structure, loop, from))
            add_point(c, (wpg_point){.kind = WPG_POINT_ENTER,
                                     .block = from,
                                     .before = end_of(c, from),
                                     .tally = WPG_NO_TALLY,
                                     .index = number});
    }
}

/* A loop in a scope is entered once: its cells begin with the function. */
static void place_loops(wpg_chooser *c)
{
    for (uint32_t i = 0; i < c->loops.count && !c->failed; i++) {
        const wpg_loop_plan *loop = &c->loops.data[i];
        bool in_scope = loop->own && c->regions.data[loop->region].exit != NO;
        bool used = c->regions.data[loop->region].loop == i || loop->trips_cell != WPG_NO_CELL;
        if (!used || (in_scope && !keeps_visits(c, i)))
            continue;
        add_point(c, (wpg_point){.kind = WPG_POINT_LEAVE,
                                 .block = c->cfg->constructs[loop->construct].merge,
                                 .tally = WPG_NO_TALLY,
                                 .index = i});
        if (!in_scope)
            place_enters(c, i);
    }
}

/* Wherever lanes leave the function, and before demotes; how many places if not placed. */
static uint32_t place_flushes(wpg_chooser *c, bool place)
{
    uint32_t places = 0;
    for (uint32_t b = 0; b < c->cfg->count; b++) {
        const wpg_block *block = &c->cfg->blocks[b];
        if (block->rpo == NO)
            continue;
        wpg_point point = {.kind = WPG_POINT_FLUSH, .block = b, .tally = WPG_NO_TALLY, .other = 1};
        point.index = c->function_region;
        for (wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next) {
            if (inst->opcode != SpvOpDemoteToHelperInvocation)
                continue;
            point.before = inst;
            places++;
            if (place)
                add_point(c, point);
        }
        if (block->successor_count != 0 || block->terminator->opcode == SpvOpUnreachable)
            continue;
        point.before = block->terminator;
        point.other = 0;
        places++;
        if (place)
            add_point(c, point);
    }
    return places;
}

static void place_scopes(wpg_chooser *c)
{
    for (uint32_t i = 0; i < c->regions.count; i++)
        if (c->regions.data[i].exit != NO && c->regions.data[i].group_start[WPG_FLUSH_GROUPS])
            add_point(c, (wpg_point){.kind = WPG_POINT_FLUSH,
                                     .block = c->regions.data[i].exit,
                                     .before = end_of(c, c->regions.data[i].exit),
                                     .tally = WPG_NO_TALLY,
                                     .index = i});
}

/* -- Counters */

/* How a tally of a region is taken together (flush.c). */
static wpg_flush_group group_of(const wpg_chooser *c, const wpg_tally *t)
{
    if (t->method == WPG_METHOD_MARK)
        return WPG_FLUSH_MARKS;
    if (t->method == WPG_METHOD_TRIPS && c->loops.data[t->loop].own)
        return WPG_FLUSH_TRIPS;
    return t->equal ? WPG_FLUSH_LARGEST : WPG_FLUSH_SUMS;
}

/* Counters of a tally lie side by side, tallies of one group of one region one after the other: they are gone
 * through by a loop. Where the entry function starts, L is E. */
static void number_tally(wpg_chooser *c, uint32_t tally, bool starts)
{
    const wpg_strategy *strategy = c->plan->strategy;
    const wpg_instrument_options *options = c->plan->options;
    bool waves = strategy->kinds & WPG_KIND_WAVES, uniform = strategy->kinds & WPG_KIND_UNIFORM;
    bool full = waves && options->strategy != WPG_STRATEGY_NAIVE && options->strategy != WPG_STRATEGY_SLOTS &&
                options->target.subgroup_size > 1;
    wpg_tally *t = &c->tallies.data[tally];
    t->full = full ? new_counter(c) : WPG_NO_COUNTER;
    t->lanes = new_counter(c);
    t->waves = waves ? new_counter(c) : WPG_NO_COUNTER;
    t->always_uniform = starts && t->region == NO && full;
    t->uniform = uniform && !t->always_uniform ? new_counter(c) : WPG_NO_COUNTER;
}

static void number_counters(wpg_chooser *c)
{
    uint32_t start = c->f->is_entry ? c->f->tally_of[c->f->classes.class_of[0]] : WPG_NO_TALLY;
    for (uint32_t i = 0; i < c->tallies.count; i++)
        if (c->tallies.data[i].region == NO && c->tallies.data[i].method != WPG_METHOD_SUM)
            number_tally(c, i, i == start);
    for (uint32_t r = 0; r < c->regions.count; r++) {
        wpg_region *region = &c->regions.data[r];
        region->tallies = WPG_ARENA_ARRAY(&c->plan->arena, uint32_t, c->tallies.count);
        uint32_t count = 0;
        for (unsigned group = 0; region->tallies && group < WPG_FLUSH_GROUPS; group++) {
            region->group_start[group] = count;
            for (uint32_t i = 0; i < c->tallies.count; i++) {
                if (c->tallies.data[i].region != r || group_of(c, &c->tallies.data[i]) != group)
                    continue;
                number_tally(c, i, false);
                region->tallies[count++] = i;
            }
        }
        region->group_start[WPG_FLUSH_GROUPS] = count;
        c->failed |= !region->tallies;
    }
}

static bool set_up(wpg_chooser *c)
{
    const wpg_cfg *cfg = c->cfg;
    wpg_arena *arena = &c->plan->arena;
    if (!wpg_structure_make(&c->structure, cfg, &c->f->classes, arena))
        return false;
    c->edge_true = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    c->edge_false = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    c->loop_number = WPG_ARENA_ARRAY(arena, uint32_t, cfg->construct_count);
    c->scope_region = WPG_ARENA_ARRAY(arena, uint32_t, c->structure.scope_count);
    c->f->tally_of = WPG_ARENA_ARRAY(arena, uint32_t, c->f->classes.class_count);
    if (arena->failed)
        return false;
    for (uint32_t b = 0; b < cfg->count; b++)
        c->edge_true[b] = c->edge_false[b] = WPG_NO_TALLY;
    for (uint32_t i = 0; i < cfg->construct_count; i++)
        c->loop_number[i] = NO;
    for (uint32_t i = 0; i < c->structure.scope_count; i++)
        c->scope_region[i] = NO;
    return true;
}

static void *keep(wpg_chooser *c, const void *data, size_t bytes)
{
    void *copy = wpg_arena_memdup(&c->plan->arena, data, bytes);
    c->failed |= !copy;
    return copy;
}

wpg_status wpg_plan_methods(wpg_plan *plan, wpg_function_plan *f, wpg_select_plan *selects,
                            wpg_point_list *points)
{
    wpg_chooser c = {.plan = plan, .f = f, .cfg = f->cfg, .function_region = NO, .points = points};
    if (!set_up(&c))
        return WPG_E_NOMEM;
    c.cells = plan->strategy->private_cells && plan->options->strategy != WPG_STRATEGY_NAIVE &&
              plan->options->strategy != WPG_STRATEGY_SLOTS && plan->options->target.subgroup_arithmetic &&
              !plan->segments;
    c.has_function_region = may_use_function_region(&c);
    c.flushes = place_flushes(&c, false);
    choose_all(&c);
    c.failed |= selects && !c.failed && !wpg_plan_selects(&c, selects);
    if (!c.failed)
        choose_branches(&c);
    if (!c.failed) {
        derive_sums(&c);
        drop_lone_marks(&c);
        number_counters(&c);
        place_edges(&c);
        place_loops(&c);
        if (c.function_region != NO && c.regions.data[c.function_region].group_start[WPG_FLUSH_GROUPS])
            (void)place_flushes(&c, true);
        place_scopes(&c);
    }
    f->tallies = keep(&c, c.tallies.data, c.tallies.count * sizeof(wpg_tally));
    f->tally_count = (uint32_t)c.tallies.count;
    f->loops = keep(&c, c.loops.data, c.loops.count * sizeof(wpg_loop_plan));
    f->loop_count = (uint32_t)c.loops.count;
    f->regions = keep(&c, c.regions.data, c.regions.count * sizeof(wpg_region));
    f->region_count = (uint32_t)c.regions.count;
    wpg_vec_free(&c.tallies);
    wpg_vec_free(&c.loops);
    wpg_vec_free(&c.regions);
    return c.failed ? WPG_E_NOMEM : WPG_OK;
}
