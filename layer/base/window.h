/* When counting is on: FRAMES=A-B (frames end at vkQueuePresentKHR and count from 1) and TRIGGER=FILE (on
 * while the file is there). With either the program's pipelines stay its own and the counting ones stand
 * beside them (sample_bind.h): which of the two is bound is decided when a command buffer is recorded, so
 * that outside the window nothing is paid, and a command buffer recorded beforehand stays as it was.
 * Threads: any. */
#ifndef WPG_LAYER_BASE_WINDOW_H
#define WPG_LAYER_BASE_WINDOW_H

#include <stdbool.h>

/* Reads the two settings. Once, while the settings are settled. */
void wpg_window_set_up(const char *frames, const char *trigger, const char *folder);
/* Whether there is a window at all; constant. */
bool wpg_window_exists(void);
/* Whether counting is on now. */
bool wpg_window_open(void);
/* A counting pipeline was bound while it was. */
void wpg_window_counted(void);

/* A frame ends. */
void wpg_window_frame(void);
/* Something is submitted: now and then the file is looked for. */
void wpg_window_poll(void);
/* At the end: says why nothing was counted, if nothing was. */
void wpg_window_finish(void);

#endif
