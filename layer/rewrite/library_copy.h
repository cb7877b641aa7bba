/* Copies of the create-infos of pipelines and library parts. They are kept to make the pipelines again, for
 * optimised links and variants. Threads: no shared state. */
#ifndef WPG_LAYER_REWRITE_LIBRARY_COPY_H
#define WPG_LAYER_REWRITE_LIBRARY_COPY_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "layer/rewrite/dynamic_states.h"
#include "runtime/base/arena.h"

/* The outputs of a subpass. State for an output that the subpass lacks is ignored, and its pointer may be
 * anything. */
typedef struct wpg_subpass_outputs {
    bool depth, color;
} wpg_subpass_outputs;

/* Copies the create-info of a graphics pipeline, a part or a link into `arena`, without the modules and words
 * of its stages: (*copy)->pStages[i].module is VK_NULL_HANDLE; specialisation stays. Only the state of
 * `subsets` is read; the rest is NULL. WPG_ALL_SUBSETS: neither a part nor linked from parts. Creation
 * feedback and linked libraries are left out. `of_pass`: the outputs of its subpass, if it is made for a
 * render pass; NULL: not known. NULL, and *why (static), if a structure or a dynamic state cannot be copied.
 * Source: Vulkan 1.3, 10.3 (the state of each subset, and which pointers are ignored when). */
VkGraphicsPipelineCreateInfo *wpg_library_copy_info(const char **why, wpg_arena *arena,
                                                    const VkGraphicsPipelineCreateInfo *info,
                                                    VkGraphicsPipelineLibraryFlagsEXT subsets,
                                                    const wpg_subpass_outputs *of_pass);

/* Copies a compute pipeline's create-info as for a part above: without its module and words, and as no
 * derivative. False, and *why. */
bool wpg_library_copy_compute(const char **why, VkComputePipelineCreateInfo *copy, wpg_arena *arena,
                              const VkComputePipelineCreateInfo *info);

/* Copies the chain of a create-info up to `last` and puts `other` in its place. The rest is linked
 * unchanged. Pointers in the copied structures stay the program's. False: a structure is unknown, or memory
 * ran out. */
bool wpg_library_copy_chain(const void **copy, wpg_arena *arena, const void *chain, const void *last,
                            void *other);

#endif
