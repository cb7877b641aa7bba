/* This program run again for one case, in another environment, and what it printed. Threads: one. */
#ifndef SHADERS_RUNNER_CHILD_H
#define SHADERS_RUNNER_CHILD_H

#include "runtime/base/vec.h"
#include "shaders/runner/options.h"

typedef WPG_VEC(char *) bench_assignments; /* VAR=VALUE, malloc'd; handed to putenv in the child */

typedef struct bench_measurement {
    int exit_status; /* 128 and the signal's number for a child that a signal ended */
    bool ok, skipped;
    char checksum[17]; /* "" when the child only compiled */
    char why[256];     /* skipped: the reason, as it stands in the JSON text */
    double time_ms, create_ms, compile_ms;
    char stable_power[256]; /* as it stands in the JSON text (power.h): "held", or why not */
    double shader_mhz[2];   /* the GPU's clock before and after; 0: unknown */
} bench_measurement;

/* Cuts `text` into VAR=VALUE words as a shell would; false after a message. Finish in either case. */
bool bench_assignments_parse(bench_assignments *list, const char *text);
void bench_assignments_finish(bench_assignments *list);

/* Runs the case in a child with `env` added to the environment and waits; false if there is no child. */
bool bench_child_run(bench_measurement *m, const bench_options *o, const bench_case *c,
                     const bench_assignments *env);

#endif
