/* Counters by binding: the commands that push descriptors (VK_KHR_push_descriptor, Vulkan 1.4), and those of
 * VK_KHR_maintenance6 and Vulkan 1.4 that name their layout and stages by a structure. All go down as they
 * came. Templates that push are noted: their data is pushed again as plain values, which need no template. */
#include <stdlib.h>
#include <string.h>

#include "layer/base/newer.h"
#include "layer/commands/counter_sets.h"
#include "runtime/base/log.h"

/* -- What is noted */

static void say_lost(void)
{
    wpg_log_once(WPG_LOG_WARN, "push descriptors could not be kept (out of memory, or of an unknown kind): a "
                               "draw or dispatch reads wrong ones where a set of counters takes their place");
}

/* Returns where a push into the set is noted; NULL: it is not followed. */
static wpg_pushed *noted(wpg_recording *recording, VkPipelineBindPoint point, VkPipelineLayout layout,
                         uint32_t set)
{
    wpg_descriptor_state *state = wpg_counter_sets_at(recording, point);
    if (!state)
        return NULL;
    wpg_pushed *pushed = wpg_descriptors_pushed(state, wpg_counter_layout_of(recording->device, layout), set);
    if (!pushed)
        say_lost();
    return pushed;
}

/* The values were noted only in part. */
static void lose(wpg_recording *recording, VkPipelineBindPoint point, uint32_t set)
{
    wpg_descriptors_forget(wpg_counter_sets_at(recording, point), set);
    say_lost();
}

static void note_writes(wpg_recording *recording, VkPipelineBindPoint point, VkPipelineLayout layout,
                        uint32_t set, uint32_t count, const VkWriteDescriptorSet *writes)
{
    wpg_pushed *pushed = noted(recording, point, layout, set);
    if (pushed && !wpg_pushed_write(pushed, count, writes))
        lose(recording, point, set);
}

static void note_template(wpg_recording *recording, VkDescriptorUpdateTemplate by, VkPipelineLayout layout,
                          uint32_t set, const void *data)
{
    if (!recording || !recording->device->counter_sets)
        return;
    const wpg_push_template *known = wpg_handles_get(wpg_counter_templates(recording->device), (uint64_t)by);
    if (known) {
        wpg_pushed *pushed = noted(recording, known->point, layout, set);
        if (pushed && !wpg_pushed_write_by(pushed, known, data))
            lose(recording, known->point, set);
        return;
    }
    for (int point = VK_PIPELINE_BIND_POINT_GRAPHICS; point <= VK_PIPELINE_BIND_POINT_COMPUTE; point++)
        (void)noted(recording, (VkPipelineBindPoint)point, VK_NULL_HANDLE, set);
}

/* The bind points of the stages: 0, 1 or both of those that are followed. */
static uint32_t points_of(VkPipelineBindPoint points[2], VkShaderStageFlags stages)
{
    uint32_t count = 0;
    if (stages & (VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT))
        points[count++] = VK_PIPELINE_BIND_POINT_GRAPHICS;
    if (stages & VK_SHADER_STAGE_COMPUTE_BIT)
        points[count++] = VK_PIPELINE_BIND_POINT_COMPUTE;
    return count;
}

/* -- Templates */

static void keep_template(wpg_device *device, const VkDescriptorUpdateTemplateCreateInfo *info,
                          VkDescriptorUpdateTemplate made)
{
    if (!device->counter_sets ||
        info->templateType != VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR)
        return;
    wpg_handles *known = wpg_counter_templates(device);
    free(wpg_handles_remove(known, (uint64_t)made)); /* destroyed behind our back */
    wpg_push_template *record = wpg_push_template_make(info);
    if (record && !wpg_handles_set(known, (uint64_t)made, record))
        free(record);
}

static void drop_template(wpg_device *device, VkDescriptorUpdateTemplate which)
{
    if (device->counter_sets && which)
        free(wpg_handles_remove(wpg_counter_templates(device), (uint64_t)which));
}

#define CREATE_TEMPLATE(name)                                                                                \
    static VKAPI_ATTR VkResult VKAPI_CALL hook_##name(                                                       \
        VkDevice handle, const VkDescriptorUpdateTemplateCreateInfo *info,                                   \
        const VkAllocationCallbacks *allocator, VkDescriptorUpdateTemplate *made)                            \
    {                                                                                                        \
        wpg_device *device = wpg_device_of(handle);                                                          \
        if (!device)                                                                                         \
            return VK_ERROR_INITIALIZATION_FAILED;                                                           \
        const VkResult result = device->next.name(handle, info, allocator, made);                            \
        if (result == VK_SUCCESS)                                                                            \
            keep_template(device, info, *made);                                                              \
        return result;                                                                                       \
    }
CREATE_TEMPLATE(CreateDescriptorUpdateTemplate)
CREATE_TEMPLATE(CreateDescriptorUpdateTemplateKHR)

#define DESTROY_TEMPLATE(name)                                                                               \
    static VKAPI_ATTR void VKAPI_CALL hook_##name(VkDevice handle, VkDescriptorUpdateTemplate which,         \
                                                  const VkAllocationCallbacks *allocator)                    \
    {                                                                                                        \
        wpg_device *device = wpg_device_of(handle);                                                          \
        if (!device)                                                                                         \
            return;                                                                                          \
        drop_template(device, which);                                                                        \
        device->next.name(handle, which, allocator);                                                         \
    }
DESTROY_TEMPLATE(DestroyDescriptorUpdateTemplate)
DESTROY_TEMPLATE(DestroyDescriptorUpdateTemplateKHR)

/* -- Pushes */

