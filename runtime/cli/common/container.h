/* Programs that start another one in a container, and what a container's Vulkan finds of the host. Sources:
 * steam-runtime-tools (pressure-vessel-wrap(1)), flatpak-run(1). Threads: reads the environment. */
#ifndef WPG_RUNTIME_CLI_COMMON_CONTAINER_H
#define WPG_RUNTIME_CLI_COMMON_CONTAINER_H

#include <stdbool.h>

typedef enum wpg_container {
    WPG_CONTAINER_NONE,
    WPG_CONTAINER_STEAM,   /* pressure-vessel: takes layers along that are installed on the host */
    WPG_CONTAINER_FLATPAK, /* sees the program's own folders and its runtime's extensions */
    WPG_CONTAINER_SNAP,
    WPG_CONTAINER_BWRAP /* whatever its options say */
} wpg_container;

/* What a command starts: a NULL-terminated list of words. Steam's launch options put wrappers before the
 * container's entry point, so all words are looked at for that. */
wpg_container wpg_container_of(char *const *command);

/* True if our implicit manifest lies where the loader looks without being told. */
bool wpg_layer_is_installed(void);

#endif
