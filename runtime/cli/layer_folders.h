/* The folders in which the loader looks for layers by itself, in its order. Threads: reads the environment.
 */
#ifndef WPG_RUNTIME_CLI_LAYER_FOLDERS_H
#define WPG_RUNTIME_CLI_LAYER_FOLDERS_H

/* Calls `look` with each folder, whether it is there or not; `kind` is "explicit" or "implicit". Variables
 * that name folders of their own (VK_LAYER_PATH and its kin) are the caller's. Source:
 * LoaderLayerInterface.md, "Linux Layer Discovery"; the order is the one that VK_LOADER_DEBUG=layer of
 * loader 1.3.239 prints. */
void wpg_layer_folders(void (*look)(void *context, const char *folder), void *context, const char *kind);

#endif
