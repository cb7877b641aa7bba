/* When counting is on: FRAMES=A-B (frames end at vkQueuePresentKHR and count from 1) and TRIGGER=FILE (on
 * while the file exists). With either, the program's pipelines stay its own and counting twins stand beside
 * them (sample_bind.h). Recording a command buffer chooses between the two. So nothing is paid outside the
 * window, and a command buffer recorded earlier stays as it was. Threads: any. */
#ifndef WPG_LAYER_BASE_WINDOW_H
#define WPG_LAYER_BASE_WINDOW_H

#include <stdbool.h>

/* Reads the two settings. Once, while the settings are settled. */
void wpg_window_set_up(const char *frames, const char *trigger, const char *folder);
/* Whether there is a window at all; constant. */
bool wpg_window_exists(void);
/* Whether counting is on now. */
bool wpg_window_open(void);
/* A counting pipeline was bound while counting was on. */
void wpg_window_counted(void);

/* A frame ends. */
void wpg_window_frame(void);
/* At a submission: looks for the file now and then. */
void wpg_window_poll(void);
/* At the end: says why nothing was counted, if nothing was. */
void wpg_window_finish(void);

#endif
