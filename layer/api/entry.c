/* The layer's only exported symbol, and the commands that the layer intercepts.
 *
 *     loader --negotiate--> GetInstanceProcAddr, GetDeviceProcAddr --> ours if intercepted, else the next
 *                                                                     layer's own pointer
 *
 * In off mode, and below an instance or device that passes through, only creation and destruction are ours,
 * because the chain has to be advanced. No other command is touched. Source: LoaderLayerInterface.md. */
#include <string.h>

#include "layer/api/hooks.h"
#include "layer/api/libraries.h"
#include "layer/api/lifetime.h"
#include "layer/api/loss.h"
#include "layer/api/shader_objects.h"
#include "layer/commands/content_record.h"
#include "layer/commands/counter_sets.h"
#include "layer/commands/record_queries.h"
#include "layer/contents/contents.h"
#include "layer/commands/sample_bind.h"
#include "layer/profile/bundle_files.h"
#include "layer/profile/recover.h"
#include "layer/profile/ticker.h"
#include "layer/profile/times.h"
#include "layer/rewrite/object_names.h"
#include "layer/rewrite/shader_modules.h"
#include "layer/variants/variants.h"

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name);

/* IN_RECORD: where command buffers are followed, in generate and tune mode or for variants; IN_QUERIES: and
 * measured; IN_CONTENTS: draws by contents of uniform blocks; IN_BINDING: counters by descriptor sets. */
enum {
    IN_GENERATE = 1 << WPG_MODE_GENERATE,
    IN_USE = 1 << WPG_MODE_USE,
    IN_TUNE = 1 << WPG_MODE_TUNE,
    IN_ACTIVE = IN_GENERATE | IN_USE | IN_TUNE,
    IN_RECORD = 1 << 8,
    IN_QUERIES = 1 << 9,
    IN_CONTENTS = 1 << 10,
    IN_BINDING = 1 << 11,
    ALWAYS = ~0
};

typedef struct hook {
    const char *name;
    PFN_vkVoidFunction function;
    int modes;
} hook;

#define HOOK(name, function, modes)                                                                          \
    {                                                                                                        \
        name, (PFN_vkVoidFunction)(function), modes                                                          \
    }

static const hook instance_hooks[] = {
    HOOK("vkGetInstanceProcAddr", get_instance_proc_addr, ALWAYS),
    HOOK("vkCreateInstance", wpg_create_instance, ALWAYS),
    HOOK("vkDestroyInstance", wpg_destroy_instance, ALWAYS),
    HOOK("vkCreateDevice", wpg_create_device, ALWAYS),
};

static const hook device_hooks[] = {
    HOOK("vkGetDeviceProcAddr", get_device_proc_addr, ALWAYS),
    HOOK("vkDestroyDevice", wpg_destroy_device, ALWAYS),
    HOOK("vkCreateShaderModule", wpg_create_shader_module, IN_ACTIVE),
    HOOK("vkDestroyShaderModule", wpg_destroy_shader_module, IN_ACTIVE),
    HOOK("vkCreateGraphicsPipelines", wpg_create_graphics_pipelines, IN_ACTIVE),
    HOOK("vkCreateComputePipelines", wpg_create_compute_pipelines, IN_ACTIVE),
    HOOK("vkCreateShadersEXT", wpg_create_shaders, IN_ACTIVE),
    HOOK("vkDestroyShaderEXT", wpg_destroy_shader, IN_ACTIVE),
    HOOK("vkCmdBindShadersEXT", wpg_bind_shaders, IN_ACTIVE),
    HOOK("vkGetShaderBinaryDataEXT", wpg_get_shader_binary, IN_ACTIVE),
    HOOK("vkCreateRayTracingPipelinesKHR", wpg_create_ray_tracing_pipelines, IN_ACTIVE),
    HOOK("vkDestroyPipeline", wpg_destroy_pipeline, IN_ACTIVE),
    HOOK("vkDestroyRenderPass", wpg_destroy_render_pass, IN_ACTIVE),
    HOOK("vkDestroyPipelineLayout", wpg_record_DestroyPipelineLayout, IN_ACTIVE),
    HOOK("vkQueueSubmit", wpg_queue_submit, IN_ACTIVE),
    HOOK("vkQueueSubmit2", wpg_queue_submit2, IN_ACTIVE),
    HOOK("vkQueueSubmit2KHR", wpg_queue_submit2_khr, IN_ACTIVE),
    HOOK("vkQueuePresentKHR", wpg_queue_present, IN_ACTIVE),
#define RECORD(command) HOOK("vk" #command, wpg_record_##command, IN_RECORD),
    WPG_RECORD_HOOKS(RECORD) RECORD(CmdPushConstants2) RECORD(CmdPushConstants2KHR) RECORD(CmdBindShadersEXT)
#undef RECORD
        HOOK("vkCreateDescriptorSetLayout", wpg_counter_CreateDescriptorSetLayout, IN_BINDING),
    HOOK("vkDestroyDescriptorSetLayout", wpg_counter_DestroyDescriptorSetLayout, IN_BINDING),
    HOOK("vkCmdBindDescriptorSets", wpg_counter_CmdBindDescriptorSets, IN_BINDING),
#define CONTENT(command) HOOK("vk" #command, wpg_contents_##command, IN_CONTENTS),
    WPG_CONTENT_HOOKS(CONTENT)
#undef CONTENT
#define CONTENT(command) HOOK("vk" #command, wpg_content_##command, IN_CONTENTS),
        WPG_CONTENT_COMMANDS(CONTENT)
#undef CONTENT
#define QUERY(command) HOOK("vk" #command, wpg_record_##command, IN_QUERIES),
            WPG_QUERY_HOOKS(QUERY)
#undef QUERY
#define RECORD(command) HOOK("vk" #command, wpg_record_##command, IN_ACTIVE),
                WPG_RECORD_LIFE_HOOKS(RECORD)
#undef RECORD
    /* Where command buffers are followed too, the record hooks above come first. */
    HOOK("vkCreateRenderPass", wpg_record_CreateRenderPass, IN_ACTIVE),
    HOOK("vkCreateRenderPass2", wpg_record_CreateRenderPass2, IN_ACTIVE),
    HOOK("vkCreateRenderPass2KHR", wpg_record_CreateRenderPass2KHR, IN_ACTIVE),
    HOOK("vkSetDebugUtilsObjectNameEXT", wpg_object_names_SetDebugUtilsObjectNameEXT, IN_ACTIVE),
    HOOK("vkDebugMarkerSetObjectNameEXT", wpg_object_names_DebugMarkerSetObjectNameEXT, IN_ACTIVE),
    HOOK("vkCmdBindPipeline", wpg_sample_bind_pipeline, IN_ACTIVE),
#define LOSS(command) HOOK("vk" #command, wpg_loss_##command, IN_ACTIVE),
    WPG_LOSS_HOOKS(LOSS)
#undef LOSS
};

