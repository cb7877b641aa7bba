/* See paths.h. */
#include "compiler/instrument/counting/paths.h"
#include "compiler/instrument/counting/waves.h"
#include "compiler/instrument/sampling/sample.h"

/* Bits of a number of visits: as many as there are in the fewest words, but rather one more word than few. */
enum { MOST_WIDTH = 16, GOOD_WIDTH = 7, LEAST_WIDTH = 6 };
enum { FEW_TALLIES = 2 }; /* of fewer, nothing is saved */

/* -- Planning */

typedef struct layout {
    const wpg_chooser *c;
    const wpg_region *region;
    uint32_t count; /* tallies */
    wpg_path_part *parts;
    wpg_path_field *fields; /* [count] */
    uint32_t part_count, word, at;
} layout;

/* Visits that are the loop's trips, or one more. */
static bool is_of_trips(const wpg_chooser *c, const wpg_tally *t, bool *one_more)
{
    if (t->method != WPG_METHOD_TRIPS || t->lanes_cell != WPG_NO_CELL)
        return false;
    const wpg_loop_plan *loop = &c->loops.data[t->loop];
    uint32_t passes = 0;
    for (uint32_t i = 0; i < loop->exit_count; i++)
        passes += t->passes[i];
    *one_more = passes == loop->exit_count;
    return passes == 0 || *one_more;
}

static wpg_path_part *add_part(layout *l, uint32_t tally, uint32_t width, bool of_trips)
{
    if (l->at + width > WPG_KEY_BITS) {
        l->word++;
        l->at = 0;
    }
    wpg_path_part *part = &l->parts[l->part_count++];
    *part = (wpg_path_part){
        .tally = tally, .of_trips = of_trips, .field = {(uint8_t)l->word, (uint8_t)l->at, (uint8_t)width, 0}};
    l->at += width;
    return part;
}

/* Marks that are neighbours in one cell are one part. */
static void lay_mark(layout *l, uint32_t i)
{
    const wpg_tally *tallies = l->c->tallies.data, *t = &tallies[l->region->tallies[i]];
    wpg_path_part *last = l->part_count ? &l->parts[l->part_count - 1] : NULL;
    const wpg_tally *first = last ? &tallies[last->tally] : NULL;
    if (first && first->method == WPG_METHOD_MARK && first->lanes_cell == t->lanes_cell &&
        first->mark + last->field.width == t->mark && l->at < WPG_KEY_BITS) {
        last->field.width++;
        l->at++;
    } else {
        last = add_part(l, l->region->tallies[i], 1, false);
    }
    l->fields[i] = last->field;
    l->fields[i].shift = (uint8_t)(last->field.shift + last->field.width - 1);
    l->fields[i].width = 1;
}

static void lay_visits(layout *l, uint32_t i, uint32_t width)
{
    const wpg_tally *t = &l->c->tallies.data[l->region->tallies[i]];
    bool one_more = false, of_trips = is_of_trips(l->c, t, &one_more);
    const wpg_path_part *part = NULL;
    for (uint32_t p = 0; of_trips && p < l->part_count; p++)
        if (l->parts[p].of_trips && l->c->tallies.data[l->parts[p].tally].loop == t->loop)
            part = &l->parts[p];
    if (!part)
        part = add_part(l, l->region->tallies[i], width, of_trips);
    l->fields[i] = part->field;
    l->fields[i].plus = one_more && of_trips;
}

/* Returns how many words a key takes. */
static uint32_t lay_out(layout *l, uint32_t width)
{
    l->part_count = l->word = 0;
    l->at = WPG_LANES_WIDTH;
    for (uint32_t i = 0; i < l->count && l->word < WPG_PATH_WORDS; i++) {
        if (l->c->tallies.data[l->region->tallies[i]].method == WPG_METHOD_MARK)
            lay_mark(l, i);
        else
            lay_visits(l, i, width);
    }
    return l->word + 1;
}

/* The fewest words in which numbers are not too narrow; 0: too many. */
static uint32_t choose_layout(layout *l)
{
    for (uint32_t words = 1; words <= WPG_PATH_WORDS; words++)
        for (uint32_t width = MOST_WIDTH; width >= (words < WPG_PATH_WORDS ? GOOD_WIDTH : LEAST_WIDTH);
             width--)
            if (lay_out(l, width) <= words)
                return words;
    return 0;
}

/* Of a block's visits in SUMS, a lane knows the wave's if all were by all of E. Of a side of a select it
 * knows its own only. */
static bool tells_sums(const wpg_chooser *c, const wpg_region *r)
{
    for (uint32_t i = r->group_start[WPG_FLUSH_SUMS]; i < r->group_start[WPG_FLUSH_GROUPS]; i++)
        if (c->tallies.data[r->tallies[i]].lanes_cell == WPG_NO_CELL ||
            c->tallies.data[r->tallies[i]].uniform_cell == WPG_NO_CELL)
            return false;
    return wpg_shares_uniform(r);
}

