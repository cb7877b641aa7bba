/* The rules for counting a class otherwise than in place.
 *
 * The rules say where a tally is right. cells.c says what is added, flush.c what is combined. "Together" and
 * "passed together": see structure.h.
 *
 * Mark: b is in a scope, repeats in no loop, and is together from the scope's root. Proof: a lane comes to b
 * at most once. The lanes of one tangle at root that come to b come as one tangle. All of them are in the
 * tangle at the exit, which is the tangle of root. No lane dies on the way and none demotes (otherwise there
 * is no scope). So the ballot at the exit of the lanes that have the mark is L(b), and b has run once if the
 * ballot is not empty. A block of the trunk (code/trunk.c) may have a mark, too: the proof is there.
 *
 * Trips: b is counted by its loop l, if l is whole, b is together, b dominates l's back edge, and for each
 * exit block x of l either b dominates x or b does not reach x within an iteration. Proof: a lane that does
 * not leave l in an iteration passes b once in it, as b lies in no inner loop. So a lane that took t back
 * edges and left at x has come to b in iterations 1..t, and in the last iteration exactly if b dominates x.
 * Its count n is the length of an initial run of iterations: the lanes at b in iteration k are those with n
 * >= k, one tangle. Hence waves = max n, and lanes = sum n over the lanes that entered. Iteration k is
 * uniform if those lanes were all of E and all have n >= k: uniform = min n, or 0.
 *
 * Trips, in a scope: the lanes at the exit that have not entered l hold n = 0. Sum and max stay the same. If
 * the lanes at the exit are all of E, then the lanes that entered are all of E exactly if none holds 0;
 * otherwise min n is 0. If the lanes at the exit are not all of E, the lanes that entered are not either.
 *
 * Trips, passed: the same if b does not dominate the back edge, but no lane takes the back edge without
 * having passed b. An example is the test of `while (x && y)`: only lanes that leave skip its second half.
 * Each lane counts its own visits in a cell. They are again an initial run of iterations.
 *
 * Edge: block h ends in a two-way branch. s is one of its targets, has no other predecessor, is no continue
 * target, and merges no construct but the selection that h heads. Then a tangle at the end of h sends those
 * of its live lanes that take the edge to s as one tangle. The ballot of the condition tells which lanes.
 *
 * Led: of a loop that is entered once in its region's life, let all places that count dominate the back edge.
 * Of two such places one dominates the other, so they are passed in one order. A lane's numbers depend on how
 * many of them it has passed, over all iterations, before it left. All are largest in the lane that passed
 * most, and none is larger where another is smaller. So a lane with the largest sum of the numbers has the
 * largest of each, and one with the smallest sum the smallest of each.
 *
 * Steady: whenever lanes run b, they are the live lanes that leave the region (steady.h). Each lane counts
 * its visits n, which are equal in all: waves = n, lanes = n times the lanes that leave, uniform = n if these
 * are all of E, otherwise 0. The same holds for marks and trips.
 *
 * In place: a ballot and an election at the block. */
#include <string.h>

#include "compiler/instrument/code/strategy.h"
#include "compiler/instrument/counting/methods.h"

enum { NO = WPG_NO_BLOCK, MOST_TRIP_WORK = 1 << 16, MANY_STEADY = 8 };

/* -- Marks */

/* True if the lanes that leave the region are those that run block b, whenever they run it. */
static bool is_steady(const wpg_chooser *c, uint32_t region, uint32_t b)
{
    const wpg_region *r = &c->regions.data[region];
    const uint32_t *class_of = c->f->classes.class_of;
    if (!c->f->steady || (r->exit == NO && r->loop == NO))
        return false; /* lanes leave a function at several places, maybe */
    uint32_t end = r->exit != NO ? r->exit : c->cfg->constructs[c->loops.data[r->loop].construct].merge;
    return c->f->steady->group_of[class_of[b]] == c->f->steady->group_of[class_of[end]];
}

static uint32_t new_mark(wpg_chooser *c, uint32_t region, bool steady)
{
    uint32_t tally = wpg_new_tally(c, WPG_METHOD_MARK);
    if (c->failed)
        return tally;
    c->tallies.data[tally].region = region;
    c->tallies.data[tally].steady = steady;
    c->regions.data[region].mark_count++;
    return tally;
}

static bool is_of_trunk(const wpg_chooser *c, uint32_t scope, uint32_t b)
{
    return scope == c->structure.trunk.scope && c->structure.trunk.holds[b];
}

