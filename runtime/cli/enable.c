#include "runtime/cli/enable.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cli/command.h"
#include "runtime/cli/manifest.h"

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

/* List variables of the loader are colon-separated; ours goes last, so that others sit above it. */
static void join(bool print, const char *name, const char *first, const char *second)
{
    size_t size = strlen(first) + strlen(second) + 2;
    char *value = malloc(size);
    if (!value)
        return;
    (void)snprintf(value, size, "%s%s%s", first, *first && *second ? ":" : "", second);
    wpg_environment_set(print, name, value);
    free(value);
}

int wpg_enable_layer(bool print, const char *command)
{
    char folder[PATH_MAX];
    if (!wpg_own_manifest_folder(folder, "explicit"))
        return wpg_complain(WPG_EXIT_FAILED, command, "the layer's manifest is not where it should be: %s/%s",
                            folder, wpg_own_manifest_name());
    /* VK_LAYER_PATH, where set, makes the loader ignore VK_ADD_LAYER_PATH. Ours goes last: older loaders
     * (1.3.239) order layers by where they find them, not by their order in VK_INSTANCE_LAYERS. */
    const char *name = *wpg_environment_get("VK_LAYER_PATH") ? "VK_LAYER_PATH" : "VK_ADD_LAYER_PATH";
    join(print, name, wpg_environment_get(name), folder);
    if (!wpg_list_contains(wpg_environment_get("VK_INSTANCE_LAYERS"), WPG_LAYER_NAME))
        join(print, "VK_INSTANCE_LAYERS", wpg_environment_get("VK_INSTANCE_LAYERS"), WPG_LAYER_NAME);
    return 0;
}
