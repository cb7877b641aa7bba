/* Combines the private counters of a wave whose lanes are not alike: many numbers in one reduction.
 *
 *     each lane packs its numbers into words --reduce each word--> the wave's numbers
 *         --> few numbers are possible, or their table has them: the wave adds one to a count (path_table.h)
 *         --> else each live lane adds the numbers of a tally of its own, until there is none left
 *
 * Numbers that are added up share words, each in a field that is wide enough for the sum of all lanes. The
 * most and the fewest visits of a lane take a reduction each. What all lanes have alike takes none. The last
 * lane to leave a loop has the most of many tallies at once, the first one the fewest (rules.c, Led). Where a
 * loop has several such tallies, these two lanes put their numbers into the shared words.
 *
 *     group (plan.h)   lanes   waves                   uniform
 *     STEADY, VISITS   what a lane has is what all have
 *     MARKS            sum     some lane came          all of E came
 *     TRIPS            sum     most, or the last's     fewest, or the first's, of all of E
 *     LARGEST          sum     most, or the last's     most, or the last's
 *     SUMS             sum     sum                     alike (wpg_shares_uniform)
 *
 * Visits that are wider than their field go in several rounds, a part in each. A part is what is left of
 * the number, but not more than fits. Of such parts, sums, the most and the fewest add up to those of the
 * numbers.
 *
 * Ownership, threads: as inject.h. */
#ifndef WPG_COMPILER_INSTRUMENT_COUNTING_WAVES_H
#define WPG_COMPILER_INSTRUMENT_COUNTING_WAVES_H

#include "compiler/instrument/counting/path_table.h"

/* Where a wave's own numbers take no more reductions, its lanes' paths are not asked for (paths.h). */
enum { WPG_FEW_REDUCTIONS = 1 };
/* A wave of eight lanes adds so many tallies in one step. For these a second table costs compilers more than
 * it saves. */
enum { WPG_FEW_TOLD = 8 };

/* False if the region's told tallies are marks alone. */
bool wpg_has_visits(const wpg_region *region);

/* Gives the region its words and table, where that gains; region->told is known. Returns the number of
 * reductions, 0 if the region has none of that. */
uint32_t wpg_plan_waves(wpg_chooser *c, wpg_region *region);
void wpg_waves_declare(wpg_inject *in, const wpg_wave_plan *wave);

/* Adds what the region's told tallies have counted in the lanes that leave. */
void wpg_wave_flush(wpg_inject *in, const wpg_function_plan *f, const wpg_region *region,
                    const wpg_leaving *leaving);

#endif