/* A mark of the trunk does not always go to memory where the region does: so none is steady, and none is
 * there from the start. */
bool wpg_rule_mark(wpg_chooser *c, uint32_t class, uint32_t b)
{
    uint32_t scope = wpg_block_repeats(&c->structure, b) ? NO : wpg_mark_scope_for(c, b);
    if (scope == NO)
        return false;
    const bool of_trunk = is_of_trunk(c, scope, b);
    uint32_t region = wpg_region_of_scope(c, scope);
    uint32_t tally = c->failed ? WPG_NO_TALLY : new_mark(c, region, !of_trunk && is_steady(c, region, b));
    if (c->failed)
        return false;
    c->f->tally_of[class] = tally;
    c->uses_trunk |= of_trunk;
    if (b != c->structure.scopes[scope].root || scope == c->structure.trunk.scope) {
        wpg_add_point(c,
                      (wpg_point){.kind = WPG_POINT_MARK, .block = b, .tally = WPG_NO_TALLY, .index = tally});
        return true;
    }
    /* Whoever comes to the exit has come here. */
    c->regions.data[region].start_mark = tally;
    return true;
}

/* True if the region has another tally that is combined as marks are (flush.c). */
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
void wpg_drop_lone_marks(wpg_chooser *c)
{
    for (uint32_t class = 0; class < c->f->classes.class_count; class ++) {
        wpg_tally *t = &c->tallies.data[c->f->tally_of[class]];
        if (t->method != WPG_METHOD_MARK)
            continue;
        wpg_region *r = &c->regions.data[t->region];
        if (r->mark_count != 1 || has_company(c, t->region))
            continue;
        r->mark_count = 0;
        r->start_mark = WPG_NO_TALLY;
        t->steady = false;
        t->method = c->plan->strategy->method;
        t->region = NO;
        t->lanes_cell = WPG_NO_CELL;
        for (size_t i = 0; i < c->points->count; i++)
            if (c->points->data[i].kind == WPG_POINT_MARK &&
                c->points->data[i].index == c->f->tally_of[class])
                c->points->data[i--] = c->points->data[--c->points->count];
    }
}

static bool is_mark_of(const wpg_tally *tally, uint32_t region)
{
    return tally->method == WPG_METHOD_MARK && tally->region == region;
}

static void give_bits(wpg_chooser *c, uint32_t region, bool steady)
{
    uint32_t marks = 0, cell = WPG_NO_CELL;
    for (uint32_t i = 0; i < c->tallies.count; i++) {
        wpg_tally *t = &c->tallies.data[i];
        if (!is_mark_of(t, region) || t->steady != steady)
            continue;
        if (marks % WPG_MARKS_OF_A_CELL == 0)
            cell = wpg_new_cell(c);
        t->lanes_cell = cell;
        t->mark = marks++ % WPG_MARKS_OF_A_CELL;
    }
}

/* Steady marks go to memory by themselves where there are no others, or where they are many: else one loop
 * for all costs less than two. */
void wpg_place_marks(wpg_chooser *c)
{
    for (uint32_t r = 0; r < c->regions.count; r++) {
        wpg_region *region = &c->regions.data[r];
        uint32_t steady = 0;
        for (uint32_t i = 0; i < c->tallies.count; i++)
            steady += is_mark_of(&c->tallies.data[i], r) && c->tallies.data[i].steady;
        bool apart = steady == region->mark_count || steady >= MANY_STEADY;
        for (uint32_t i = 0; i < c->tallies.count; i++)
            c->tallies.data[i].steady &= !is_mark_of(&c->tallies.data[i], r) || apart;
        give_bits(c, r, true);
        give_bits(c, r, false);
        if (region->start_mark == WPG_NO_TALLY)
            continue;
        region->start_cell = c->tallies.data[region->start_mark].lanes_cell;
        region->start_value = UINT32_C(1) << c->tallies.data[region->start_mark].mark;
    }
}

/* -- Trips */

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

static void need_trips(wpg_chooser *c, uint32_t number)
{
    if (c->failed || c->loops.data[number].trips_cell != WPG_NO_CELL)
        return;
    wpg_loop_plan *loop = &c->loops.data[number];
    loop->trips_cell = wpg_new_cell(c);
    uint32_t back = c->cfg->constructs[loop->construct].back_edge;
    wpg_add_point(c, (wpg_point){.kind = WPG_POINT_BACK,
                                 .block = back,
                                 .before = wpg_end_of(c, back),
                                 .tally = WPG_NO_TALLY,
                                 .index = number});
}

