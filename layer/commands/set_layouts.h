/* Counters by binding: what is known of the program's layouts of sets.
 *
 * Two are the same if their definitions are (14.2.2): flags, bindings by number, immutable samplers, flags
 * of bindings. The device's limits decide whether a pipeline layout has room for one more set. If one of its
 * sets may be updated after the bind, further limits hold, which count all sets.
 *
 * Owns: nothing of the program's. Threads: any; a layout does not change. Source: Vulkan 1.4, 14.2.1
 * (VkPipelineLayoutCreateInfo, valid usage) and 14.2.2. */
#ifndef WPG_LAYER_COMMANDS_SET_LAYOUTS_H
#define WPG_LAYER_COMMANDS_SET_LAYOUTS_H

#include "layer/base/state.h"
#include "layer/commands/pushed_descriptors.h"

enum { WPG_MOST_SETS = 32, WPG_SET_STAGES = 8 };

/* Descriptors that count against limits, by stage bit and in all. */
typedef struct wpg_set_counts {
    uint32_t storage[WPG_SET_STAGES], resources[WPG_SET_STAGES];
    uint32_t storage_in_all;
} wpg_set_counts;

typedef struct wpg_set_layout {
    wpg_hash128 definition;
    uint32_t dynamic; /* offsets that a bind takes */
    bool updated_after_bind;
    wpg_set_counts counts;
    wpg_push_shape *pushed; /* owned; NULL: an ordinary set */
} wpg_set_layout;

/* VK_NULL_HANDLE in a pipeline layout: no set is bound there. */
extern const wpg_set_layout wpg_set_layout_none;

/* NULL: memory runs out. */
wpg_set_layout *wpg_set_layout_make(const VkDescriptorSetLayoutCreateInfo *info,
                                    VkDescriptorSetLayout handle);
void wpg_set_layout_free(wpg_set_layout *layout); /* NULL: nothing */

typedef struct wpg_set_limits {
    uint32_t sets;
    struct wpg_set_limit {
        uint32_t storage, resources, storage_in_all;
    } ordinary, updated_after_bind;
} wpg_set_limits;

void wpg_set_limits_read(wpg_set_limits *limits, const wpg_device *device, VkPhysicalDevice physical);
/* Why a pipeline layout of these sets has no room for a set with one storage buffer; static, NULL: it has. */
const char *wpg_set_layouts_no_room(const wpg_set_limits *limits, const wpg_set_layout *const *of,
                                    uint32_t count);

#endif
