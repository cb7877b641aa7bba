#include "runtime/tune/estimate.h"

#include <string.h>

void wpg_executable_take(wpg_executable *executable, const char *name, double value)
{
    const struct {
        const char *name;
        double *to;
    } figures[] = {
        {"Latency", &executable->latency},
        {"Inverse Throughput", &executable->inverse_throughput},
        {"Subgroups per SIMD", &executable->occupancy},
        {"Code size", &executable->code_size},
    };
    static const char *const spills[] = {"Spilled SGPRs", "Spilled VGPRs", "Scratch size"};
    if (!(value >= 0 && value < 1e15)) /* nor what is no number */
        return;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (strcmp(name, figures[i].name) == 0)
            *figures[i].to = value;
    for (size_t i = 0; i < sizeof spills / sizeof *spills; i++)
        if (strcmp(name, spills[i]) == 0)
            executable->spills += value;
}

bool wpg_executable_complete(const wpg_executable *executable)
{
    return executable->latency > 0 && executable->inverse_throughput > 0 && executable->occupancy > 0;
}

/* Of one wave. */
static double cost_of(const wpg_executable *executable)
{
    double alone = executable->latency / executable->occupancy;
    return alone > executable->inverse_throughput ? alone : executable->inverse_throughput;
}

wpg_outcome wpg_estimate_compare(double *ratio, const wpg_estimate *original, const wpg_estimate *candidate,
                                 const double waves[WPG_MOST_EXECUTABLES], double margin)
{
    double before = 0, after = 0, known = 0;
    bool spills = false, outgrows = false;
    *ratio = 0;
    if (original->count == 0 || original->count != candidate->count)
        return WPG_OUTCOME_OPEN;
    for (size_t i = 0; i < original->count; i++)
        known += waves[i];
    for (size_t i = 0; i < original->count; i++) {
        const wpg_executable *a = &original->executables[i], *b = &candidate->executables[i];
        double weight = known > 0 ? waves[i] : 1;
        if (a->stages != b->stages || !wpg_executable_complete(a) || !wpg_executable_complete(b))
            return WPG_OUTCOME_OPEN;
        before += weight * cost_of(a);
        if (a->wave && b->wave && b->wave < a->wave)
            weight *= (double)a->wave / b->wave;
        after += weight * cost_of(b);
        spills |= b->spills > a->spills;
        outgrows |= b->code_size > (double)WPG_CODE_CACHE && b->code_size > a->code_size;
    }
    if (!(before > 0))
        return WPG_OUTCOME_OPEN;
    *ratio = after / before;
    if (spills || *ratio > 1 + margin)
        return WPG_OUTCOME_LOSES;
    return *ratio < 1 - margin && !outgrows ? WPG_OUTCOME_WINS : WPG_OUTCOME_UNDECIDED;
}
