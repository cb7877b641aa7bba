/* TIMES: what the process took, for `wavepgo compare` (runtime/tune/times.h): presents, and the GPU time of
 * each pipeline where TIMESTAMPS is on. In use mode alone. Without a profile the program's own pipelines run
 * and are timed in the same way: what a profile is compared with. Threads: any. */
#ifndef WPG_LAYER_PROFILE_TIMES_H
#define WPG_LAYER_PROFILE_TIMES_H

#include "layer/base/state.h"

/* Whether times are taken; constant once the settings are settled. */
bool wpg_times_on(void);
/* Notes the first device; device->key is known. */
void wpg_times_device(const wpg_device *device);
/* Writes the file anew. One thread at a time: the ticker's. */
void wpg_times_write(void);

#endif
