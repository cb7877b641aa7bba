/* Command line of wavepgo-bench. */
#ifndef SHADERS_RUNNER_OPTIONS_H
#define SHADERS_RUNNER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <limits.h>
#include "shaders/runner/case.h"

enum { BENCH_MAX_GLOBS = 64, BENCH_MAX_SIDES = 16, BENCH_MAX_REPEAT = 10000, BENCH_EXIT_NO_DEVICE = 77 };

typedef struct bench_options {
    bool list, checksum, compile_only, info, statistics, help;
    bool stable_power;    /* hold the stable power state of an AMD GPU */
    bool processor_clock; /* times are those of all processors in this process */
    bench_size size;
    uint32_t repeat; /* timed executions after the warm-up */
    uint32_t rounds; /* compare: child processes a side and case */
    uint32_t frames; /* executions before those that are timed, each recorded anew; 0: one, recorded once */
    uint32_t binds;  /* times an execution binds the pipeline and does its whole work */
    const char *json, *device, *dump_folder, *shader_folder;
    const char *compare[BENCH_MAX_SIDES],
        *against; /* compare: VAR=VALUE lists, a side's may begin with NAME: */
    uint32_t compare_count;
    const char *globs[BENCH_MAX_GLOBS];
    uint32_t glob_count;
    char found_folder[PATH_MAX]; /* backs shader_folder when it was not given */
} bench_options;

/* Reads argv; false after a message on stderr. */
bool bench_options_parse(bench_options *o, int argc, char **argv);

void bench_options_usage(void);

/* True if no --case was given or one matches. */
bool bench_options_select(const bench_options *o, const bench_case *c);

#endif
