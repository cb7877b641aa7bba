/* The layer's own check of its counts: do the counts of each function fit its control flow? Impossible counts
 * mean that the driver compiles the counting code wrongly. Source: the rules of `wavepgo verify` on blocks
 * and flow (compiler/optimize/ir/weights_check.h). */
#ifndef WPG_LAYER_PROFILE_CHECK_COUNTS_H
#define WPG_LAYER_PROFILE_CHECK_COUNTS_H

#include "layer/profile/records.h"

/* Checks the counts as last read, of a list of pipelines that run no more. Warns of the first three stages of
 * a device whose counts are impossible; *found counts all. Changes no count. Threads: one at a time (the
 * files lock). */
void wpg_check_counts(size_t *found, wpg_counted *head);
/* Warns of those beyond three: the device counts no more. */
void wpg_check_counts_done(size_t found);

#endif
