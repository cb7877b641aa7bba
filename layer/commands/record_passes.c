/* Render passes, as they are made and destroyed. */
#include "layer/commands/record.h"
#include "layer/rewrite/passes.h"
#include "layer/variants/variants.h"

/* -- The commands */

VKAPI_ATTR VkResult VKAPI_CALL wpg_record_CreateRenderPass(VkDevice handle,
                                                           const VkRenderPassCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkRenderPass *pass)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = device->next.CreateRenderPass(handle, info, allocator, pass);
    if (result == VK_SUCCESS)
        wpg_pass_made(device, *pass, info);
    return result;
}

#define CREATE_RENDER_PASS_2(name)                                                                           \
    VKAPI_ATTR VkResult VKAPI_CALL wpg_record_##name(VkDevice handle, const VkRenderPassCreateInfo2 *info,   \
                                                     const VkAllocationCallbacks *allocator,                 \
                                                     VkRenderPass *pass)                                     \
    {                                                                                                        \
        wpg_device *device = wpg_device_of(handle);                                                          \
        if (!device)                                                                                         \
            return VK_ERROR_INITIALIZATION_FAILED;                                                           \
        VkResult result = device->next.name(handle, info, allocator, pass);                                  \
        if (result == VK_SUCCESS)                                                                            \
            wpg_pass_made_2(device, *pass, info);                                                            \
        return result;                                                                                       \
    }
CREATE_RENDER_PASS_2(CreateRenderPass2)
CREATE_RENDER_PASS_2(CreateRenderPass2KHR)

VKAPI_ATTR void VKAPI_CALL wpg_record_DestroyRenderPass(VkDevice handle, VkRenderPass pass,
                                                        const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    wpg_pass_gone(device, pass);
    if (!wpg_variants_keep_pass(device, pass, allocator))
        device->next.DestroyRenderPass(handle, pass, allocator);
}
