/* What is counted where not everything is: SAMPLE, SAMPLE_BY, SAMPLE_SEED, SAMPLE_PROCESSES.
 *
 *     process    1 of N processes counts; in the others the layer passes everything through, as in off mode
 *     pipeline   1 of N pipelines counts in this process; the others pass through
 *     frame      1 of N consecutive frames counts: of each N one, by a hash (sample_bind.h has the twins)
 *     bind       1 of N consecutive binds of a pipeline (sample_bind.c)
 *     workgroup  inside the shader (compiler/instrument/sampling)
 *
 * A hash of the seed chooses. With SAMPLE_SEED=0 the choice is the same in every run. With -1 it is another
 * one in every process: so many thin profiles add up to what one exact profile says (Horvitz and Thompson,
 * see sample_bind.c). What is counted is scaled by N, but not by SAMPLE_PROCESSES: such a profile is whole.
 *
 * Threads: any, after wpg_sampling_set_up. */
#ifndef WPG_LAYER_BASE_SAMPLING_H
#define WPG_LAYER_BASE_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/hash.h"
#include "runtime/config/settings.h"

/* Reads the settings. May be called again when they changed; a process decides once whether it counts. */
void wpg_sampling_set_up(const wpg_settings *settings);
/* Whether this process counts at all. */
bool wpg_sampling_takes_process(void);
/* 0 where all runs choose alike. */
uint64_t wpg_sampling_seed(void);
/* N of what is sampled outside the shader, else 1. */
uint64_t wpg_sampling_rate(void);

/* Whether complete pipelines have counting twins: by bind or by frame. */
bool wpg_sampling_has_twins(void);
bool wpg_sampling_is_by_frame(void);
/* By frame: whether the frame that runs is counted. */
bool wpg_sampling_takes_frame(void);
/* A frame ends. */
void wpg_sampling_frame(void);
/* Whether what has that hash counts in this process; true where pipelines are not sampled. */
bool wpg_sampling_takes_pipeline(wpg_hash128 hash);
bool wpg_sampling_is_by_pipeline(void);

#endif
