/* Layer manifests as the loader reads them, and the place of the layer that belongs to this command. Source:
 * the loader's LoaderLayerInterface.md, "Layer Manifest File Format". Threads: no shared state. */
#ifndef WPG_RUNTIME_CLI_COMMON_MANIFEST_H
#define WPG_RUNTIME_CLI_COMMON_MANIFEST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/error.h"

#define WPG_LAYER_NAME    "VK_LAYER_WAVEPGO_shader_pgo"
#define WPG_LAYER_LIBRARY "libVkLayer_wavepgo.so"

/* One layer of a manifest. */
typedef struct wpg_manifest_layer {
    char name[256];
    char library[PATH_MAX]; /* resolved against the manifest; a bare name is left to the dynamic linker */
    bool library_is_bare;
    char enable_name[128], enable_value[128]; /* "" if it has none */
    char disable_name[128];
    bool other_family; /* "library_arch" says so */
} wpg_manifest_layer;

/* A CPU family, as wpg_elf names it, with its manifest's file and its layer. */
typedef struct wpg_layer_family {
    const char *cpu, *manifest, *layer;
} wpg_layer_family;

typedef struct wpg_manifest {
    wpg_manifest_layer *layers; /* owned */
    size_t count;
} wpg_manifest;

/* Reads a manifest. WPG_E_FORMAT: the loader would skip it, too; the message says why. */
wpg_status wpg_manifest_read(wpg_manifest *manifest, const char *path, wpg_error *err);
void wpg_manifest_finish(wpg_manifest *manifest);

/* The text of the manifest at `path` with another library; malloc'd. */
wpg_status wpg_manifest_with_library(char **text, const char *path, const char *library, wpg_error *err);

/* The folder "share/vulkan/<kind>_layer.d" beside this command: build/bin and <prefix>/bin look alike. False
 * if our manifest is not in it; *folder is the expected place all the same. `kind`: explicit, implicit. */
bool wpg_own_manifest_folder(char folder[PATH_MAX], const char *kind);
/* The name of our manifest's file, per CPU family. */
const char *wpg_own_manifest_name(void);
/* The families of programs that can run here, this command's own first. */
const wpg_layer_family *wpg_layer_families(size_t *count);
/* Where the layer of that family is beside this command; false when there is none. */
bool wpg_family_manifest(char path[PATH_MAX], const char *kind, const wpg_layer_family *family);
/* True for our layer's name, whichever CPU family it says. */
bool wpg_is_own_layer(const char *name);

#endif
