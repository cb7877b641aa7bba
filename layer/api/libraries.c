/* Records of library parts, and optimised links of rebuilt parts. */
#include "layer/api/libraries.h"

#include "layer/base/clock.h"
#include "layer/rewrite/object_names.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/chain.h"
#include "layer/commands/record_queries.h"
#include "layer/commands/sample_bind.h"
#include "layer/profile/holds.h"
#include "layer/rewrite/library_copy.h"

#define SHADER_SUBSETS                                                                                       \
    ((VkGraphicsPipelineLibraryFlagsEXT)(VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |    \
                                         VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT))

/* What a part's state says to early tests (pipelines.c: allows_early_tests). */
enum { STATE_RASTERISES = 1, STATE_COVERAGE_FIXED = 2, STATE_LATE = 4 };

typedef struct wpg_library {
    wpg_arena arena; /* owns `info` */
    bool ours;
    bool identified; /* of every stage `known` says who it is */
    uint32_t count;
    wpg_rewrite known[WPG_MAX_STAGES]; /* by index into pStages; words are of `modules` or the arena */
    wpg_shader_module *modules[WPG_MAX_STAGES]; /* one reference each; NULL: words were inline */
    VkGraphicsPipelineCreateInfo *info;         /* to make the part again; NULL: it cannot be */
    const char *why;                            /* then why not */
    bool stale;                                 /* its render pass or layout is gone; under libraries_lock */
    unsigned state;
} wpg_library;

/* Parts made anew for one linked pipeline. */
typedef struct kept_parts {
    uint32_t count;
    VkPipeline parts[WPG_MAX_LIBRARIES];
} kept_parts;

void wpg_libraries_init(wpg_device *device)
{
    wpg_handles_init(&device->libraries);
    wpg_handles_init(&device->linked);
    wpg_handles_init(&device->ray_libraries);
    (void)pthread_rwlock_init(&device->libraries_lock, NULL);
}

static void destroy_record(void *record, void *context)
{
    wpg_library *library = record;
    (void)context;
    if (!library)
        return;
    for (uint32_t i = 0; i < library->count; i++) {
        wpg_rewrite_finish(&library->known[i]);
        wpg_shader_module_release(library->modules[i]);
    }
    wpg_arena_finish(&library->arena);
    free(library);
}

void wpg_libraries_finish(wpg_device *device)
{
    wpg_handles_each(&device->libraries, destroy_record, NULL);
    wpg_handles_finish(&device->libraries);
    wpg_handles_free(&device->linked);
    wpg_handles_finish(&device->ray_libraries);
    (void)pthread_rwlock_destroy(&device->libraries_lock);
}

/* -- Parts */

static VkGraphicsPipelineLibraryFlagsEXT subsets_of(const VkGraphicsPipelineCreateInfo *info)
{
    const VkGraphicsPipelineLibraryCreateInfoEXT *part =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    return part ? part->flags : 0;
}

const VkPipelineLibraryCreateInfoKHR *wpg_libraries_of(const VkGraphicsPipelineCreateInfo *info)
{
    return wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
}

/* Values of the registry: newer than the oldest headers we build with. */
#define DYNAMIC_DEPTH_FEEDBACK_LOOP ((VkDynamicState)1000524000)

static unsigned state_of(const VkGraphicsPipelineCreateInfo *info, uint64_t flags,
                         VkGraphicsPipelineLibraryFlagsEXT subsets)
{
    unsigned state = flags & UINT64_C(0x04000000) ? STATE_LATE : 0; /* depth feedback loop */
    for (uint32_t i = 0; subsets && info->pDynamicState && i < info->pDynamicState->dynamicStateCount; i++) {
        VkDynamicState dynamic = info->pDynamicState->pDynamicStates[i];
        if (dynamic == VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT ||
            dynamic == DYNAMIC_DEPTH_FEEDBACK_LOOP)
            state |= STATE_LATE;
    }
    if ((subsets & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT) &&
        info->pRasterizationState && !info->pRasterizationState->rasterizerDiscardEnable)
        state |= STATE_RASTERISES;
    if ((subsets & VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT) &&
        info->pMultisampleState && !info->pMultisampleState->alphaToCoverageEnable)
        state |= STATE_COVERAGE_FIXED;
    return state;
}

