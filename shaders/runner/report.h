/* What wavepgo-bench prints: the table, and one JSON object a line. Threads: one. */
#ifndef SHADERS_RUNNER_REPORT_H
#define SHADERS_RUNNER_REPORT_H

#include <stdio.h>
#include "shaders/runner/power.h"
#include "shaders/runner/run.h"

void bench_report_list(const bench_options *options);
void bench_report_header(const bench_options *options, const bench_device *dev);
void bench_report_row(const bench_options *options, const bench_case *c, const bench_result *result);
void bench_report_json(FILE *out, const bench_options *options, const bench_device *dev, const bench_case *c,
                       const bench_result *result, const bench_power *power, const bench_clocks *clocks);

/* A JSON string with quotes, escaped. */
void bench_json_string(FILE *out, const char *text);

/* Opens what --json names: NULL without it, stdout for "-". False (after a message) if it cannot. */
bool bench_json_open(FILE **out, const bench_options *options);
/* False (after a message) if not everything could be written. */
bool bench_json_close(FILE *out);

#endif
