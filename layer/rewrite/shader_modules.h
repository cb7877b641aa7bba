/* The words of every shader module of the program, kept for the pipelines made of it. If the program may name
 * modules by identifier (VK_EXT_shader_module_identifier), records are found by identifier too, even after
 * the module is destroyed. Words kept for that alone have a limit.
 *
 * A record is immutable and reference-counted: a pipeline being created in another thread may outlive
 * vkDestroyShaderModule. Threads: any. */
#ifndef WPG_LAYER_REWRITE_SHADER_MODULES_H
#define WPG_LAYER_REWRITE_SHADER_MODULES_H

#include "layer/base/state.h"

typedef struct wpg_shader_module {
    atomic_uint references;
    size_t word_count;
    uint32_t words[];
} wpg_shader_module;

/* The record of a handle, one reference for the caller; NULL if it is unknown. */
wpg_shader_module *wpg_shader_module_retain(wpg_device *device, VkShaderModule module);
/* The same by identifier: the words that the program gave in this process for a stage that names only an
 * identifier. */
wpg_shader_module *wpg_shader_module_retain_by_identifier(wpg_device *device,
                                                          const VkPipelineShaderStageCreateInfo *stage);
/* Notes the identifier of words that the program gave inline. */
void wpg_shader_module_note(wpg_device *device, const VkShaderModuleCreateInfo *info);
/* One more reference to a record the caller holds one of. */
void wpg_shader_module_share(wpg_shader_module *module);
void wpg_shader_module_release(wpg_shader_module *module); /* NULL is fine */
/* Frees what the application never destroyed. */
void wpg_shader_modules_finish(wpg_device *device);

/* The hooks. */
VKAPI_ATTR VkResult VKAPI_CALL wpg_create_shader_module(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                        const VkAllocationCallbacks *allocator,
                                                        VkShaderModule *module);
VKAPI_ATTR void VKAPI_CALL wpg_destroy_shader_module(VkDevice device, VkShaderModule module,
                                                     const VkAllocationCallbacks *allocator);

#endif
