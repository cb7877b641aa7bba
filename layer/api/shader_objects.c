/* Creates each object twice, the program's own first. The driver's result for the program's own is returned
 * to the program. */
#include "layer/api/shader_objects.h"

#include <stdlib.h>

#include "layer/base/clock.h"
#include "layer/base/flight_recorder.h"
#include "layer/base/summary.h"
#include "layer/commands/record_objects.h"
#include "layer/rewrite/pipeline_plan.h"
#include "layer/variants/variants.h"

typedef struct twin {
    wpg_shader original;
    wpg_hold *hold; /* of ours, where it counts */
} twin;

/* One object of a call. */
typedef struct candidate {
    wpg_pipeline_plan plan;
    VkShaderModuleCreateInfo words; /* for the plan */
    VkPipelineShaderStageCreateInfo stage;
    bool wanted;     /* made anew */
    uint32_t flight; /* flight_recorder.h */
} candidate;

static void free_twin(void *record, void *context)
{
    twin *found = record;
    (void)context;
    free(found->hold);
    free(found);
}

void wpg_shader_objects_finish(wpg_device *device)
{
    wpg_handles_each(&device->shaders, free_twin, NULL);
    wpg_handles_finish(&device->shaders);
}

static void forget(wpg_device *device, twin *gone)
{
    if (gone)
        wpg_hold_release(device, gone->hold);
    free(gone);
}

static VkResult call_driver(const wpg_device *device, uint32_t count, const wpg_shader_create_info *infos,
                            const VkAllocationCallbacks *allocator, wpg_shader *shaders)
{
    return ((wpg_pfn_create_shaders)device->next.CreateShadersEXT)(device->handle, count, infos, allocator,
                                                                   shaders);
}

static void destroy(const wpg_device *device, wpg_shader shader, const VkAllocationCallbacks *allocator)
{
    ((wpg_pfn_destroy_shader)device->next.DestroyShaderEXT)(device->handle, shader, allocator);
}

static const char *unsupported(const wpg_shader_create_info *info)
{
    if (info->codeType != WPG_SHADER_CODE_SPIRV)
        return "made of a shader binary";
    if (info->flags & WPG_SHADER_INDIRECT_BINDABLE)
        return "for device-generated commands";
    if (info->flags >= WPG_SHADER_INDIRECT_BINDABLE)
        return "made with flags newer than this layer";
    return info->pName ? NULL : "made of no entry point";
}

static void plan_object(candidate *one, wpg_device *device, const wpg_shader_create_info *info)
{
    const char *why = unsupported(info);
    one->words = (VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = info->codeSize,
                                            .pCode = info->pCode};
    one->stage =
        (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                          .pNext = &one->words,
                                          .stage = info->stage,
                                          .pName = info->pName,
                                          .pSpecializationInfo = info->pSpecializationInfo};
    if (why)
        wpg_pipeline_plan_pass(&one->plan, device, &one->stage, 1, why);
    else
        wpg_pipeline_plan_make(&one->plan, device, &one->stage, 1, WPG_PLAN_SHADER, NULL);
    if (one->plan.later)
        wpg_later_words(device, &one->plan);
    one->wanted = one->plan.changed;
}

/* Linked objects are made in one call: all of them anew, or none. */
static void want_linked(candidate *all, uint32_t count, const wpg_shader_create_info *infos)
{
    bool linked = false;
    for (uint32_t i = 0; i < count; i++)
        linked |= all[i].wanted && (infos[i].flags & WPG_SHADER_LINK_STAGE);
    for (uint32_t i = 0; i < count; i++)
        all[i].wanted |= linked && (infos[i].flags & WPG_SHADER_LINK_STAGE);
}

/* Suspects go by handle, whatever it is of. */
static VkPipeline suspect_of(wpg_shader shader)
{
    return (VkPipeline)shader;
}

