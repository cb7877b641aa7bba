/* What is bound at one bind point of a command buffer, in two readings:
 *
 *     meant    what Vulkan says had the layer bound nothing
 *     really   what Vulkan says with the layer's binds
 *
 *                                      meant                  really
 *     program binds sets [a, b)        takes them in          takes them in
 *     program pushes into set a        takes it in            takes it in
 *     the layer binds its own set                             takes it in
 *     a lost set is given back                                takes it in
 *
 * A bind disturbs sets below it whose layouts are not compatible. It disturbs all sets above it where it
 * replaces a set of a layout that is not compatible. A disturbed set counts as bound by the layout that
 * disturbed it. A set is lost if it is meant to be there and really is not: it has to be given back before a
 * pipeline uses it.
 *
 * Vulkan does not say whether a push disturbs other sets as a bind does. Here it does, as in the validation
 * layer. Drivers may leave those sets alone: nothing is assumed of what is really there.
 *
 * Owns: copies of offsets and of what was pushed, until _finish. Threads: those of the command buffer.
 * Source: Vulkan 1.4, 14.2.2, Pipeline Layout Compatibility. */
#ifndef WPG_LAYER_COMMANDS_DESCRIPTOR_STATE_H
#define WPG_LAYER_COMMANDS_DESCRIPTOR_STATE_H

#include "layer/commands/counter_layouts.h"

typedef struct wpg_descriptor_set {
    VkDescriptorSet set;       /* VK_NULL_HANDLE: push descriptors */
    wpg_hash128 meant, really; /* of the layout, up to this set; zero: never bound */
    uint32_t offset_count, offset_room;
    uint32_t *offsets;  /* [offset_room] */
    wpg_pushed *pushed; /* NULL: nothing ever was */
} wpg_descriptor_set;

typedef struct wpg_descriptor_state {
    uint32_t known; /* mask of sets that are meant to be there, and are at hand */
    uint32_t clean; /* and really are there; of known ones */
    bool mixed;     /* the layer bound something */
    VkDescriptorSet ours;
    uint32_t ours_at; /* its index; of use where `ours` is not VK_NULL_HANDLE */
    wpg_descriptor_set sets[WPG_MOST_SETS];
} wpg_descriptor_state;

/* A zeroed state: nothing is bound. */
void wpg_descriptors_reset(wpg_descriptor_state *state);
void wpg_descriptors_finish(wpg_descriptor_state *state);

/* The program binds. layout NULL: it is not known, nor is anything bound from here on. */
void wpg_descriptors_bound(wpg_descriptor_state *state, const wpg_counter_layout *layout, uint32_t first,
                           uint32_t count, const VkDescriptorSet *sets, uint32_t offset_count,
                           const uint32_t *offsets);
/* The program pushes. Returns where the values are to be noted; NULL: they cannot be, and the set is not
 * known. */
wpg_pushed *wpg_descriptors_pushed(wpg_descriptor_state *state, const wpg_counter_layout *layout,
                                   uint32_t index);
/* The set is not known from here on. */
void wpg_descriptors_forget(wpg_descriptor_state *state, uint32_t index);

/* Whether a pipeline of that layout needs the set given back. Asked, and given back, in ascending order. */
bool wpg_descriptors_lost(const wpg_descriptor_state *state, const wpg_counter_layout *layout,
                          uint32_t index);
void wpg_descriptors_given_back(wpg_descriptor_state *state, const wpg_counter_layout *layout,
                                uint32_t index);

/* Whether the layer's set `counters` is bound where a pipeline of that layout looks for it. */
bool wpg_descriptors_have_ours(const wpg_descriptor_state *state, const wpg_counter_layout *layout,
                               VkDescriptorSet counters);
void wpg_descriptors_bound_ours(wpg_descriptor_state *state, const wpg_counter_layout *layout,
                                VkDescriptorSet counters);

#endif
