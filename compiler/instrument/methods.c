/* Choosing how each class of blocks is counted.
 *
 *     class --> in place (naive)                     outside loops: it runs once, private counters gain
 * nothing
 *           --> cells of a region                    inside loops:
 *                 trips of its loop, or the branch that leads to it, or where it stands
 *           --> sum of other tallies
 *
 * A region is an outermost loop that is whole: all lanes of the wave that enter it leave it by its merge
 * block, together, and no lane demotes in it. Its cells are zeroed where it is entered and go to memory at
 * its merge block, added up over exactly the lanes that entered. Classes of loops that are not whole live in
 * the region of the function, whose cells go to memory wherever lanes leave it and before they demote: sums
 * of private counters do not care which lanes have left when (additive, DESIGN 4 (a)).
 *
 * The three rules below say when a tally is right; what is added is said in cells.c.
 *
 * Together(b in loop l): the lanes that come to b in one iteration of l come as one tangle. So for l's
 * header; for a block with a single forward predecessor that is together; for the merge block of a construct
 * whose header is together (reconvergence); for l's continue target (reconvergence).
 *
 * Trips: b is counted by its loop l, if l is whole, b is together, b dominates l's back edge, and for each
 * exit block x of l either b dominates x or b does not reach x within an iteration. Proof: a lane that does
 * not leave l in an iteration passes b in it, once, as b lies in no inner loop. So a lane with t back edges
 * taken that left at x has come to b in iterations 1..t, and in the last one exactly if b dominates x. Its
 * count n is the length of an initial run of iterations: those in iteration k at b are the lanes with n >= k,
 * one tangle. Hence waves = max n, lanes = sum n over the lanes that entered; and iteration k is uniform if
 * those were all of E and all n >= k: uniform = min n, or 0.
 *
 *    Passed: the same where b does not dominate the back edge, but no lane takes it without having passed b:
 * the test of `while (x && y)`, whose second half is skipped only by lanes that leave. Each lane counts its
 * own visits, in a cell; they are again an initial run of iterations.
 *
 * Edge: the block h ends in a two-way branch, s is one of its targets and has no other predecessor, is no
 * merge block and no continue target. Then a tangle at the end of h sends those of its live lanes that take
 * the edge to s as one tangle; the ballot of the condition tells which.
 *
 * Where it stands: a ballot and an election at the block, for everything else. */
#include "compiler/instrument/plan.h"

#include <string.h>

#include "compiler/instrument/strategy.h"
#include "compiler/spirv/builder.h"

enum { NO = WPG_NO_BLOCK, MOST_CELLS = 96, MOST_TRIP_WORK = 1 << 16 };

typedef struct chooser {
    wpg_plan *plan;
    wpg_function_plan *f;
    const wpg_cfg *cfg;
    wpg_arena *arena;
    uint32_t *heads, *merges, *continues; /* [blocks] construct, NO if none */
    uint32_t *loop_number;                /* [constructs] number among f->loops, NO */
    uint32_t function_region;             /* number, NO until needed */
    bool has_function_region;             /* it may be used */
    bool cells;                           /* there may be private cells at all */
    uint32_t *stack;                      /* [blocks] */
    uint8_t *seen;                        /* [blocks] */
    wpg_point_list *points;
    WPG_VEC(wpg_tally) tallies;
    WPG_VEC(wpg_loop_plan) loops;
    WPG_VEC(wpg_region) regions;
    uint32_t *edge_true, *edge_false; /* [blocks] tally of the edge from the block's branch, WPG_NO_TALLY */
    bool failed;
} chooser;

/* -- The graph */

static bool is_loop(const chooser *c, uint32_t construct)
{
    return construct != NO && c->cfg->constructs[construct].kind == WPG_CONSTRUCT_LOOP;
}

static uint32_t loop_around(const chooser *c, uint32_t construct)
{
    uint32_t up = c->cfg->constructs[construct].parent;
    while (up != NO && !is_loop(c, up))
        up = c->cfg->constructs[up].parent;
    return up;
}

