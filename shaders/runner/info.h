/* What the device and its driver are: one JSON object. Threads: one. */
#ifndef SHADERS_RUNNER_INFO_H
#define SHADERS_RUNNER_INFO_H

#include <stdio.h>
#include "shaders/runner/device.h"

/* Prints one line: names, versions, kind, subgroups, clocks, and the features that counting depends on. */
void bench_info_json(FILE *out, const bench_device *dev);

#endif
