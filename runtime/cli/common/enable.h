/* The environment that enables the layer explicitly, for `wavepgo run` and the trial of `wavepgo doctor`.
 * Threads: changes the process's environment. */
#ifndef WPG_RUNTIME_CLI_COMMON_ENABLE_H
#define WPG_RUNTIME_CLI_COMMON_ENABLE_H

#include <stdbool.h>

/* setenv. With `print` also prints a shell assignment on standard output. */
void wpg_environment_set(bool print, const char *name, const char *value);
/* "" where it is unset. */
const char *wpg_environment_get(const char *name);
/* True if the colon- or comma-separated list holds the item. */
bool wpg_list_contains(const char *list, const char *item);

/* Sets VK_ADD_LAYER_PATH and VK_INSTANCE_LAYERS. Returns an exit code: not 0, after a message for `command`,
 * if the layer is not beside this command. */
int wpg_enable_layer(bool print, const char *command);

#endif