static bool holds(const chooser *c, uint32_t construct, uint32_t block)
{
    uint32_t at = c->cfg->blocks[block].construct;
    while (at != NO && at != construct)
        at = c->cfg->constructs[at].parent;
    return at == construct;
}

static bool repeats(const chooser *c, uint32_t loop)
{
    return c->cfg->constructs[loop].back_edge != NO;
}

/* Code at the merge block runs once for each time the loop was entered: so it may not head a loop itself. */
static bool is_whole_loop(const chooser *c, uint32_t loop)
{
    return repeats(c, loop) && wpg_construct_is_whole(c->cfg, loop) &&
           !is_loop(c, c->heads[c->cfg->constructs[loop].merge]);
}

static bool in_repeating_loop(const chooser *c, uint32_t block)
{
    for (uint32_t loop = c->cfg->blocks[block].loop; loop != NO; loop = loop_around(c, loop))
        if (repeats(c, loop))
            return true;
    return false;
}

static uint32_t outermost_whole_loop(const chooser *c, uint32_t block)
{
    uint32_t found = NO;
    for (uint32_t loop = c->cfg->blocks[block].loop; loop != NO; loop = loop_around(c, loop))
        if (is_whole_loop(c, loop))
            found = loop;
    return found;
}

/* The only predecessor that is not behind a back edge, NO if there are several. */
static uint32_t only_forward_predecessor(const chooser *c, uint32_t b)
{
    const wpg_block *block = &c->cfg->blocks[b];
    uint32_t found = NO;
    for (uint32_t i = 0; i < block->predecessor_count; i++) {
        uint32_t p = block->predecessors[i];
        if (c->cfg->blocks[p].rpo == NO || c->cfg->blocks[p].rpo >= block->rpo)
            continue;
        if (found != NO)
            return NO;
        found = p;
    }
    return found;
}

/* Together(b in loop). */
static bool is_together(const chooser *c, uint32_t loop, uint32_t b)
{
    for (uint32_t steps = 0; steps < c->cfg->count; steps++) {
        if (b == c->cfg->constructs[loop].header)
            return true;
        uint32_t merged = c->merges[b], continued = c->continues[b];
        if (merged != NO) {
            b = c->cfg->constructs[merged].header;
            if (!holds(c, loop, b))
                return false;
            continue;
        }
        if (continued == loop)
            return true;
        if (continued != NO && continued != c->heads[b])
            return false;
        b = only_forward_predecessor(c, b);
        if (b == NO)
            return false;
    }
    return false;
}

/* Marks in c->seen what b reaches within an iteration of the loop. */
static void mark_reached(chooser *c, uint32_t loop, uint32_t b)
{
    uint32_t top = 0;
    memset(c->seen, 0, c->cfg->count);
    c->stack[top++] = b;
    while (top) {
        const wpg_block *block = &c->cfg->blocks[c->stack[--top]];
        for (uint32_t i = 0; i < block->successor_count; i++) {
            uint32_t s = block->successors[i];
            if (c->seen[s] || s == c->cfg->constructs[loop].header || !holds(c, loop, s))
                continue;
            c->seen[s] = 1;
            c->stack[top++] = s;
        }
    }
}

/* All lanes still in the loop pass b once an iteration, as one tangle: the lane with most visits has seen all
 * of them, and what every lane of the wave adds there is, in that lane, the sum over all visits. */
static bool is_passed_together(const chooser *c, uint32_t loop, uint32_t b)
{
    return c->cfg->blocks[b].loop == loop &&
           wpg_cfg_dominates(c->cfg, b, c->cfg->constructs[loop].back_edge) && is_together(c, loop, b);
}

/* -- Loops and regions */

static uint32_t region_of_function(chooser *c)
{
    if (c->function_region == NO) {
        c->function_region = (uint32_t)c->regions.count;
        c->failed |= !wpg_vec_push(&c->regions, ((wpg_region){NO}));
    }
    return c->function_region;
}

