#include "runtime/cli/common/manifest.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/file.h"

enum { MANIFEST_LIMIT = 1 << 20, LAYERS_MOST = 64 };

/* A 32-bit layer has a name of its own: the loader goes by names, and both may be installed. */
#define WPG_ALONE  "VkLayer_wavepgo.json", WPG_LAYER_NAME
#define WPG_BESIDE "VkLayer_wavepgo.x86.json", WPG_LAYER_NAME "_x86"
static const wpg_layer_family families[] = {
#if defined(__x86_64__)
    {"x86_64", WPG_ALONE},
    {"x86", WPG_BESIDE},
#elif defined(__i386__)
    {"x86", WPG_BESIDE},
    {"x86_64", WPG_ALONE},
#elif defined(__aarch64__)
    {"aarch64", WPG_ALONE},
#elif defined(__riscv) && __riscv_xlen == 64
    {"riscv64", WPG_ALONE},
#elif defined(__arm__)
    {"arm", WPG_BESIDE},
#elif UINTPTR_MAX == UINT32_MAX
    {"unknown", WPG_BESIDE},
#else
    {"unknown", WPG_ALONE},
#endif
};

const wpg_layer_family *wpg_layer_families(size_t *count)
{
    *count = sizeof families / sizeof *families;
    return families;
}

const char *wpg_own_manifest_name(void)
{
    return families[0].manifest;
}

bool wpg_family_manifest(char path[PATH_MAX], const char *kind, const wpg_layer_family *family)
{
    char folder[PATH_MAX];
    (void)wpg_own_manifest_folder(folder, kind); /* another family's may be there without our own */
    return *folder && snprintf(path, PATH_MAX, "%s/%s", folder, family->manifest) < PATH_MAX &&
           access(path, R_OK) == 0;
}

bool wpg_is_own_layer(const char *name)
{
    return strncmp(name, WPG_LAYER_NAME, sizeof WPG_LAYER_NAME - 1) == 0;
}

bool wpg_own_manifest_folder(char folder[PATH_MAX], const char *kind)
{
    char self[PATH_MAX], file[PATH_MAX + 64];
    folder[0] = '\0';
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    if (snprintf(folder, PATH_MAX, "%s/" WPG_LAYER_DATA "/%s_layer.d", self, kind) >= PATH_MAX)
        return false;
    (void)snprintf(file, sizeof file, "%s/%s", folder, wpg_own_manifest_name());
    return access(file, R_OK) == 0;
}

static wpg_status load(json_t **root, const char *path, wpg_error *err)
{
    uint8_t *text;
    size_t size;
    json_error_t where;
    WPG_TRY(wpg_file_read(&text, &size, path, MANIFEST_LIMIT, err));
    *root = json_loadb((const char *)text, size, 0, &where);
    free(text);
    if (!*root)
        return wpg_fail(err, WPG_E_FORMAT, "no JSON: line %d: %s", where.line, where.text);
    return WPG_OK;
}

static void copy(char *to, size_t size, const char *text)
{
    (void)snprintf(to, size, "%s", text ? text : "");
}

/* An environment object has one pair, NAME: VALUE. */
static void read_pair(char *name, char *value, size_t size, json_t *object)
{
    const char *key;
    json_t *text;
    json_object_foreach(object, key, text)
    {
        copy(name, size, key);
        if (value)
            copy(value, size, json_string_value(text));
        return;
    }
}

static wpg_status read_layer(wpg_manifest_layer *layer, json_t *object, const char *path, wpg_error *err)
{
    const char *name = json_string_value(json_object_get(object, "name")),
               *library = json_string_value(json_object_get(object, "library_path")),
               *family = json_string_value(json_object_get(object, "library_arch"));
    *layer = (wpg_manifest_layer){0};
    if (!name || !*name)
        return wpg_fail(err, WPG_E_FORMAT, "a layer without a name");
    copy(layer->name, sizeof layer->name, name);
    if (!library && !json_object_get(object, "component_layers"))
        return wpg_fail(err, WPG_E_FORMAT, "%s has no library_path", layer->name);
    const char *slash = strrchr(path, '/');
    int length = 0;
    if (!library)
        ;
    else if (*library == '/' || !strchr(library, '/') || !slash) {
        layer->library_is_bare = !strchr(library, '/');
        length = snprintf(layer->library, sizeof layer->library, "%s", library);
    } else
        length =
            snprintf(layer->library, sizeof layer->library, "%.*s/%s", (int)(slash - path), path, library);
    if (length < 0 || (size_t)length >= sizeof layer->library)
        return wpg_fail(err, WPG_E_FORMAT, "the library_path of %s is too long", layer->name);
    read_pair(layer->enable_name, layer->enable_value, sizeof layer->enable_name,
              json_object_get(object, "enable_environment"));
    read_pair(layer->disable_name, NULL, sizeof layer->disable_name,
              json_object_get(object, "disable_environment"));
    layer->other_family = family && strcmp(family, sizeof(void *) == 4 ? "32" : "64") != 0;
    return WPG_OK;
}

wpg_status wpg_manifest_read(wpg_manifest *manifest, const char *path, wpg_error *err)
{
    json_t *root;
    WPG_TRY(load(&root, path, err));
    json_t *one = json_object_get(root, "layer"), *many = json_object_get(root, "layers");
    size_t count = one ? 1 : json_array_size(many);
    wpg_status status = WPG_OK;
    *manifest = (wpg_manifest){0};
    if (!json_string_value(json_object_get(root, "file_format_version")))
        status = wpg_fail(err, WPG_E_FORMAT, "no file_format_version");
    else if (!count || count > LAYERS_MOST)
        status = wpg_fail(err, WPG_E_FORMAT, "it describes no layer");
    else if (!(manifest->layers = calloc(count, sizeof *manifest->layers)))
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; status == WPG_OK && i < count; i++) {
        status = read_layer(&manifest->layers[i], one ? one : json_array_get(many, i), path, err);
        manifest->count = i + 1;
    }
    json_decref(root);
    if (status != WPG_OK)
        wpg_manifest_finish(manifest);
    return status;
}

void wpg_manifest_finish(wpg_manifest *manifest)
{
    free(manifest->layers);
    *manifest = (wpg_manifest){0};
}

wpg_status wpg_manifest_with_library(char **text, const char *path, const char *library, wpg_error *err)
{
    json_t *root;
    WPG_TRY(load(&root, path, err));
    json_t *layer = json_object_get(root, "layer");
    wpg_status status = WPG_OK;
    if (!layer || json_object_set_new(layer, "library_path", json_string(library)) != 0)
        status = wpg_fail(err, WPG_E_FORMAT, "%s describes no layer", path);
    char *dumped = status == WPG_OK ? json_dumps(root, JSON_INDENT(4) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(root);
    if (status != WPG_OK)
        return status;
    size_t length = dumped ? strlen(dumped) : 0;
    char *line = dumped ? realloc(dumped, length + 2) : NULL;
    if (!line) {
        free(dumped);
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    }
    (void)strcpy(line + length, "\n");
    *text = line;
    return WPG_OK;
}