/* Takes the identities the plan found. false: a stage has none, or memory ran out. */
static bool take_identities(wpg_library *library, const wpg_pipeline_plan *plan, uint32_t count)
{
    if (!plan->identified || plan->count != count)
        return count == 0;
    for (size_t i = 0; i < plan->count; i++) {
        uint32_t at = plan->at[i];
        wpg_rewrite *known = &library->known[at];
        if (!wpg_rewrite_recall(known, &plan->stages[i], &library->arena))
            return false;
        if (plan->records[i]) {
            wpg_shader_module_share(plan->records[i]);
            library->modules[at] = plan->records[i];
        } else
            known->words =
                wpg_arena_memdup(&library->arena, known->words, known->word_count * sizeof *known->words);
        if (!known->words)
            return false;
    }
    return true;
}

void wpg_library_add(wpg_device *device, VkPipeline pipeline, const VkGraphicsPipelineCreateInfo *info,
                     uint64_t flags, const wpg_pipeline_plan *plan, bool ours)
{
    VkGraphicsPipelineLibraryFlagsEXT subsets = subsets_of(info);
    const VkPipelineLibraryCreateInfoKHR *inner = wpg_libraries_of(info);
    wpg_library *library = calloc(1, sizeof *library);
    if (!library)
        return; /* an unknown part: its links stay as they are */
    wpg_arena_init(&library->arena);
    library->ours = ours;
    library->state = state_of(info, flags, subsets);
    library->count = subsets & SHADER_SUBSETS && info->pStages ? info->stageCount : 0;
    if (library->count > WPG_MAX_STAGES)
        library->count = 0;
    else
        library->identified = take_identities(library, plan, library->count);
    if (inner && inner->libraryCount) {
        library->identified = false;
        library->why = "a part is itself linked from parts";
    } else if (!library->identified)
        library->why = "a part's shaders have no identity";
    else if (!(flags & VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT))
        library->why = "a part was made without link-time information";
    else if (library->count)
        library->info = wpg_library_copy_info(&library->why, &library->arena, info, subsets);
    destroy_record(wpg_handles_remove(&device->libraries, (uint64_t)pipeline), NULL);
    if (!wpg_handles_set(&device->libraries, (uint64_t)pipeline, library))
        destroy_record(library, NULL);
}

/* -- Links */

/* A part's stages with their words inline: the module may be gone. */
static bool gather_part(wpg_link *link, const wpg_library *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const uint32_t at = link->stage_count;
        if (at == WPG_MAX_STAGES)
            return false;
        const wpg_rewrite *known = &part->known[i];
        link->known[at] = known;
        link->words[at] =
            (VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                       .pNext = part->info ? part->info->pStages[i].pNext : NULL,
                                       .codeSize = known->word_count * sizeof *known->words,
                                       .pCode = known->words};
        link->stages[at] = part->info ? part->info->pStages[i]
                                      : (VkPipelineShaderStageCreateInfo){.stage = known->stage_bit};
        link->stages[at].pNext = &link->words[at];
        link->stage_count++;
    }
    return true;
}