#define PUSH(name)                                                                                           \
    static VKAPI_ATTR void VKAPI_CALL hook_##name(VkCommandBuffer commands, VkPipelineBindPoint point,       \
                                                  VkPipelineLayout layout, uint32_t set, uint32_t count,     \
                                                  const VkWriteDescriptorSet *writes)                        \
    {                                                                                                        \
        wpg_recording *recording;                                                                            \
        const wpg_device_commands *next = wpg_record_enter(&recording, commands);                            \
        if (!next)                                                                                           \
            return;                                                                                          \
        note_writes(recording, point, layout, set, count, writes);                                           \
        ((PFN_vkCmdPushDescriptorSetKHR)next->name)(commands, point, layout, set, count, writes);            \
    }
PUSH(CmdPushDescriptorSet)
PUSH(CmdPushDescriptorSetKHR)

#define PUSH_BY(name)                                                                                        \
    static VKAPI_ATTR void VKAPI_CALL hook_##name(VkCommandBuffer commands, VkDescriptorUpdateTemplate by,   \
                                                  VkPipelineLayout layout, uint32_t set, const void *data)   \
    {                                                                                                        \
        wpg_recording *recording;                                                                            \
        const wpg_device_commands *next = wpg_record_enter(&recording, commands);                            \
        if (!next)                                                                                           \
            return;                                                                                          \
        note_template(recording, by, layout, set, data);                                                     \
        ((PFN_vkCmdPushDescriptorSetWithTemplateKHR)next->name)(commands, by, layout, set, data);            \
    }
PUSH_BY(CmdPushDescriptorSetWithTemplate)
PUSH_BY(CmdPushDescriptorSetWithTemplateKHR)

/* -- By a structure. A layout of VK_NULL_HANDLE needs VK_NV_per_stage_descriptor_set, which is refused: it is
 * an unknown one. */

static void note_binds(wpg_recording *recording, const wpg_bind_descriptor_sets_info *info)
{
    VkPipelineBindPoint points[2];
    const uint32_t count = points_of(points, info->stageFlags);
    for (uint32_t i = 0; i < count; i++) {
        wpg_descriptor_state *state = wpg_counter_sets_at(recording, points[i]);
        if (state)
            wpg_descriptors_bound(state, wpg_counter_layout_of(recording->device, info->layout),
                                  info->firstSet, info->descriptorSetCount, info->pDescriptorSets,
                                  info->dynamicOffsetCount, info->pDynamicOffsets);
    }
}

static void note_push(wpg_recording *recording, const wpg_push_descriptor_set_info *info)
{
    VkPipelineBindPoint points[2];
    const uint32_t count = points_of(points, info->stageFlags);
    for (uint32_t i = 0; i < count; i++)
        note_writes(recording, points[i], info->layout, info->set, info->descriptorWriteCount,
                    info->pDescriptorWrites);
}

static void note_push_by(wpg_recording *recording, const wpg_push_descriptor_set_by_info *info)
{
    note_template(recording, info->descriptorUpdateTemplate, info->layout, info->set, info->pData);
}

#define BY_INFO(name, type, note)                                                                            \
    static VKAPI_ATTR void VKAPI_CALL hook_##name(VkCommandBuffer commands, const type *info)                \
    {                                                                                                        \
        wpg_recording *recording;                                                                            \
        const wpg_device_commands *next = wpg_record_enter(&recording, commands);                            \
        if (!next)                                                                                           \
            return;                                                                                          \
        note(recording, info);                                                                               \
        ((void(VKAPI_PTR *)(VkCommandBuffer, const type *))next->name)(commands, info);                      \
    }
BY_INFO(CmdBindDescriptorSets2, wpg_bind_descriptor_sets_info, note_binds)
BY_INFO(CmdBindDescriptorSets2KHR, wpg_bind_descriptor_sets_info, note_binds)
BY_INFO(CmdPushDescriptorSet2, wpg_push_descriptor_set_info, note_push)
BY_INFO(CmdPushDescriptorSet2KHR, wpg_push_descriptor_set_info, note_push)
BY_INFO(CmdPushDescriptorSetWithTemplate2, wpg_push_descriptor_set_by_info, note_push_by)
BY_INFO(CmdPushDescriptorSetWithTemplate2KHR, wpg_push_descriptor_set_by_info, note_push_by)

#define HOOK(command)                                                                                        \
    {                                                                                                        \
        "vk" #command, (PFN_vkVoidFunction)hook_##command                                                    \
    }
static const struct {
    const char *name;
    PFN_vkVoidFunction function;
} hooks[] = {HOOK(CreateDescriptorUpdateTemplate),
             HOOK(CreateDescriptorUpdateTemplateKHR),
             HOOK(DestroyDescriptorUpdateTemplate),
             HOOK(DestroyDescriptorUpdateTemplateKHR),
             HOOK(CmdPushDescriptorSet),
             HOOK(CmdPushDescriptorSetKHR),
             HOOK(CmdPushDescriptorSetWithTemplate),
             HOOK(CmdPushDescriptorSetWithTemplateKHR),
             HOOK(CmdBindDescriptorSets2),
             HOOK(CmdBindDescriptorSets2KHR),
             HOOK(CmdPushDescriptorSet2),
             HOOK(CmdPushDescriptorSet2KHR),
             HOOK(CmdPushDescriptorSetWithTemplate2),
             HOOK(CmdPushDescriptorSetWithTemplate2KHR)};

PFN_vkVoidFunction wpg_counter_push_hook(const char *name)
{
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (strcmp(hooks[i].name, name) == 0)
            return hooks[i].function;
    return NULL;
}