static void tell_map(wpg_chooser *c, const wpg_region *r, const wpg_path_plan *path, const layout *l)
{
    wpg_counter_path told = {.table = path->table,
                             .full = c->tallies.data[r->tallies[0]].full,
                             .size = c->plan->options->target.subgroup_size,
                             .lanes = path->lanes,
                             .first = (uint32_t)c->plan->path_fields.count,
                             .count = l->count};
    for (uint32_t i = 0; i < l->count; i++)
        c->failed |= !wpg_vec_push(&c->plan->path_fields, l->fields[i]);
    c->failed |= !wpg_vec_push(&c->plan->paths, told);
}

static void plan_paths(wpg_chooser *c, wpg_region *r)
{
    layout l = {.c = c, .region = r, .count = r->told};
    wpg_path_plan *path = WPG_ARENA_NEW(&c->plan->arena, wpg_path_plan);
    l.parts = WPG_ARENA_ARRAY(&c->plan->arena, wpg_path_part, l.count);
    l.fields = WPG_ARENA_ARRAY(&c->plan->arena, wpg_path_field, l.count);
    if (!path || !l.parts || !l.fields) {
        c->failed = true;
        return;
    }
    uint32_t words = choose_layout(&l);
    if (!words)
        return;
    *path =
        (wpg_path_plan){.lanes = {.width = WPG_LANES_WIDTH}, .parts = l.parts, .part_count = l.part_count};
    wpg_table_reserve(c, &path->table, words, r, true);
    r->path = path;
    tell_map(c, r, path, &l);
}

/* Where the driver loops over lanes, few visits are added one by one
 * (shaders/measured/2026-11-29-few-visits.md). A table with copies stays: two processors that add to one
 * address wait for each other. */
static bool needs_no_table(const wpg_chooser *c, const wpg_region *r)
{
    return c->plan->options->target.loops_over_lanes && !wpg_sample_has_copies(c->plan) &&
           wpg_has_visits(r) && r->told <= WPG_FEW_TOLD;
}

static void plan_region(wpg_chooser *c, wpg_region *r)
{
    r->told = r->group_start[tells_sums(c, r) ? WPG_FLUSH_GROUPS : WPG_FLUSH_SUMS];
    if (r->exit == WPG_NO_BLOCK || r->told < FEW_TALLIES || needs_no_table(c, r))
        return;
    for (uint32_t i = 0; i < r->told; i++)
        if (c->tallies.data[r->tallies[i]].full == WPG_NO_COUNTER)
            return;
    uint32_t reductions = wpg_plan_waves(c, r);
    if (!c->failed && (!reductions || reductions > WPG_FEW_REDUCTIONS + 1 || !r->wave->table.words))
        plan_paths(c, r);
}

/* Blocks counted in place, such as the start of a shader that lanes leave early: every wave adds to them. */
static void spread_counters(wpg_chooser *c)
{
    uint32_t first = WPG_NO_COUNTER, count = 0;
    if (!wpg_sample_has_copies(c->plan))
        return;
    for (uint32_t i = 0; i < c->tallies.count && count < WPG_SPREAD; i++) {
        wpg_tally *t = &c->tallies.data[i];
        if (t->region != WPG_NO_BLOCK || t->full == WPG_NO_COUNTER)
            continue;
        if (!count) {
            first = wpg_next_line(c);
            c->plan->counter_count = first + WPG_COPIES * WPG_SPREAD - c->plan->options->first_counter;
        }
        t->spread = first + count++;
        wpg_counter_spread made = {.counter = t->full, .first = t->spread};
        c->failed |= !wpg_vec_push(&c->plan->spreads, made);
    }
}

void wpg_plan_paths(wpg_chooser *c)
{
    spread_counters(c);
    if (c->plan->options->high_start || c->plan->options->no_paths)
        return; /* keys of a table start at zero */
    for (uint32_t r = 0; r < c->regions.count && !c->failed; r++)
        plan_region(c, &c->regions.data[r]);
}

/* -- Injecting */

void wpg_paths_declare(wpg_inject *in)
{
    if (in->plan->spreads.count)
        wpg_sample_declare_copies(in);
    for (uint32_t i = 0; i < in->plan->function_count; i++) {
        for (uint32_t r = 0; r < in->plan->functions[i].region_count; r++) {
            const wpg_region *region = &in->plan->functions[i].regions[r];
            if (region->path)
                wpg_table_declare(in, &region->path->table);
            if (region->wave)
                wpg_waves_declare(in, region->wave);
        }
    }
}

static uint32_t differs(wpg_inject *in, uint32_t a, uint32_t b)
{
    return WPG_EMIT(in, SpvOpBitwiseXor, in->t_u32, a, b);
}

/* The false side of a select: its lanes are not counted, and not read (wpg_side_terms). */
static bool is_of_waves_alone(const wpg_tally *t)
{
    return t->lanes_cell == WPG_NO_CELL && t->method != WPG_METHOD_TRIPS;
}

