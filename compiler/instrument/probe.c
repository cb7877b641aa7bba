/* The list of probes, and what their plans and their code share. */
#include "compiler/instrument/probe.h"

#include "compiler/instrument/strategy.h"

#include <stdio.h>
#include <string.h>

const wpg_probe *const wpg_probes[] = {
    &wpg_probe_branches,        &wpg_probe_switch,        &wpg_probe_loops,      &wpg_probe_entry,
    &wpg_probe_values_of_sites, &wpg_probe_lane_branches, &wpg_probe_lane_loops, NULL};

/* -- The setting */

static bool word_is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

wpg_status wpg_probes_parse(uint32_t *probes, const char *text, wpg_error *err)
{
    wpg_status status = WPG_OK;
    *probes = 0;
    while (text && *text) {
        size_t length = strcspn(text, ", ");
        uint32_t bits = 0;
        for (unsigned i = 0; wpg_probes[i]; i++)
            bits |= word_is(text, length, wpg_probes[i]->name) ? wpg_probes[i]->bit : 0;
        if (word_is(text, length, "all"))
            bits = WPG_PROBES_ALL;
        else if (word_is(text, length, "every"))
            bits = WPG_PROBE_EVERY;
        else if (word_is(text, length, "default"))
            bits = WPG_PROBES_DEFAULT;
        else if (length && !bits && !word_is(text, length, "none"))
            status = wpg_fail(err, WPG_E_ARGUMENT, "no probe is called '%.*s'",
                              (int)(length < 40 ? length : 40), text);
        *probes |= bits;
        text += length;
        text += strspn(text, ", ");
    }
    return status;
}

/* -- Planning */

uint32_t wpg_probe_counters(wpg_probe_plan *p, uint32_t count)
{
    uint32_t first = p->plan->options->first_counter + p->plan->counter_count;
    p->plan->counter_count += count;
    return first;
}

void wpg_probe_word(wpg_probe_plan *p)
{
    if (!wpg_vec_push(&p->first, (uint32_t)p->terms.count))
        p->failed = true;
}

static void add_term(wpg_probe_plan *p, wpg_term_source source, uint32_t index, bool minus)
{
    wpg_probe_term term = {.source = (uint8_t)source, .minus = minus, .index = index};
    if (!wpg_vec_push(&p->terms, term))
        p->failed = true;
}

void wpg_probe_add(wpg_probe_plan *p, wpg_term_source source, uint32_t index)
{
    add_term(p, source, index, false);
}

void wpg_probe_subtract(wpg_probe_plan *p, wpg_term_source source, uint32_t index)
{
    add_term(p, source, index, true);
}

void wpg_probe_describe(wpg_probe_plan *p, uint32_t value)
{
    wpg_probe_word(p);
    add_term(p, WPG_TERM_CONSTANT, value, false);
}

void wpg_probe_values(wpg_probe_plan *p, uint32_t first, wpg_value_order order)
{
    wpg_probe_site site = {first, (uint8_t)order};
    if (!wpg_vec_push(&p->sites, site))
        p->failed = true;
}

uint32_t wpg_probe_range_of(wpg_probe_plan *p, uint32_t block)
{
    if (p->plan->options->high_start)
        return WPG_NO_COUNTER;
    wpg_probe_range range = {wpg_probe_counters(p, 2), block};
    if (!wpg_vec_push(&p->ranges, range))
        p->failed = true;
    return range.first;
}

void wpg_probe_place(wpg_probe_plan *p, uint32_t block, wpg_inst *before, void *site)
{
    wpg_probe_point point = {.block = block, .before = before, .probe = p->probe, .site = site};
    p->plan->probe_ids += p->probe->ids;
    if (!wpg_vec_push(&p->points, point))
        p->failed = true;
}

void *wpg_probe_alloc(wpg_probe_plan *p, size_t count, size_t size)
{
    void *memory = wpg_arena_alloc(&p->plan->arena, count, size);
    p->failed |= !memory;
    return memory;
}

