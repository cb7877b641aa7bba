/* Chooses how each class of blocks is counted.
 *
 *     class --> bit of a scope                       runs once: a mark, looked at where lanes leave
 *           --> cells of a region                    runs in loops:
 *                 trips of its loop, or the branch that leads to it, or where it stands
 *           --> in place (naive)                     everything else
 *           --> sum of other tallies
 *
 * A region is the stretch in which cells live, until they are combined over the wave and added to memory:
 *   - a scope (structure.h): a large arm, or all that ends at one exit of the function; for blocks that run
 *     once, and for outermost whole loops that are entered once. Marks of the trunk (code/trunk.c) live in
 *     the scope of one exit, and go to memory at all exits;
 *   - an outermost whole loop that is entered more often: from its entry to its merge block;
 *   - the function: its cells go to memory wherever lanes leave the function and before they demote. This
 *     serves classes of loops that are not whole: sums of private counters do not depend on when lanes leave
 *     (additive).
 *
 * rules.c says, with proofs, where each way is right. cells.c says what is added, flush.c what is combined.
 *
 * `auto` takes, of the rules that are right, the cheapest per visit, in the order above. Deep loops come
 * first while there are registers (MOST_CELLS live at once; 32 marks share one). Private counters that are
 * not derived must pay: the visits they make cheaper, 8 to the depth of loops, have to outweigh the places
 * where they go to memory. `derived` takes no such counters, `additive` no others. */
#include "compiler/instrument/counting/methods.h"

#include "compiler/instrument/code/strategy.h"
#include "compiler/instrument/counting/paths.h"

enum { NO = WPG_NO_BLOCK };

/* The strategy asked for counts everything where it stands. */
static bool counts_in_place(const wpg_instrument_options *options)
{
    return options->strategy == WPG_STRATEGY_NAIVE || options->strategy == WPG_STRATEGY_SLOTS;
}

static void place_edges(wpg_chooser *c)
{
    for (uint32_t b = 0; b < c->cfg->count; b++)
        if (c->edge_true[b] != WPG_NO_TALLY || c->edge_false[b] != WPG_NO_TALLY)
            wpg_add_point(c, (wpg_point){.kind = WPG_POINT_EDGE,
                                         .block = b,
                                         .before = wpg_end_of(c, b),
                                         .tally = WPG_NO_TALLY,
                                         .index = c->edge_true[b],
                                         .other = c->edge_false[b]});
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
        return wpg_rule_mark(c, class, b);
    if (!wpg_cells_left(c, b, 3))
        return false;
    if (wpg_rule_trips(c, class, b))
        return true;
    uint32_t region = c->failed ? NO : wpg_region_for(c, b, &own);
    return region != NO && is_worth_cells(c, b, region) &&
           (wpg_rule_steady(c, class, b, region) || wpg_rule_passed(c, class, b, region, own) ||
            wpg_rule_edge(c, class, b, region, own));
}

