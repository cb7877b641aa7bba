/* vkCreateShaderModule and vkDestroyShaderModule: the module itself is the driver's, unchanged; its words are
 * copied. */
#include "layer/shader_modules.h"

#include <stdlib.h>
#include <string.h>

#include "layer/hooks.h"

static uint64_t key_of(VkShaderModule module)
{
    return (uint64_t)module;
}

static void retain(void *record)
{
    wpg_shader_module *module = record;
    (void)atomic_fetch_add_explicit(&module->references, 1, memory_order_relaxed);
}

wpg_shader_module *wpg_shader_module_retain(wpg_device *device, VkShaderModule module)
{
    return wpg_handles_get_retained(&device->modules, key_of(module), retain);
}

void wpg_shader_module_share(wpg_shader_module *module)
{
    retain(module);
}

void wpg_shader_module_release(wpg_shader_module *module)
{
    if (module && atomic_fetch_sub_explicit(&module->references, 1, memory_order_acq_rel) == 1)
        free(module);
}

static void release_each(void *record, void *context)
{
    (void)context;
    wpg_shader_module_release(record);
}

void wpg_shader_modules_finish(wpg_device *device)
{
    wpg_handles_each(&device->modules, release_each, NULL);
    wpg_handles_finish(&device->modules);
}

static wpg_shader_module *copy_words(const VkShaderModuleCreateInfo *info)
{
    size_t count = info->codeSize / sizeof(uint32_t);
    if (!info->pCode || info->codeSize % sizeof(uint32_t) ||
        count > (SIZE_MAX - sizeof(wpg_shader_module)) / 4)
        return NULL;
    wpg_shader_module *module = malloc(sizeof *module + count * sizeof(uint32_t));
    if (!module)
        return NULL;
    atomic_init(&module->references, 1);
    module->word_count = count;
    memcpy(module->words, info->pCode, count * sizeof(uint32_t));
    return module;
}

VkResult VKAPI_CALL wpg_create_shader_module(VkDevice handle, const VkShaderModuleCreateInfo *info,
                                             const VkAllocationCallbacks *allocator, VkShaderModule *module)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = device->next.CreateShaderModule(handle, info, allocator, module);
    if (result != VK_SUCCESS || device->mode == WPG_MODE_OFF)
        return result;
    wpg_shader_module *copy = copy_words(info);
    /* Without a record, pipelines of this module pass through. */
    wpg_shader_module_release(wpg_handles_remove(&device->modules, key_of(*module)));
    if (copy && !wpg_handles_set(&device->modules, key_of(*module), copy))
        wpg_shader_module_release(copy);
    return result;
}

void VKAPI_CALL wpg_destroy_shader_module(VkDevice handle, VkShaderModule module,
                                          const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    if (module)
        wpg_shader_module_release(wpg_handles_remove(&device->modules, key_of(module)));
    device->next.DestroyShaderModule(handle, module, allocator);
}
