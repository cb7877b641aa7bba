/* The folders that the loader searches for layers without being told, in its order. Threads: reads the
 * environment. */
#ifndef WPG_RUNTIME_CLI_COMMON_LAYER_FOLDERS_H
#define WPG_RUNTIME_CLI_COMMON_LAYER_FOLDERS_H

/* Calls `look` with each folder, even if it does not exist; `kind` is "explicit" or "implicit". The caller
 * handles variables that name folders (VK_LAYER_PATH and others). Source: LoaderLayerInterface.md, "Linux
 * Layer Discovery"; the order is the one that VK_LOADER_DEBUG=layer of loader 1.3.239 prints. */
void wpg_layer_folders(void (*look)(void *context, const char *folder), void *context, const char *kind);

#endif
