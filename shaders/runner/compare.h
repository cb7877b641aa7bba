/* Measures two environments against each other (a layer on and off, say), each in processes of its own. */
#ifndef SHADERS_RUNNER_COMPARE_H
#define SHADERS_RUNNER_COMPARE_H

#include "shaders/runner/options.h"

/* Runs every selected case options->rounds times a side, alternating, and prints medians and ratios (first
 * over second). Returns the exit status: 0, 77 without a device, 1 if a child failed or checksums differ. */
int bench_compare(const bench_options *options);

#endif
