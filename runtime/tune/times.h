/* What one process of a program took: presents, frames, and the GPU time of each pipeline.
 *
 * The layer writes the file (setting TIMES), `wavepgo compare` reads it. Text, one fact a line:
 *
 *     wavepgo-times 1
 *     program vkcube
 *     pid 4711
 *     device llvmpipe (LLVM 19.1.7, 256 bits)       of the first device; absent without one
 *     driver 13 25000007                            VkDriverId, its version (hexadecimal)
 *     pipelines 12 3                                made, changed
 *     presents 600
 *     pipeline HASH 1 20 40 81000 2 9000            changed (0 or 1); runs, commands and nanoseconds between
 *                                                   timestamps; commands and nanoseconds of the first run
 *     frame 16600000                                nanoseconds between two presents, in their order
 *     end                                           a file that was cut is refused
 *
 * The first run of a pipeline stands apart, since a driver may compile then.
 *
 * Owns: wpg_times owns its vectors, until wpg_times_finish.
 * Threads: one set of times, one thread at a time. */
#ifndef WPG_RUNTIME_TUNE_TIMES_H
#define WPG_RUNTIME_TUNE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/bytes.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

typedef struct wpg_times_pipeline {
    wpg_hash128 hash;
    bool changed; /* other words than the program's own ran, or may have */
    uint64_t runs, commands, nanoseconds;
    uint64_t first_commands, first_nanoseconds; /* within the sums before */
} wpg_times_pipeline;

/* Zero-initialised is empty. */
typedef struct wpg_times {
    char program[256], device[256];
    uint64_t pid, presents, made, changed;
    uint32_t driver, version;
    WPG_VEC(wpg_times_pipeline) pipelines;
    WPG_VEC(uint64_t) frames;
} wpg_times;

void wpg_times_encode(wpg_writer *out, const wpg_times *times);
/* `text` ends with a zero byte. Errors name the line. */
wpg_status wpg_times_decode(wpg_times *times, const char *text, wpg_error *err);
void wpg_times_finish(wpg_times *times);

/* Nanoseconds a command without the first run, where there were further runs. *commands: those it is the mean
 * of. 0 of 0: nothing was timed. */
double wpg_times_steady(uint64_t *commands, const wpg_times_pipeline *pipeline);

#endif
