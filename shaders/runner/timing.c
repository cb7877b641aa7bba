/* Median, minimum, maximum, geometric mean. See timing.h. */
#include "shaders/runner/timing.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_stats bench_stats_of(double *values, size_t count)
{
    bench_stats stats = {0, 0, 0};
    if (!count)
        return stats;
    qsort(values, count, sizeof *values, ascending);
    stats.min = values[0];
    stats.max = values[count - 1];
    stats.median = count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
    return stats;
}

double bench_geometric_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += log(values[i]);
    return count ? exp(sum / (double)count) : 0;
}
