/* The layer's own check of what was counted: do the counts of each function fit its control flow? Counts that
 * cannot be tell of a driver that compiles the counting code wrongly. Source: the rules of `wavepgo verify`
 * on blocks and flow (compiler/optimize/ir/weights_check.h). */
#ifndef WPG_LAYER_PROFILE_CHECK_COUNTS_H
#define WPG_LAYER_PROFILE_CHECK_COUNTS_H

#include "layer/profile/files.h"

/* Checks the counts as last read, of a device that has come to rest; says what is impossible, and leaves the
 * counts alone. Threads: one at a time (the files lock). */
void wpg_check_counts(const wpg_counted *counted);
/* After the last pipeline of a device: how many stages more than were named. */
void wpg_check_counts_end(void);

#endif
