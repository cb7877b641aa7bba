/* Which slots an object of the program's holds: its shaders count there.
 *
 *     part of a library --> a slot for each of its shaders
 *     link              --> its own slot, and those of its parts: it may outlive them
 *     shader object     --> one slot
 *
 * A slot is retired once nothing holds it (files.h). A hold that is lost for want of memory keeps its slots
 * for good. Threads: any. Vulkan synchronises the destruction of a part with the making of its links. */
#ifndef WPG_LAYER_PROFILE_HOLDS_H
#define WPG_LAYER_PROFILE_HOLDS_H

#include "layer/profile/files.h"

typedef struct wpg_hold {
    size_t count;
    wpg_counter_slot *slots[]; /* a claim each */
} wpg_hold;

/* Takes the claims over. NULL: there is none, or no memory. */
wpg_hold *wpg_hold_make(wpg_counter_slot *const *claims, size_t count);
/* Gives the claims back. The device has finished with the object. NULL is fine. */
void wpg_hold_release(wpg_device *device, wpg_hold *hold);

/* The pipeline holds `own`, which are claims, and whatever these parts hold; in place of what its handle held
 * before. */
void wpg_holds_add(wpg_device *device, VkPipeline pipeline, wpg_counter_slot *const *own, size_t own_count,
                   const VkPipeline *parts, uint32_t part_count);
/* What the parts hold is held for good: the handle of their link is not known. */
void wpg_holds_keep(wpg_device *device, const VkPipeline *parts, uint32_t part_count);
/* What the pipeline holds is the caller's now. NULL: nothing. */
wpg_hold *wpg_holds_take(wpg_device *device, VkPipeline pipeline);

#endif
