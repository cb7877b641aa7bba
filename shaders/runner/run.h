/* Runs one case on one device and measures it. Threads: one. */
#ifndef SHADERS_RUNNER_RUN_H
#define SHADERS_RUNNER_RUN_H

#include "shaders/runner/case.h"
#include "shaders/runner/device.h"
#include "shaders/runner/options.h"
#include "shaders/runner/timing.h"

typedef enum bench_state { BENCH_OK, BENCH_SKIPPED, BENCH_COMPILED, BENCH_FAILED } bench_state;

typedef struct bench_result {
    bench_state state;
    char why[256];          /* skipped, failed: the reason */
    uint64_t checksum;      /* XXH3-64 of the whole output */
    const char *clock;      /* of `time`: "gpu" = timestamps; "wall", "processor" = around submit and fence */
    bench_stats time, wall; /* milliseconds */
    double create_ms;       /* shader modules and pipeline */
    double first_ms;        /* wall time of the first execution: software drivers compile there */
    double compile_ms;      /* create_ms, and what the first execution took longer than the median */
    uint32_t executions;    /* how often the case ran in all: expected counts are per execution */
    uint64_t invocations;   /* per execution */
    bench_expected expected[BENCH_MAX_EXPECTED];
    uint32_t expected_count;
} bench_result;

/* Never fails itself: the state says what happened. */
void bench_run(bench_result *result, const bench_device *dev, const bench_case *c,
               const bench_options *options);

/* The device feature that the case needs and the device has not, as a text; NULL: none. */
const char *bench_missing_feature(const bench_device *dev, const bench_case *c);

const char *bench_state_name(bench_state state);

#endif
