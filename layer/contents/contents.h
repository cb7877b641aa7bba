/* Contents of uniform blocks, as the GPU has them when a render pass begins. A pipeline made for usual
 * contents (layer/variants) has no test in its shader. The GPU tests before the pass, and conditional
 * rendering (VK_EXT_conditional_rendering) runs one of the draws:
 *
 *     record   before the pass   barrier, dispatch of the comparison, barrier   (commands/content_record.c)
 *              in the pass       if (predicate 0) draw with the pipeline for contents 0
 *                                if (predicate 1) draw with the program's own
 *     pass end                   the checks of its draws --> memory that the comparison reads: address and
 *                                value of each word, predicates of each draw
 *     GPU      comparison        reads the words, writes the predicates          (compare.comp)
 *
 * The checks are known only when the draws are, after the comparison was recorded. So it finds them through
 * a directory: workgroup S reads the address of pass S. It needs neither descriptors nor push constants,
 * and disturbs none of the program's.
 *
 * Why a predicate is right for every draw of the pass: shaders see what became visible to them by a
 * barrier, an event, a subpass dependency, a semaphore or the submission itself (Vulkan 1.3, 7.1, 7.9). The
 * first barrier makes all earlier writes visible to the comparison. Between the comparison and a draw
 * stands no other: from a barrier, event or further subpass inside the pass on, draws go without
 * predicates. What the host writes after the submission is visible only by such an event.
 *
 * Writes of another queue: a semaphore orders them before the stages that the program waits with. These need
 * not have the compute stage among them. The first barrier has all commands in its first scope, so those
 * stages, too. Both dependencies form a chain (Vulkan 1.3, 7.1, execution dependency chain): the comparison
 * runs behind the wait and sees the writes. A semaphore orders whole batches, so none lies between comparison
 * and draw. No driver here has two queues that run at a time: this is by the specification, not measured.
 *
 * This room owns: addresses of the program's uniform buffers, what its descriptor sets hold, memory for
 * checks and predicates, the comparison's pipeline. Not followed, so that such draws have the program's own
 * pipeline: push descriptors, descriptor buffers, sets that may be updated after they are bound, inline
 * uniform blocks, buffers made with further structures, sparse buffers.
 *
 * Threads: as Vulkan says of each command; memory and slots have a lock. */
#ifndef WPG_LAYER_CONTENTS_CONTENTS_H
#define WPG_LAYER_CONTENTS_CONTENTS_H

#include "compiler/optimize/ir/optimize.h"
#include "layer/base/state.h"

enum {
    WPG_CONTENT_SETS = 8,     /* descriptor sets of a command buffer that are followed, from set 0 */
    WPG_CONTENT_DYNAMIC = 16, /* dynamic offsets of one set */
    WPG_CONTENT_SLOTS = 4096, /* passes that may be recorded at a time */
    WPG_CONTENT_BLOCK = 65536 /* bytes of memory that a recording takes at a time */
};

/* Sets bound at a point. */
typedef struct wpg_content_bound {
    VkDescriptorSet sets[WPG_CONTENT_SETS]; /* VK_NULL_HANDLE: none, or not known */
    uint32_t offsets[WPG_CONTENT_SETS][WPG_CONTENT_DYNAMIC];
} wpg_content_bound;

/* Memory that host and GPU share, of one recording. */
typedef struct wpg_content_block {
    struct wpg_content_block *next;
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint64_t address;
    uint8_t *bytes;
    uint32_t used;
} wpg_content_block;

/* True if devices of this process may follow contents; if this device does. */
bool wpg_contents_possible(void);
/* Makes the comparison ready; device->contents stays NULL where that cannot be, which is logged. */
void wpg_contents_start(wpg_device *device, VkPhysicalDevice physical);
/* Before the device goes. The program has destroyed its objects; what it left is forgotten. */
void wpg_contents_finish(wpg_device *device);

/* True if queues of the family run the comparison. */
bool wpg_contents_on_family(const wpg_device *device, uint32_t family);

/* The address that the GPU reads the word at; 0: it is not known. */
uint64_t wpg_contents_address(wpg_device *device, const wpg_content_bound *bound, const wpg_word_test *test);
/* Notes sets bound from `first` on. */
void wpg_contents_bind(wpg_device *device, wpg_content_bound *bound, uint32_t first, uint32_t count,
                       const VkDescriptorSet *sets, uint32_t offset_count, const uint32_t *offsets);

/* `bytes` of the list's memory, 16-byte aligned: *block and offset in it. False: there is no more. */
bool wpg_contents_take(wpg_device *device, wpg_content_block **list, uint32_t bytes,
                       wpg_content_block **block, uint32_t *offset);
void wpg_contents_give_back(wpg_device *device, wpg_content_block **list);
/* A slot of the directory, empty; WPG_CONTENT_SLOTS: all are taken. */
uint32_t wpg_contents_slot(wpg_device *device);
void wpg_contents_slot_back(wpg_device *device, uint32_t slot);
/* What the comparison of the slot reads; 0: nothing. */
void wpg_contents_slot_set(wpg_device *device, uint32_t slot, uint64_t address);
VkPipeline wpg_contents_comparison(const wpg_device *device);

/* The hooks: HOOK(command), on devices with contents. */
#define WPG_CONTENT_HOOKS(HOOK)                                                                              \
    HOOK(CreateBuffer)                                                                                       \
    HOOK(DestroyBuffer)                                                                                      \
    HOOK(AllocateMemory)                                                                                     \
    HOOK(GetDeviceBufferMemoryRequirements)                                                                  \
    HOOK(GetDeviceBufferMemoryRequirementsKHR)                                                               \
    HOOK(CreateDescriptorSetLayout)                                                                          \
    HOOK(DestroyDescriptorSetLayout)                                                                         \
    HOOK(DestroyDescriptorPool)                                                                              \
    HOOK(ResetDescriptorPool)                                                                                \
    HOOK(AllocateDescriptorSets)                                                                             \
    HOOK(FreeDescriptorSets)                                                                                 \
    HOOK(UpdateDescriptorSets)                                                                               \
    HOOK(CreateDescriptorUpdateTemplate)                                                                     \
    HOOK(CreateDescriptorUpdateTemplateKHR)                                                                  \
    HOOK(DestroyDescriptorUpdateTemplate)                                                                    \
    HOOK(DestroyDescriptorUpdateTemplateKHR)                                                                 \
    HOOK(UpdateDescriptorSetWithTemplate)                                                                    \
    HOOK(UpdateDescriptorSetWithTemplateKHR)

#define HOOK(command) extern __typeof__(vk##command) wpg_contents_##command;
WPG_CONTENT_HOOKS(HOOK)
#undef HOOK

#endif
