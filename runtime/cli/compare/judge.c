/* What ratios are worth. A pipeline that use mode left alone takes the same time on both sides. So its ratio
 * measures the noise. */
#include "runtime/cli/compare/compare.h"

#include <math.h>

/* Cheaper pipelines, as shares of the GPU time, are near the resolution of timestamps. */
static const double dear = 0.01;

const char *wpg_verdict_key(wpg_verdict verdict)
{
    static const char *const keys[] = {"unchanged", "untimed", "few-rounds", "noise", "same", "less", "more"};
    return verdict < WPG_VERDICTS ? keys[verdict] : "";
}

bool wpg_compare_tells_interval(const wpg_compared *compared)
{
    return compared->ratio.count > 1 && compared->ratio.confidence * 100 >= WPG_COMPARE_CONFIDENCE;
}

static wpg_noise noise_of(const wpg_comparison *comparison)
{
    wpg_noise noise = {.low = INFINITY, .high = 0};
    for (size_t i = 0; i < comparison->pipelines.count; i++) {
        const wpg_compared_pipeline *p = &comparison->pipelines.data[i];
        if (p->changed || !p->time.ratio.count || p->share < dear)
            continue;
        noise.low = fmin(noise.low, p->time.ratio.median);
        noise.high = fmax(noise.high, p->time.ratio.median);
        noise.count++;
    }
    return noise.count ? noise : (wpg_noise){.low = 1, .high = 1};
}

static wpg_verdict verdict_of(const wpg_compared_pipeline *p, const wpg_noise *noise)
{
    const wpg_median *ratio = &p->time.ratio;
    if (!p->changed)
        return WPG_VERDICT_UNCHANGED;
    if (!ratio->count)
        return WPG_VERDICT_UNTIMED;
    if (noise->count && ratio->median >= fmin(noise->low, 1) && ratio->median <= fmax(noise->high, 1))
        return WPG_VERDICT_NOISE;
    if (!wpg_compare_tells_interval(&p->time))
        return WPG_VERDICT_FEW;
    return ratio->high < 1 ? WPG_VERDICT_LESS : ratio->low > 1 ? WPG_VERDICT_MORE : WPG_VERDICT_SAME;
}

void wpg_compare_judge(wpg_comparison *comparison, const wpg_rounds *rounds)
{
    comparison->noise = noise_of(comparison);
    for (size_t i = 0; i < comparison->pipelines.count; i++) {
        wpg_compared_pipeline *p = &comparison->pipelines.data[i];
        p->verdict = verdict_of(p, &comparison->noise);
    }
    comparison->changed = 0;
    for (size_t r = 0; r < rounds->count; r++)
        if (rounds->data[r].side[WPG_SIDE_USE].times.changed > comparison->changed)
            comparison->changed = rounds->data[r].side[WPG_SIDE_USE].times.changed;
    uint64_t timed = 0; /* pipelines linked from libraries are known by their times alone */
    for (size_t i = 0; i < comparison->pipelines.count; i++)
        timed += comparison->pipelines.data[i].changed;
    if (timed > comparison->changed)
        comparison->changed = timed;
}
