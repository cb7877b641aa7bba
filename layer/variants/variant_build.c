/* Builds one variant: rewrites all stages of the pipeline for the values, and makes a pipeline of them with
 * the state of the program's own. See variants_internal.h. */
#include <stdlib.h>
#include <string.h>

#include "layer/base/clock.h"
#include "layer/base/loss_attribution.h"
#include "layer/profile/use.h"
#include "layer/rewrite/library_copy.h"
#include "layer/rewrite/passes.h"
#include "layer/rewrite/variant_words.h"
#include "layer/variants/variants_internal.h"
#include "runtime/base/log.h"

static atomic_uint_least64_t built, kept_bytes;

uint64_t wpg_variants_built(void)
{
    return atomic_load(&built);
}

static bool fits(size_t bytes)
{
    if (atomic_load(&kept_bytes) + bytes <= (uint64_t)wpg_the_process.settings.variant_memory << 20)
        return true;
    wpg_log_once(WPG_LOG_WARN, "VARIANT_MEMORY is used up: no further variants");
    return false;
}

static void took(wpg_variant_set *set, size_t bytes)
{
    set->bytes += bytes;
    atomic_fetch_add(&kept_bytes, bytes);
}

bool wpg_variant_fits(wpg_variant_set *set, size_t bytes)
{
    if (!fits(bytes))
        return false;
    took(set, bytes);
    return true;
}

void wpg_variant_gave(const wpg_variant_set *set)
{
    atomic_fetch_sub(&kept_bytes, set->bytes);
}

/* -- What a set keeps */

void wpg_variants_refuse(const wpg_pipeline_plan *plan, const char *why)
{
    if (plan->by_value && wpg_usual_of(plan->hash))
        wpg_log_info("pipeline %s: no variants: %s", plan->label, why);
}

static const char *copy_state(wpg_variant_set *set, wpg_device *device, const void *info)
{
    const VkGraphicsPipelineCreateInfo *graphics = info;
    const char *why = NULL;
    wpg_subpass_outputs outputs = {0};
    if (set->point == VK_PIPELINE_BIND_POINT_COMPUTE) {
        (void)wpg_library_copy_compute(&why, &set->compute, &set->arena, info);
        set->layout = set->compute.layout;
        return why;
    }
    if (graphics->renderPass && !wpg_pass_subpass(&outputs, device, graphics->renderPass, graphics->subpass))
        return "its render pass is not known";
    set->graphics = wpg_library_copy_whole(&why, &set->arena, graphics, outputs);
    set->layout = graphics->layout;
    set->pass = graphics->renderPass;
    return why;
}

static bool copy_stages(wpg_variant_set *set, const wpg_pipeline_plan *plan)
{
    set->stages = WPG_ARENA_ARRAY(&set->arena, wpg_rewrite, plan->count);
    for (size_t i = 0; set->stages && i < plan->count; i++) {
        const wpg_rewrite *known = &plan->stages[i];
        if (!wpg_rewrite_recall(&set->stages[i], known, &set->arena))
            return false;
        set->stage_count++;
        set->at[i] = plan->at[i];
        set->stages[i].words =
            wpg_arena_memdup(&set->arena, known->words, known->word_count * sizeof *known->words);
        if (!set->stages[i].words)
            return false;
        set->stages[i].wave_size = known->wave_size;
        if (known->remarks && !(set->stages[i].remarks = wpg_remarks_copy(known->remarks)))
            return false;
    }
    return set->stages != NULL;
}

bool wpg_variant_copy(wpg_variant_set *set, wpg_device *device, const wpg_pipeline_plan *plan,
                      const void *info)
{
    size_t bytes = 0;
    for (size_t i = 0; i < plan->count; i++)
        bytes += plan->stages[i].word_count * sizeof *plan->stages[i].words;
    if (plan->count > WPG_MAX_STAGES || !fits(bytes))
        return false;
    const char *why = copy_state(set, device, info);
    if (why)
        wpg_variants_refuse(plan, why);
    if (why || !copy_stages(set, plan))
        return false;
    took(set, bytes);
    return true;
}

void wpg_variant_finish(wpg_variant_set *set)
{
    for (size_t i = 0; i < set->stage_count; i++)
        wpg_rewrite_finish(&set->stages[i]);
    for (unsigned i = 0; i < atomic_load(&set->ready); i++)
        free(set->variants[i]);
    for (unsigned i = 0; i < atomic_load(&set->contents_ready); i++)
        free(set->contents[i]);
    wpg_arena_finish(&set->arena);
    free(set);
}

