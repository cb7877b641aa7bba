#include "runtime/cli/common/enable.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cli/common/command.h"
#include "runtime/cli/common/layer_folders.h"
#include "runtime/cli/common/manifest.h"

void wpg_environment_set(bool print, const char *name, const char *value)
{
    if (print) {
        (void)printf("export %s='", name);
        for (const char *at = value; *at; at++) {
            if (*at == '\'')
                (void)fputs("'\\''", stdout);
            else
                (void)fputc(*at, stdout);
        }
        (void)puts("'");
    }
    (void)setenv(name, value, 1);
}

const char *wpg_environment_get(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

bool wpg_list_contains(const char *list, const char *item)
{
    size_t width = strlen(item);
    for (const char *at = list; (at = strstr(at, item)); at += width)
        if ((at == list || strchr(":,", at[-1])) && strchr(":,", at[width]))
            return true;
    return false;
}

/* List variables of the loader are colon-separated; the new item goes last. *list is owned by the caller. */
static void append(char **list, const char *item)
{
    size_t size = strlen(*list) + strlen(item) + 2;
    char *longer = malloc(size);
    if (!longer)
        return;
    (void)snprintf(longer, size, "%s%s%s", *list, **list ? ":" : "", item);
    free(*list);
    *list = longer;
}

typedef struct search_path {
    char *list;
    const char *own;
} search_path;

static void append_folder(void *context, const char *folder)
{
    search_path *path = context;
    if (access(folder, X_OK) == 0 && strcmp(folder, path->own) != 0 && !wpg_list_contains(path->list, folder))
        append(&path->list, folder);
}

/* Our folder goes last. VK_LAYER_PATH, where set, makes the loader ignore VK_ADD_LAYER_PATH. Other layers are
 * to sit above ours, a capture tool would record our shaders otherwise: later loaders go by the order of
 * VK_INSTANCE_LAYERS, but older ones (1.3.239 of Debian 12) by that of the folders, and would come upon ours
 * first: so their own go before. */
static void extend_search(bool print, const char *own, bool others)
{
    const char *name = *wpg_environment_get("VK_LAYER_PATH") ? "VK_LAYER_PATH" : "VK_ADD_LAYER_PATH";
    search_path path = {.list = strdup(wpg_environment_get(name)), .own = own};
    if (!path.list)
        return;
    if (others && strcmp(name, "VK_ADD_LAYER_PATH") == 0)
        wpg_layer_folders(append_folder, &path, "explicit");
    append(&path.list, own);
    wpg_environment_set(print, name, path.list);
    free(path.list);
}

int wpg_enable_layer(bool print, const char *command)
{
    char folder[PATH_MAX];
    if (!wpg_own_manifest_folder(folder, "explicit"))
        return wpg_complain(WPG_EXIT_FAILED, command,
                            "the layer's manifest is missing: %s/%s; install the whole of wavepgo (cmake "
                            "--install), or run wavepgo from its build",
                            folder, wpg_own_manifest_name());
    const char *layers = wpg_environment_get("VK_INSTANCE_LAYERS");
    size_t count;
    const wpg_layer_family *families = wpg_layer_families(&count);
    /* Named already, it stands where the user wants it. */
    extend_search(print, folder, *layers && !wpg_list_contains(layers, families[0].layer));
    char *list = strdup(layers);
    /* Which family the program is of is seldom known: what is named here may start others. */
    for (size_t i = 0; list && i < count; i++) {
        char path[PATH_MAX];
        if (wpg_family_manifest(path, "explicit", &families[i]) &&
            !wpg_list_contains(list, families[i].layer))
            append(&list, families[i].layer);
    }
    if (list && strcmp(list, layers) != 0)
        wpg_environment_set(print, "VK_INSTANCE_LAYERS", list);
    free(list);
    return 0;
}
