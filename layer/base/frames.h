/* Presents of the process: how many, and the time between two of them. A present is a vkQueuePresentKHR that
 * returned, whatever swapchains it names. Threads: any; counting is one atomic addition. */
#ifndef WPG_LAYER_BASE_FRAMES_H
#define WPG_LAYER_BASE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

enum { WPG_FRAMES_KEPT = 1 << 20 }; /* times; what follows is counted alone */

/* From now on the times are kept. Once, while the settings are settled. */
void wpg_frames_keep(void);
void wpg_frame_presented(void);
uint64_t wpg_frames_presented(void);
/* Calls `take` with each time kept, in nanoseconds, in their order. Presents wait meanwhile. */
void wpg_frames_each(void (*take)(uint64_t nanoseconds, void *context), void *context);
void wpg_frames_finish(void);

#endif
