/* What compiles at its first use. Some drivers compile where a command buffer runs (lavapipe: at the first
 * dispatch or draw, inside vkQueueSubmit), and creation tells nothing. So the program's submissions and waits
 * are timed while counted pipelines are new. Where one lasts longer than COMPILE_LIMIT, the new pipeline with
 * the most code is noted as one that took the driver long (denials.h): one a call, since one alone may be to
 * blame. Work that is long by itself cannot be told from a compile: it is counted in a cheaper way, too.
 * Waits for images of a swapchain are not timed: a window may be out of sight.
 *
 * A program that is ended during such a call would learn nothing: the writer thread asks each second. With
 * FLUSH_INTERVAL=0 there is no such thread.
 *
 * Generate mode alone. Threads: any. Of calls at the same time on one device, the first is timed. */
#ifndef WPG_LAYER_BASE_FIRST_USE_H
#define WPG_LAYER_BASE_FIRST_USE_H

#include "layer/base/state.h"

/* Around a call of the program that may take as long as the driver compiles. `begin` gives when it began; 0:
 * it is not timed. */
uint64_t wpg_first_use_begin(wpg_device *device);
void wpg_first_use_end(wpg_device *device, uint64_t began);
/* A call that polls: `ready` once what it asked about has finished. Timed from the first that was not. */
void wpg_first_use_poll(wpg_device *device, bool ready);
/* Looks at the calls that have not come back. */
void wpg_first_use_look(void);

#endif
