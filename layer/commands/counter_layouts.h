/* Counters by binding: pipeline layouts with one more descriptor set, and the sets that lead to counters.
 *
 *     program's layout  [ set 0 | ... | set N-1 ]
 *     ours              [ set 0 | ... | set N-1 | counters ]      equal push constants; for sets below N
 *                                                                 compatible with the program's
 *
 * A layout of ours is made with the program's, since the program may destroy its set layouts, and its layout,
 * right after it has made its pipelines (VK_KHR_maintenance4). A pipeline that counts is made with ours. It
 * has a descriptor set of its own, whose range is its slot's counters: no word of a shader depends on what
 * was made before. A set is written again once its pipeline is destroyed: then no command buffer that has it
 * bound may run.
 *
 * What is noted is needed to give the program back its own sets (counter_sets.h).
 *
 * Owns: layouts until the program's layout and all its pipelines are gone; pools and sets until the device.
 * Threads: any. Source: Vulkan 1.3, 14.2.2, Pipeline Layout Compatibility. */
#ifndef WPG_LAYER_COMMANDS_COUNTER_LAYOUTS_H
#define WPG_LAYER_COMMANDS_COUNTER_LAYOUTS_H

#include "layer/commands/set_layouts.h"

typedef struct wpg_counter_layout {
    atomic_uint references;
    VkPipelineLayout handle; /* ours; without the set of counters where `why` says so */
    const char *why;         /* static: it has no set of counters; NULL: the set is at index `count` */
    uint32_t count;          /* of the program's sets */
    wpg_hash128 compatible[WPG_MOST_SETS]; /* equal: layouts are compatible for sets up to this one; ours at
                                              `count`, where there is one */
    uint32_t dynamic[WPG_MOST_SETS];       /* dynamic offsets of each set */
    uint32_t push_set;                     /* which of the sets has push descriptors; of use where */
    wpg_push_shape *pushed;                /* they are; held; NULL: none has */
} wpg_counter_layout;

/* What the pipeline was made with. */
typedef struct wpg_counter_pipeline {
    wpg_counter_layout *layout;
    VkDescriptorSet set; /* of its counters, its own; VK_NULL_HANDLE: it does not count */
} wpg_counter_pipeline;

/* Why the device, made with `info`, cannot count by binding; static, NULL: it can. */
const char *wpg_counter_sets_refuse(const VkDeviceCreateInfo *info);
/* device->counter_sets. False: memory runs out, or the driver refuses. */
bool wpg_counter_sets_start(wpg_device *device, VkPhysicalDevice physical);
void wpg_counter_sets_finish(wpg_device *device); /* the device is idle */

/* Notes the program's layout; before it is gone. */
void wpg_counter_layout_add(wpg_device *device, const VkPipelineLayoutCreateInfo *info,
                            VkPipelineLayout program);
void wpg_counter_layout_remove(wpg_device *device, VkPipelineLayout program);
/* NULL: it is not known. Lives as long as the program's layout does. */
wpg_counter_layout *wpg_counter_layout_of(wpg_device *device, VkPipelineLayout program);

/* VkDescriptorUpdateTemplate -> wpg_push_template, of those that push. */
wpg_handles *wpg_counter_templates(wpg_device *device);

/* A descriptor set of the slot's counters, which are placed. False: memory runs out. *set stays
 * VK_NULL_HANDLE on a device without memory. */
bool wpg_counter_set_make(VkDescriptorSet *set, wpg_device *device, const wpg_counter_slot *slot);
/* No command buffer that may run has it bound: another pipeline gets it. */
void wpg_counter_set_drop(wpg_device *device, VkDescriptorSet set);

/* Notes a pipeline, in place of one that had the handle before, and takes the set over. False: memory runs
 * out. */
bool wpg_counter_pipeline_add(wpg_device *device, VkPipeline pipeline, wpg_counter_layout *layout,
                              VkDescriptorSet set);
void wpg_counter_pipeline_remove(wpg_device *device, VkPipeline pipeline);
const wpg_counter_pipeline *wpg_counter_pipeline_of(wpg_device *device, VkPipeline pipeline);

VKAPI_ATTR VkResult VKAPI_CALL
wpg_counter_CreateDescriptorSetLayout(VkDevice handle, const VkDescriptorSetLayoutCreateInfo *info,
                                      const VkAllocationCallbacks *allocator, VkDescriptorSetLayout *made);
VKAPI_ATTR void VKAPI_CALL wpg_counter_DestroyDescriptorSetLayout(VkDevice handle,
                                                                  VkDescriptorSetLayout layout,
                                                                  const VkAllocationCallbacks *allocator);

#endif