void wpg_link_gather(wpg_link *link, wpg_device *device, const VkGraphicsPipelineCreateInfo *info,
                     uint64_t flags)
{
    const VkPipelineLibraryCreateInfoKHR *libraries = wpg_libraries_of(info);
    VkGraphicsPipelineLibraryFlagsEXT own = subsets_of(info);
    unsigned state = state_of(info, flags, own);
    *link = (wpg_link){.device = device, .part_count = libraries->libraryCount, .identified = true};
    if (link->part_count > WPG_MAX_LIBRARIES) {
        *link = (wpg_link){.device = device, .ours = true, .why = "of too many parts"};
        return;
    }
    for (uint32_t i = 0; i < link->part_count; i++) {
        wpg_library *part = wpg_handles_get(&device->libraries, (uint64_t)libraries->pLibraries[i]);
        link->first[i] = link->stage_count;
        link->parts[i] = part;
        if (!part) {
            link->why = "a part is not known";
            link->ours = true;
            link->identified = false;
            continue;
        }
        link->ours |= part->ours;
        link->identified &= part->identified && gather_part(link, part);
        state |= part->state;
        if (!link->why && part->why)
            link->why = part->why;
    }
    link->first[link->part_count] = link->stage_count;
    link->own_count = own & SHADER_SUBSETS && info->pStages ? info->stageCount : 0;
    if (link->stage_count + link->own_count > WPG_MAX_STAGES) {
        link->why = "of too many stages";
        link->own_count = 0;
        link->identified = false;
    }
    for (uint32_t i = 0; i < link->own_count; i++)
        link->stages[link->stage_count++] = info->pStages[i];
    link->early_tests = state == (STATE_RASTERISES | STATE_COVERAGE_FIXED);
    if (!(flags & VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT))
        link->why = "a fast link of library parts, each handled by itself";
    else if (!link->why && (flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR))
        link->why = "a library linked from parts, each handled by itself";
    else if (!link->why && (flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT))
        link->why = "a link that must not compile";
    else if (!link->why && !link->stage_count)
        link->why = "a link of parts without shaders";
}

/* One part again, of these stages; under the lock of what it refers to. */
static VkResult make_part(VkPipeline *made, const wpg_link *link, const wpg_library *part,
                          const VkPipelineShaderStageCreateInfo *stages, VkPipelineCache cache,
                          const VkAllocationCallbacks *allocator)
{
    wpg_device *device = link->device;
    VkGraphicsPipelineCreateInfo info = *part->info;
    VkResult result = VK_ERROR_UNKNOWN;
    info.pStages = stages;
    (void)pthread_rwlock_rdlock(&device->libraries_lock);
    if (!part->stale)
        result = device->next.CreateGraphicsPipelines(device->handle, cache, 1, &info, allocator, made);
    (void)pthread_rwlock_unlock(&device->libraries_lock);
    return result;
}

static void destroy_parts(wpg_device *device, const kept_parts *kept, const VkAllocationCallbacks *allocator)
{
    for (uint32_t i = 0; kept && i < kept->count; i++)
        device->next.DestroyPipeline(device->handle, kept->parts[i], allocator);
}

/* The link's chain with other libraries: everything up to the structure that names them is copied, since the
 * program's is not ours to write to. */
static bool with_libraries(VkGraphicsPipelineCreateInfo *mine, VkPipelineLibraryCreateInfoKHR *libraries,
                           wpg_arena *arena)
{
    const VkPipelineLibraryCreateInfoKHR *theirs = wpg_libraries_of(mine);
    libraries->sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
    libraries->pNext = theirs->pNext;
    if (mine->pNext == (const void *)theirs) {
        mine->pNext = libraries;
        return true;
    }
    return wpg_library_copy_chain(&mine->pNext, arena, mine->pNext, theirs, libraries);
}