/* The words of one probe as the counter map keeps them. */
static bool keep_table(wpg_probe_plan *p, wpg_probe_table *table)
{
    wpg_arena *arena = &p->plan->map->arena;
    size_t words = p->first.count;
    wpg_probe_word(p); /* the end of the last one */
    if (p->failed)
        return false;
    *table = (wpg_probe_table){
        .record = p->probe->record,
        .word_count = (uint32_t)words,
        .first = wpg_arena_memdup(arena, p->first.data, p->first.count * sizeof *p->first.data),
        .terms = wpg_arena_memdup(arena, p->terms.data, p->terms.count * sizeof *p->terms.data),
        .site_count = (uint32_t)p->sites.count,
        .sites = wpg_arena_memdup(arena, p->sites.data, p->sites.count * sizeof *p->sites.data),
        .range_count = (uint32_t)p->ranges.count,
        .ranges = wpg_arena_memdup(arena, p->ranges.data, p->ranges.count * sizeof *p->ranges.data)};
    return table->first && table->terms && table->sites && table->ranges;
}

/* By block, each block's in the order they were placed. */
static bool keep_points(wpg_probe_plan *p, wpg_function_plan *f)
{
    uint32_t blocks = f->cfg->count;
    uint32_t *at = WPG_ARENA_ARRAY(&p->plan->arena, uint32_t, (size_t)blocks + 1);
    f->probes = WPG_ARENA_ARRAY(&p->plan->arena, wpg_probe_point, p->points.count);
    if (!at || !f->probes)
        return false;
    for (size_t i = 0; i < p->points.count; i++)
        at[p->points.data[i].block + 1]++;
    for (uint32_t b = 0; b < blocks; b++)
        at[b + 1] += at[b];
    for (size_t i = 0; i < p->points.count; i++)
        f->probes[at[p->points.data[i].block]++] = p->points.data[i];
    f->probe_count = (uint32_t)p->points.count;
    return true;
}

static uint32_t wanted_count(uint32_t probes)
{
    uint32_t count = 0;
    for (unsigned i = 0; wpg_probes[i]; i++)
        count += (probes & wpg_probes[i]->bit) != 0;
    return count;
}

wpg_status wpg_plan_probes(wpg_plan *plan, wpg_function_plan *function, wpg_function_counters *counters)
{
    uint32_t wanted = plan->options->probes;
    const bool by_lane = !(counters->kinds & WPG_KIND_WAVES);
    if (!(counters->kinds & WPG_KIND_LANES) || !wanted_count(wanted))
        return WPG_OK;
    wpg_probe_plan p = {.plan = plan, .function = function, .counters = counters};
    counters->tables = WPG_ARENA_ARRAY(&plan->map->arena, wpg_probe_table, wanted_count(wanted));
    bool good = counters->tables != NULL;
    for (unsigned i = 0; wpg_probes[i] && good; i++) {
        if (!(wanted & wpg_probes[i]->bit) || wpg_probes[i]->by_lane != by_lane)
            continue;
        p.probe = wpg_probes[i];
        wpg_vec_clear(&p.first);
        wpg_vec_clear(&p.terms);
        wpg_vec_clear(&p.sites);
        wpg_vec_clear(&p.ranges);
        wpg_probes[i]->plan(&p);
        good = !p.failed;
        if (good && p.first.count)
            good = keep_table(&p, &counters->tables[counters->table_count++]);
    }
    if (good)
        wpg_probe_place_flushes(&p);
    good = good && !p.failed;
    good = good && keep_points(&p, function);
    wpg_vec_free(&p.points);
    wpg_vec_free(&p.first);
    wpg_vec_free(&p.terms);
    wpg_vec_free(&p.sites);
    wpg_vec_free(&p.ranges);
    return good ? WPG_OK : WPG_E_NOMEM;
}