static uint32_t new_cell(chooser *c)
{
    return c->f->cell_count++;
}

static uint32_t loop_plan_of(chooser *c, uint32_t construct);

static uint32_t region_of_loop(chooser *c, uint32_t loop)
{
    uint32_t number = loop_plan_of(c, loop);
    return c->failed ? 0 : c->loops.data[number].region;
}

/* The number of a whole loop's plan, made when first asked for. */
static uint32_t loop_plan_of(chooser *c, uint32_t construct)
{
    if (c->loop_number[construct] != NO)
        return c->loop_number[construct];
    const wpg_construct *loop = &c->cfg->constructs[construct];
    const wpg_block *merge = &c->cfg->blocks[loop->merge];
    wpg_loop_plan made = {.construct = construct, .trips_cell = WPG_NO_CELL, .exit_cell = WPG_NO_CELL};
    uint32_t *exits = WPG_ARENA_ARRAY(c->arena, uint32_t, merge->predecessor_count);
    for (uint32_t i = 0; exits && i < merge->predecessor_count; i++)
        if (c->cfg->blocks[merge->predecessors[i]].rpo != NO)
            exits[made.exit_count++] = merge->predecessors[i];
    made.exits = exits;
    uint32_t outermost = outermost_whole_loop(c, loop->header), number;
    if (outermost != construct) {
        made.region = region_of_loop(c, outermost);
        made.equal = !c->failed && c->regions.data[made.region].loop == c->loop_number[outermost] &&
                     is_passed_together(c, outermost, loop->merge);
    } else if (c->has_function_region && in_repeating_loop(c, loop->merge)) {
        made.region = region_of_function(c);
    } else {
        made.region = (uint32_t)c->regions.count;
        c->failed |= !wpg_vec_push(&c->regions, ((wpg_region){(uint32_t)c->loops.count}));
    }
    number = (uint32_t)c->loops.count;
    c->failed |= !exits || !wpg_vec_push(&c->loops, made);
    c->loop_number[construct] = number;
    return number;
}

/* -- Tallies */

static uint32_t new_counter(chooser *c)
{
    return c->plan->options->first_counter + c->plan->counter_count++;
}

static uint32_t new_tally(chooser *c, wpg_method method)
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

/* Counters of one tally lie side by side. Where the entry function starts, L is E. */
static void number_counters(chooser *c)
{
    const wpg_strategy *strategy = c->plan->strategy;
    const wpg_instrument_options *options = c->plan->options;
    bool waves = strategy->kinds & WPG_KIND_WAVES, uniform = strategy->kinds & WPG_KIND_UNIFORM;
    bool full = waves && options->strategy != WPG_STRATEGY_NAIVE && options->target.subgroup_size > 1;
    uint32_t start = c->f->is_entry ? c->f->tally_of[c->f->classes.class_of[0]] : WPG_NO_TALLY;
    for (uint32_t i = 0; i < c->tallies.count; i++) {
        wpg_tally *t = &c->tallies.data[i];
        if (t->method == WPG_METHOD_SUM)
            continue;
        t->full = full ? new_counter(c) : WPG_NO_COUNTER;
        t->lanes = new_counter(c);
        t->waves = waves ? new_counter(c) : WPG_NO_COUNTER;
        t->always_uniform = i == start && t->method == WPG_METHOD_NAIVE && full;
        t->uniform = uniform && !t->always_uniform ? new_counter(c) : WPG_NO_COUNTER;
    }
}

static uint32_t find_trips(const chooser *c, uint32_t loop, const bool *passes)
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
static void derive_sums(chooser *c)
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
        t->parts[0] = after;
        t->parts[1] = c->f->tally_of[c->f->classes.class_of[merge]];
    }
}

static void add_point(chooser *c, wpg_point_kind kind, uint32_t block, wpg_inst *before, uint32_t index,
                      uint32_t other)
{
    wpg_point point = {.kind = kind,
                       .block = block,
                       .before = before,
                       .tally = WPG_NO_TALLY,
                       .index = index,
                       .other = other,
                       .record = NO,
                       .resolve = NO};
    c->failed |= !wpg_vec_push(c->points, point);
}

