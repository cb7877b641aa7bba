/* A program that runs cases from the command line: wavepgo-bench, wavepgo-pairs. Threads: one. */
#ifndef SHADERS_RUNNER_BENCH_H
#define SHADERS_RUNNER_BENCH_H

#include "shaders/runner/case.h"

/* Does what the options say with the cases of the tables (bench_cases_take); the exit status. */
int bench_run_program(int argc, char **argv, const bench_case *const *tables);

#endif
