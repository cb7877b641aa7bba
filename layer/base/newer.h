/* Vulkan structures and values newer than the oldest headers we build with (1.3.239), copied from the
 * registry (vk.xml). So one build serves newer programs and drivers. Threads: no state. */
#ifndef WPG_LAYER_BASE_NEWER_H
#define WPG_LAYER_BASE_NEWER_H

#include <vulkan/vulkan.h>

/* VkPipelineCreateFlags2CreateInfo (VK_KHR_maintenance5, Vulkan 1.4) replaces the create-info's own flags.
 * The bits are the same up to bit 30. */
#define WPG_STRUCTURE_PIPELINE_FLAGS_2 ((VkStructureType)1000470005)
typedef struct wpg_pipeline_flags_2 {
    VkStructureType sType;
    const void *pNext;
    uint64_t flags;
} wpg_pipeline_flags_2;
#define WPG_FLAG_CAPTURE_DATA      UINT64_C(0x80000000)   /* VK_KHR_pipeline_binary */
#define WPG_FLAG_INDIRECT_BINDABLE UINT64_C(0x4000000000) /* VK_EXT_device_generated_commands */
#define WPG_FLAG_LEGACY_DITHERING  UINT64_C(0x400000000)  /* VK_EXT_legacy_dithering */

/* VK_KHR_dynamic_rendering_local_read */
#define WPG_STRUCTURE_ATTACHMENT_LOCATIONS ((VkStructureType)1000232001)
typedef struct wpg_attachment_locations {
    VkStructureType sType;
    const void *pNext;
    uint32_t count;
    const uint32_t *locations; /* [count]; NULL: each its own */
} wpg_attachment_locations;
#define WPG_STRUCTURE_INPUT_ATTACHMENTS ((VkStructureType)1000232002)
typedef struct wpg_input_attachments {
    VkStructureType sType;
    const void *pNext;
    uint32_t count;
    const uint32_t *colors;          /* [count]; NULL: each its own */
    const uint32_t *depth, *stencil; /* one each; NULL: none has an index */
} wpg_input_attachments;

/* VkPipelineBinaryInfoKHR (VK_KHR_pipeline_binary). */
#define WPG_STRUCTURE_PIPELINE_BINARY_INFO ((VkStructureType)1000483002)
typedef struct wpg_pipeline_binary_info {
    VkStructureType sType;
    const void *pNext;
    uint32_t binaryCount;
    const uint64_t *pPipelineBinaries;
} wpg_pipeline_binary_info;

/* VK_EXT_shader_object. */
#define WPG_SHADER_LINK_STAGE        0x01u
#define WPG_SHADER_INDIRECT_BINDABLE 0x80u
enum { WPG_SHADER_CODE_BINARY = 0, WPG_SHADER_CODE_SPIRV = 1 };
typedef uint64_t wpg_shader;            /* VkShaderEXT */
typedef struct wpg_shader_create_info { /* VkShaderCreateInfoEXT */
    VkStructureType sType;
    const void *pNext;
    VkFlags flags;
    VkShaderStageFlagBits stage;
    VkShaderStageFlags nextStage;
    int32_t codeType;
    size_t codeSize;
    const void *pCode;
    const char *pName;
    uint32_t setLayoutCount;
    const VkDescriptorSetLayout *pSetLayouts;
    uint32_t pushConstantRangeCount;
    const VkPushConstantRange *pPushConstantRanges;
    const VkSpecializationInfo *pSpecializationInfo;
} wpg_shader_create_info;
typedef VkResult(VKAPI_PTR *wpg_pfn_create_shaders)(VkDevice device, uint32_t count,
                                                    const wpg_shader_create_info *infos,
                                                    const VkAllocationCallbacks *allocator,
                                                    wpg_shader *shaders);
typedef void(VKAPI_PTR *wpg_pfn_destroy_shader)(VkDevice device, wpg_shader shader,
                                                const VkAllocationCallbacks *allocator);
typedef VkResult(VKAPI_PTR *wpg_pfn_get_shader_binary)(VkDevice device, wpg_shader shader, size_t *size,
                                                       void *data);

/* VkBindDescriptorSetsInfo, VkPushDescriptorSetInfo and VkPushDescriptorSetWithTemplateInfo
 * (VK_KHR_maintenance6, Vulkan 1.4). */
typedef struct wpg_bind_descriptor_sets_info {
    VkStructureType sType;
    const void *pNext;
    VkShaderStageFlags stageFlags;
    VkPipelineLayout layout;
    uint32_t firstSet, descriptorSetCount;
    const VkDescriptorSet *pDescriptorSets;
    uint32_t dynamicOffsetCount;
    const uint32_t *pDynamicOffsets;
} wpg_bind_descriptor_sets_info;
typedef struct wpg_push_descriptor_set_info {
    VkStructureType sType;
    const void *pNext;
    VkShaderStageFlags stageFlags;
    VkPipelineLayout layout;
    uint32_t set, descriptorWriteCount;
    const VkWriteDescriptorSet *pDescriptorWrites;
} wpg_push_descriptor_set_info;
typedef struct wpg_push_descriptor_set_by_info {
    VkStructureType sType;
    const void *pNext;
    VkDescriptorUpdateTemplate descriptorUpdateTemplate;
    VkPipelineLayout layout;
    uint32_t set;
    const void *pData;
} wpg_push_descriptor_set_by_info;

#endif
