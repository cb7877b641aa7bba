/* The layer's own check of its counts: do the counts of each function fit its control flow? Impossible counts
 * mean that the driver compiles the counting code wrongly. Source: the rules of `wavepgo verify` on blocks
 * and flow (compiler/optimize/ir/weights_check.h). */
#ifndef WPG_LAYER_PROFILE_CHECK_COUNTS_H
#define WPG_LAYER_PROFILE_CHECK_COUNTS_H

#include "layer/profile/records.h"

/* Checks the counts as last read, of the list of a device that has come to rest. Warns of each stage whose
 * counts are impossible, three by name. Changes no count. Threads: one at a time (the files lock). */
void wpg_check_counts(wpg_counted *head);

#endif
