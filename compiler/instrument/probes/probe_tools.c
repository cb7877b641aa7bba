/* Helpers of the plans and the code of probes. */
#include "compiler/instrument/probes/probe.h"

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