static void choose(wpg_chooser *c, uint32_t class)
{
    wpg_strategy_choice choice = c->plan->options->strategy;
    uint32_t b = c->f->classes.representative[class], region = NO, own;
    bool additive = choice == WPG_STRATEGY_ADDITIVE;
    if (c->cells && !additive && derive(c, class, b))
        return;
    if (c->cells && choice != WPG_STRATEGY_DERIVED && wpg_cells_left(c, b, 3) &&
        wpg_is_kept_by_driver(c, b)) {
        if (additive && c->has_function_region)
            region = wpg_region_of_function(c);
        else if (wpg_block_repeats(&c->structure, b))
            region = wpg_region_for(c, b, &own);
        if (region != NO && !is_worth_cells(c, b, region))
            region = NO;
    }
    uint32_t tally = wpg_new_tally(c, region != NO ? WPG_METHOD_ADDITIVE : c->plan->strategy->method);
    if (region != NO) {
        wpg_give_cells(c, tally, region, WPG_NO_BLOCK);
        wpg_add_point(c,
                      (wpg_point){.kind = WPG_POINT_ADD, .block = b, .tally = WPG_NO_TALLY, .index = tally});
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
        for (uint32_t class = 0; class < c->f->classes.class_count && !c->failed; class ++) {
            if (depth[class] != level)
                continue;
            uint32_t cells = c->f->cell_count;
            choose(c, class);
            wpg_cells_given(c, c->f->classes.representative[class], cells);
        }
    if (c->plan->strategy->kinds == WPG_KIND_LANES && !c->failed)
        wpg_derive_by_flow(c, depth);
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
        if (c->cfg->blocks[from].rpo != NO && !wpg_construct_holds(c->cfg, loop, from))
            wpg_add_point(c, (wpg_point){.kind = WPG_POINT_ENTER,
                                         .block = from,
                                         .before = wpg_end_of(c, from),
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
        wpg_add_point(c, (wpg_point){.kind = WPG_POINT_LEAVE,
                                     .block = c->cfg->constructs[loop->construct].merge,
                                     .tally = WPG_NO_TALLY,
                                     .index = i});
        if (!in_scope)
            place_enters(c, i);
    }
}

/* Wherever lanes leave the function, and before they demote; how many places if not placed. */
static uint32_t place_flushes(wpg_chooser *c, bool place)
{
    uint32_t places = 0;
    for (uint32_t b = 0; b < c->cfg->count; b++) {
        const wpg_block *block = &c->cfg->blocks[b];
        if (block->rpo == NO)
            continue;
        wpg_point point = {.kind = WPG_POINT_FLUSH, .block = b, .tally = WPG_NO_TALLY};
        point.index = c->function_region;
        for (wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next) {
            if (inst->opcode != SpvOpDemoteToHelperInvocation)
                continue;
            point.before = inst;
            places++;
            if (place)
                wpg_add_point(c, point);
        }
        if (block->successor_count != 0 || block->terminator->opcode == SpvOpUnreachable)
            continue;
        point.before = block->terminator;
        places++;
        if (place)
            wpg_add_point(c, point);
    }
    return places;
}

static void place_scopes(wpg_chooser *c)
{
    for (uint32_t i = 0; i < c->regions.count; i++)
        if (c->regions.data[i].exit != NO && c->regions.data[i].group_start[WPG_FLUSH_GROUPS])
            wpg_add_point(c, (wpg_point){.kind = WPG_POINT_FLUSH,
                                         .block = c->regions.data[i].exit,
                                         .before = wpg_end_of(c, c->regions.data[i].exit),
                                         .tally = WPG_NO_TALLY,
                                         .index = i});
}

/* Where marks of the trunk go to memory, beside their region's exit. */
static void place_trunk(wpg_chooser *c)
{
    const wpg_structure *s = &c->structure;
    const wpg_trunk *trunk = &s->trunk;
    if (!c->uses_trunk || trunk->scope == NO)
        return;
    const uint32_t region = c->scope_region[trunk->scope];
    for (uint32_t i = 0; i < trunk->split_count; i++)
        wpg_add_point(c, (wpg_point){.kind = WPG_POINT_SPLIT,
                                     .block = trunk->splits[i],
                                     .before = wpg_end_of(c, trunk->splits[i]),
                                     .tally = WPG_NO_TALLY,
                                     .index = region});
    for (uint32_t i = 0; i < s->scope_count; i++)
        if (i != trunk->scope && wpg_is_exit_scope(s, i))
            wpg_add_point(c, (wpg_point){.kind = WPG_POINT_CUT,
                                         .block = s->scopes[i].exit,
                                         .before = wpg_end_of(c, s->scopes[i].exit),
                                         .tally = WPG_NO_TALLY,
                                         .index = region});
}

/* -- Counters */

static uint32_t new_counter(wpg_chooser *c)
{
    return c->plan->options->first_counter + c->plan->counter_count++;
}

/* How a tally of a region is combined over the wave (flush.c). */
static wpg_flush_group group_of(const wpg_chooser *c, const wpg_tally *t)
{
    if (t->method == WPG_METHOD_MARK)
        return t->steady ? WPG_FLUSH_STEADY : WPG_FLUSH_MARKS;
    if (t->steady)
        return WPG_FLUSH_VISITS;
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
    bool full = waves && !counts_in_place(options) && options->target.subgroup_size > 1;
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
    const bool small = c->plan->options->small_arms;
    if (!wpg_structure_make(&c->structure, cfg, &c->f->classes, small, arena) ||
        !wpg_trunk_make(&c->structure, &c->f->classes, small, arena))
        return false;
    c->edge_true = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    c->edge_false = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    c->loop_number = WPG_ARENA_ARRAY(arena, uint32_t, cfg->construct_count);
    c->scope_region = WPG_ARENA_ARRAY(arena, uint32_t, c->structure.scope_count);
    c->scope_cells = WPG_ARENA_ARRAY(arena, uint32_t, (size_t)c->structure.scope_count + 1);
    c->loop_cells = WPG_ARENA_ARRAY(arena, uint32_t, cfg->construct_count);
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

/* Only where E is a value: live.c keeps nothing else. */
static bool find_steady(wpg_chooser *c)
{
    if (!c->cells || c->plan->demotes || c->plan->function_count != 1)
        return true;
    wpg_steady *steady = WPG_ARENA_NEW(&c->plan->arena, wpg_steady);
    c->f->steady = steady;
    return steady && wpg_steady_make(steady, &c->structure, &c->f->classes, &c->plan->arena);
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
    c.cells = plan->strategy->private_cells && !counts_in_place(plan->options) &&
              plan->options->target.subgroup_arithmetic && !plan->segments;
    if (!find_steady(&c))
        return WPG_E_NOMEM;
    c.has_function_region = may_use_function_region(&c);
    c.flushes = place_flushes(&c, false);
    choose_all(&c);
    c.failed |= selects && !c.failed && !wpg_plan_selects(&c, selects);
    if (!c.failed)
        wpg_choose_branches(&c);
    if (!c.failed) {
        wpg_plan_lane_marks(&c);
        wpg_derive_sums(&c);
        wpg_drop_lone_marks(&c);
        wpg_place_marks(&c);
        number_counters(&c);
        wpg_plan_paths(&c);
        place_edges(&c);
        place_loops(&c);
        if (c.function_region != NO && c.regions.data[c.function_region].group_start[WPG_FLUSH_GROUPS])
            (void)place_flushes(&c, true);
        place_scopes(&c);
        place_trunk(&c);
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
