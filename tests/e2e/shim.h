/* What the shim's files share (shim_layer.c): the way down, and hooks that stand in files of their own. */
#ifndef WPG_TEST_SHIM_H
#define WPG_TEST_SHIM_H

#include <vulkan/vulkan.h>

/* The device's command below the shim. */
PFN_vkVoidFunction shim_next(const char *name);
#define SHIM_NEXT(name) ((PFN_##name)shim_next(#name))

/* A table of them ends with one that has no name. */
typedef struct shim_hook {
    const char *name;
    PFN_vkVoidFunction function;
} shim_hook;
extern const shim_hook shim_query_hooks[], shim_end_hooks[];

#endif
