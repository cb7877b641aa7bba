/* vkCreateGraphicsPipelines, vkCreateComputePipelines and vkCreateRayTracingPipelinesKHR.
 *
 * Each create-info is handled by itself. First comes a plan (pipeline_plan.h), then the driver with our
 * stages. If the driver refuses these, it gets the program's own create-info. The program's pipeline cache
 * only ever sees the program's own shaders. Creation feedback is the original's.
 * FAIL_ON_PIPELINE_COMPILE_REQUIRED returns the driver's result for the original. In use mode the layer never
 * compiles where the program asked for no compile; elsewhere it does where the original is at hand: drivers
 * keep caches of their own, and what they have there would never count. Source: Vulkan 1.3, 10.2 and 10.3
 * (multiple pipelines), VK_EXT_pipeline_creation_cache_control.
 *
 * COMPILE=background: a pipeline whose words would have to be made is the program's own for now, and is
 * handed to variants.h. Of parts of libraries and ray tracing only the words are, for a later run.
 *
 * Ray tracing: a deferred creation that we change is made at once (VK_OPERATION_NOT_DEFERRED_KHR, which
 * every program has to expect). For a create-info passed through unchanged, the driver keeps pointers
 * only into the program's memory (VK_KHR_deferred_host_operations). */
#include <string.h>

#include "layer/api/feedback.h"
#include "layer/api/hooks.h"
#include "layer/api/libraries.h"
#include "layer/base/chain.h"
#include "layer/base/clock.h"
#include "layer/base/flight_recorder.h"
#include "layer/base/gate.h"
#include "layer/base/newer.h"
#include "layer/base/summary.h"
#include "layer/base/loss_attribution.h"
#include "layer/commands/counter_layouts.h"
#include "layer/commands/record.h"
#include "layer/commands/sample_bind.h"
#include "layer/profile/use.h"
#include "layer/rewrite/library_copy.h"
#include "layer/rewrite/object_names.h"
#include "layer/rewrite/pipeline_plan.h"
#include "layer/rewrite/static_cost.h"
#include "layer/rewrite/targets.h"
#include "layer/variants/variants.h"
#include "runtime/base/log.h"

typedef struct request {
    wpg_device *device;
    VkPipelineCache cache; /* the application's */
    const VkAllocationCallbacks *allocator;
    bool graphics, rays;             /* neither: compute */
    VkDeferredOperationKHR deferred; /* rays: to be given down where the whole call is one pipeline */
    wpg_link *link;                  /* of the pipeline being made; NULL: it is not linked from parts */
    bool compiles;                   /* ours may be compiled, whatever the program asked */
    uint64_t driver_time;
    wpg_hash128 hash; /* of the pipeline being made */
    wpg_counter_slot
        *slot;           /* counters by binding: of the pipeline being made; NULL: it is none that counts */
    VkPipeline counting; /* the one that was made so */
} request;

static VkResult call_driver(request *req, VkPipelineCache cache, uint32_t count, const void *infos,
                            VkPipeline *pipelines)
{
    wpg_device *device = req->device;
    uint64_t start = wpg_now();
    VkResult result;
    if (req->graphics)
        result = device->next.CreateGraphicsPipelines(device->handle, cache, count, infos, req->allocator,
                                                      pipelines);
    else if (req->rays)
        result = device->next.CreateRayTracingPipelinesKHR(device->handle, VK_NULL_HANDLE, cache, count,
                                                           infos, req->allocator, pipelines);
    else
        result = device->next.CreateComputePipelines(device->handle, cache, count, infos, req->allocator,
                                                     pipelines);
    req->driver_time += wpg_now() - start;
    return result;
}

/* VkPipelineCreateFlags2: those of the chain stand for the create-info's own (VK_KHR_maintenance5). */
static uint64_t flags_of(const void *info)
{
    const VkBaseInStructure *base = info;
    const wpg_pipeline_flags_2 *flags = wpg_chain_find(base->pNext, WPG_STRUCTURE_PIPELINE_FLAGS_2);
    if (flags)
        return flags->flags;
    /* The first members of all three are the same. */
    return ((const VkComputePipelineCreateInfo *)info)->flags;
}

typedef union create_info {
    VkGraphicsPipelineCreateInfo graphics;
    VkComputePipelineCreateInfo compute;
    VkRayTracingPipelineCreateInfoKHR rays;
} create_info;

/* Takes the flag from the copy's own flags and from those of its chain, which is copied in `arena` up to
 * them. false: the chain cannot be copied. */
static bool clear_flag(create_info *copy, wpg_arena *arena, VkPipelineCreateFlags flag)
{
    const VkBaseInStructure *base = (const void *)copy;
    const wpg_pipeline_flags_2 *flags = wpg_chain_find(base->pNext, WPG_STRUCTURE_PIPELINE_FLAGS_2);
    wpg_pipeline_flags_2 *mine = flags ? wpg_arena_memdup(arena, flags, sizeof *flags) : NULL;
    /* The first members of all three are the same. */
    copy->compute.flags &= ~flag;
    if (!flags)
        return true;
    if (!mine)
        return false;
    mine->flags &= ~(uint64_t)flag;
    return wpg_library_copy_chain(&copy->compute.pNext, arena, base->pNext, flags, mine);
}

/* -- What is not looked at */

