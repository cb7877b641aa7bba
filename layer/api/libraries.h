/* Graphics pipeline libraries (VK_EXT_graphics_pipeline_library).
 *
 *     part           --> counted and optimised like a pipeline, each shader under its own hash
 *     fast link      --> the driver links the parts it is given: nothing of ours is compiled. In use mode it
 *                        is replaced as an optimised one, behind its creation, once it has been bound for a
 *                        while. In generate mode, where some binds count, it has a counting twin as a
 *                        pipeline made at once has, and its parts do not count
 *     optimised link --> planned like any pipeline, under the whole pipeline's hash, and made as one pipeline
 *                        of what its parts stated (rewrite/link_whole.h); where that cannot be had, the
 *                        program's parts stay linked
 *
 * Each library that the program makes has a record of what it stated. Threads: any. Vulkan synchronises a
 * library's destruction with its use. A lock keeps the render pass that a link is made for. Source: Vulkan
 * 1.3, 10.3.3. */
#ifndef WPG_LAYER_API_LIBRARIES_H
#define WPG_LAYER_API_LIBRARIES_H

#include "layer/base/state.h"
#include "layer/rewrite/pipeline_plan.h"

struct wpg_library;
enum { WPG_MAX_LIBRARIES = 8 };

/* A pipeline that is linked, and the knowledge of its parts. */
typedef struct wpg_link {
    wpg_device *device;
    uint32_t part_count;
    struct wpg_library *parts[WPG_MAX_LIBRARIES];           /* by index into pLibraries */
    VkPipelineShaderStageCreateInfo stages[WPG_MAX_STAGES]; /* of all parts, then the link's own */
    VkShaderModuleCreateInfo words[WPG_MAX_STAGES];         /* those of the parts' stages */
    const wpg_rewrite *known[WPG_MAX_STAGES];               /* their identities */
    wpg_shader_module *records[WPG_MAX_STAGES];             /* where their words are; NULL: in `words` */
    uint32_t stage_count, own_count;
    bool ours;       /* some part may be of our words: the program's cache must not see the link */
    bool identified; /* every stage of every part has an identity */
    bool fast;       /* it may be replaced behind its creation alone: no compile is wanted in it */
    wpg_arena arena;
    VkGraphicsPipelineCreateInfo *whole; /* the same pipeline as one, of the stages above; NULL: see `why` */
    bool locked;                         /* its render pass cannot go until wpg_link_finish */
    const char *why;                     /* why it is not made anew; NULL: it can be */
} wpg_link;

void wpg_libraries_init(wpg_device *device);
void wpg_libraries_finish(wpg_device *device);

/* Records a library made for the program, for its later links. `ours`: made of our words. */
void wpg_library_add(wpg_device *device, VkPipeline pipeline, const VkGraphicsPipelineCreateInfo *info,
                     const wpg_pipeline_plan *plan, bool ours);

/* The structure of the create-info's chain that names its parts; NULL: there is none. */
const VkPipelineLibraryCreateInfoKHR *wpg_libraries_of(const VkGraphicsPipelineCreateInfo *info);

/* Reads a create-info that names libraries. `flags`: VkPipelineCreateFlags2. Finish it, whatever became of
 * it. */
void wpg_link_gather(wpg_link *link, wpg_device *device, const VkGraphicsPipelineCreateInfo *info,
                     uint64_t flags);
void wpg_link_finish(wpg_link *link);

/* Hooks; each goes on to the other hook of its command, or to the next layer. */
VKAPI_ATTR void VKAPI_CALL wpg_destroy_pipeline(VkDevice device, VkPipeline pipeline,
                                                const VkAllocationCallbacks *allocator);
VKAPI_ATTR void VKAPI_CALL wpg_destroy_render_pass(VkDevice device, VkRenderPass pass,
                                                   const VkAllocationCallbacks *allocator);

#endif
