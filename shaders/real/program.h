/* What the programs here share: settings of the environment, and the clock.
 * Threads: no shared state. */
#ifndef WPG_SHADERS_REAL_PROGRAM_H
#define WPG_SHADERS_REAL_PROGRAM_H

#include "shaders/runner/device.h"

/* A number of the environment, from 1 to `most`. */
uint32_t bench_environment_number(const char *name, uint32_t otherwise, uint32_t most);

/* The clock that CLOCK names: processor (default), of all threads; wall, what passes; gpu, the timestamps
 * of bench_timer_begin and _end. */
typedef struct bench_clock {
    uint64_t began_ns;
} bench_clock;
void bench_clock_start(bench_clock *c);
/* Adds the microseconds since the start; of gpu, those of what was submitted last, which has ended. */
wpg_status bench_clock_add(double *us, const bench_clock *c, const bench_device *dev, wpg_error *err);

#endif