static const char *unsupported_stage(const VkPipelineShaderStageCreateInfo *stage)
{
    if (stage->pName &&
        (stage->module || wpg_chain_find(stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO) ||
         wpg_chain_find(stage->pNext,
                        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT)))
        return NULL;
    return "made of no shader module";
}

/* Bits that say nothing of the code, or that our words bear. Every other one, known or not, is another way of
 * making a pipeline. */
#define KNOWN_FLAGS                                                                                          \
    ((UINT64_C(0x7fffffff) & ~(uint64_t)(VK_PIPELINE_CREATE_PROTECTED_ACCESS_ONLY_BIT_EXT |                  \
                                         VK_PIPELINE_CREATE_INDIRECT_BINDABLE_BIT_NV)) |                     \
     WPG_FLAG_LEGACY_DITHERING)

static const char *unsupported_flags(uint64_t flags, const void *chain)
{
    const wpg_pipeline_binary_info *binaries = wpg_chain_find(chain, WPG_STRUCTURE_PIPELINE_BINARY_INFO);
    if (binaries && binaries->binaryCount)
        return "made of pipeline binaries";
    if (flags & WPG_FLAG_CAPTURE_DATA)
        return "made to be captured as binaries";
    if (flags & VK_PIPELINE_CREATE_PROTECTED_ACCESS_ONLY_BIT_EXT)
        return "for protected command buffers";
    if (flags & (VK_PIPELINE_CREATE_INDIRECT_BINDABLE_BIT_NV | WPG_FLAG_INDIRECT_BINDABLE))
        return "for device-generated commands";
    if (flags & ~KNOWN_FLAGS)
        return "made with flags newer than this layer";
    return NULL;
}

/* Whether the create-info is a library part with shaders: counted and optimised as any pipeline, under the
 * shader's hash, so that links, fast or optimised, are never made slower. */
static bool is_shader_part(const VkGraphicsPipelineCreateInfo *info, uint64_t flags)
{
    const VkGraphicsPipelineLibraryCreateInfoEXT *part =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    return part && (flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) && (part->flags & WPG_SHADER_SUBSETS);
}

static bool is_linked(const VkGraphicsPipelineCreateInfo *info)
{
    const VkPipelineLibraryCreateInfoKHR *parts = wpg_libraries_of(info);
    return parts && parts->libraryCount;
}

static const char *unsupported_graphics(const VkGraphicsPipelineCreateInfo *info, uint64_t flags)
{
    const char *why = unsupported_flags(flags, info->pNext);
    if (!why && !is_shader_part(info, flags) && !is_linked(info) &&
        ((flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) ||
         wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT)))
        why = "a library part without shaders";
    if (!why && wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV))
        why = "made of shader groups";
    if (!why && !is_linked(info) && (info->stageCount == 0 || !info->pStages))
        why = "without stages";
    for (uint32_t i = 0; !why && !is_linked(info) && i < info->stageCount; i++)
        why = unsupported_stage(&info->pStages[i]);
    return why;
}

/* Values of the registry: newer than the oldest headers we build with. */
#define FLAG_DEPTH_FEEDBACK_LOOP    ((VkPipelineCreateFlags)0x04000000)
#define DYNAMIC_DEPTH_FEEDBACK_LOOP ((VkDynamicState)1000524000)

/* Whether the pipeline's state is known not to tell early depth and stencil tests from late ones: alpha to
 * coverage takes samples away after the shader, and a feedback loop shows it the depth (Vulkan 1.3, 27.4,
 * 29.4). State that is not there, or dynamic, is not known. */
static bool allows_early_tests(const VkGraphicsPipelineCreateInfo *info, uint64_t flags)
{
    if (is_shader_part(info, flags) || (flags & FLAG_DEPTH_FEEDBACK_LOOP))
        return false;
    /* Without rasterisation the multisample state may be anything. */
    if (!info->pRasterizationState || info->pRasterizationState->rasterizerDiscardEnable ||
        !info->pMultisampleState || info->pMultisampleState->alphaToCoverageEnable)
        return false;
    for (uint32_t i = 0; info->pDynamicState && i < info->pDynamicState->dynamicStateCount; i++) {
        VkDynamicState state = info->pDynamicState->pDynamicStates[i];
        if (state == VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT || state == DYNAMIC_DEPTH_FEEDBACK_LOOP)
            return false;
    }
    return true;
}

/* -- One pipeline */

static VkPipelineLayout layout_of(const request *req, const void *info)
{
    return req->graphics ? ((const VkGraphicsPipelineCreateInfo *)info)->layout
           : req->rays   ? ((const VkRayTracingPipelineCreateInfoKHR *)info)->layout
                         : ((const VkComputePipelineCreateInfo *)info)->layout;
}

/* The program's sets are given back to its own pipelines, too: their layouts are noted. */
static void note_layout(request *req, const void *info, VkPipeline pipeline)
{
    wpg_device *device = req->device;
    wpg_counter_layout *layout = wpg_counter_layout_of(device, layout_of(req, info));
    if (pipeline == req->counting)
        return;
    if (layout)
        (void)wpg_counter_pipeline_add(device, pipeline, layout, VK_NULL_HANDLE);
    else
        wpg_counter_pipeline_remove(device, pipeline);
}

