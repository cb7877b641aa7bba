/* Copies of the create-infos of pipelines and library parts, kept to make them again: for an optimised link,
 * for variants.
 * Threads: no shared state. */
#ifndef WPG_LAYER_REWRITE_LIBRARY_COPY_H
#define WPG_LAYER_REWRITE_LIBRARY_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "runtime/base/arena.h"

/* A copy of the create-info of a part with shaders, all of it in `arena`, without its stages' modules and
 * words: (*copy)->pStages[i].module is VK_NULL_HANDLE. Only what the part's subsets read is looked at; the
 * rest is NULL. Creation feedback is left out. NULL, and *why (static), where something stands in it that
 * cannot be copied. Source: Vulkan 1.3, 10.3 (what each subset of state consists of). */
VkGraphicsPipelineCreateInfo *wpg_library_copy_info(const char **why, wpg_arena *arena,
                                                    const VkGraphicsPipelineCreateInfo *info,
                                                    VkGraphicsPipelineLibraryFlagsEXT subsets);

/* What a subpass has: state for what it has not is ignored, and its pointer may be anything. */
typedef struct wpg_subpass_outputs {
    bool depth, color;
} wpg_subpass_outputs;

/* A copy of the create-info of a graphics pipeline that is neither a part nor linked of parts, as that of a
 * part above; its stages keep their specialisation. `of_pass`: what its subpass has, if it is made for a
 * render pass. NULL, and *why. Source: Vulkan 1.3, 10.3 (which pointers are ignored when). */
VkGraphicsPipelineCreateInfo *wpg_library_copy_whole(const char **why, wpg_arena *arena,
                                                     const VkGraphicsPipelineCreateInfo *info,
                                                     wpg_subpass_outputs of_pass);

/* A copy of a compute pipeline's create-info, as that of a part above: without its module and words, to be
 * made again as no derivative. false, and *why. */
bool wpg_library_copy_compute(const char **why, VkComputePipelineCreateInfo *copy, wpg_arena *arena,
                              const VkComputePipelineCreateInfo *info);

/* Copies the chain of a link's create-info up to `last`, in whose place `other` stands; what follows is
 * linked as it is. What the copied structures point to stays the program's. false: one is not known, or
 * memory ran out. */
bool wpg_library_copy_chain(const void **copy, wpg_arena *arena, const void *chain, const void *last,
                            void *other);

#endif
