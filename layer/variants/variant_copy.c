/* What a set keeps of its pipeline, to make others like it: state, stages, words. See variants_internal.h. */
#include <stdlib.h>
#include <string.h>

#include "layer/rewrite/library_copy.h"
#include "layer/rewrite/passes.h"
#include "layer/variants/variants_internal.h"
#include "runtime/base/log.h"

static atomic_uint_least64_t kept_bytes;

bool wpg_variant_room(size_t bytes)
{
    if (atomic_load(&kept_bytes) + bytes <= (uint64_t)wpg_the_process.settings.variant_memory << 20)
        return true;
    wpg_log_once(WPG_LOG_WARN, "VARIANT_MEMORY is used up: no further variants");
    return false;
}

bool wpg_variant_roomy(size_t bytes)
{
    return atomic_load(&kept_bytes) + bytes <= (uint64_t)wpg_the_process.settings.variant_memory << 18;
}

void wpg_variant_took(wpg_variant_set *set, size_t bytes)
{
    set->bytes += bytes;
    atomic_fetch_add(&kept_bytes, bytes);
}

bool wpg_variant_fits(wpg_variant_set *set, size_t bytes)
{
    if (!wpg_variant_room(bytes))
        return false;
    wpg_variant_took(set, bytes);
    return true;
}

void wpg_variant_gave(const wpg_variant_set *set)
{
    atomic_fetch_sub(&kept_bytes, set->bytes);
}

void wpg_variant_give_back(wpg_variant_set *set, size_t bytes)
{
    set->bytes -= bytes;
    atomic_fetch_sub(&kept_bytes, bytes);
}

void wpg_variants_refuse(const wpg_pipeline_plan *plan, const char *why)
{
    if (plan->by_value && wpg_usual_of(plan->hash))
        wpg_log_info("pipeline %s: no variants: %s", plan->label, why);
}

bool wpg_variant_copy_state(wpg_variant_set *set, const char **why, wpg_device *device,
                            const wpg_pipeline_plan *plan, const void *info)
{
    const VkGraphicsPipelineCreateInfo *graphics = info;
    wpg_subpass_outputs outputs = {0};
    *why = plan->count > WPG_MAX_STAGES ? "it has too many stages" : NULL;
    if (*why)
        return false;
    set->stage_count = plan->count;
    memcpy(set->at, plan->at, plan->count * sizeof *set->at);
    if (set->point == VK_PIPELINE_BIND_POINT_COMPUTE) {
        (void)wpg_library_copy_compute(why, &set->compute, &set->arena, info);
        set->layout = set->compute.layout;
        return !*why;
    }
    if (graphics->renderPass &&
        !wpg_pass_subpass(&outputs, device, graphics->renderPass, graphics->subpass)) {
        *why = "its render pass is not known";
        return false;
    }
    set->graphics = wpg_library_copy_info(why, &set->arena, graphics, WPG_ALL_SUBSETS, &outputs);
    set->layout = graphics->layout;
    set->pass = graphics->renderPass;
    return !*why;
}

bool wpg_variant_copy_stages(wpg_variant_set *set, const wpg_pipeline_plan *plan)
{
    size_t bytes = 0;
    for (size_t i = 0; i < plan->count; i++)
        bytes += plan->stages[i].word_count * sizeof *plan->stages[i].words;
    if (!wpg_variant_room(bytes))
        return false;
    set->stages = WPG_ARENA_ARRAY(&set->arena, wpg_rewrite, plan->count);
    for (size_t i = 0; set->stages && i < plan->count; i++) {
        const wpg_rewrite *known = &plan->stages[i];
        if (!wpg_rewrite_recall(&set->stages[i], known, &set->arena))
            return false;
        set->stages[i].words =
            wpg_arena_memdup(&set->arena, known->words, known->word_count * sizeof *known->words);
        if (!set->stages[i].words)
            return false;
        set->stages[i].wave_size = known->wave_size;
        if (known->remarks && !(set->stages[i].remarks = wpg_remarks_copy(known->remarks)))
            return false;
    }
    if (set->stages)
        wpg_variant_took(set, bytes);
    return set->stages != NULL;
}

void wpg_variant_finish(wpg_variant_set *set)
{
    for (size_t i = 0; set->stages && i < set->stage_count; i++)
        wpg_rewrite_finish(&set->stages[i]);
    for (unsigned i = 0; i < atomic_load(&set->ready); i++)
        free(set->variants[i]);
    for (unsigned i = 0; i < atomic_load(&set->contents_ready); i++)
        free(set->contents[i]);
    wpg_arena_finish(&set->arena);
    free(set);
}

/* Are pipelines for contents worth a comparison before each pass and a draw more for each? On lavapipe a
 * comparison takes 0.05 to 0.3 ms. */
static bool saves_more_alone(const wpg_remarks *remarks)
{
    enum { LEAST_MORE = 100 }; /* per mille */
    return remarks->saved_alone >= remarks->saved_within + LEAST_MORE;
}

/* Most pipelines for contents of the pipeline's uniform blocks: where its fragment stage has a profile. */
uint32_t wpg_variant_contents_of(const wpg_device *device, const wpg_pipeline_plan *plan, bool graphics)
{
    if (!device->contents || !graphics || plan->part || !plan->uses)
        return 0;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->stages[i].stage_bit == VK_SHADER_STAGE_FRAGMENT_BIT && plan->stages[i].remarks)
            return !device->features.contents_if_better || saves_more_alone(plan->stages[i].remarks)
                       ? device->features.contents
                       : 0;
    return 0;
}

void wpg_variant_open(const wpg_device *device, wpg_variant_set *set, const wpg_pipeline_plan *plan)
{
    const wpg_usual *usual = plan->by_value && !plan->part ? wpg_usual_of(plan->hash) : NULL;
    const uint32_t contents = wpg_variant_contents_of(device, plan, set->graphics != NULL);
    set->by_rule = plan->values_by_rule;
    if ((!usual && !contents) || !wpg_variant_copy_stages(set, plan))
        return;
    atomic_store(&set->contents_wanted, contents);
    atomic_store(&set->usual, usual);
}
