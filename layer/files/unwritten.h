/* The one log line for a folder that takes no files. Threads: any. */
#ifndef WPG_LAYER_FILES_UNWRITTEN_H
#define WPG_LAYER_FILES_UNWRITTEN_H

#include "runtime/base/error.h"

/* Logs that `path` (a file, or a folder with a slash at its end) is not written, and why. For the same folder
 * and reason that is said once. A folder that may not be written is told what to do about. */
void wpg_say_unwritten(const char *path, const wpg_error *err);

#endif
