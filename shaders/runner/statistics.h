/* What the driver's compiler says of a pipeline (VK_KHR_pipeline_executable_properties): registers, code
 * size, latency, by the driver's own names. Threads: one. */
#ifndef SHADERS_RUNNER_STATISTICS_H
#define SHADERS_RUNNER_STATISTICS_H

#include <stdio.h>
#include "shaders/runner/pipeline.h"

/* Prints one JSON object for each executable of the pipeline to `json`, and a table to stdout if `table`.
 * The device must have been made with statistics (device.h), and so must the pipeline. */
wpg_status bench_statistics_print(FILE *json, bool table, const bench_device *dev, const bench_case *c,
                                  const bench_pipeline *p, wpg_error *err);

#endif
