/* Graphics pipeline libraries (VK_EXT_graphics_pipeline_library).
 *
 *     part           --> counted and optimised like a pipeline, each shader under its own hash
 *     fast link      --> the driver links the parts it is given: nothing of ours is compiled
 *     optimised link --> its parts with shaders are rebuilt, of words rewritten for the whole pipeline's
 *                        hash, and linked; if they cannot be rebuilt, the program's parts stay linked
 *
 * Each library that the program makes has a record. Rebuilt parts live as long as the pipeline linked from
 * them, since a driver may refer to them. Threads: any. Vulkan synchronises a library's destruction with its
 * use. A lock keeps the render passes and layouts with which a part is rebuilt. Source: Vulkan 1.3,
 * 10.3.3. */
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
    uint32_t first[WPG_MAX_LIBRARIES + 1]; /* a part's first stage; the last: the link's own */
    uint32_t stage_count, own_count;
    bool ours;        /* some part may be of our words: the program's cache must not see the link */
    bool identified;  /* every stage of every part has an identity */
    bool early_tests; /* what the state says to that (wpg_instrument_target) */
    const char *why;  /* why the parts cannot be made anew; NULL: they can */
} wpg_link;

void wpg_libraries_init(wpg_device *device);
void wpg_libraries_finish(wpg_device *device);

/* Records a library made for the program, for its later links. `ours`: made of our words. */
void wpg_library_add(wpg_device *device, VkPipeline pipeline, const VkGraphicsPipelineCreateInfo *info,
                     uint64_t flags, const wpg_pipeline_plan *plan, bool ours);

/* The structure of the create-info's chain that names its parts; NULL: there is none. */
const VkPipelineLibraryCreateInfoKHR *wpg_libraries_of(const VkGraphicsPipelineCreateInfo *info);

/* Reads a create-info that names libraries. `flags`: VkPipelineCreateFlags2. */
void wpg_link_gather(wpg_link *link, wpg_device *device, const VkGraphicsPipelineCreateInfo *info,
                     uint64_t flags);

/* Rebuilds the parts from `stages` (NULL: from the program's own words) and links them as `info` says.
 * `driver_time`: the nanoseconds spent in the driver are added. */
VkResult wpg_link_create(VkPipeline *pipeline, const wpg_link *link, const VkGraphicsPipelineCreateInfo *info,
                         const VkPipelineShaderStageCreateInfo *stages, VkPipelineCache cache,
                         const VkAllocationCallbacks *allocator, uint64_t *driver_time);
/* Destroys a pipeline that wpg_link_create made and the program did not get. */
void wpg_link_destroy(const wpg_link *link, VkPipeline pipeline, const VkAllocationCallbacks *allocator);

/* Hooks; each goes on to the other hook of its command, or to the next layer. */
VKAPI_ATTR void VKAPI_CALL wpg_destroy_pipeline(VkDevice device, VkPipeline pipeline,
                                                const VkAllocationCallbacks *allocator);
VKAPI_ATTR void VKAPI_CALL wpg_destroy_render_pass(VkDevice device, VkRenderPass pass,
                                                   const VkAllocationCallbacks *allocator);
VKAPI_ATTR void VKAPI_CALL wpg_destroy_pipeline_layout(VkDevice device, VkPipelineLayout layout,
                                                       const VkAllocationCallbacks *allocator);

#endif
