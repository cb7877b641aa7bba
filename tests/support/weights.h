/* A made-up profile for tests of use mode: what there is to count, and counts. Threads: none shared. */
#ifndef WPG_TESTS_WEIGHTS_H
#define WPG_TESTS_WEIGHTS_H

#include "compiler/instrument/code/instrument.h"
#include "compiler/optimize/ir/optimize.h"

/* What counting would count in a module in normal form: its functions, with lanes, waves and uniform waves of
 * every block, and select sites. The module is left as it is. wpg_counter_map_destroy frees *map. As
 * wpg_instrument, where the stage cannot be counted. */
wpg_status test_plan(wpg_counter_map **map, const wpg_module *normal, const wpg_stage *stage, wpg_error *err);

/* Counts that make every pass try: whole trip counts, and selects of which one side is rare, uniform values
 * that were nearly always one; which, and how many, depends on the function's checksum and `seed`. Release
 * with test_weights_finish. One piece of memory begins at .lanes: lanes, waves, uniform of each block, then
 * the selects. false: no graph or no memory. */
bool test_weights(wpg_function_weights *weights, const wpg_module *normal, const wpg_function_counters *from,
                  uint64_t seed, wpg_error *err);
void test_weights_finish(wpg_function_weights *weights);

#endif
