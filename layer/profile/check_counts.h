/* The layer's own check of its counts: do the counts of each function fit its control flow? Impossible counts
 * mean that the driver compiles the counting code wrongly. Source: the rules of `wavepgo verify` on blocks
 * and flow (compiler/optimize/ir/weights_check.h). */
#ifndef WPG_LAYER_PROFILE_CHECK_COUNTS_H
#define WPG_LAYER_PROFILE_CHECK_COUNTS_H

#include "layer/profile/files.h"

/* Checks the counts as last read, of a device at rest. Logs impossible counts and changes nothing. Threads:
 * one at a time (the files lock). */
void wpg_check_counts(const wpg_counted *counted);
/* After the last pipeline of a device: logs how many more stages there were than were named. */
void wpg_check_counts_end(void);

#endif
