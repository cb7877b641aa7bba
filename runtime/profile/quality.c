#include "runtime/profile/quality.h"

#include <stdlib.h>

static const uint64_t *counts_of(const wpg_shader_counts *f, unsigned kind)
{
    return kind == WPG_QUALITY_LANES ? f->lanes : kind == WPG_QUALITY_WAVES ? f->waves : f->uniform;
}

static double total_of(const uint64_t *counts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)counts[i];
    return sum;
}

static const wpg_shader_counts *find(const wpg_shader_view *view, const wpg_shader_counts *like)
{
    const wpg_shader_counts *at;
    size_t count = wpg_shader_view_find(&at, view, like->shader, like->stage, like->entry);
    for (; count; count--, at++)
        if (at->function == like->function && at->checksum == like->checksum)
            return at->block_count == like->block_count ? at : NULL;
    return NULL;
}

/* Sums over blocks of what both have of it, of the difference, and of the larger. */
typedef struct sums {
    double least, differs, most;
} sums;

/* Adds a function's blocks, its counts divided by these wholes; what is of nothing is 0. */
static void add_blocks(sums *into, const wpg_quality_function *f, unsigned kind, double whole,
                       double other_whole)
{
    const uint64_t *p = counts_of(f->first, kind), *q = counts_of(f->second, kind);
    for (size_t i = 0; i < f->first->block_count; i++) {
        double s = whole > 0 ? (double)p[i] / whole : 0, t = other_whole > 0 ? (double)q[i] / other_whole : 0;
        into->least += s < t ? s : t;
        into->most += s < t ? t : s;
        into->differs += s < t ? t - s : s - t;
    }
}

static double share(double part, double whole, double of_nothing)
{
    return whole > 0 ? part / whole : of_nothing;
}

static void score_function(wpg_quality_function *f, unsigned kind)
{
    wpg_quality_score *score = &f->scores[kind];
    const uint64_t *p = counts_of(f->first, kind), *q = counts_of(f->second, kind);
    sums found = {0};
    if (!p || !q)
        return;
    score->known = true;
    score->first = total_of(p, f->first->block_count);
    score->second = total_of(q, f->first->block_count);
    add_blocks(&found, f, kind, score->first, score->second);
    /* Never run, in both: as alike as can be. */
    bool idle = score->first <= 0 && score->second <= 0;
    score->overlap = idle ? 1 : found.least;
    score->difference = share(found.differs, found.most, 0);
}

static void score_all(wpg_quality *quality, unsigned kind)
{
    wpg_quality_score *all = &quality->all[kind];
    double overlaps = 0;
    sums found = {0};
    for (size_t i = 0; i < quality->count; i++) {
        const wpg_quality_score *score = &quality->functions[i].scores[kind];
        if (!score->known)
            continue;
        all->known = true;
        quality->known[kind]++;
        all->first += score->first;
        all->second += score->second;
        overlaps += score->overlap * score->second;
    }
    for (size_t i = 0; i < quality->count; i++)
        if (quality->functions[i].scores[kind].known)
            add_blocks(&found, &quality->functions[i], kind, all->first, all->second);
    all->overlap = share(overlaps, all->second, all->first > 0 ? 0 : 1);
    all->difference = share(found.differs, found.most, 0);
}

wpg_status wpg_quality_measure(wpg_quality *quality, const wpg_shader_view *first,
                               const wpg_shader_view *second, wpg_error *err)
{
    *quality = (wpg_quality){0};
    quality->functions = calloc(first->shader_count ? first->shader_count : 1, sizeof *quality->functions);
    if (!quality->functions)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; i < first->shader_count; i++) {
        wpg_quality_function *f = &quality->functions[quality->count];
        *f = (wpg_quality_function){&first->shaders[i], find(second, &first->shaders[i]), {{0}}};
        if (!f->second)
            continue;
        quality->count++;
        for (unsigned kind = 0; kind < WPG_QUALITY_KINDS; kind++)
            score_function(f, kind);
    }
    quality->only_first = first->shader_count - quality->count;
    quality->only_second = second->shader_count > quality->count ? second->shader_count - quality->count : 0;
    for (unsigned kind = 0; kind < WPG_QUALITY_KINDS; kind++)
        score_all(quality, kind);
    return WPG_OK;
}

void wpg_quality_finish(wpg_quality *quality)
{
    free(quality->functions);
    *quality = (wpg_quality){0};
}

const char *wpg_quality_kind_name(unsigned kind)
{
    static const char *const names[WPG_QUALITY_KINDS] = {"lanes", "waves", "uniform"};
    return names[kind];
}
