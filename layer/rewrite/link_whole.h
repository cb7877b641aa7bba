/* One create-info for a pipeline that the program links from libraries.
 *
 *     what each library and the link itself state --> the create-info of the same pipeline, made whole
 *
 * Owns the rule of which piece each state comes from. A driver compiles such a pipeline as it compiles any
 * other, so whatever is made of whole pipelines can be made of links: counters, words by a profile, variants.
 * Threads: no shared state. Source: Vulkan 1.4, 10.3 (Graphics Pipeline Library). */
#ifndef WPG_LAYER_REWRITE_LINK_WHOLE_H
#define WPG_LAYER_REWRITE_LINK_WHOLE_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "runtime/base/arena.h"

/* What a library states, or the link itself. */
typedef struct wpg_link_piece {
    const VkGraphicsPipelineCreateInfo *info; /* by wpg_library_copy_info */
    VkGraphicsPipelineLibraryFlagsEXT subsets;
    bool pass_gone; /* the program has destroyed its render pass */
} wpg_link_piece;

/* Puts the pieces together in `arena`. `link`: flags, layout and chain are read. The result borrows from the
 * pieces. It has no stages. NULL, and *why (static): the pieces do not make up one create-info. */
VkGraphicsPipelineCreateInfo *wpg_link_whole(const char **why, wpg_arena *arena,
                                             const VkGraphicsPipelineCreateInfo *link,
                                             const wpg_link_piece *pieces, uint32_t count);

#endif
