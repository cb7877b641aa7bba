#include "runtime/profile/profile.h"

static double record_total(const wpg_profile_record *record)
{
    double total = 0;
    for (size_t c = 0; c < record->counter_count; c++)
        total += (double)record->counters[c];
    return total;
}

static double total_of(const wpg_profile *profile)
{
    double total = 0;
    for (size_t i = 0; i < wpg_profile_count(profile); i++)
        total += record_total(wpg_profile_at(profile, i));
    return total;
}

void wpg_profile_measure_overlap(wpg_profile_overlap *overlap, const wpg_profile *first,
                                 const wpg_profile *second)
{
    *overlap = (wpg_profile_overlap){.total_first = total_of(first), .total_second = total_of(second)};
    size_t found = 0;
    double first_common = 0, second_common = 0;
    for (size_t i = 0; i < wpg_profile_count(first); i++) {
        const wpg_profile_record *a = wpg_profile_at(first, i);
        const wpg_profile_record *b = wpg_profile_find(second, a->name, a->func_hash);
        if (!b) {
            overlap->only_first++;
            continue;
        }
        found++;
        if (a->counter_count != b->counter_count) {
            overlap->mismatched++;
            continue;
        }
        overlap->shared++;
        first_common += record_total(a);
        second_common += record_total(b);
        if (overlap->total_first < 1 || overlap->total_second < 1)
            continue;
        for (size_t c = 0; c < a->counter_count; c++) {
            double x = (double)a->counters[c] / overlap->total_first;
            double y = (double)b->counters[c] / overlap->total_second;
            overlap->whole += x < y ? x : y;
        }
    }
    overlap->only_second = wpg_profile_count(second) - found;
    for (size_t i = 0; i < wpg_profile_count(first) && first_common > 0 && second_common > 0; i++) {
        const wpg_profile_record *a = wpg_profile_at(first, i);
        const wpg_profile_record *b = wpg_profile_find(second, a->name, a->func_hash);
        for (size_t c = 0; b && a->counter_count == b->counter_count && c < a->counter_count; c++) {
            double x = (double)a->counters[c] / first_common, y = (double)b->counters[c] / second_common;
            overlap->common += x < y ? x : y;
        }
    }
}