/* Counters by binding: the pipeline is made with the layout that has our set, and noted with the set. */
static VkResult create_bound(request *req, create_info *mine, VkPipeline *pipeline)
{
    wpg_device *device = req->device;
    wpg_counter_layout *layout = wpg_counter_layout_of(device, layout_of(req, mine));
    VkDescriptorSet set;
    if (!layout || layout->why || !wpg_counter_set_make(&set, device, req->slot))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    *(req->graphics ? &mine->graphics.layout : &mine->compute.layout) = layout->handle;
    VkResult result = call_driver(req, device->cache, 1, mine, pipeline);
    if (result != VK_SUCCESS)
        wpg_counter_set_drop(device, set);
    else if (wpg_counter_pipeline_add(device, *pipeline, layout, set))
        req->counting = *pipeline;
    else {
        device->next.DestroyPipeline(device->handle, *pipeline, req->allocator);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return result;
}

/* Makes the pipeline of stages of ours. */
static VkResult create_with(request *req, const VkPipelineShaderStageCreateInfo *stages, const void *info,
                            VkPipeline *pipeline)
{
    create_info mine;
    wpg_arena arena;
    VkResult result;
    const uint32_t flight = wpg_flight_begin(req->hash);
    if (req->graphics) {
        mine.graphics = *(const VkGraphicsPipelineCreateInfo *)info;
        mine.graphics.pStages = stages;
    } else if (req->rays) {
        mine.rays = *(const VkRayTracingPipelineCreateInfoKHR *)info;
        mine.rays.pStages = stages;
    } else {
        mine.compute = *(const VkComputePipelineCreateInfo *)info;
        mine.compute.stage = stages[0];
    }
    wpg_arena_init(&arena);
    if (req->compiles) /* what cannot be cleared stays */
        (void)clear_flag(&mine, &arena, VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT);
    result = req->slot ? create_bound(req, &mine, pipeline)
                       : call_driver(req, req->device->cache, 1, &mine, pipeline);
    wpg_flight_end(flight);
    wpg_arena_finish(&arena);
    if (result != VK_SUCCESS)
        *pipeline = VK_NULL_HANDLE;
    return result;
}

/* The create-info of pipelines of ours: a link's is the whole of it. */
static const void *made_of(const request *req, const void *info)
{
    return req->link && req->link->whole ? req->link->whole : info;
}

/* Makes the program's own, as if no layer were there. A link of parts that are ours becomes one pipeline of
 * the program's words. Its stages are more than the link's own, so of feedback it is asked for the whole. */
static VkResult create_original(request *req, const void *info, VkPipeline *pipeline)
{
    if (!req->link || !req->link->ours)
        return call_driver(req, req->cache, 1, info, pipeline);
    const VkGraphicsPipelineCreateInfo *graphics = info;
    const VkPipelineCreationFeedbackCreateInfo *asked =
        wpg_chain_find(graphics->pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    VkGraphicsPipelineCreateInfo whole = *req->link->whole;
    VkPipelineCreationFeedbackCreateInfo feedback;
    if (asked) {
        feedback = (VkPipelineCreationFeedbackCreateInfo){.sType = asked->sType,
                                                          .pNext = whole.pNext,
                                                          .pPipelineCreationFeedback =
                                                              asked->pPipelineCreationFeedback};
        whole.pNext = &feedback;
    }
    return call_driver(req, req->cache, 1, &whole, pipeline);
}

static void not_compiled(wpg_pipeline_plan *plan)
{
    plan->changed = false;
    (void)strcpy(plan->why, "its rewritten form was not compiled yet");
    plan->expected = true;
}

/* The application asked not to wait for a compile. If its own is at hand, it gets that, or ours if that is at
 * hand, too, or is to count. If only ours is, the program made this pipeline before, and its own would be at
 * hand now. */
static VkResult create_if_cached(request *req, wpg_pipeline_plan *plan, const void *info,
                                 VkPipeline *pipeline)
{
    const VkBaseInStructure *base = info;
    VkPipeline ours = VK_NULL_HANDLE;
    wpg_feedback kept = {0};
    VkResult result = call_driver(req, req->cache, 1, info, pipeline);
    if (result < 0)
        return result;
    wpg_feedback_keep(&kept, base->pNext);
    req->compiles = result == VK_SUCCESS && req->device->mode != WPG_MODE_USE;
    if ((req->compiles || req->device->cache) && create_with(req, plan->infos, info, &ours) == VK_SUCCESS) {
        req->device->next.DestroyPipeline(req->device->handle, *pipeline, req->allocator);
        *pipeline = ours;
        if (result == VK_SUCCESS)
            wpg_feedback_restore(&kept);
        wpg_pipeline_plan_commit(plan, true);
        return VK_SUCCESS;
    }
    wpg_feedback_restore(&kept);
    if (result == VK_SUCCESS) {
        not_compiled(plan);
        wpg_pipeline_plan_commit(plan, true);
    }
    return result;
}

static VkResult create_changed(request *req, wpg_pipeline_plan *plan, const void *info, VkPipeline *pipeline)
{
    if (flags_of(info) & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT)
        return create_if_cached(req, plan, info, pipeline);

    const VkBaseInStructure *base = info;
    wpg_feedback kept = {0};
    VkPipeline original = VK_NULL_HANDLE;
    if (wpg_chain_find(base->pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO)) {
        VkResult result = create_original(req, info, &original);
        /* A link of parts made anew is ours to lose; one of those the program holds is what it asked for. */
        if (result != VK_SUCCESS && req->link)
            result = call_driver(req, req->device->cache, 1, info, &original);
        if (result != VK_SUCCESS) {
            *pipeline = original;
            return result;
        }
        wpg_feedback_keep(&kept, base->pNext);
    }
    VkResult result = create_with(req, plan->infos, made_of(req, info), pipeline);
    wpg_feedback_restore(&kept);
    wpg_pipeline_plan_commit(plan, result == VK_SUCCESS);
    if (result == VK_SUCCESS) {
        if (original)
            req->device->next.DestroyPipeline(req->device->handle, original, req->allocator);
        return VK_SUCCESS;
    }
    wpg_log_debug("pipeline %s: the driver gave VkResult %d", plan->label, (int)result);
    if (original) {
        *pipeline = original;
        return VK_SUCCESS;
    }
    /* A link falls back to the parts that the program holds, which may be ours. */
    return call_driver(req, req->link ? req->device->cache : req->cache, 1, info, pipeline);
}

/* What the binds that are not counted run: the program's own, or that by a profile if there is one. */
static VkResult create_uncounted(request *req, const void *info, VkPipeline *pipeline)
{
    if (req->device->mode != WPG_MODE_GENERATE || !wpg_use_applies() || wpg_use_missing())
        return call_driver(req, req->cache, 1, info, pipeline);
    const VkGraphicsPipelineCreateInfo *graphics = made_of(req, info);
    const VkPipelineShaderStageCreateInfo *stages =
        req->graphics ? graphics->pStages : &((const VkComputePipelineCreateInfo *)info)->stage;
    wpg_pipeline_plan plan;
    VkResult result;
    wpg_counter_slot *slot = req->slot;
    req->slot = NULL;
    wpg_pipeline_plan_make(&plan, req->device, stages, req->graphics ? graphics->stageCount : 1,
                           WPG_PLAN_UNCOUNTED, NULL);
    if (plan.changed) {
        result = create_changed(req, &plan, info, pipeline);
        if (result == VK_SUCCESS && plan.changed)
            wpg_attribution_add(req->device, *pipeline, plan.hash);
    } else {
        result = call_driver(req, req->cache, 1, info, pipeline);
        wpg_pipeline_plan_commit(&plan, result >= 0 && result != VK_PIPELINE_COMPILE_REQUIRED);
    }
    wpg_pipeline_plan_finish(&plan);
    req->slot = slot;
    return result;
}

static void destroy_twins(request *req, const wpg_twin *twins, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (twins[i].pipeline) {
            wpg_counter_pipeline_remove(req->device, twins[i].pipeline);
            req->device->next.DestroyPipeline(req->device->handle, twins[i].pipeline, req->allocator);
        }
}

/* What stands beside the program's: the counting one, or the candidates. How many there are: all of
 * them or none, for where one is missing the others would be held against other work. */
static size_t create_twins(wpg_twin *twins, request *req, const wpg_pipeline_plan *plan, const void *info)
{
    size_t count = 0;
    if (!plan->tuned)
        return create_with(req, plan->infos, info, &twins[0].pipeline) == VK_SUCCESS;
    for (size_t i = 0; i < plan->candidate_count; i++) {
        twins[count].alternative = plan->candidates[i].alternative;
        if (!twins[count].alternative)
            continue;
        if (!plan->candidates[i].infos) { /* variants are built beside the program's own as it is */
            twins[count++].pipeline = VK_NULL_HANDLE;
            continue;
        }
        if (create_with(req, plan->candidates[i].infos, info, &twins[count].pipeline) != VK_SUCCESS) {
            destroy_twins(req, twins, count);
            return 0;
        }
        count++;
    }
    return count;
}

/* What the driver says of stages, in a build of their own; count 0: nothing. */
static void estimate(wpg_estimate *found, request *req, const VkPipelineShaderStageCreateInfo *stages,
                     const void *info)
{
    create_info copy;
    VkPipeline built = VK_NULL_HANDLE;
    request mine = *req;
    mine.allocator = NULL;
    *found = (wpg_estimate){0};
    if (req->graphics) {
        copy.graphics = *(const VkGraphicsPipelineCreateInfo *)info;
        copy.graphics.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    } else {
        copy.compute = *(const VkComputePipelineCreateInfo *)info;
        copy.compute.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    }
    if (create_with(&mine, stages, &copy, &built) != VK_SUCCESS)
        return;
    wpg_static_cost_read(found, req->device, built);
    req->device->next.DestroyPipeline(req->device->handle, built, NULL);
}

/* Waves of the original's executables: where stages were merged, of the one with the most. */
static void weigh(double waves[WPG_MOST_EXECUTABLES], const wpg_estimate *original,
                  const wpg_pipeline_plan *plan)
{
    for (size_t i = 0; i < original->count; i++) {
        waves[i] = 0;
        for (size_t k = 0; k < plan->count; k++)
            if ((original->executables[i].stages & plan->stages[k].stage_bit) && plan->waves[k] > waves[i])
                waves[i] = plan->waves[k];
    }
}

/* The static verdict. Never where the program wants no compile, nor where its flags stand in a structure of
 * the chain, which is its own. */
static void judge(request *req, const wpg_pipeline_plan *plan, const void *info)
{
    wpg_estimate original, candidates[WPG_VERDICT_CANDIDATES];
    wpg_tune_set sets[WPG_VERDICT_CANDIDATES];
    double waves[WPG_MOST_EXECUTABLES] = {0};
    const VkBaseInStructure *base = info;
    const VkPipelineShaderStageCreateInfo *own = req->graphics
                                                     ? ((const VkGraphicsPipelineCreateInfo *)info)->pStages
                                                     : &((const VkComputePipelineCreateInfo *)info)->stage;
    if (!wpg_static_cost_known(req->device) || !wpg_tune_wants_estimates(plan->tuned) ||
        (flags_of(info) & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT) ||
        wpg_chain_find(base->pNext, WPG_STRUCTURE_PIPELINE_FLAGS_2))
        return;
    estimate(&original, req, own, info);
    if (original.count == 0) {
        wpg_log_info("pipeline %s: the driver does not say what it costs", plan->label);
        return;
    }
    weigh(waves, &original, plan);
    size_t count = 0;
    for (size_t i = 0; i < plan->candidate_count; i++)
        if (plan->candidates[i].infos) { /* what variants would save hangs on what is pushed */
            sets[count] = plan->candidates[i].set;
            estimate(&candidates[count++], req, plan->candidates[i].infos, info);
        }
    wpg_tune_judge(plan->tuned, &original, sets, candidates, count, waves);
}

/* Sampling by bind, and tuning: the program gets its own, made as it asked; ours are made beside it, from the
 * same create-info, and nothing the program can see tells of it. */
static VkResult create_beside(request *req, wpg_pipeline_plan *plan, const void *info, VkPipeline *pipeline)
{
    const VkBaseInStructure *base = info;
    wpg_twin twins[WPG_VERDICT_CANDIDATES] = {{VK_NULL_HANDLE, 0}};
    VkResult result = create_uncounted(req, info, pipeline);
    if (result != VK_SUCCESS)
        return result;
    wpg_feedback kept = {0};
    wpg_feedback_keep(&kept, base->pNext);
    if (plan->tuned)
        judge(req, plan, made_of(req, info));
    if (plan->tuned && !req->device->times) {
        wpg_feedback_restore(&kept);
        plan->changed = false;
        (void)strcpy(plan->why, "it is not timed: the driver's figures decide");
        plan->expected = true;
        wpg_pipeline_plan_commit(plan, true);
        return VK_SUCCESS;
    }
    req->compiles = true; /* the program has its own */
    size_t count = create_twins(twins, req, plan, made_of(req, info));
    bool made = count > 0;
    wpg_feedback_restore(&kept);
    if (made && !wpg_twins_add(req->device, *pipeline, twins, count,
                               plan->tuned ? NULL : plan->counted[0]->slot, plan->tuned)) {
        destroy_twins(req, twins, count);
        made = false;
    }
    for (size_t i = 0; made && i < count; i++)
        if (twins[i].pipeline)
            wpg_attribution_add(req->device, twins[i].pipeline, plan->hash);
    if (!made && (flags_of(info) & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT)) {
        not_compiled(plan);
        made = true;
    }
    wpg_pipeline_plan_commit(plan, made);
    return VK_SUCCESS;
}

/* Of libraries: an optimised link is planned like any pipeline; in a fast one only what it states itself, if
 * that has shaders, is looked at, and what it draws is known by its parts' shaders. */
static void plan_link(request *req, wpg_pipeline_plan *plan, const VkGraphicsPipelineCreateInfo *info,
                      uint64_t flags)
{
    wpg_link *link = req->link;
    wpg_link_gather(link, req->device, info, flags);
    const char *why = link->why;
    for (uint32_t i = 0; !why && i < link->stage_count; i++)
        why = unsupported_stage(&link->stages[i]);
    if (!why)
        why = unsupported_flags(flags_of(link->whole), link->whole->pNext);
    if (!why) {
        wpg_plan_state state = {.early_tests = allows_early_tests(link->whole, flags_of(link->whole)),
                                .behind = link->fast && req->device->mode == WPG_MODE_USE};
        if (state.behind) {
            state.known = link->known;
            state.records = link->records;
        }
        wpg_targets_find(&state.targets, req->device, link->whole);
        wpg_pipeline_plan_make(plan, req->device, link->stages, link->stage_count, WPG_PLAN_LINK, &state);
    } else if (req->device->records && link->identified && !link->own_count)
        wpg_pipeline_plan_pass_known(plan, req->device, link->known, link->stage_count, why);
    else
        wpg_pipeline_plan_pass(plan, req->device, NULL, 0, why);
}

/* Parts of ray-tracing pipelines, and what a link adds to its parts, are shared: each shader counts under its
 * own hash. */
static void plan_rays(request *req, wpg_pipeline_plan *plan, const VkRayTracingPipelineCreateInfoKHR *info,
                      uint64_t flags)
{
    bool linked = info->pLibraryInfo && info->pLibraryInfo->libraryCount;
    const char *why = unsupported_flags(flags, info->pNext);
    if (!why && (flags & VK_PIPELINE_CREATE_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR))
        why = "its shader group handles are captured or replayed";
    if (!why && info->stageCount == 0)
        why = linked ? "linked from library parts, each handled by itself" : "without stages";
    for (uint32_t i = 0; !why && i < info->stageCount; i++)
        why = unsupported_stage(&info->pStages[i]);
    if (why)
        wpg_pipeline_plan_pass(plan, req->device, info->pStages, info->stageCount, why);
    else
        wpg_pipeline_plan_make(
            plan, req->device, info->pStages, info->stageCount,
            linked || (flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) ? WPG_PLAN_PART : WPG_PLAN_RAYS, NULL);
}

/* What the program asked for, and what becomes of it; `info` is looked at no further than it may be. */
static void plan_one(request *req, wpg_pipeline_plan *plan, const void *info, uint64_t flags)
{
    if (req->rays) {
        plan_rays(req, plan, info, flags);
        return;
    }
    const VkGraphicsPipelineCreateInfo *graphics = info;
    const VkPipelineShaderStageCreateInfo *stages =
        req->graphics ? NULL : &((const VkComputePipelineCreateInfo *)info)->stage;
    uint32_t stage_count = 1;
    const char *why;
    if (req->graphics) {
        why = unsupported_graphics(graphics, flags);
        if (!why && is_linked(graphics)) {
            plan_link(req, plan, graphics, flags);
            return;
        }
        /* Where stages are ignored (parts without shaders) their pointer may be anything. */
        stages = why ? NULL : graphics->pStages;
        stage_count = why ? 0 : graphics->stageCount;
    } else {
        const VkComputePipelineCreateInfo *compute = info;
        why = unsupported_flags(flags, compute->pNext);
        if (!why)
            why = unsupported_stage(stages);
    }
    if (why) {
        wpg_pipeline_plan_pass(plan, req->device, stages, stage_count, why);
        return;
    }
    wpg_plan_state state = {0};
    const wpg_counter_layout *layout =
        req->device->counter_sets ? wpg_counter_layout_of(req->device, layout_of(req, info)) : NULL;
    state.no_counters = layout ? layout->why : "counters by binding: its pipeline layout is not known";
    state.counter_set = layout ? layout->count : 0;
    const bool part = req->graphics && is_shader_part(graphics, flags);
    state.links_count = part;
    if (req->graphics)
        state.early_tests = allows_early_tests(graphics, flags);
    if (req->graphics && !part)
        wpg_targets_find(&state.targets, req->device, graphics);
    wpg_pipeline_plan_make(plan, req->device, stages, stage_count, part ? WPG_PLAN_PART : WPG_PLAN_PIPELINE,
                           &state);
}

/* What would be to blame if the device were lost while the pipeline runs. */
static void note_for_attribution(const request *req, VkPipeline pipeline, const wpg_pipeline_plan *plan)
{
    const wpg_link *link = req->link;
    if (plan->changed && !plan->by_bind)
        wpg_attribution_add(req->device, pipeline, plan->hash);
    else if (!plan->changed && link && link->ours && link->identified)
        for (uint32_t i = 0; i < link->stage_count; i++)
            if (link->known[i])
                wpg_attribution_add(req->device, pipeline, link->known[i]->hash);
}

static bool links_ours(wpg_device *device, const VkRayTracingPipelineCreateInfoKHR *info)
{
    uint32_t count = info->pLibraryInfo ? info->pLibraryInfo->libraryCount : 0;
    for (uint32_t i = 0; i < count; i++)
        if (wpg_handles_get(&device->ray_libraries, (uint64_t)info->pLibraryInfo->pLibraries[i]))
            return true;
    return false;
}

/* A link compiles parts that may be ours: the program's cache must not see that either. */
static VkResult create_unchanged(request *req, const void *info, bool of_ours, VkPipeline *pipeline)
{
    wpg_device *device = req->device;
    const VkRayTracingPipelineCreateInfoKHR *rays = req->rays ? info : NULL;
    of_ours |= rays && links_ours(device, rays);
    VkPipelineCache cache = of_ours ? device->cache : req->cache;
    if (!req->deferred)
        return call_driver(req, cache, 1, info, pipeline);
    if (rays->pLibraryInfo) /* where its handle will be is not followed */
        wpg_holds_keep(device, rays->pLibraryInfo->pLibraries, rays->pLibraryInfo->libraryCount);
    uint64_t start = wpg_now();
    VkResult result = device->next.CreateRayTracingPipelinesKHR(device->handle, req->deferred, cache, 1, info,
                                                                req->allocator, pipeline);
    req->driver_time += wpg_now() - start;
    return result;
}

/* The plan's words, during the program's call. */
static void make_now(request *req, wpg_pipeline_plan *plan, const void *info)
{
    const VkGraphicsPipelineCreateInfo *graphics = made_of(req, info);
    const VkPipelineShaderStageCreateInfo *stages =
        req->graphics ? graphics->pStages : &((const VkComputePipelineCreateInfo *)info)->stage;
    wpg_pipeline_plan_resume(plan, stages);
    if (plan->changed)
        wpg_pipeline_plan_stages(plan, stages, req->graphics ? graphics->stageCount : 1, plan->stages,
                                 plan->modules, plan->infos);
}

/* What compiles at the first draw or dispatch is seen there: first_use.h. */
static void note_pace(const wpg_pipeline_plan *plan, uint64_t nanoseconds)
{
    double limit = wpg_the_process.settings.compile_limit, seconds = (double)nanoseconds * 1e-9;
    if (limit > 0 && seconds > limit && plan->identified)
        wpg_pace_note(plan->hash, plan->pace, seconds, WPG_AT_CREATION);
}

/* Nodes of an execution graph (VK_AMDX_shader_enqueue) are held for good: graphs are not followed. */
static void hold(const request *req, wpg_pipeline_plan *plan, const void *info, VkPipeline pipeline)
{
    const VkRayTracingPipelineCreateInfoKHR *rays = info;
    if (!req->graphics && !req->rays && (flags_of(info) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR))
        plan->held_count = 0;
    wpg_pipeline_plan_hold(plan, pipeline,
                           req->graphics ? wpg_libraries_of(info)
                           : req->rays   ? rays->pLibraryInfo
                                         : NULL);
}

static VkResult make_one(request *req, const void *info, VkPipeline *pipeline)
{
    uint64_t start = wpg_now(), driver_before = req->driver_time, flags = flags_of(info);
    wpg_pipeline_plan plan;
    wpg_link link = {0};
    struct wpg_variant_set *later = NULL;
    req->link = req->graphics && is_linked(info) ? &link : NULL;
    plan_one(req, &plan, info, flags);
    req->slot = plan.bound_slot;
    req->hash = plan.hash;
    req->counting = VK_NULL_HANDLE;
    req->compiles = false;

    VkResult result;
    if (plan.later && !plan.whole)
        wpg_later_words(req->device, &plan);
    if (plan.later)
        later = wpg_later_take(req->device, &plan, req->graphics, link.fast, made_of(req, info));
    if (plan.later && !later)
        make_now(req, &plan, info);
    if (later)
        result = create_unchanged(req, info, link.ours, pipeline);
    else if (plan.changed && plan.by_bind)
        result = create_beside(req, &plan, info, pipeline);
    else if (plan.changed)
        result = create_changed(req, &plan, info, pipeline);
    else {
        result = create_unchanged(req, info, link.ours, pipeline);
        wpg_pipeline_plan_commit(&plan, result >= 0 && result != VK_PIPELINE_COMPILE_REQUIRED);
    }
    if (result == VK_SUCCESS && req->graphics && (flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR))
        wpg_library_add(req->device, *pipeline, info, &plan, plan.changed || link.ours);
    bool made = result == VK_SUCCESS || result == VK_OPERATION_NOT_DEFERRED_KHR;
    if (made && req->rays && (flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) &&
        (plan.changed || links_ours(req->device, info)))
        (void)wpg_handles_set(&req->device->ray_libraries, (uint64_t)*pipeline, req->device);
    if (made && req->device->counter_sets)
        note_layout(req, info, *pipeline);
    if (made) {
        hold(req, &plan, info, *pipeline);
        wpg_record_pipeline(req->device, *pipeline, &plan, layout_of(req, info));
        if (later)
            wpg_later_add(req->device, later, *pipeline);
        else if (req->device->variants && req->link && !link.whole)
            wpg_variants_refuse(&plan, "it is linked from libraries");
        else if (req->device->variants && !req->rays)
            wpg_variants_add(req->device, *pipeline, &plan, req->graphics, made_of(req, info));
        if (plan.identified)
            wpg_object_names_pipeline(req->device, *pipeline, plan.hash, plan.part);
        /* A link of parts that were changed runs their words, whether or not it is made anew. */
        if (link.ours && plan.identified && req->device->records && req->device->mode == WPG_MODE_USE)
            wpg_totals_optimised(plan.hash);
        note_for_attribution(req, *pipeline, &plan);
        if (plan.changed && req->device->mode == WPG_MODE_GENERATE)
            wpg_attribution_weigh(req->device, plan.hash, wpg_pipeline_plan_words(&plan));
    }
    if (later && !made)
        wpg_later_add(req->device, later, VK_NULL_HANDLE);
    uint64_t drivers = req->driver_time - driver_before;
    if (made && plan.changed && req->device->mode == WPG_MODE_GENERATE)
        note_pace(&plan, drivers);
    wpg_pipeline_plan_finish(&plan);
    if (req->link)
        wpg_link_finish(&link);
    uint64_t ours = wpg_now() - start - drivers;
    wpg_summary_time(ours, drivers);
    wpg_log_debug("pipeline %s: %.3f ms here, %.3f ms in the driver", plan.label, (double)ours * 1e-6,
                  (double)drivers * 1e-6);
    return result;
}

static VkResult create_one(request *req, const void *info, VkPipeline *pipeline)
{
    /* FAIL_ON_PIPELINE_COMPILE_REQUIRED: a program that asks not to wait for a compile waits for no place. */
    const bool waits = !(flags_of(info) & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT);
    if (waits)
        wpg_gate_enter();
    VkResult result = make_one(req, info, pipeline);
    if (waits)
        wpg_gate_leave();
    return result;
}

/* -- The commands */

/* A derivative that names its base by position in the same call gets the base's handle instead, since the
 * call is taken apart. Without a base (its creation failed) it is made as no derivative: that is a hint to
 * the driver only (Vulkan 1.3, 10.4). NULL: it cannot be made without a base. */
static const void *with_base(create_info *copy, wpg_arena *arena, const request *req, const void *info,
                             uint32_t index, const VkPipeline *pipelines)
{
    int32_t base = req->graphics ? ((const VkGraphicsPipelineCreateInfo *)info)->basePipelineIndex
                   : req->rays   ? ((const VkRayTracingPipelineCreateInfoKHR *)info)->basePipelineIndex
                                 : ((const VkComputePipelineCreateInfo *)info)->basePipelineIndex;
    if (!(flags_of(info) & VK_PIPELINE_CREATE_DERIVATIVE_BIT) || base < 0)
        return info;
    VkPipeline handle = (uint32_t)base < index ? pipelines[base] : VK_NULL_HANDLE;
    if (req->graphics) {
        copy->graphics = *(const VkGraphicsPipelineCreateInfo *)info;
        copy->graphics.basePipelineIndex = -1;
        copy->graphics.basePipelineHandle = handle;
    } else if (req->rays) {
        copy->rays = *(const VkRayTracingPipelineCreateInfoKHR *)info;
        copy->rays.basePipelineIndex = -1;
        copy->rays.basePipelineHandle = handle;
    } else {
        copy->compute = *(const VkComputePipelineCreateInfo *)info;
        copy->compute.basePipelineIndex = -1;
        copy->compute.basePipelineHandle = handle;
    }
    return handle || clear_flag(copy, arena, VK_PIPELINE_CREATE_DERIVATIVE_BIT) ? copy : NULL;
}

static VkResult create_all(request *req, uint32_t count, const void *infos, VkPipeline *pipelines)
{
    size_t stride = req->graphics ? sizeof(VkGraphicsPipelineCreateInfo)
                    : req->rays   ? sizeof(VkRayTracingPipelineCreateInfoKHR)
                                  : sizeof(VkComputePipelineCreateInfo);
    VkResult result = VK_SUCCESS;
    wpg_arena arena;
    wpg_arena_init(&arena);
    for (uint32_t i = 0; i < count; i++)
        pipelines[i] = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < count; i++) {
        create_info copy;
        const void *given = (const char *)infos + i * stride;
        const void *info = with_base(&copy, &arena, req, given, i, pipelines);
        /* Its base could not be made, which the call's result says. */
        VkResult one = info     ? create_one(req, info, &pipelines[i])
                       : result ? result
                                : VK_ERROR_OUT_OF_HOST_MEMORY;
        if (one == VK_SUCCESS)
            continue;
        /* An error outweighs "compile required"; the first of a kind stands. */
        if (result == VK_SUCCESS || (result > 0 && one < 0))
            result = one;
        if (flags_of(given) & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT)
            break;
    }
    wpg_arena_finish(&arena);
    return result;
}

static VkResult create_pipelines(request *req, uint32_t count, const void *infos, VkPipeline *pipelines)
{
    if (req->device->mode == WPG_MODE_OFF || count == 0 || !wpg_process_is_owner())
        return call_driver(req, req->cache, count, infos, pipelines);
    return create_all(req, count, infos, pipelines);
}

VkResult VKAPI_CALL wpg_create_graphics_pipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                  const VkGraphicsPipelineCreateInfo *infos,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkPipeline *pipelines)
{
    request req = {.device = wpg_device_of(handle), .cache = cache, .allocator = allocator, .graphics = true};
    return req.device ? create_pipelines(&req, count, infos, pipelines) : VK_ERROR_INITIALIZATION_FAILED;
}

