/* Builds pipelines for contents of uniform blocks: the fragment stage is one of its versions alone, the
 * others are as use mode makes them by rule. So vertices have the same bits with each of the pipelines. See
 * layer/contents/contents.h. */
#include <stdlib.h>
#include <string.h>

#include "layer/base/clock.h"
#include "layer/base/loss_attribution.h"
#include "layer/profile/use.h"
#include "layer/variants/variants_internal.h"
#include "runtime/base/log.h"

static atomic_uint_least64_t built;

uint64_t wpg_contents_built(void)
{
    return atomic_load(&built);
}

static wpg_status rewrite_stage(wpg_rewrite *stage, const wpg_device *device, const wpg_variant_set *set,
                                uint32_t number)
{
    wpg_weights weights;
    wpg_arena arena;
    char leave_out[WPG_LETTERS_BY_RULE];
    const wpg_wave_choice waves = {0};
    WPG_TRY(wpg_rewrite_parse(stage, &stage->why));
    if (wpg_stage_feeds_back(stage->module))
        return wpg_fail(&stage->why, WPG_E_UNSUPPORTED, "it feeds transform feedback");
    wpg_arena_init(&arena);
    wpg_use_find(&weights, &arena, set->hash, stage, true);
    wpg_rewrite_not_by_rule(leave_out, &device->features);
    wpg_status status =
        stage->stage_bit == VK_SHADER_STAGE_FRAGMENT_BIT
            ? wpg_rewrite_alone(stage, &weights, &device->features, number)
            : wpg_rewrite_use(stage, &weights, &device->features, &waves, leave_out, WPG_REWRITE_NOW);
    wpg_arena_finish(&arena);
    return status;
}

/* All stages; what the fragment stage holds for. False: there is no such version, or a stage cannot be
 * made. */
static bool rewrite(wpg_rewrite *stages, wpg_content_variant *made, size_t *bytes, const char **why,
                    const wpg_device *device, const wpg_variant_set *set, uint32_t number)
{
    *why = NULL;
    for (size_t i = 0; i < set->stage_count; i++) {
        wpg_rewrite *stage = &stages[i];
        if (rewrite_stage(stage, device, set, number) != WPG_OK) {
            *why = stage->why.message[0] ? stage->why.message : "out of memory";
            return false;
        }
        if (stage->stage_bit == VK_SHADER_STAGE_FRAGMENT_BIT && stage->changed && stage->remarks) {
            made->count = stage->remarks->test_count;
            memcpy(made->tests, stage->remarks->tests, sizeof made->tests);
        }
        *bytes += stage->changed ? stage->out_count * sizeof *stage->out_words : 0;
    }
    return made->count != 0;
}

static bool build_one(wpg_device *device, wpg_variant_set *set, uint32_t number)
{
    wpg_rewrite stages[WPG_MAX_STAGES];
    char hex[WPG_HASH_HEX + 1];
    wpg_content_variant *made = calloc(1, sizeof *made);
    const uint64_t start = wpg_now();
    const char *why = "out of memory";
    size_t bytes = 0;
    memset(stages, 0, sizeof stages);
    wpg_hash_to_hex(hex, set->hash);
    bool good = made && wpg_variant_recall(stages, set) &&
                rewrite(stages, made, &bytes, &why, device, set, number) && wpg_variant_fits(set, bytes);
    const uint64_t rewritten = wpg_now();
    if (good && !(made->pipeline = wpg_variant_compile(device, set, stages))) {
        why = "the driver refuses it";
        good = false;
    }
    if (good)
        wpg_use_report_contents(set->hash, stages, set->stage_count, number);
    for (size_t i = 0; i < set->stage_count; i++)
        wpg_rewrite_finish(&stages[i]);
    if (!good) {
        if (why)
            wpg_log_info("pipeline %s: no pipeline for contents of uniform blocks: %s", hex, why);
        free(made);
        return false;
    }
    wpg_log_info(
        "pipeline %s: pipeline %u for contents of %u words of uniform blocks: %zu bytes, %.2f ms here, "
        "%.2f ms in the driver",
        hex, number, made->count, bytes, (double)(rewritten - start) * 1e-6,
        (double)(wpg_now() - rewritten) * 1e-6);
    wpg_attribution_add(device, made->pipeline, set->hash);
    atomic_fetch_add(&built, 1);
    set->contents[number - 1] = made;
    atomic_store_explicit(&set->contents_ready, number, memory_order_release);
    return true;
}

void wpg_content_build(wpg_device *device, wpg_variant_set *set)
{
    for (uint32_t number = 1; number <= set->contents_wanted && !atomic_load(&set->dead); number++)
        if (!build_one(device, set, number))
            return;
}