#define FIND(hooks, name, modes) find_hook(hooks, sizeof(hooks) / sizeof *(hooks), name, modes)

static PFN_vkVoidFunction find_hook(const hook *hooks, size_t count, const char *name, int modes)
{
    for (size_t i = 0; i < count; i++)
        if ((hooks[i].modes & modes) && strcmp(hooks[i].name, name) == 0)
            return hooks[i].function;
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name)
{
    wpg_device *known = wpg_device_of(device);
    if (!known)
        return NULL;
    PFN_vkVoidFunction ours =
        FIND(device_hooks, name,
             1 << known->mode | (known->records ? IN_RECORD : 0) | (known->queries ? IN_QUERIES : 0) |
                 (known->contents ? IN_CONTENTS : 0) | (known->counter_sets ? IN_BINDING : 0));
    if (!ours && known->contents)
        ours = wpg_content_new_hook(name);
    if (!ours && known->counter_sets)
        ours = wpg_counter_push_hook(name);
    /* A command the device does not have stays absent. */
    PFN_vkVoidFunction theirs = known->next.GetDeviceProcAddr(device, name);
    return ours && theirs ? ours : theirs;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction ours = FIND(instance_hooks, name, 1 << WPG_MODE_OFF);
    if (ours)
        return ours;
    wpg_instance *known = instance ? wpg_instance_of(instance) : NULL;
    if (!known)
        return NULL;
    /* Commands of devices of this instance: the device decides at the call whether it passes through, since
     * one pointer serves all of them. Only vkGetDeviceProcAddr and vkDestroyDevice when none can be active.
     */
    wpg_mode mode = known->active ? wpg_the_process.mode : WPG_MODE_OFF;
    const wpg_settings *settings = &wpg_the_process.settings;
    const bool binding = mode == WPG_MODE_GENERATE && settings->counter_way != WPG_WAY_ADDRESS;
    bool records = mode == WPG_MODE_TUNE || (mode == WPG_MODE_GENERATE && wpg_bundle_on()) ||
                   (mode == WPG_MODE_USE && wpg_variants_possible()) || binding ||
                   (mode != WPG_MODE_OFF && wpg_ticker_wanted());
    bool queries = records && (mode != WPG_MODE_USE || wpg_times_on()) &&
                   (mode == WPG_MODE_TUNE || settings->timestamps || settings->pipeline_statistics ||
                    (settings->hardware_counters && *settings->hardware_counters));
    const bool contents = known->active && wpg_contents_possible();
    ours = FIND(device_hooks, name,
                1 << mode | (records ? IN_RECORD : 0) | (queries ? IN_QUERIES : 0) |
                    (contents ? IN_CONTENTS : 0) | (binding ? IN_BINDING : 0));
    if (!ours && contents)
        ours = wpg_content_new_hook(name);
    if (!ours && binding)
        ours = wpg_counter_push_hook(name);
    PFN_vkVoidFunction theirs = known->next.GetInstanceProcAddr(instance, name);
    return ours && theirs ? ours : theirs;
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiation);

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiation)
{
    if (!negotiation || negotiation->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
        negotiation->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    wpg_recover_request *request = negotiation->pNext;
    if (request && request->type == WPG_RECOVER_MAGIC) { /* the wavepgo command, no loader */
        wpg_recover(request);
        return VK_SUCCESS;
    }
    wpg_process_load();
    negotiation->loaderLayerInterfaceVersion = 2;
    negotiation->pfnGetInstanceProcAddr = get_instance_proc_addr;
    negotiation->pfnGetDeviceProcAddr = get_device_proc_addr;
    negotiation->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
