/* A reservoir: a fair sample of the visits that a probe asks, each with the values of all sites together. The
 * tables of values count each site alone and cannot tell which values occur together.
 *
 *     counter 0            visits offered, in the low word
 *     counters 1 ...       WPG_RESERVOIR_PLACES places, each of a 32-bit word a site
 *
 * Visit t (from 0) takes place t while there is room. Later it takes place floor(f * (t + 1)) if that is one,
 * with f a fraction made of t by a hash. So every visit is kept with the same probability (Vitter, Random
 * Sampling with a Reservoir, ACM TOMS 11, 1985, algorithm R). The same visits in the same order take the same
 * places, in every run. Two waves may write one place at the same time. The place then holds words of both.
 * That is harmless: use mode tests the values that it takes as given.
 *
 * Owns: nothing. Threads: one module, one thread. */
#ifndef WPG_COMPILER_INSTRUMENT_PROBES_RESERVOIR_H
#define WPG_COMPILER_INSTRUMENT_PROBES_RESERVOIR_H

#include "compiler/instrument/probes/probe.h"

/* The record's reservoir of `width` words a visit: the first of its counters. */
uint32_t wpg_reservoir_plan(wpg_probe_plan *p, uint32_t width);

/* Code in a branch that one lane of the visit takes: counts the visit. *place gets the place, *keep a
 * Boolean: there is one. */
void wpg_reservoir_offer(wpg_inject *in, uint32_t first, uint32_t *place, uint32_t *keep);
/* Code under *keep: stores word number `word` (id of a u32) of the visit. */
void wpg_reservoir_store(wpg_inject *in, uint32_t first, uint32_t width, uint32_t place, uint32_t word,
                         uint32_t value);

#endif
