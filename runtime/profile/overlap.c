#include "runtime/profile/profile.h"

static double total_of(const wpg_profile *profile)
{
    double total = 0;
    for (size_t i = 0; i < wpg_profile_count(profile); i++) {
        const wpg_profile_record *record = wpg_profile_at(profile, i);
        for (size_t c = 0; c < record->counter_count; c++)
            total += (double)record->counters[c];
    }
    return total;
}

void wpg_profile_measure_overlap(wpg_profile_overlap *overlap, const wpg_profile *first,
                                 const wpg_profile *second)
{
    *overlap = (wpg_profile_overlap){.total_first = total_of(first), .total_second = total_of(second)};
    size_t found = 0;
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
        if (overlap->total_first < 1 || overlap->total_second < 1)
            continue;
        for (size_t c = 0; c < a->counter_count; c++) {
            double x = (double)a->counters[c] / overlap->total_first;
            double y = (double)b->counters[c] / overlap->total_second;
            overlap->whole += x < y ? x : y;
        }
    }
    overlap->only_second = wpg_profile_count(second) - found;
}
