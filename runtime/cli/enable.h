/* The environment that enables the layer explicitly: what `wavepgo run` gives a program and `wavepgo doctor`
 * tries. Threads: changes the process's environment. */
#ifndef WPG_RUNTIME_CLI_ENABLE_H
#define WPG_RUNTIME_CLI_ENABLE_H

#include <stdbool.h>

/* setenv; `print`: as a shell assignment on standard output too. */
void wpg_environment_set(bool print, const char *name, const char *value);
/* "" where it is unset. */
const char *wpg_environment_get(const char *name);
/* Whether the colon- or comma-separated list holds the item. */
bool wpg_list_contains(const char *list, const char *item);

/* VK_ADD_LAYER_PATH and VK_INSTANCE_LAYERS. An exit code: not 0 (and said, for `command`) when the layer is
 * not beside this command. */
int wpg_enable_layer(bool print, const char *command);

#endif