/* The block's end: wpg_block_seek goes before its merge instruction. */
static wpg_inst *end_of(const chooser *c, uint32_t block)
{
    return c->cfg->blocks[block].terminator;
}

static bool cells_left(const chooser *c)
{
    return c->f->cell_count < MOST_CELLS;
}

/* Private cells for lanes, waves and uniform, in a region. */
static void give_cells(chooser *c, uint32_t tally, uint32_t region, bool equal)
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

/* -- Trips */

static void need_trips(chooser *c, uint32_t number)
{
    if (c->failed || c->loops.data[number].trips_cell != WPG_NO_CELL)
        return;
    wpg_loop_plan *loop = &c->loops.data[number];
    loop->trips_cell = new_cell(c);
    uint32_t back = c->cfg->constructs[loop->construct].back_edge;
    add_point(c, WPG_POINT_BACK, back, end_of(c, back), number, 0);
}

static void need_exits(chooser *c, uint32_t number)
{
    if (c->failed || c->loops.data[number].exit_cell != WPG_NO_CELL || c->loops.data[number].exit_count < 2)
        return;
    wpg_loop_plan *loop = &c->loops.data[number];
    loop->exit_cell = new_cell(c);
    for (uint32_t i = 0; i < loop->exit_count; i++)
        add_point(c, WPG_POINT_EXIT, loop->exits[i], end_of(c, loop->exits[i]), number, i);
}

/* NULL if the rule does not hold; else which exits the block has been passed at. */
static const bool *trips_of(chooser *c, uint32_t b, uint32_t *number)
{
    uint32_t loop = c->cfg->blocks[b].loop;
    if (loop == NO || !is_whole_loop(c, loop) || !is_passed_together(c, loop, b))
        return NULL;
    *number = loop_plan_of(c, loop);
    if (c->failed)
        return NULL;
    const wpg_loop_plan *plan = &c->loops.data[*number];
    if ((uint64_t)plan->exit_count * c->cfg->count > MOST_TRIP_WORK)
        return NULL;
    bool *passes = WPG_ARENA_ARRAY(c->arena, bool, plan->exit_count);
    if (!passes) {
        c->failed = true;
        return NULL;
    }
    mark_reached(c, loop, b);
    for (uint32_t i = 0; i < plan->exit_count; i++) {
        passes[i] = wpg_cfg_dominates(c->cfg, b, plan->exits[i]);
        /* Where the back edge is one way of a branch, the trip has been counted before lanes leave the other
         * way. */
        if (plan->exits[i] == c->cfg->constructs[loop].back_edge)
            passes[i] = false;
        else if (!passes[i] && c->seen[plan->exits[i]])
            return NULL;
    }
    return passes;
}

static bool choose_trips(chooser *c, uint32_t class, uint32_t b)
{
    uint32_t number;
    const bool *passes = trips_of(c, b, &number);
    if (!passes || c->failed)
        return false;
    uint32_t tally = find_trips(c, number, passes);
    if (tally == WPG_NO_TALLY) {
        if (!cells_left(c))
            return false;
        tally = new_tally(c, WPG_METHOD_TRIPS);
        if (c->failed)
            return false;
        wpg_tally *t = &c->tallies.data[tally];
        wpg_loop_plan *loop = &c->loops.data[number];
        t->loop = number;
        t->passes = passes;
        if (c->regions.data[loop->region].loop == number) {
            t->region = loop->region;
            t->lanes_cell = new_cell(c);
        } else {
            give_cells(c, tally, loop->region, loop->equal);
        }
        need_trips(c, number);
        need_exits(c, number);
    }
    c->f->tally_of[class] = tally;
    return true;
}

/* -- Passed */

/* The target that a lane coming from `from` to a block goes on to, if the block does nothing but branch on a
 * phi whose value is known on that way: a constant, or the condition by which `from` branched. NO if it is
 * not known. */
