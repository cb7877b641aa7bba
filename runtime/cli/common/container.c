#include "runtime/cli/common/container.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cli/common/layer_folders.h"
#include "runtime/cli/common/manifest.h"

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_steam(const char *word)
{
    const char *name = file_name(word);
    return strcmp(name, "_v2-entry-point") == 0 || strncmp(name, "pressure-vessel", 15) == 0;
}

wpg_container wpg_container_of(char *const *command)
{
    if (!*command)
        return WPG_CONTAINER_NONE;
    for (char *const *word = command; *word; word++)
        if (is_steam(*word))
            return WPG_CONTAINER_STEAM;
    const char *name = file_name(*command);
    if (strcmp(name, "flatpak") == 0)
        return WPG_CONTAINER_FLATPAK;
    if (strncmp(*command, "/snap/", 6) == 0 || strcmp(name, "snap") == 0)
        return WPG_CONTAINER_SNAP;
    return strcmp(name, "bwrap") == 0 ? WPG_CONTAINER_BWRAP : WPG_CONTAINER_NONE;
}

static void look(void *found, const char *folder)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, wpg_own_manifest_name()) < PATH_MAX &&
        access(path, R_OK) == 0)
        *(bool *)found = true;
}

bool wpg_layer_is_installed(void)
{
    bool found = false;
    wpg_layer_folders(look, &found, "implicit");
    return found;
}
