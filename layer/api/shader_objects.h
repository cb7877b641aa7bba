/* Shader objects (VK_EXT_shader_object): each is counted, or optimised, under its own hash, like a part of a
 * pipeline library.
 *
 *     create     --> the program's own, untouched --twin--> ours, whose handle the program gets
 *     get binary --> of the untouched one: what the program stores is its own, and loads without the layer
 *     binary in  --> passes through
 *
 * Objects linked with each other come from one call, ours and the program's. The program pays for two
 * compiles. Ownership: the untouched object is destroyed with ours. Threads: as Vulkan says of each command.
 * Source: Vulkan 1.3 with VK_EXT_shader_object, 9.3 to 9.5. */
#ifndef WPG_LAYER_API_SHADER_OBJECTS_H
#define WPG_LAYER_API_SHADER_OBJECTS_H

#include "layer/base/newer.h"
#include "layer/base/state.h"

void wpg_shader_objects_finish(wpg_device *device); /* memory of objects that the program never destroyed */

VKAPI_ATTR VkResult VKAPI_CALL wpg_create_shaders(VkDevice handle, uint32_t count,
                                                  const wpg_shader_create_info *infos,
                                                  const VkAllocationCallbacks *allocator,
                                                  wpg_shader *shaders);
VKAPI_ATTR void VKAPI_CALL wpg_destroy_shader(VkDevice handle, wpg_shader shader,
                                              const VkAllocationCallbacks *allocator);
/* Notes which of our objects run, for the deny list (loss_attribution.h), and calls record.h's hook. */
VKAPI_ATTR void VKAPI_CALL wpg_bind_shaders(VkCommandBuffer commands, uint32_t count,
                                            const VkShaderStageFlagBits *stages, const wpg_shader *shaders);
VKAPI_ATTR VkResult VKAPI_CALL wpg_get_shader_binary(VkDevice handle, wpg_shader shader, size_t *size,
                                                     void *data);

#endif