/* What is asked of all parts of a lane's path, u32; 0: nothing yet. */
typedef struct path_check {
    uint32_t visits;  /* all together: too large a number has bits that no field holds */
    uint32_t differs; /* not zero if some visits were not by all of E: then waves cannot be told. If all of
                         every lane's were, no wave came without the lane. Of a side of a select: not zero
                         if a wave came without this lane */
} path_check;

static uint32_t number_of(wpg_inject *in, const wpg_function_plan *f, const wpg_path_part *part,
                          path_check *check)
{
    const wpg_tally *t = &f->tallies[part->tally];
    if (t->method == WPG_METHOD_MARK) {
        const wpg_path_field marks = {.shift = (uint8_t)t->mark, .width = part->field.width};
        return wpg_field_get(in, (const uint32_t[]){wpg_cell_load(in, t->lanes_cell)}, marks);
    }
    uint32_t visits = part->of_trips         ? wpg_cell_load(in, f->loops[t->loop].trips_cell)
                      : is_of_waves_alone(t) ? wpg_cell_load(in, t->waves_cell)
                                             : wpg_cell_visits(in, f, t);
    check->visits = wpg_either(in, check->visits, visits);
    uint32_t of_wave = t->uniform_cell != WPG_NO_CELL ? t->uniform_cell : t->waves_cell;
    if (of_wave != WPG_NO_CELL && !is_of_waves_alone(t))
        check->differs = wpg_either(in, check->differs, differs(in, visits, wpg_cell_load(in, of_wave)));
    return visits;
}

/* Bool, equal in all lanes: some live lane's number is not zero. */
static uint32_t some_set(wpg_inject *in, uint32_t number, uint32_t live)
{
    uint32_t set = wpg_is_set(in, number);
    return wpg_any_in(in, wpg_live_ballot(in, live ? wpg_both(in, set, live) : set));
}

/* This lane's path. Returns a u32 that is not zero if the key cannot tell a number; 0: it can tell all. */
static uint32_t make_key(wpg_inject *in, const wpg_function_plan *f, const wpg_path_plan *path,
                         const wpg_leaving *leaving, uint32_t *key)
{
    path_check check = {0};
    uint32_t width = 0;
    uint32_t lanes = WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                              SpvGroupOperationReduce, leaving->now.mask);
    wpg_field_put(in, key, path->lanes, lanes);
    for (uint32_t i = 0; i < path->part_count; i++) {
        const wpg_path_field field = path->parts[i].field;
        wpg_field_put(in, key, field, number_of(in, f, &path->parts[i], &check));
        if (f->tallies[path->parts[i].tally].method != WPG_METHOD_MARK)
            width = field.width; /* of all visits the same */
    }
    if (check.visits)
        check.visits =
            WPG_EMIT(in, SpvOpShiftRightLogical, in->t_u32, check.visits, wpg_const_u32(in->module, width));
    return wpg_either(in, check.visits, check.differs);
}

wpg_path_use wpg_path_ask(wpg_inject *in, const wpg_function_plan *f, const wpg_path_plan *path,
                          const wpg_leaving *leaving)
{
    wpg_path_use use = {.table = wpg_table_begin(in, &path->table), .tallied = in->c_true};
    if (!use.table.key)
        return use; /* the module is spoilt */
    use.rest = make_key(in, f, path, leaving, use.table.key);
    /* One place for the wave: lanes of other paths must not find theirs. */
    wpg_table_hash(in, &path->table, &use.table);
    use.first =
        WPG_EMIT(in, SpvOpGroupNonUniformBroadcastFirst, in->t_u32, in->subgroup_scope, use.table.hash);
    uint32_t other = wpg_table_look_up(in, &path->table, &use.table, use.first);
    other = some_set(in, wpg_either(in, use.rest, other), leaving->now.live);
    uint32_t alone = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, leaving->now.equal);
    use.tallied = WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, other, alone);
    return use;
}

void wpg_path_take(wpg_inject *in, const wpg_path_plan *path, const wpg_path_use *use,
                   const wpg_leaving *leaving)
{
    if (!use->table.key)
        return;
    /* Of lanes that differ, no wave has the path: the place would be lost. */
    uint32_t unlike = wpg_either(in, differs(in, use->table.hash, use->first), use->rest);
    uint32_t alike = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, some_set(in, unlike, leaving->now.live));
    uint32_t when = wpg_both(in, wpg_both(in, alike, leaving->now.equal), leaving->elected);
    wpg_table_take(in, &path->table, &use->table, when);
}

void wpg_path_count(wpg_inject *in, const wpg_path_plan *path, const wpg_path_use *use,
                    const wpg_leaving *leaving)
{
    if (!use->table.key)
        return;
    uint32_t found = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, use->tallied);
    wpg_table_count(in, &path->table, &use->table, wpg_both(in, found, leaving->elected));
}
