/* Builds one variant: rewrites all stages of the pipeline for the values, and makes a pipeline of them with
 * the state of the program's own. See variants_internal.h. */
#include <stdlib.h>
#include <string.h>

#include "layer/base/clock.h"
#include "layer/base/flight_recorder.h"
#include "layer/base/loss_attribution.h"
#include "layer/profile/use.h"
#include "layer/rewrite/library_copy.h"
#include "layer/rewrite/passes.h"
#include "layer/rewrite/variant_words.h"
#include "layer/rewrite/wave_size.h"
#include "layer/variants/variants_internal.h"
#include "runtime/base/log.h"

static atomic_uint_least64_t built;

uint64_t wpg_variants_built(void)
{
    return atomic_load(&built);
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
    wpg_use_find(&weights, &arena, set->hash, stage, true);
    wpg_status status = wpg_rewrite_for_values(stage, &weights, &device->features, &given, WPG_REWRITE_NOW);
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
    if (made->words && !wpg_variant_room(*bytes)) {
        *why = "VARIANT_MEMORY is used up";
        return false;
    }
    return made->words != 0;
}

/* -- The pipeline */

static VkResult create(wpg_device *device, const wpg_variant_set *set,
                       const VkPipelineShaderStageCreateInfo *infos, VkPipeline *made)
{
    const uint32_t flight = wpg_flight_begin(set->hash);
    VkResult result;
    if (set->graphics) {
        VkGraphicsPipelineCreateInfo info = *set->graphics;
        info.pStages = infos;
        result = device->next.CreateGraphicsPipelines(device->handle, device->cache, 1, &info, NULL, made);
    } else {
        VkComputePipelineCreateInfo info = set->compute;
        info.stage = infos[0];
        result = device->next.CreateComputePipelines(device->handle, device->cache, 1, &info, NULL, made);
    }
    wpg_flight_end(flight);
    return result;
}

/* The values of a stage's specialisation, from what was read of them; NULL: it has none, or no memory. */
static const VkSpecializationInfo *specialization_of(wpg_arena *arena, const wpg_rewrite *stage)
{
    const uint32_t count = (uint32_t)stage->stage.spec_count;
    VkSpecializationInfo *made = WPG_ARENA_NEW(arena, VkSpecializationInfo);
    VkSpecializationMapEntry *entries = WPG_ARENA_ARRAY(arena, VkSpecializationMapEntry, count);
    uint64_t *data = WPG_ARENA_ARRAY(arena, uint64_t, count);
    if (!count || !made || !entries || !data)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        const wpg_spec_value *value = &stage->spec[i];
        const uint8_t byte = (uint8_t)value->bits;
        const uint16_t half = (uint16_t)value->bits;
        const uint32_t word = (uint32_t)value->bits;
        const void *bits = value->size == 1   ? (const void *)&byte
                           : value->size == 2 ? (const void *)&half
                           : value->size == 4 ? (const void *)&word
                                              : (const void *)&value->bits;
        entries[i] = (VkSpecializationMapEntry){value->constant_id, i * (uint32_t)sizeof *data, value->size};
        memcpy(&data[i], bits, value->size);
    }
    *made = (VkSpecializationInfo){count, entries, count * sizeof *data, data};
    return made;
}

/* Stages that nothing comes of have the program's words. */
VkPipeline wpg_variant_compile(wpg_device *device, const wpg_variant_set *set, const wpg_rewrite *stages)
{
    VkPipelineShaderStageCreateInfo infos[WPG_MAX_STAGES];
    VkShaderModule modules[WPG_MAX_STAGES] = {VK_NULL_HANDLE};
    VkPipeline made = VK_NULL_HANDLE;
    bool good = true;
    wpg_arena arena;
    wpg_arena_init(&arena);
    for (size_t i = 0; good && i < set->stage_count; i++) {
        const wpg_rewrite *stage = &stages[i];
        VkPipelineShaderStageCreateInfo *info = &infos[set->at[i]];
        VkShaderModuleCreateInfo words = {
            .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
            .codeSize = (stage->changed ? stage->out_count : stage->word_count) * sizeof(uint32_t),
            .pCode = stage->changed ? stage->out_words : stage->words};
        *info = set->graphics ? set->graphics->pStages[set->at[i]] : set->compute.stage;
        info->pName = stage->entry;
        /* Our words bear the values. */
        info->pSpecializationInfo = stage->changed ? NULL : specialization_of(&arena, stage);
        good = !arena.failed &&
               (!stage->wave_size || wpg_wave_size_require(info, stage->wave_size, &arena)) &&
               device->next.CreateShaderModule(device->handle, &words, NULL, &modules[i]) == VK_SUCCESS;
        if (!good)
            modules[i] = VK_NULL_HANDLE;
        info->module = modules[i];
    }
    if (good && create(device, set, infos, &made) != VK_SUCCESS)
        made = VK_NULL_HANDLE;
    for (size_t i = 0; i < set->stage_count; i++)
        if (modules[i])
            device->next.DestroyShaderModule(device->handle, modules[i], NULL);
    wpg_arena_finish(&arena);
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
    wpg_variant_took(set, bytes);
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
