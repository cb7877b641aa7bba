/* Orders shaders and blocks by their counts, hottest first. */
#include "runtime/report/text/heat.h"
#include "runtime/base/arithmetic.h"

#include <stdlib.h>

wpg_shader_totals wpg_shader_sum(const wpg_shader_counts *shader)
{
    wpg_shader_totals totals = {0};
    for (size_t i = 0; i < shader->block_count; i++) {
        totals.lanes = wpg_add_saturating(totals.lanes, shader->lanes ? shader->lanes[i] : 0);
        totals.waves = wpg_add_saturating(totals.waves, shader->waves ? shader->waves[i] : 0);
        totals.uniform = wpg_add_saturating(totals.uniform, shader->uniform ? shader->uniform[i] : 0);
    }
    return totals;
}

uint64_t wpg_block_heat(const wpg_shader_counts *shader, size_t block)
{
    return shader->waves ? shader->waves[block] : shader->lanes ? shader->lanes[block] : 0;
}

typedef struct ranked {
    uint64_t heat;
    size_t index;
} ranked;

static int hotter(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->heat != b->heat)
        return a->heat > b->heat ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static size_t *indices(ranked *rows, size_t count)
{
    size_t *result = rows ? malloc((count ? count : 1) * sizeof *result) : NULL;
    if (rows)
        qsort(rows, count, sizeof *rows, hotter);
    for (size_t i = 0; result && i < count; i++)
        result[i] = rows[i].index;
    free(rows);
    return result;
}

size_t *wpg_shaders_by_heat(const wpg_shader_view *view)
{
    ranked *rows = malloc((view->shader_count ? view->shader_count : 1) * sizeof *rows);
    for (size_t i = 0; rows && i < view->shader_count; i++) {
        wpg_shader_totals totals = wpg_shader_sum(&view->shaders[i]);
        rows[i] = (ranked){view->shaders[i].waves ? totals.waves : totals.lanes, i};
    }
    return indices(rows, view->shader_count);
}

size_t *wpg_blocks_by_heat(const wpg_shader_counts *shader)
{
    ranked *rows = malloc((shader->block_count ? shader->block_count : 1) * sizeof *rows);
    for (size_t i = 0; rows && i < shader->block_count; i++)
        rows[i] = (ranked){wpg_block_heat(shader, i), i};
    return indices(rows, shader->block_count);
}
