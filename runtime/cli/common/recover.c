#include "runtime/cli/common/recover.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <vulkan/vk_layer.h>

#include "runtime/cli/common/command.h"
#include "runtime/cli/common/manifest.h"
#include "runtime/counters/recover.h"

static bool has_journal(const char *path)
{
    bool found = false;
    DIR *listing = opendir(path);
    for (const struct dirent *entry; listing && !found && (entry = readdir(listing));) {
        size_t length = strlen(entry->d_name), tail = sizeof WPG_LIVE_ENDING - 1;
        found = strncmp(entry->d_name, WPG_LIVE_PREFIX, sizeof WPG_LIVE_PREFIX - 1) == 0 && length > tail &&
                strcmp(entry->d_name + length - tail, WPG_LIVE_ENDING) == 0;
    }
    if (listing)
        (void)closedir(listing);
    return found;
}

static PFN_vkNegotiateLoaderLayerInterfaceVersion find_layer(void)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    wpg_manifest manifest;
    wpg_error err;
    if (!wpg_own_manifest_folder(folder, "explicit"))
        return NULL;
    (void)snprintf(path, sizeof path, "%s/%s", folder, wpg_own_manifest_name());
    if (wpg_manifest_read(&manifest, path, &err) != WPG_OK)
        return NULL;
    void *library = manifest.count ? dlopen(manifest.layers[0].library, RTLD_NOW | RTLD_LOCAL) : NULL;
    wpg_manifest_finish(&manifest);
    return library ? (PFN_vkNegotiateLoaderLayerInterfaceVersion)dlsym(
                         library, "vkNegotiateLoaderLayerInterfaceVersion")
                   : NULL;
}

void wpg_recover_folder(const char *command, const char *path, bool quiet)
{
    if (!has_journal(path))
        return;
    wpg_recover_request request = {.type = WPG_RECOVER_MAGIC, .folder = path};
    VkNegotiateLayerInterface negotiation = {
        .sType = LAYER_NEGOTIATE_INTERFACE_STRUCT, .pNext = &request, .loaderLayerInterfaceVersion = 2};
    PFN_vkNegotiateLoaderLayerInterfaceVersion layer = find_layer();
    if (!layer || layer(&negotiation) != VK_SUCCESS) {
        (void)wpg_complain(0, command,
                           "warning: %s holds counts of killed runs (" WPG_LIVE_PREFIX "*" WPG_LIVE_ENDING
                           ") and the layer is not beside this command to read them: they are left out",
                           path);
        return;
    }
    if (request.runs && !quiet)
        (void)wpg_complain(0, command, "%s: the counts of %zu killed runs are in %zu profiles now", path,
                           request.runs, request.profiles);
    if (request.left)
        (void)wpg_complain(0, command,
                           "warning: %s: the counts of %zu killed runs (" WPG_LIVE_PREFIX "*" WPG_LIVE_ENDING
                           ") are left out: %s",
                           path, request.left, request.why.message);
}
