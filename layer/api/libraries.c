/* Records of library parts, and what a link of them is as one pipeline. */
#include "layer/api/libraries.h"

#include "layer/rewrite/object_names.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/chain.h"
#include "layer/commands/record_queries.h"
#include "layer/commands/sample_bind.h"
#include "layer/profile/holds.h"
#include "layer/rewrite/library_copy.h"
#include "layer/rewrite/link_whole.h"
#include "layer/rewrite/passes.h"

typedef struct wpg_library {
    wpg_arena arena; /* owns `info` */
    bool ours;
    bool identified; /* of every stage `known` says who it is */
    uint32_t count;
    wpg_rewrite known[WPG_MAX_STAGES]; /* by index into pStages; words are of `modules` or the arena */
    wpg_shader_module *modules[WPG_MAX_STAGES]; /* one reference each; NULL: words were inline */
    VkGraphicsPipelineCreateInfo *info;         /* what it stated; NULL: it was not copied */
    const char *why;                            /* then why not */
    VkGraphicsPipelineLibraryFlagsEXT subsets;
    bool pass_gone; /* its render pass is gone; under libraries_lock */
} wpg_library;

void wpg_libraries_init(wpg_device *device)
{
    wpg_handles_init(&device->libraries);
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

/* What a part or a link states of `subsets` itself. */
static VkGraphicsPipelineCreateInfo *copy_stated(const char **why, wpg_arena *arena, wpg_device *device,
                                                 const VkGraphicsPipelineCreateInfo *info,
                                                 VkGraphicsPipelineLibraryFlagsEXT subsets)
{
    wpg_subpass_outputs outputs;
    const bool known =
        info->renderPass && wpg_pass_subpass(&outputs, device, info->renderPass, info->subpass);
    return wpg_library_copy_info(why, arena, info, subsets, known ? &outputs : NULL);
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
                     const wpg_pipeline_plan *plan, bool ours)
{
    VkGraphicsPipelineLibraryFlagsEXT subsets = subsets_of(info);
    const VkPipelineLibraryCreateInfoKHR *inner = wpg_libraries_of(info);
    wpg_library *library = calloc(1, sizeof *library);
    if (!library)
        return; /* an unknown part: its links stay as they are */
    wpg_arena_init(&library->arena);
    library->ours = ours;
    library->subsets = subsets;
    library->count = subsets & WPG_SHADER_SUBSETS && info->pStages ? info->stageCount : 0;
    if (library->count > WPG_MAX_STAGES)
        library->count = 0;
    else
        library->identified = take_identities(library, plan, library->count);
    if (inner && inner->libraryCount) {
        library->identified = false;
        library->why = "a part is itself linked from parts";
    } else if (!library->identified)
        library->why = "a part's shaders have no identity";
    else
        library->info = copy_stated(&library->why, &library->arena, device, info, subsets);
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
        link->records[at] = part->modules[i];
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

/* The link as one pipeline. Its render pass stays until wpg_link_finish. */
static void make_whole(wpg_link *link, const VkGraphicsPipelineCreateInfo *info,
                       VkGraphicsPipelineLibraryFlagsEXT own)
{
    wpg_link_piece pieces[WPG_MAX_LIBRARIES + 1];
    uint32_t count = 0;
    if (own) {
        pieces[count++] = (wpg_link_piece){
            .info = copy_stated(&link->why, &link->arena, link->device, info, own), .subsets = own};
        if (link->why)
            return;
    }
    (void)pthread_rwlock_rdlock(&link->device->libraries_lock);
    link->locked = true;
    for (uint32_t i = 0; i < link->part_count; i++)
        pieces[count++] =
            (wpg_link_piece){link->parts[i]->info, link->parts[i]->subsets, link->parts[i]->pass_gone};
    link->whole = wpg_link_whole(&link->why, &link->arena, info, pieces, count);
    if (!link->whole)
        return;
    link->whole->stageCount = link->stage_count;
    link->whole->pStages = link->stages;
}

void wpg_link_finish(wpg_link *link)
{
    if (link->locked)
        (void)pthread_rwlock_unlock(&link->device->libraries_lock);
    wpg_arena_finish(&link->arena);
}

/* Whether a pipeline of ours may be made for a fast link: behind it by a profile, or beside it to count. */
static bool replaces_fast_links(const wpg_device *device)
{
    if (device->mode == WPG_MODE_GENERATE)
        return device->binds;
    return device->mode == WPG_MODE_USE && device->variants &&
           wpg_the_process.settings.compile == WPG_COMPILE_BACKGROUND;
}

void wpg_link_gather(wpg_link *link, wpg_device *device, const VkGraphicsPipelineCreateInfo *info,
                     uint64_t flags)
{
    const VkPipelineLibraryCreateInfoKHR *libraries = wpg_libraries_of(info);
    VkGraphicsPipelineLibraryFlagsEXT own = subsets_of(info);
    *link = (wpg_link){.device = device, .part_count = libraries->libraryCount, .identified = true};
    wpg_arena_init(&link->arena);
    if (link->part_count > WPG_MAX_LIBRARIES) {
        link->part_count = 0;
        link->ours = true;
        link->identified = false;
        link->why = "of too many parts";
        return;
    }
    for (uint32_t i = 0; i < link->part_count; i++) {
        wpg_library *part = wpg_handles_get(&device->libraries, (uint64_t)libraries->pLibraries[i]);
        link->parts[i] = part;
        if (!part) {
            link->why = "a part is not known";
            link->ours = true;
            link->identified = false;
            continue;
        }
        link->ours |= part->ours;
        link->identified &= part->identified && gather_part(link, part);
        if (!link->why && part->why)
            link->why = part->why;
    }
    link->own_count = own & WPG_SHADER_SUBSETS && info->pStages ? info->stageCount : 0;
    if (link->stage_count + link->own_count > WPG_MAX_STAGES) {
        link->why = "of too many stages";
        link->own_count = 0;
        link->identified = false;
    }
    for (uint32_t i = 0; i < link->own_count; i++)
        link->stages[link->stage_count++] = info->pStages[i];
    if (!link->why && !link->identified)
        link->why = "of too many stages";
    link->fast = !(flags & VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT);
    if (link->fast && !replaces_fast_links(device))
        link->why = "a fast link of library parts, each handled by itself";
    else if (!link->why && (flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR))
        link->why = "a library linked from parts, each handled by itself";
    else if (!link->why && (flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT))
        link->why = "a link that must not compile";
    else if (!link->why && !link->stage_count)
        link->why = "a link of parts without shaders";
    if (!link->why)
        make_whole(link, info, own);
}

/* -- Hooks */

void VKAPI_CALL wpg_destroy_pipeline(VkDevice handle, VkPipeline pipeline,
                                     const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    wpg_hold *hold = NULL;
    if (pipeline && device->mode != WPG_MODE_OFF) {
        wpg_object_names_forget(device, (uint64_t)pipeline);
        destroy_record(wpg_handles_remove(&device->libraries, (uint64_t)pipeline), NULL);
        (void)wpg_handles_remove(&device->ray_libraries, (uint64_t)pipeline);
        hold = wpg_holds_take(device, pipeline);
    }
    if (device->records)
        wpg_record_DestroyPipeline(handle, pipeline, allocator);
    else
        wpg_sample_destroy_pipeline(handle, pipeline, allocator);
    wpg_hold_release(device, hold);
}

static void mark_gone(void *record, void *context)
{
    wpg_library *library = record;
    const VkRenderPass *pass = context;
    if (library->info && library->info->renderPass == *pass)
        library->pass_gone = true;
}

void VKAPI_CALL wpg_destroy_render_pass(VkDevice handle, VkRenderPass pass,
                                        const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    if (pass && device->mode != WPG_MODE_OFF) {
        (void)pthread_rwlock_wrlock(&device->libraries_lock);
        wpg_handles_each(&device->libraries, mark_gone, &pass);
        (void)pthread_rwlock_unlock(&device->libraries_lock);
    }
    wpg_record_DestroyRenderPass(handle, pass, allocator);
}