/* -- Injecting */

void wpg_probes_declare(wpg_inject *in)
{
    uint32_t used = 0;
    for (uint32_t f = 0; f < in->plan->function_count; f++)
        for (uint32_t i = 0; i < in->plan->functions[f].probe_count; i++)
            used |= in->plan->functions[f].probes[i].probe->bit;
    if (!used)
        return;
    const bool by_lane = !(in->plan->strategy->kinds & WPG_KIND_WAVES);
    if (!by_lane) {
        wpg_require_version(in->module, 3);
        wpg_require_capability(in->module, SpvCapabilityGroupNonUniform);
        wpg_require_capability(in->module, SpvCapabilityGroupNonUniformBallot);
        in->subgroup_scope = wpg_const_u32(in->module, SpvScopeSubgroup);
    }
    wpg_live_declare(in);
    for (unsigned i = 0; wpg_probes[i]; i++)
        if (used & wpg_probes[i]->bit && wpg_probes[i]->by_lane == by_lane && wpg_probes[i]->declare)
            wpg_probes[i]->declare(in);
}

uint32_t wpg_probe_live(wpg_inject *in)
{
    uint32_t helper = wpg_live_helper(in);
    return helper ? WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, helper) : 0;
}

uint32_t wpg_probe_and(wpg_inject *in, uint32_t a, uint32_t b)
{
    return a && b ? WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, a, b) : a ? a : b;
}

uint32_t wpg_probe_lanes(wpg_inject *in, uint32_t condition)
{
    uint32_t mask = wpg_live_ballot(in, condition ? condition : in->c_true);
    return WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                    SpvGroupOperationReduce, mask);
}

uint32_t wpg_probe_some(wpg_inject *in, uint32_t count)
{
    uint32_t some = WPG_EMIT(in, SpvOpINotEqual, in->t_bool, count, in->c_zero);
    return WPG_EMIT(in, SpvOpSelect, in->t_u32, some, in->c_one, in->c_zero);
}

void wpg_probe_add_elected(wpg_inject *in, const wpg_function_plan *function, uint32_t live,
                           const wpg_add *adds, size_t count)
{
    wpg_if among_live = {0};
    if (live)
        among_live = wpg_if_begin(in, live);
    wpg_if elected =
        wpg_if_begin(in, WPG_EMIT(in, SpvOpGroupNonUniformElect, in->t_bool, in->subgroup_scope));
    wpg_probe_add_here(in, function, adds, count);
    wpg_if_end(in, elected);
    if (live)
        wpg_if_end(in, among_live);
}

uint32_t wpg_probe_index(wpg_inject *in, uint32_t first, uint32_t offset)
{
    return WPG_EMIT(in, SpvOpIAdd, in->t_u32, offset, wpg_const_u32(in->module, first));
}

void wpg_probe_note_extremes(wpg_inject *in, uint32_t first, uint32_t number)
{
    uint32_t words = wpg_memory_words(in), pointers[2], beyond[2];
    const uint32_t numbers[2] = {number, WPG_EMIT(in, SpvOpNot, in->t_u32, number)};
    for (uint32_t i = 0; i < 2; i++) {
        pointers[i] = wpg_memory_word_at(in, words, wpg_const_u32(in->module, 2 * (first + i)));
        uint32_t known =
            WPG_EMIT(in, SpvOpAtomicLoad, in->t_u32, pointers[i], in->memory.scope, in->memory.semantics);
        beyond[i] = WPG_EMIT(in, SpvOpUGreaterThan, in->t_bool, numbers[i], known);
    }
    wpg_if wider = wpg_if_begin(in, WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, beyond[0], beyond[1]));
    for (uint32_t i = 0; i < 2; i++)
        (void)WPG_EMIT(in, SpvOpAtomicUMax, in->t_u32, pointers[i], in->memory.scope, in->memory.semantics,
                       numbers[i]);
    wpg_if_end(in, wider);
}