static void need_exits(wpg_chooser *c, uint32_t number)
{
    if (c->failed || c->loops.data[number].exit_cell != WPG_NO_CELL || c->loops.data[number].exit_count < 2)
        return;
    wpg_loop_plan *loop = &c->loops.data[number];
    loop->exit_cell = wpg_new_cell(c);
    for (uint32_t i = 0; i < loop->exit_count; i++)
        wpg_add_point(c, (wpg_point){.kind = WPG_POINT_EXIT,
                                     .block = loop->exits[i],
                                     .before = wpg_end_of(c, loop->exits[i]),
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
    *number = wpg_loop_plan_of(c, loop);
    if (c->failed)
        return NULL;
    const wpg_loop_plan *plan = &c->loops.data[*number];
    if (!plan->own && !wpg_is_kept_by_driver(c, c->cfg->constructs[loop].merge))
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
bool wpg_rule_trips(wpg_chooser *c, uint32_t class, uint32_t b)
{
    uint32_t number;
    const bool *passes = trips_of(c, b, &number);
    if (!passes || c->failed)
        return false;
    uint32_t tally = find_trips(c, number, passes);
    if (tally == WPG_NO_TALLY) {
        tally = wpg_new_tally(c, WPG_METHOD_TRIPS);
        if (c->failed)
            return false;
        wpg_tally *t = &c->tallies.data[tally];
        const wpg_loop_plan *loop = &c->loops.data[number];
        t->loop = number;
        t->passes = passes;
        t->region = loop->region;
        t->steady = loop->steady && is_steady(c, loop->region, c->cfg->constructs[loop->construct].header);
        if (!loop->own && t->steady)
            t->lanes_cell = wpg_new_cell(c);
        else if (!loop->own)
            wpg_give_cells(c, tally, loop->region, loop->led_by);
        else if (c->regions.data[loop->region].exit != NO && passes_some(passes, loop->exit_count))
            t->lanes_cell = wpg_new_cell(c);
        if (loop->own)
            t->led_by = number;
        need_trips(c, number);
        need_exits(c, number);
    }
    c->f->tally_of[class] = tally;
    return true;
}

bool wpg_rule_steady(wpg_chooser *c, uint32_t class, uint32_t b, uint32_t region)
{
    if (!is_steady(c, region, b) || !wpg_is_kept_by_driver(c, b))
        return false;
    uint32_t tally = wpg_new_tally(c, WPG_METHOD_ADDITIVE);
    if (c->failed)
        return true;
    wpg_tally *t = &c->tallies.data[tally];
    t->region = region;
    t->steady = true;
    t->lanes_cell = wpg_new_cell(c);
    wpg_add_point(c, (wpg_point){.kind = WPG_POINT_ADD, .block = b, .tally = WPG_NO_TALLY, .index = tally});
    c->f->tally_of[class] = tally;
    return true;
}

/* In a loop that is entered once in its region's life only: there, what a lane has counted is what it has
 * counted in this run of the loop. */
bool wpg_rule_passed(wpg_chooser *c, uint32_t class, uint32_t b, uint32_t region, uint32_t own)
{
    uint32_t loop = c->cfg->blocks[b].loop;
    if (own == NO || own != loop || !wpg_is_together_in(&c->structure, loop, b) ||
        !wpg_is_always_passed(&c->structure, loop, b))
        return false;
    uint32_t tally = wpg_new_tally(c, WPG_METHOD_TRIPS);
    if (c->failed)
        return true;
    wpg_tally *t = &c->tallies.data[tally];
    t->region = region;
    t->loop = c->loop_number[loop];
    t->lanes_cell = wpg_new_cell(c);
    wpg_add_point(c, (wpg_point){.kind = WPG_POINT_ADD, .block = b, .tally = WPG_NO_TALLY, .index = tally});
    c->f->tally_of[class] = tally;
    return true;
}

/* -- Edges */

/* wpg_tally.led_by of a tally to which every lane of the wave adds at block b. `own`: from wpg_region_for. */
static uint32_t leader_of(const wpg_chooser *c, uint32_t own, uint32_t b)
{
    return own != NO && wpg_is_passed_together(&c->structure, own, b) ? c->loop_number[own] : NO;
}

/* Lanes may come to b from elsewhere, or at other times, than from h. A selection's merge block may have no
 * arm that leads there: then it is the other target of the branch. */
static bool gathers_lanes(const wpg_structure *s, uint32_t h, uint32_t b)
{
    const wpg_block *block = &s->cfg->blocks[b];
    return wpg_is_loop(s, block->heads) || block->continues != NO ||
           (block->merges != NO &&
            (wpg_is_loop(s, block->merges) || s->cfg->constructs[block->merges].header != h));
}

bool wpg_rule_edge(wpg_chooser *c, uint32_t class, uint32_t b, uint32_t region, uint32_t own)
{
    const wpg_structure *s = &c->structure;
    uint32_t h = wpg_forward_predecessor(s, b);
    const wpg_block *block = &c->cfg->blocks[b];
    if (h == NO || !wpg_is_kept_by_driver(c, h) || c->plan->demotes || gathers_lanes(s, h, b))
        return false;
    /* What lanes do once, on their way out of the loop, costs less where it stands than a ballot in each
     * iteration. */
    uint32_t loop_of_h = c->cfg->blocks[h].loop;
    if (loop_of_h != NO && wpg_loop_repeats(s, loop_of_h) && wpg_always_leaves(s, loop_of_h, b))
        return false;
    const wpg_inst *branch = c->cfg->blocks[h].terminator;
    if (branch->opcode != SpvOpBranchConditional || branch->words[2] == branch->words[3])
        return false;
    uint32_t tally = wpg_new_tally(c, WPG_METHOD_EDGE);
    wpg_give_cells(c, tally, region, leader_of(c, own, h));
    (branch->words[2] == block->id ? c->edge_true : c->edge_false)[h] = tally;
    c->f->tally_of[class] = tally;
    return true;
}

/* A loop with one exit: what is passed before it has, in each run of the loop, one visit more than what is
 * passed after it, by each lane that entered; and those are the lanes of the merge block, once
 * (compiler/analysis/graph/mask.c). */
void wpg_derive_sums(wpg_chooser *c)
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

/* -- Selects */

static bool select_by_marks(wpg_chooser *c, uint32_t *yes, uint32_t *no, uint32_t block, uint32_t condition)
{
    uint32_t scope = wpg_mark_scope_for(c, block);
    if (scope == NO)
        return false;
    uint32_t region = wpg_region_of_scope(c, scope);
    if (c->failed)
        return false;
    const bool of_trunk = is_of_trunk(c, scope, block);
    c->uses_trunk |= of_trunk;
    bool steady =
        !of_trunk && is_steady(c, region, block) && wpg_is_steady_value(c->f->steady, condition, block);
    *yes = new_mark(c, region, steady);
    *no = new_mark(c, region, steady);
    return true;
}

static bool select_by_cells(wpg_chooser *c, uint32_t *yes, uint32_t *no, uint32_t block)
{
    uint32_t own, region = wpg_region_for(c, block, &own);
    if (region == NO || !wpg_cells_left(c, block, 3) || !wpg_is_kept_by_driver(c, block))
        return false;
    *yes = wpg_new_tally(c, WPG_METHOD_SELECT);
    *no = wpg_new_tally(c, WPG_METHOD_SELECT);
    if (c->failed)
        return true;
    wpg_tally *t = &c->tallies.data[*yes], *f = &c->tallies.data[*no];
    uint32_t cells = c->f->cell_count;
    t->region = f->region = region;
    t->led_by = f->led_by = leader_of(c, own, block);
    t->equal = f->equal = t->led_by != NO;
    t->lanes_cell = wpg_new_cell(c);
    t->waves_cell = wpg_new_cell(c);
    f->waves_cell = wpg_new_cell(c);
    wpg_cells_given(c, block, cells);
    return true;
}

bool wpg_choose_select(wpg_chooser *c, uint32_t *yes, uint32_t *no, uint32_t block, wpg_inst *before,
                       uint32_t condition)
{
    if (!c->cells || c->plan->demotes || c->cfg->blocks[block].changes_mask)
        return false;
    bool again = wpg_block_repeats(&c->structure, block);
    if (again ? !select_by_cells(c, yes, no, block) : !select_by_marks(c, yes, no, block, condition))
        return false;
    wpg_add_point(c, (wpg_point){.kind = again ? WPG_POINT_SELECT : WPG_POINT_MARK_SELECT,
                                 .block = block,
                                 .before = before,
                                 .tally = WPG_NO_TALLY,
                                 .index = *yes,
                                 .other = *no,
                                 .condition = condition});
    return true;
}

/* Branches whose directions' waves follow from no block: both sides of a select at the block's end. */
void wpg_choose_branches(wpg_chooser *c)
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