static uint32_t threaded(const chooser *c, uint32_t from, uint32_t at)
{
    const wpg_inst *branch = c->cfg->blocks[at].terminator, *came = c->cfg->blocks[from].terminator;
    const wpg_inst *phi;
    if (branch->opcode != SpvOpBranchConditional ||
        !(phi = wpg_module_def(c->cfg->module, branch->words[1])) || phi->opcode != SpvOpPhi)
        return NO;
    bool here = false;
    for (const wpg_inst *inst = c->cfg->blocks[at].label; inst != branch; inst = inst->next)
        here |= inst == phi;
    for (unsigned i = 3; here && i + 1 < phi->count; i += 2) {
        if (phi->words[i + 1] != c->cfg->blocks[from].id)
            continue;
        uint64_t value;
        uint32_t width;
        if (!wpg_const_value(c->cfg->module, phi->words[i], &value, &width)) {
            if (came->opcode != SpvOpBranchConditional || came->words[1] != phi->words[i] ||
                came->words[2] == came->words[3])
                return NO;
            value = came->words[2] == c->cfg->blocks[at].id;
        }
        return wpg_cfg_find(c->cfg, branch->words[value ? 2 : 3]);
    }
    return NO;
}

/* No lane comes from the loop's header to its back edge without passing b. */
static bool is_always_passed(chooser *c, uint32_t loop, uint32_t b)
{
    const wpg_construct *l = &c->cfg->constructs[loop];
    uint32_t top = 0;
    memset(c->seen, 0, c->cfg->count);
    c->stack[top++] = l->header;
    c->seen[l->header] = 1;
    while (top) {
        uint32_t at = c->stack[--top];
        const wpg_block *block = &c->cfg->blocks[at];
        if (at == l->back_edge)
            return false;
        for (uint32_t i = 0; i < block->successor_count; i++) {
            uint32_t s = block->successors[i], next = threaded(c, at, s);
            if (next != NO && s != b)
                s = next;
            if (s == b || c->seen[s] || !holds(c, loop, s))
                continue;
            c->seen[s] = 1;
            c->stack[top++] = s;
        }
    }
    return true;
}

/* In a region's own loop only: there, what a lane has counted is what it has counted in this run of the loop.
 */
static bool choose_passed(chooser *c, uint32_t class, uint32_t b, uint32_t region)
{
    uint32_t number = c->regions.data[region].loop, loop = c->cfg->blocks[b].loop;
    if (number == NO || c->loops.data[number].construct != loop || !is_together(c, loop, b) ||
        !is_always_passed(c, loop, b))
        return false;
    uint32_t tally = new_tally(c, WPG_METHOD_TRIPS);
    if (c->failed)
        return true;
    wpg_tally *t = &c->tallies.data[tally];
    t->region = region;
    t->loop = number;
    t->lanes_cell = new_cell(c);
    add_point(c, WPG_POINT_ADD, b, NULL, tally, 0);
    c->f->tally_of[class] = tally;
    return true;
}

/* -- Edges */

static bool choose_edge(chooser *c, uint32_t class, uint32_t b, uint32_t region)
{
    uint32_t h = only_forward_predecessor(c, b);
    const wpg_block *block = &c->cfg->blocks[b];
    if (h == NO || c->plan->demotes || is_loop(c, c->heads[b]) || c->merges[b] != NO || c->continues[b] != NO)
        return false;
    /* What lanes do once, on their way out of the loop, costs less where it stands than a ballot in each
     * iteration. */
    uint32_t loop_of_h = c->cfg->blocks[h].loop;
    if (loop_of_h != NO && repeats(c, loop_of_h)) {
        uint32_t back = c->cfg->constructs[loop_of_h].back_edge;
        mark_reached(c, loop_of_h, b);
        if (b != back && !c->seen[back])
            return false;
    }
    const wpg_inst *branch = c->cfg->blocks[h].terminator;
    if (branch->opcode != SpvOpBranchConditional || branch->words[2] == branch->words[3])
        return false;
    uint32_t outermost = c->regions.data[region].loop;
    bool equal = false;
    if (outermost != NO) {
        uint32_t loop = c->loops.data[outermost].construct;
        equal = is_passed_together(c, loop, h);
    }
    uint32_t tally = new_tally(c, WPG_METHOD_EDGE);
    give_cells(c, tally, region, equal);
    (branch->words[2] == block->id ? c->edge_true : c->edge_false)[h] = tally;
    c->f->tally_of[class] = tally;
    return true;
}