/* Ours in the place of the program's; false: none of them could be made, the program keeps its own. */
static bool replace(wpg_device *device, const candidate *all, uint32_t count,
                    const wpg_shader_create_info *infos, const VkAllocationCallbacks *allocator,
                    wpg_shader *shaders)
{
    uint32_t made = 0, kept = 0;
    wpg_shader_create_info *mine = calloc(count, sizeof *mine);
    wpg_shader *ours = calloc(count, sizeof *ours);
    twin **twins = calloc(count, sizeof(twin *));
    bool good = mine && ours && twins;
    for (uint32_t i = 0; good && i < count; i++) {
        if (!all[i].wanted)
            continue;
        mine[made] = infos[i];
        if (all[i].plan.changed) {
            const wpg_rewrite *stage = &all[i].plan.stages[0];
            mine[made].codeSize = stage->out_count * sizeof *stage->out_words;
            mine[made].pCode = stage->out_words;
            mine[made].pSpecializationInfo = NULL; /* the values are in the words */
        }
        twins[made] = calloc(1, sizeof **twins);
        good = twins[made++] != NULL;
    }
    if (good && made) {
        good = call_driver(device, made, mine, allocator, ours) == VK_SUCCESS;
        /* Room in the map for all of them before the first is given to the program. */
        for (uint32_t i = 0, at = 0; i < count && good; i++) {
            if (!all[i].wanted)
                continue;
            twins[at]->original = shaders[i];
            forget(device, wpg_handles_remove(&device->shaders, ours[at])); /* destroyed behind our back */
            good = wpg_handles_set(&device->shaders, ours[at], twins[at]);
            at += good;
            kept = at;
        }
    }
    for (uint32_t i = 0, at = 0; good && i < count; i++)
        if (all[i].wanted)
            shaders[i] = ours[at++];
    for (uint32_t i = 0; !good && i < made; i++) {
        if (i < kept)
            (void)wpg_handles_remove(&device->shaders, ours[i]);
        if (ours && ours[i])
            destroy(device, ours[i], allocator);
        free(twins[i]);
    }
    free(mine);
    free(ours);
    free(twins);
    return good;
}

VkResult VKAPI_CALL wpg_create_shaders(VkDevice handle, uint32_t count, const wpg_shader_create_info *infos,
                                       const VkAllocationCallbacks *allocator, wpg_shader *shaders)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    uint64_t start = wpg_now();
    VkResult result = call_driver(device, count, infos, allocator, shaders);
    if (result != VK_SUCCESS || device->mode == WPG_MODE_OFF || !wpg_process_is_owner())
        return result;
    uint64_t drivers = wpg_now() - start;
    candidate *all = calloc(count, sizeof *all);
    if (!all)
        return result;
    for (uint32_t i = 0; i < count; i++)
        plan_object(&all[i], device, &infos[i]);
    want_linked(all, count, infos);
    for (uint32_t i = 0; i < count; i++)
        all[i].flight = all[i].plan.changed ? wpg_flight_begin(all[i].plan.hash) : 0;
    bool good = replace(device, all, count, infos, allocator, shaders);
    for (uint32_t i = 0; i < count; i++)
        wpg_flight_end(all[i].flight);
    for (uint32_t i = 0; i < count; i++) {
        if (good && all[i].plan.changed) {
            wpg_attribution_add(device, suspect_of(shaders[i]), all[i].plan.hash);
            wpg_attribution_weigh(device, all[i].plan.hash, wpg_pipeline_plan_words(&all[i].plan));
        }
        wpg_pipeline_plan_commit(&all[i].plan, good || !all[i].plan.changed);
        twin *ours = all[i].plan.changed ? wpg_handles_get(&device->shaders, shaders[i]) : NULL;
        if (ours)
            ours->hold = wpg_pipeline_plan_take_hold(&all[i].plan);
        wpg_record_object(device, shaders[i], &all[i].plan, &infos[i]);
        wpg_pipeline_plan_finish(&all[i].plan);
    }
    free(all);
    wpg_summary_time(wpg_now() - start - drivers, drivers);
    return result;
}

void VKAPI_CALL wpg_destroy_shader(VkDevice handle, wpg_shader shader, const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    wpg_record_object_gone(device, shader);
    twin *found = shader ? wpg_handles_remove(&device->shaders, shader) : NULL;
    if (found) {
        wpg_attribution_remove(device, suspect_of(shader));
        destroy(device, found->original, allocator);
    }
    destroy(device, shader, allocator);
    forget(device, found);
}

void VKAPI_CALL wpg_bind_shaders(VkCommandBuffer commands, uint32_t count,
                                 const VkShaderStageFlagBits *stages, const wpg_shader *shaders)
{
    wpg_recording *recording = wpg_recording_of(commands);
    for (uint32_t i = 0; recording && shaders && i < count; i++)
        if (shaders[i])
            wpg_attribution_bind(recording->device, &recording->blamed, suspect_of(shaders[i]));
    wpg_record_CmdBindShadersEXT(commands, count, stages, shaders);
}

VkResult VKAPI_CALL wpg_get_shader_binary(VkDevice handle, wpg_shader shader, size_t *size, void *data)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    const twin *found = wpg_handles_get(&device->shaders, shader);
    return ((wpg_pfn_get_shader_binary)device->next.GetShaderBinaryDataEXT)(
        handle, found ? found->original : shader, size, data);
}
