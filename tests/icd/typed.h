/* The driver's commands that are written out, of the types of the headers or, where these are too old, of the
 * layer's own. */
#ifndef WPG_TEST_ICD_TYPED_H
#define WPG_TEST_ICD_TYPED_H

#include "layer/base/newer.h"
#include "tests/icd/icd.h"

#define ICD_PLAIN(name)
#define ICD_NEWER(name)
#define ICD_TYPED(name) extern __typeof__(vk##name) icd_##name;
#include "tests/icd/commands.inc"
#undef ICD_PLAIN
#undef ICD_NEWER
#undef ICD_TYPED

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateShadersEXT(VkDevice device, uint32_t count,
                                                    const wpg_shader_create_info *infos,
                                                    const VkAllocationCallbacks *allocator,
                                                    wpg_shader *shaders);
VKAPI_ATTR void VKAPI_CALL icd_DestroyShaderEXT(VkDevice device, wpg_shader shader,
                                                const VkAllocationCallbacks *allocator);
VKAPI_ATTR VkResult VKAPI_CALL icd_GetShaderBinaryDataEXT(VkDevice device, wpg_shader shader, size_t *size,
                                                          void *data);

#endif