/* -- Rewriting */

static wpg_status rewrite_stage(wpg_rewrite *stage, const wpg_device *device, const wpg_variant_set *set)
{
    wpg_given_pushes given;
    wpg_weights weights;
    wpg_arena arena;
    WPG_TRY(wpg_rewrite_parse(stage, &stage->why));
    /* What is captured may not change its pipeline while it is (VUID-vkCmdBindPipeline-None-02323). */
    if (wpg_stage_feeds_back(stage->module))
        return wpg_fail(&stage->why, WPG_E_UNSUPPORTED, "it feeds transform feedback");
    wpg_variant_values(&given, set->usual, set->job);
    wpg_arena_init(&arena);
    wpg_use_find(&weights, &arena, set->hash, stage);
    wpg_status status = wpg_rewrite_for_values(stage, &weights, &device->features, &given);
    wpg_arena_finish(&arena);
    return status;
}

bool wpg_variant_recall(wpg_rewrite *stages, const wpg_variant_set *set)
{
    for (size_t i = 0; i < set->stage_count; i++)
        if (!wpg_rewrite_recall(&stages[i], &set->stages[i], NULL))
            return false;
    return true;
}

/* By rule there is no variant that lacks what the program's own gained by the profile: a wave size, or a
 * pass. */
static wpg_status check_gains(wpg_rewrite *stage, const wpg_variant_set *set, const wpg_rewrite *own)
{
    if (!set->by_rule || wpg_the_process.settings.variant_rule == WPG_VARIANT_RULE_ON)
        return WPG_OK;
    const wpg_remark *lost = wpg_remarks_lost(own->remarks, stage->remarks);
    if (lost)
        return wpg_fail(&stage->why, WPG_E_UNSUPPORTED, "it would lose %s at block %u (VARIANT_RULE)",
                        lost->pass, lost->block);
    if (own->wave_size)
        return wpg_fail(&stage->why, WPG_E_UNSUPPORTED, "it would lose waves of %u lanes (VARIANT_RULE)",
                        own->wave_size);
    return WPG_OK;
}

/* All stages, and what the result depends on. false: nothing comes of the values, or a stage cannot be made;
 * *why then tells. */
static bool rewrite(wpg_rewrite *stages, wpg_variant *made, size_t *bytes, const char **why,
                    const wpg_device *device, const wpg_variant_set *set)
{
    *why = "folding its push constants changes nothing";
    for (size_t i = 0; i < set->stage_count; i++) {
        wpg_rewrite *stage = &stages[i];
        if (rewrite_stage(stage, device, set) != WPG_OK ||
            check_gains(stage, set, &set->stages[i]) != WPG_OK) {
            *why = stage->why.message[0] ? stage->why.message : "out of memory";
            return false;
        }
        uint64_t words = stage->changed && stage->remarks ? stage->remarks->push_words : 0;
        made->words |= words;
        for (; words; words &= words - 1)
            made->stages[__builtin_ctzll(words)] |= stage->stage_bit;
        *bytes += stage->changed ? stage->out_count * sizeof *stage->out_words : 0;
    }
    if (made->words && !fits(*bytes)) {
        *why = "VARIANT_MEMORY is used up";
        return false;
    }
    return made->words != 0;
}

/* -- The pipeline */

static VkResult create(wpg_device *device, const wpg_variant_set *set,
                       const VkPipelineShaderStageCreateInfo *infos, VkPipeline *made)
{
    if (set->graphics) {
        VkGraphicsPipelineCreateInfo info = *set->graphics;
        info.pStages = infos;
        return device->next.CreateGraphicsPipelines(device->handle, device->cache, 1, &info, NULL, made);
    }
    VkComputePipelineCreateInfo info = set->compute;
    info.stage = infos[0];
    return device->next.CreateComputePipelines(device->handle, device->cache, 1, &info, NULL, made);
}

