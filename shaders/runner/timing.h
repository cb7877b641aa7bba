/* Statistics of repeated measurements. Threads: any. */
#ifndef SHADERS_RUNNER_TIMING_H
#define SHADERS_RUNNER_TIMING_H

#include <stddef.h>

typedef struct bench_stats {
    double median, min, max;
} bench_stats;

/* Of `count` values in any unit; sorts them in place. All zero for none. The median of an even count is the
 * mean of the middle two. */
bench_stats bench_stats_of(double *values, size_t count);

/* Geometric mean of positive values; 0 for none. */
double bench_geometric_mean(const double *values, size_t count);

#endif