static void place_edges(chooser *c)
{
    for (uint32_t b = 0; b < c->cfg->count; b++)
        if (c->edge_true[b] != WPG_NO_TALLY || c->edge_false[b] != WPG_NO_TALLY)
            add_point(c, WPG_POINT_EDGE, b, end_of(c, b), c->edge_true[b], c->edge_false[b]);
}

/* -- Each class */

static bool may_use_function_region(const chooser *c)
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

static void choose(chooser *c, uint32_t class)
{
    wpg_strategy_choice choice = c->plan->options->strategy;
    uint32_t b = c->f->classes.representative[class], region = NO;
    bool additive = choice == WPG_STRATEGY_ADDITIVE;
    if (c->cells && (additive || in_repeating_loop(c, b)) && cells_left(c)) {
        uint32_t loop = outermost_whole_loop(c, b);
        if (!additive && choose_trips(c, class, b))
            return;
        if (c->has_function_region && (additive || loop == NO))
            region = region_of_function(c);
        else if (loop != NO)
            region = region_of_loop(c, loop);
        if (c->failed)
            return;
        if (region != NO && !additive && choose_passed(c, class, b, region))
            return;
        if (region != NO && !additive && choose_edge(c, class, b, region))
            return;
    }
    uint32_t tally = new_tally(c, region != NO ? WPG_METHOD_ADDITIVE : c->plan->strategy->method);
    if (region != NO) {
        give_cells(c, tally, region, false);
        add_point(c, WPG_POINT_ADD, b, NULL, tally, 0);
    }
    c->f->tally_of[class] = tally;
}

/* Deep classes first: what runs most gets the cells. */
static void choose_all(chooser *c)
{
    uint32_t deepest = 0, *depth = WPG_ARENA_ARRAY(c->arena, uint32_t, c->f->classes.class_count);
    if (!depth) {
        c->failed = true;
        return;
    }
    for (uint32_t class = 0; class < c->f->classes.class_count; class ++) {
        uint32_t loop = c->cfg->blocks[c->f->classes.representative[class]].loop;
        for (; loop != NO; loop = loop_around(c, loop))
            depth[class]++;
        deepest = depth[class] > deepest ? depth[class] : deepest;
        c->f->tally_of[class] = WPG_NO_TALLY;
    }
    for (uint32_t level = deepest + 1; level-- > 0;)
        for (uint32_t class = 0; class < c->f->classes.class_count && !c->failed; class ++)
            if (depth[class] == level)
                choose(c, class);
}

static void place_loops(chooser *c)
{
    for (uint32_t i = 0; i < c->loops.count && !c->failed; i++) {
        const wpg_loop_plan *loop = &c->loops.data[i];
        const wpg_construct *construct = &c->cfg->constructs[loop->construct];
        bool is_region = c->regions.data[loop->region].loop == i;
        if (!is_region && loop->trips_cell == WPG_NO_CELL)
            continue;
        add_point(c, WPG_POINT_LEAVE, construct->merge, NULL, i, 0);
        const wpg_block *header = &c->cfg->blocks[construct->header];
        for (uint32_t p = 0; p < header->predecessor_count; p++) {
            uint32_t from = header->predecessors[p];
            if (c->cfg->blocks[from].rpo != NO && !holds(c, loop->construct, from))
                add_point(c, WPG_POINT_ENTER, from, end_of(c, from), i, 0);
        }
    }
}

