/* Makes counts that are sums of counters. */
#include "compiler/instrument/code/plan.h"

static bool add_term(wpg_term_list *terms, uint32_t counter, int32_t factor)
{
    return counter == WPG_NO_COUNTER || wpg_vec_push(terms, ((wpg_counter_term){counter, factor}));
}

/* Sums are of tallies of enclosing levels: no cycle. */
bool wpg_tally_terms(wpg_plan *plan, const wpg_function_plan *f, wpg_term_list *terms, uint32_t tally,
                     uint32_t kind, int32_t sign)
{
    const wpg_tally *t = &f->tallies[tally];
    if (t->terms) {
        bool good = true;
        for (uint32_t i = 0; i < t->term_count; i++)
            good =
                good && wpg_tally_terms(plan, f, terms, t->terms[i].tally, kind, sign * t->terms[i].factor);
        return good;
    }
    if (t->method == WPG_METHOD_SUM)
        return wpg_tally_terms(plan, f, terms, t->parts[0], kind, sign) &&
               wpg_tally_terms(plan, f, terms, t->parts[1], kind, sign);
    int32_t size = (int32_t)plan->options->target.subgroup_size;
    uint32_t uniform = t->always_uniform ? t->waves : t->uniform;
    return add_term(terms, t->full, sign * (kind == WPG_KIND_LANES ? size : 1)) &&
           add_term(terms,
                    kind == WPG_KIND_LANES   ? t->lanes
                    : kind == WPG_KIND_WAVES ? t->waves
                                             : uniform,
                    sign);
}

uint32_t wpg_plan_add_sum(wpg_plan *plan, const wpg_counter_term *terms, size_t count)
{
    wpg_counter_sum sum = {(uint32_t)plan->terms.count, (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        plan->failed |= !wpg_vec_push(&plan->terms, terms[i]);
    plan->failed |= !wpg_vec_push(&plan->sums, sum);
    return WPG_FIRST_SUM + (uint32_t)plan->sums.count - 1;
}