VkResult VKAPI_CALL wpg_create_compute_pipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                 const VkComputePipelineCreateInfo *infos,
                                                 const VkAllocationCallbacks *allocator,
                                                 VkPipeline *pipelines)
{
    request req = {.device = wpg_device_of(handle), .cache = cache, .allocator = allocator};
    return req.device ? create_pipelines(&req, count, infos, pipelines) : VK_ERROR_INITIALIZATION_FAILED;
}

/* What the program is told of a call that it wanted deferred, and that we made at once. */
static VkResult not_deferred(VkResult result)
{
    return result == VK_SUCCESS ? VK_OPERATION_NOT_DEFERRED_KHR : result;
}

VkResult VKAPI_CALL wpg_create_ray_tracing_pipelines(VkDevice handle, VkDeferredOperationKHR deferred,
                                                     VkPipelineCache cache, uint32_t count,
                                                     const VkRayTracingPipelineCreateInfoKHR *infos,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkPipeline *pipelines)
{
    request req = {.device = wpg_device_of(handle), .cache = cache, .allocator = allocator, .rays = true};
    if (!req.device)
        return VK_ERROR_INITIALIZATION_FAILED;
    if (req.device->mode == WPG_MODE_OFF || count == 0 || !wpg_process_is_owner())
        return req.device->next.CreateRayTracingPipelinesKHR(handle, deferred, cache, count, infos, allocator,
                                                             pipelines);
    /* Alone, and with no base in the call, it can go down as it is. */
    if (count == 1 && !(flags_of(infos) & VK_PIPELINE_CREATE_DERIVATIVE_BIT))
        req.deferred = deferred;
    VkResult result = create_all(&req, count, infos, pipelines);
    return deferred ? not_deferred(result) : result;
}
