#include "runtime/cli/common/layer_folders.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/cli/common/enable.h"

typedef struct visit {
    void (*look)(void *context, const char *folder);
    void *context;
    const char *kind;
} visit;

/* What has vulkan/<kind>_layer.d in it: every folder of a colon-separated list. */
static void visit_list(const visit *v, const char *list)
{
    for (const char *at = list; *at;) {
        char path[PATH_MAX];
        int width = (int)strcspn(at, ":");
        if (width && snprintf(path, sizeof path, "%.*s/vulkan/%s_layer.d", width, at, v->kind) < PATH_MAX)
            v->look(v->context, path);
        at += width + (at[width] == ':');
    }
}

/* A list variable, or what the specification of XDG base directories says where it is unset. */
static void visit_base(const visit *v, const char *variable, const char *preset, bool in_home)
{
    const char *value = wpg_environment_get(variable), *home = wpg_environment_get("HOME");
    char path[PATH_MAX];
    if (*value)
        visit_list(v, value);
    else if (!in_home)
        visit_list(v, preset);
    else if (*home && snprintf(path, sizeof path, "%s/%s", home, preset) < PATH_MAX)
        visit_list(v, path);
}

void wpg_layer_folders(void (*look)(void *context, const char *folder), void *context, const char *kind)
{
    const visit v = {.look = look, .context = context, .kind = kind};
    visit_base(&v, "XDG_CONFIG_HOME", ".config", true);
    visit_base(&v, "XDG_CONFIG_DIRS", "/etc/xdg", false);
    visit_list(&v, "/usr/local/etc:/etc");
    visit_base(&v, "XDG_DATA_HOME", ".local/share", true);
    visit_base(&v, "XDG_DATA_DIRS", "/usr/local/share:/usr/share", false);
}
