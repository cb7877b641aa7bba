/* Gives out regions, loops, cells, tallies and points (methods.h). */
#include "compiler/instrument/counting/methods.h"

enum { NO = WPG_NO_BLOCK, MOST_CELLS = 160, MOST_CELLS_IN_MEMORY = 640 };

/* NO if no loop around the block repeats. */
static uint32_t outermost_loop(const wpg_chooser *c, uint32_t block)
{
    uint32_t found = NO;
    for (uint32_t loop = c->cfg->blocks[block].loop; loop != NO; loop = wpg_loop_around(&c->structure, loop))
        if (wpg_loop_repeats(&c->structure, loop))
            found = loop;
    return found;
}

/* -- Regions and loops */

uint32_t wpg_new_region(wpg_chooser *c, wpg_region region)
{
    region.start_cell = WPG_NO_CELL;
    region.start_mark = WPG_NO_TALLY;
    c->failed |= !wpg_vec_push(&c->regions, region);
    return (uint32_t)c->regions.count - 1;
}

uint32_t wpg_region_of_function(wpg_chooser *c)
{
    if (c->function_region == NO)
        c->function_region = wpg_new_region(c, (wpg_region){.loop = NO, .exit = NO});
    return c->function_region;
}

uint32_t wpg_region_of_scope(wpg_chooser *c, uint32_t scope)
{
    if (c->scope_region[scope] == NO)
        c->scope_region[scope] =
            wpg_new_region(c, (wpg_region){.loop = NO, .exit = c->structure.scopes[scope].exit});
    return c->scope_region[scope];
}

/* The scope in which all lanes that come to the block, or enter the loop that it heads, do so once. */
uint32_t wpg_scope_for(const wpg_chooser *c, uint32_t block)
{
    uint32_t scope = c->structure.scope_of[block];
    if (scope == NO || !wpg_is_together_from(&c->structure, c->structure.scopes[scope].root, block))
        return NO;
    return scope;
}

uint32_t wpg_mark_scope_for(const wpg_chooser *c, uint32_t block)
{
    const wpg_trunk *trunk = &c->structure.trunk;
    return trunk->scope != NO && trunk->holds[block] ? trunk->scope : wpg_scope_for(c, block);
}

uint32_t wpg_new_cell(wpg_chooser *c)
{
    return c->f->cell_count++;
}

/* Cells of a scope may be live in the scopes within. Where lanes are run by a processor, cells are on its
 * stack anyway. To carry them through a loop is dear there: perlin_noise of shaders/real took 85 times as
 * long by 531 cells in one. */
bool wpg_cells_left(const wpg_chooser *c, uint32_t block, uint32_t count)
{
    const wpg_structure *s = &c->structure;
    const uint32_t own = s->scope_of[block], none = s->scope_count;
    const bool in_memory = c->plan->options->target.loops_over_lanes;
    const uint32_t most = in_memory ? MOST_CELLS_IN_MEMORY : MOST_CELLS, loop = outermost_loop(c, block);
    if (in_memory && loop != NO && c->loop_cells[loop] + count > MOST_CELLS)
        return false;
    for (uint32_t i = 0; i <= none; i++) {
        uint32_t live = c->scope_cells[none], around = i == none ? NO : i;
        bool within = own == NO;
        for (; around != NO; around = s->scopes[around].around) {
            live += c->scope_cells[around];
            within |= around == own;
        }
        if (within && live + count > most)
            return false;
    }
    return true;
}

void wpg_cells_given(wpg_chooser *c, uint32_t block, uint32_t first)
{
    uint32_t scope = c->structure.scope_of[block];
    const uint32_t loop = outermost_loop(c, block), given = c->f->cell_count - first;
    c->scope_cells[scope == NO ? c->structure.scope_count : scope] += given;
    if (loop != NO)
        c->loop_cells[loop] += given;
}

