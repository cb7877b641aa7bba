/* Pairs the shaders of two profiles. */
#include <string.h>

#include "runtime/cli/diff/diff.h"
#include "runtime/report/model/places.h"

static double all_cost(const wpg_report *report)
{
    double all = 0;
    for (size_t i = 0; i < report->shader_count; i++)
        all += report->shaders[i].cost;
    return all > 0 ? all : 1;
}

static bool same_stage(const wpg_report_shader *a, const wpg_report_shader *b)
{
    return strcmp(a->stage, b->stage) == 0;
}

static bool same_hash(const wpg_report_shader *a, const wpg_report_shader *b)
{
    return wpg_hash_equal(a->hash, b->hash) && same_stage(a, b) && strcmp(a->entry, b->entry) == 0;
}

static bool same_name(const wpg_report_shader *a, const wpg_report_shader *b)
{
    return strcmp(a->name, b->name) == 0 && same_stage(a, b);
}

static bool is_paired(const wpg_diff *diff, const wpg_report_shader *shader, unsigned side)
{
    for (size_t i = 0; i < diff->pairs.count; i++)
        if (diff->pairs.data[i].shaders[side] == shader)
            return true;
    return false;
}

/* The only shader of that side that is not paired and is like `shader`; NULL: none, or several. */
static const wpg_report_shader *only_like(const wpg_diff *diff, const wpg_report_shader *shader,
                                          unsigned side,
                                          bool (*alike)(const wpg_report_shader *, const wpg_report_shader *))
{
    const wpg_report *report = diff->reports[side];
    const wpg_report_shader *found = NULL;
    for (size_t i = 0; i < report->shader_count; i++) {
        if (!alike(shader, &report->shaders[i]) || is_paired(diff, &report->shaders[i], side))
            continue;
        if (found)
            return NULL;
        found = &report->shaders[i];
    }
    return found;
}

static void add_pair(wpg_diff *diff, const wpg_report_shader *a, const wpg_report_shader *b)
{
    wpg_diff_pair pair = {.shaders = {a, b}, .changed_code = a && b && !wpg_hash_equal(a->hash, b->hash)};
    for (unsigned side = 0; side < 2; side++)
        if (pair.shaders[side]) {
            pair.ranks[side] = (uint32_t)(pair.shaders[side] - diff->reports[side]->shaders) + 1;
            pair.shares[side] = pair.shaders[side]->cost / all_cost(diff->reports[side]);
        }
    diff->out_of_memory |= !wpg_vec_push(&diff->pairs, pair);
}

void wpg_diff_match(wpg_diff *diff)
{
    const wpg_report *a = diff->reports[0], *b = diff->reports[1];
    for (size_t i = 0; i < a->shader_count; i++) {
        const wpg_report_shader *other = only_like(diff, &a->shaders[i], 1, same_hash);
        if (other)
            add_pair(diff, &a->shaders[i], other);
    }
    for (size_t i = 0; i < a->shader_count; i++) {
        const wpg_report_shader *shader = &a->shaders[i];
        if (is_paired(diff, shader, 0))
            continue;
        const wpg_report_shader *other = only_like(diff, shader, 1, same_name);
        add_pair(diff, shader, other && only_like(diff, other, 0, same_name) == shader ? other : NULL);
    }
    for (size_t i = 0; i < b->shader_count; i++)
        if (!is_paired(diff, &b->shaders[i], 1))
            add_pair(diff, NULL, &b->shaders[i]);
}

const char *wpg_diff_name(char *buffer, const wpg_diff_pair *pair)
{
    const wpg_report_shader *shader = pair->shaders[0] ? pair->shaders[0] : pair->shaders[1];
    return wpg_report_called(buffer, shader->name, shader->hex);
}

void wpg_diff_finish(wpg_diff *diff)
{
    wpg_vec_free(&diff->pairs);
    wpg_vec_free(&diff->changes);
}