VkResult wpg_link_create(VkPipeline *pipeline, const wpg_link *link, const VkGraphicsPipelineCreateInfo *info,
                         const VkPipelineShaderStageCreateInfo *stages, VkPipelineCache cache,
                         const VkAllocationCallbacks *allocator, uint64_t *driver_time)
{
    wpg_device *device = link->device;
    const VkPipelineLibraryCreateInfoKHR *theirs = wpg_libraries_of(info);
    VkPipeline handles[WPG_MAX_LIBRARIES];
    VkPipelineLibraryCreateInfoKHR libraries = {.libraryCount = link->part_count, .pLibraries = handles};
    VkGraphicsPipelineCreateInfo mine = *info;
    wpg_arena arena;
    wpg_arena_init(&arena);
    kept_parts *kept = calloc(1, sizeof *kept);
    VkResult result = kept && with_libraries(&mine, &libraries, &arena) ? VK_SUCCESS : VK_ERROR_UNKNOWN;
    uint64_t start = wpg_now();
    *pipeline = VK_NULL_HANDLE;
    if (!stages)
        stages = link->stages;
    for (uint32_t i = 0; i < link->part_count && result == VK_SUCCESS; i++) {
        const wpg_library *part = link->parts[i];
        handles[i] = theirs->pLibraries[i];
        if (!part->count)
            continue;
        result = make_part(&handles[i], link, part, stages + link->first[i], cache, allocator);
        if (result == VK_SUCCESS)
            kept->parts[kept->count++] = handles[i];
    }
    if (link->own_count)
        mine.pStages = stages + link->first[link->part_count];
    if (result == VK_SUCCESS)
        result = device->next.CreateGraphicsPipelines(device->handle, cache, 1, &mine, allocator, pipeline);
    *driver_time += wpg_now() - start;
    wpg_arena_finish(&arena);
    if (result == VK_SUCCESS && wpg_handles_set(&device->linked, (uint64_t)*pipeline, kept))
        return VK_SUCCESS;
    if (result == VK_SUCCESS) {
        device->next.DestroyPipeline(device->handle, *pipeline, allocator);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    *pipeline = VK_NULL_HANDLE;
    destroy_parts(device, kept, allocator);
    free(kept);
    return result;
}

void wpg_link_destroy(const wpg_link *link, VkPipeline pipeline, const VkAllocationCallbacks *allocator)
{
    wpg_device *device = link->device;
    kept_parts *kept = pipeline ? wpg_handles_remove(&device->linked, (uint64_t)pipeline) : NULL;
    device->next.DestroyPipeline(device->handle, pipeline, allocator);
    destroy_parts(device, kept, allocator);
    free(kept);
}

/* -- Hooks */

void VKAPI_CALL wpg_destroy_pipeline(VkDevice handle, VkPipeline pipeline,
                                     const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    kept_parts *kept = NULL;
    wpg_hold *hold = NULL;
    if (pipeline && device->mode != WPG_MODE_OFF) {
        wpg_object_names_forget(device, (uint64_t)pipeline);
        destroy_record(wpg_handles_remove(&device->libraries, (uint64_t)pipeline), NULL);
        kept = wpg_handles_remove(&device->linked, (uint64_t)pipeline);
        (void)wpg_handles_remove(&device->ray_libraries, (uint64_t)pipeline);
        hold = wpg_holds_take(device, pipeline);
    }
    if (device->records)
        wpg_record_DestroyPipeline(handle, pipeline, allocator);
    else
        wpg_sample_destroy_pipeline(handle, pipeline, allocator);
    destroy_parts(device, kept, allocator);
    free(kept);
    wpg_hold_release(device, hold);
}

typedef struct gone {
    VkRenderPass pass;
    VkPipelineLayout layout;
} gone;

static void mark_stale(void *record, void *context)
{
    wpg_library *library = record;
    const gone *what = context;
    if (library->info && ((what->pass && library->info->renderPass == what->pass) ||
                          (what->layout && library->info->layout == what->layout)))
        library->stale = true;
}

static void forget_handle(wpg_device *device, gone what)
{
    if (device->mode == WPG_MODE_OFF || (!what.pass && !what.layout))
        return;
    (void)pthread_rwlock_wrlock(&device->libraries_lock);
    wpg_handles_each(&device->libraries, mark_stale, &what);
    (void)pthread_rwlock_unlock(&device->libraries_lock);
}

void VKAPI_CALL wpg_destroy_render_pass(VkDevice handle, VkRenderPass pass,
                                        const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    forget_handle(device, (gone){.pass = pass});
    wpg_record_DestroyRenderPass(handle, pass, allocator);
}

void VKAPI_CALL wpg_destroy_pipeline_layout(VkDevice handle, VkPipelineLayout layout,
                                            const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    forget_handle(device, (gone){.layout = layout});
    wpg_record_DestroyPipelineLayout(handle, layout, allocator);
}
