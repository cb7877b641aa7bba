/* The names of the pipelines that use mode changed, for the exit summary: those that the program gave while
 * the profile was recorded (a bundle keeps them: "name.<n>" and "module.<stage>.<n>" of a pipeline's facts).
 * A plain profile has none. Threads: one, at the end of the program. */
#ifndef WPG_LAYER_PROFILE_CHANGED_H
#define WPG_LAYER_PROFILE_CHANGED_H

#include <stddef.h>

/* " (sky, water and 2 others)": up to three names; "" where no name is known. */
void wpg_changed_names(char *text, size_t size);

#endif
