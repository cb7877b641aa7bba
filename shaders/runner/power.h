/* The GPU's clocks, and with --stable-power its stable power state, while cases run: on AMD GPUs whose driver
 * tells the kernel's render node (runtime/gpu/gpu.h). Elsewhere everything is unknown, and nothing else
 * changes. Threads: one. */
#ifndef SHADERS_RUNNER_POWER_H
#define SHADERS_RUNNER_POWER_H

#include <stdio.h>
#include "runtime/gpu/gpu.h"
#include "shaders/runner/device.h"
#include "shaders/runner/options.h"

typedef struct bench_power {
    wpg_gpu *gpu; /* NULL: none that tells */
    bool asked, held;
    char why[256]; /* no GPU, or the state is not held */
} bench_power;

/* Around one case. */
typedef struct bench_clocks {
    wpg_gpu_clocks begin, end;
} bench_clocks;

/* Opens what is there, and holds the state if the options say so; lets go and closes. */
void bench_power_start(bench_power *power, const bench_device *dev, const bench_options *options);
void bench_power_stop(bench_power *power);

void bench_power_read(wpg_gpu_clocks *clocks, const bench_power *power);

/* A line for people: who, whether the state is held, the clocks now. Nothing without a GPU where nobody
 * asked. */
void bench_power_line(const bench_power *power);
/* ,"stable_power":"held","gpu_clocks":{"begin":{...},"end":{...}} with null for what is unknown; "unknown"
 * for all of it. */
void bench_power_json(FILE *out, const bench_power *power, const bench_clocks *clocks);

#endif