static uint32_t region_of_loop(wpg_chooser *c, uint32_t loop)
{
    uint32_t number = wpg_loop_plan_of(c, loop);
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
        if (!c->failed && c->loops.data[c->loop_number[outermost]].own &&
            wpg_is_passed_together(&c->structure, outermost, loop->merge))
            made->led_by = c->loop_number[outermost];
    } else if (!again && (scope = wpg_scope_for(c, loop->merge)) != NO) {
        made->region = wpg_region_of_scope(c, scope);
        made->own = true;
    } else if (again && c->has_function_region) {
        made->region = wpg_region_of_function(c);
    } else {
        made->region = wpg_new_region(c, (wpg_region){.loop = (uint32_t)c->loops.count, .exit = NO});
        made->own = true;
    }
}

/* The number of a whole loop's plan, made when first asked for. */
uint32_t wpg_loop_plan_of(wpg_chooser *c, uint32_t construct)
{
    if (c->loop_number[construct] != NO)
        return c->loop_number[construct];
    const wpg_block *merge = &c->cfg->blocks[c->cfg->constructs[construct].merge];
    wpg_loop_plan made = {
        .construct = construct, .trips_cell = WPG_NO_CELL, .exit_cell = WPG_NO_CELL, .led_by = NO};
    uint32_t *exits = WPG_ARENA_ARRAY(&c->plan->arena, uint32_t, merge->predecessor_count);
    for (uint32_t i = 0; exits && i < merge->predecessor_count; i++)
        if (c->cfg->blocks[merge->predecessors[i]].rpo != NO)
            exits[made.exit_count++] = merge->predecessors[i];
    made.exits = exits;
    made.steady = c->f->steady && c->f->steady->loop[construct];
    place_loop(c, &made);
    uint32_t number = (uint32_t)c->loops.count;
    c->failed |= !exits || !wpg_vec_push(&c->loops, made);
    c->loop_number[construct] = number;
    return number;
}

/* Where private counters of a block in a loop live; `own`: the outermost loop around it, if that is entered
 * once in the region's life. NO if there is no such place. */
uint32_t wpg_region_for(wpg_chooser *c, uint32_t b, uint32_t *own)
{
    uint32_t loop = wpg_outermost_whole_loop(&c->structure, b);
    *own = NO;
    if (loop == NO)
        return c->has_function_region ? wpg_region_of_function(c) : NO;
    uint32_t region = region_of_loop(c, loop);
    if (!c->failed && c->loops.data[c->loop_number[loop]].own)
        *own = loop;
    return c->failed ? NO : region;
}

/* What is added to a cell at the block reaches no exit of a loop around it within an iteration: so what
 * leaves the loop is what its header begins with. Asked only of drivers that need it. */
bool wpg_is_kept_by_driver(const wpg_chooser *c, uint32_t b)
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

uint32_t wpg_new_tally(wpg_chooser *c, wpg_method method)
{
    wpg_tally made = {.method = method,
                      .full = WPG_NO_COUNTER,
                      .lanes = WPG_NO_COUNTER,
                      .waves = WPG_NO_COUNTER,
                      .uniform = WPG_NO_COUNTER,
                      .spread = WPG_NO_COUNTER,
                      .region = NO,
                      .lanes_cell = WPG_NO_CELL,
                      .waves_cell = WPG_NO_CELL,
                      .uniform_cell = WPG_NO_CELL,
                      .loop = NO,
                      .led_by = NO};
    c->failed |= !wpg_vec_push(&c->tallies, made);
    return (uint32_t)c->tallies.count - 1;
}

void wpg_add_point(wpg_chooser *c, wpg_point point)
{
    point.record = point.resolve = NO;
    c->failed |= !wpg_vec_push(c->points, point);
}

/* The block's end: wpg_block_seek goes before its merge instruction. */
wpg_inst *wpg_end_of(const wpg_chooser *c, uint32_t block)
{
    return c->cfg->blocks[block].terminator;
}

/* Private cells for lanes, waves and uniform, in a region. */
void wpg_give_cells(wpg_chooser *c, uint32_t tally, uint32_t region, uint32_t led_by)
{
    if (c->failed)
        return;
    wpg_tally *t = &c->tallies.data[tally];
    t->region = region;
    t->lanes_cell = wpg_new_cell(c);
    t->waves_cell = wpg_new_cell(c);
    t->uniform_cell = wpg_new_cell(c);
    t->equal = led_by != NO;
    t->led_by = led_by;
}