/* Wherever lanes leave the function, and before demotes. */
static void place_flushes(chooser *c)
{
    if (c->function_region == NO)
        return;
    for (uint32_t b = 0; b < c->cfg->count; b++) {
        const wpg_block *block = &c->cfg->blocks[b];
        if (block->rpo == NO)
            continue;
        for (wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
            if (inst->opcode == SpvOpDemoteToHelperInvocation)
                add_point(c, WPG_POINT_FLUSH, b, inst, c->function_region, 1);
        if (block->successor_count == 0 && block->terminator->opcode != SpvOpUnreachable)
            add_point(c, WPG_POINT_FLUSH, b, block->terminator, c->function_region, 0);
    }
}

static bool set_up(chooser *c)
{
    const wpg_cfg *cfg = c->cfg;
    c->heads = WPG_ARENA_ARRAY(c->arena, uint32_t, cfg->count);
    c->merges = WPG_ARENA_ARRAY(c->arena, uint32_t, cfg->count);
    c->continues = WPG_ARENA_ARRAY(c->arena, uint32_t, cfg->count);
    c->edge_true = WPG_ARENA_ARRAY(c->arena, uint32_t, cfg->count);
    c->edge_false = WPG_ARENA_ARRAY(c->arena, uint32_t, cfg->count);
    c->stack = WPG_ARENA_ARRAY(c->arena, uint32_t, (size_t)cfg->count + 1);
    c->seen = WPG_ARENA_ARRAY(c->arena, uint8_t, cfg->count);
    c->loop_number = WPG_ARENA_ARRAY(c->arena, uint32_t, cfg->construct_count);
    c->f->tally_of = WPG_ARENA_ARRAY(c->arena, uint32_t, c->f->classes.class_count);
    if (c->arena->failed)
        return false;
    for (uint32_t b = 0; b < cfg->count; b++) {
        c->heads[b] = c->merges[b] = c->continues[b] = NO;
        c->edge_true[b] = c->edge_false[b] = WPG_NO_TALLY;
    }
    for (uint32_t i = 0; i < cfg->construct_count; i++) {
        const wpg_construct *construct = &cfg->constructs[i];
        c->heads[construct->header] = c->merges[construct->merge] = i;
        if (construct->continue_target != NO)
            c->continues[construct->continue_target] = i;
        c->loop_number[i] = NO;
    }
    return true;
}

wpg_status wpg_plan_methods(wpg_plan *plan, wpg_function_plan *f, wpg_point_list *points)
{
    chooser c = {
        .plan = plan, .f = f, .cfg = f->cfg, .arena = &plan->arena, .function_region = NO, .points = points};
    if (!set_up(&c))
        return WPG_E_NOMEM;
    c.cells = plan->strategy->private_cells && plan->options->strategy != WPG_STRATEGY_NAIVE &&
              plan->options->target.subgroup_arithmetic && !plan->segments;
    c.has_function_region = may_use_function_region(&c);
    choose_all(&c);
    if (!c.failed) {
        derive_sums(&c);
        number_counters(&c);
    }
    place_edges(&c);
    place_loops(&c);
    place_flushes(&c);
    f->tallies = wpg_arena_memdup(&plan->arena, c.tallies.data, c.tallies.count * sizeof(wpg_tally));
    f->tally_count = (uint32_t)c.tallies.count;
    f->loops = wpg_arena_memdup(&plan->arena, c.loops.data, c.loops.count * sizeof(wpg_loop_plan));
    f->loop_count = (uint32_t)c.loops.count;
    f->regions = wpg_arena_memdup(&plan->arena, c.regions.data, c.regions.count * sizeof(wpg_region));
    f->region_count = (uint32_t)c.regions.count;
    wpg_vec_free(&c.tallies);
    wpg_vec_free(&c.loops);
    wpg_vec_free(&c.regions);
    return c.failed || !f->tallies || !f->loops || !f->regions ? WPG_E_NOMEM : WPG_OK;
}