/* Stages that nothing comes of have the program's words. */
VkPipeline wpg_variant_compile(wpg_device *device, const wpg_variant_set *set, const wpg_rewrite *stages)
{
    VkPipelineShaderStageCreateInfo infos[WPG_MAX_STAGES];
    VkShaderModule modules[WPG_MAX_STAGES] = {VK_NULL_HANDLE};
    VkPipeline made = VK_NULL_HANDLE;
    bool good = true;
    for (size_t i = 0; good && i < set->stage_count; i++) {
        const wpg_rewrite *known = &set->stages[i], *stage = &stages[i];
        VkPipelineShaderStageCreateInfo *info = &infos[set->at[i]];
        VkShaderModuleCreateInfo words = {
            .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
            .codeSize = (stage->changed ? stage->out_count : known->word_count) * sizeof(uint32_t),
            .pCode = stage->changed ? stage->out_words : known->words};
        *info = set->graphics ? set->graphics->pStages[set->at[i]] : set->compute.stage;
        info->pName = known->entry;
        if (stage->changed)
            info->pSpecializationInfo = NULL; /* our words bear the values */
        good = device->next.CreateShaderModule(device->handle, &words, NULL, &modules[i]) == VK_SUCCESS;
        if (!good)
            modules[i] = VK_NULL_HANDLE;
        info->module = modules[i];
    }
    if (good && create(device, set, infos, &made) != VK_SUCCESS)
        made = VK_NULL_HANDLE;
    for (size_t i = 0; i < set->stage_count; i++)
        if (modules[i])
            device->next.DestroyShaderModule(device->handle, modules[i], NULL);
    return made;
}

/* The pipeline for made->values; false: there is none, which is said. */
static bool make(wpg_variant *made, wpg_rewrite *stages, wpg_device *device, wpg_variant_set *set)
{
    char hex[WPG_HASH_HEX + 1];
    const uint64_t start = wpg_now();
    size_t bytes = 0;
    const char *why;
    wpg_hash_to_hex(hex, set->hash);
    if (!rewrite(stages, made, &bytes, &why, device, set)) {
        wpg_log_info("pipeline %s: no variant: %s", hex, why);
        return false;
    }
    const uint64_t rewritten = wpg_now();
    made->pipeline = wpg_variant_compile(device, set, stages);
    if (!made->pipeline) {
        wpg_log_warn("pipeline %s: the driver refuses a variant", hex);
        return false;
    }
    wpg_log_info("pipeline %s: variant %u, for push constants 0x%llx: %zu bytes, %.2f ms here, %.2f ms in "
                 "the driver",
                 hex, atomic_load(&set->ready) + 1, (unsigned long long)made->words, bytes,
                 (double)(rewritten - start) * 1e-6, (double)(wpg_now() - rewritten) * 1e-6);
    took(set, bytes);
    return true;
}

/* The usual sets that the variant serves need no other. */
static void mark_served(wpg_variant_set *set, const wpg_variant *made)
{
    const wpg_usual *usual = set->usual;
    for (uint32_t i = 0; i < usual->usual_sets; i++) {
        uint64_t left = made->words;
        while (left &&
               usual->sets.sets[i].values[__builtin_ctzll(left)] == made->values[__builtin_ctzll(left)])
            left &= left - 1;
        if (!left)
            atomic_fetch_or(&set->closed, 1u << i);
    }
}

static void publish(wpg_device *device, wpg_variant_set *set, wpg_variant *made)
{
    unsigned ready = atomic_load(&set->ready);
    wpg_attribution_add(device, made->pipeline, set->hash);
    atomic_fetch_add(&built, 1);
    set->variants[ready] = made;
    mark_served(set, made);
    atomic_store_explicit(&set->ready, ready + 1, memory_order_release);
}

void wpg_variant_build(wpg_device *device, wpg_variant_set *set)
{
    wpg_rewrite stages[WPG_MAX_STAGES];
    wpg_variant *made = calloc(1, sizeof *made);
    memset(stages, 0, sizeof stages);
    bool known = made && wpg_variant_recall(stages, set), good = false;
    if (known) {
        memcpy(made->values, set->job, sizeof made->values);
        good = make(made, stages, device, set);
        for (size_t i = 0; !good && i < set->stage_count; i++)
            stages[i].changed = false;
        wpg_use_report_variant(set->hash, stages, set->stage_count, good ? made->words : 0);
    }
    for (size_t i = 0; i < set->stage_count; i++)
        wpg_rewrite_finish(&stages[i]);
    if (good)
        publish(device, set, made);
    else
        free(made);
}
