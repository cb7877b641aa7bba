/* vkCreateShaderModule and vkDestroyShaderModule: the module is the driver's, unchanged; the layer copies its
 * words. */
#include "layer/rewrite/shader_modules.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/chain.h"
#include "layer/rewrite/object_names.h"
#include "runtime/base/log.h"

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
    wpg_handles_each(&device->identifiers, release_each, NULL);
    wpg_handles_finish(&device->identifiers);
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

/* -- Identifiers */

enum { IDENTIFIED_LIMIT = 64 << 20 }; /* bytes of words, a device */

static bool has_identifiers(const wpg_device *device)
{
    return device->next.GetShaderModuleCreateInfoIdentifierEXT && device->features.module_identifier;
}

static void note(wpg_device *device, const VkShaderModuleCreateInfo *info, wpg_shader_module *module)
{
    VkShaderModuleIdentifierEXT identifier = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
    size_t size = module->word_count * sizeof *module->words;
    device->next.GetShaderModuleCreateInfoIdentifierEXT(device->handle, info, &identifier);
    if (!identifier.identifierSize || identifier.identifierSize > sizeof identifier.identifier)
        return;
    uint64_t key = wpg_hash64_bytes(identifier.identifier, identifier.identifierSize);
    if (wpg_handles_get(&device->identifiers, key))
        return;
    if (atomic_fetch_add(&device->identified_bytes, size) + size > IDENTIFIED_LIMIT) {
        (void)atomic_fetch_sub(&device->identified_bytes, size);
        wpg_log_once(WPG_LOG_INFO, "shader modules made from now on are kept only while their handles live: "
                                   "the limit for module identifiers is reached");
        return;
    }
    retain(module);
    wpg_shader_module_release(wpg_handles_remove(&device->identifiers, key));
    if (!wpg_handles_set(&device->identifiers, key, module))
        wpg_shader_module_release(module);
}

void wpg_shader_module_note(wpg_device *device, const VkShaderModuleCreateInfo *info)
{
    wpg_shader_module *module = has_identifiers(device) ? copy_words(info) : NULL;
    if (module)
        note(device, info, module);
    wpg_shader_module_release(module);
}

wpg_shader_module *wpg_shader_module_retain_by_identifier(wpg_device *device,
                                                          const VkPipelineShaderStageCreateInfo *stage)
{
    const VkPipelineShaderStageModuleIdentifierCreateInfoEXT *named = wpg_chain_find(
        stage->pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
    if (!named || !named->identifierSize || named->identifierSize > VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT)
        return NULL;
    return wpg_handles_get_retained(&device->identifiers,
                                    wpg_hash64_bytes(named->pIdentifier, named->identifierSize), retain);
}

/* -- Commands */

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
    if (copy && has_identifiers(device))
        note(device, info, copy);
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
    if (module) {
        wpg_object_names_forget(device, (uint64_t)module);
        wpg_shader_module_release(wpg_handles_remove(&device->modules, key_of(module)));
    }
    device->next.DestroyShaderModule(handle, module, allocator);
}
