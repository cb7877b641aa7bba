/* Explicit layers come in this order: VK_INSTANCE_LAYERS, then what the program enables; the first is nearest
 * to the program, and implicit layers are above them all. Found as an implicit layer we are above every
 * explicit one; found as an explicit one, above those that come after us. */
#include "layer/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "layer/state.h"

static bool is_one_of(const char *const *known, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(known[i]) == length && memcmp(known[i], name, length) == 0)
            return true;
    return false;
}

typedef struct search {
    const char *const *known;
    size_t known_count;
    bool explicit_here;
    char *found;
    size_t size;
} search;

static void look_at(search *s, const char *name, size_t length)
{
    const size_t ours = sizeof WPG_LAYER_NAME - 1;
    if (length >= ours && memcmp(name, WPG_LAYER_NAME, ours) == 0) {
        if (!s->explicit_here)
            s->found[0] = '\0'; /* those before us are above us */
        s->explicit_here = true;
    } else if (is_one_of(s->known, s->known_count, name, length) && length < s->size) {
        memcpy(s->found, name, length);
        s->found[length] = '\0';
    }
}

static bool find_below(search *s, const VkInstanceCreateInfo *info)
{
    s->found[0] = '\0';
    const char *list = secure_getenv("VK_INSTANCE_LAYERS");
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ":");
        look_at(s, at, length);
        at += length + (at[length] == ':');
    }
    for (uint32_t i = 0; i < info->enabledLayerCount; i++)
        look_at(s, info->ppEnabledLayerNames[i], strlen(info->ppEnabledLayerNames[i]));
    return s->found[0] != '\0';
}

bool wpg_capture_layer_below(char *found, size_t size, const VkInstanceCreateInfo *info)
{
    static const char *const known[] = {"VK_LAYER_LUNARG_gfxreconstruct", "VK_LAYER_RENDERDOC_Capture",
                                        "VK_LAYER_LUNARG_vktrace", "VK_LAYER_fossilize"};
    search s = {.known = known, .known_count = sizeof known / sizeof *known, .found = found, .size = size};
    return find_below(&s, info);
}

bool wpg_validation_layer_below(const VkInstanceCreateInfo *info)
{
    static const char *const known[] = {"VK_LAYER_KHRONOS_validation"};
    char found[64];
    search s = {.known = known, .known_count = 1, .found = found, .size = sizeof found};
    return find_below(&s, info);
}
