/* Declarations shared by the files of layer/contents. Private to it. */
#ifndef WPG_LAYER_CONTENTS_CONTENTS_INTERNAL_H
#define WPG_LAYER_CONTENTS_CONTENTS_INTERNAL_H

#include "layer/contents/contents.h"

struct wpg_contents {
    wpg_handles buffers;   /* VkBuffer -> wpg_content_buffer */
    wpg_handles layouts;   /* VkDescriptorSetLayout -> wpg_content_layout */
    wpg_handles pools;     /* VkDescriptorPool -> wpg_content_pool */
    wpg_handles sets;      /* VkDescriptorSet -> wpg_content_set */
    wpg_handles templates; /* VkDescriptorUpdateTemplate -> wpg_content_template */
    pthread_mutex_t lock;  /* of what follows */
    wpg_content_block *spare;
    size_t blocks; /* made */
    uint64_t taken[WPG_CONTENT_SLOTS / 64];
    VkPhysicalDeviceMemoryProperties types;
    uint64_t families;     /* that compute, of the first 64 */
    atomic_bool unflagged; /* memory was had only without the flag: buffers in it have no address */
    wpg_content_block *directory;
    VkPipelineLayout layout;
    VkPipeline comparison;
};

/* -- content_buffers.c */

typedef struct wpg_content_buffer {
    VkBuffer handle;
    VkDeviceSize size;
    bool usable;               /* it has an address */
    _Atomic(uint64_t) address; /* 0: not asked yet */
} wpg_content_buffer;

/* The buffer's address; 0: it has none. */
uint64_t wpg_content_buffer_address(wpg_device *device, wpg_content_buffer *buffer);

/* -- content_sets.c */

void wpg_content_sets_finish(struct wpg_contents *contents);

/* -- contents.c */

/* The command is of Vulkan 1.2 or of the extension; NULL: of neither. */
static inline PFN_vkGetBufferDeviceAddress wpg_content_address_command(const wpg_device *device)
{
    return device->next.GetBufferDeviceAddress ? device->next.GetBufferDeviceAddress
                                               : device->next.GetBufferDeviceAddressKHR;
}

/* A block of so many bytes with an address; NULL: no memory. */
wpg_content_block *wpg_content_block_make(wpg_device *device, VkDeviceSize bytes);
void wpg_content_block_destroy(wpg_device *device, wpg_content_block *block);

#endif
