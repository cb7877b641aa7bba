/* Finds what changed in each pair of shaders. Counts are divided by the shader's lanes (or waves) at entry,
 * so that a longer run is no change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cli/diff/diff.h"
#include "runtime/profile/probe_records.h"
#include "runtime/report/model/places.h"

void wpg_diff_add(wpg_diff *diff, wpg_diff_change change)
{
    diff->out_of_memory |= !wpg_vec_push(&diff->changes, change);
}

static double share_of(const wpg_diff_pair *pair)
{
    return pair->shares[0] > pair->shares[1] ? pair->shares[0] : pair->shares[1];
}

/* How far apart, 0 to 1. */
static double distance(double a, double b)
{
    const double most = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return most > 0 ? fabs(a - b) / most : 0;
}

/* A ratio that changed by the threshold, relatively. */
static void relative(wpg_diff *diff, uint32_t index, const char *what, double a, double b, const char *unit)
{
    const wpg_diff_pair *pair = &diff->pairs.data[index];
    const double change = a > 0 ? (b / a - 1) * 100 : b > 0 ? INFINITY : 0;
    if (fabs(change) < diff->threshold || a == b)
        return;
    wpg_diff_change made = {
        .pair = index, .what = what, .values = {a, b}, .weight = share_of(pair) * distance(a, b)};
    if (isfinite(change))
        (void)snprintf(made.text, sizeof made.text, "%.4g -> %.4g %s (%+.1f%%)", a, b, unit, change);
    else
        (void)snprintf(made.text, sizeof made.text, "%.4g -> %.4g %s", a, b, unit);
    wpg_diff_add(diff, made);
}

/* A share that changed by so many points. */
static void points(wpg_diff *diff, uint32_t index, const char *what, double a, double b, const char *unit)
{
    const double change = (b - a) * 100;
    if (fabs(change) < diff->threshold || a == b)
        return;
    wpg_diff_change made = {.pair = index,
                            .what = what,
                            .values = {a, b},
                            .weight = share_of(&diff->pairs.data[index]) * fabs(b - a)};
    (void)snprintf(made.text, sizeof made.text, "%.1f%% -> %.1f%% %s", a * 100, b * 100, unit);
    wpg_diff_add(diff, made);
}

/* -- Whole shaders */

static double uniformity(const wpg_report_shader *shader)
{
    double uniform = 0, waves = 0;
    for (size_t f = 0; f < shader->function_count; f++)
        for (size_t b = 0; b < shader->functions[f].counts->block_count; b++) {
            uniform += (double)shader->functions[f].blocks[b].uniform;
            waves += (double)shader->functions[f].blocks[b].waves;
        }
    return waves > 0 ? uniform / waves : 0;
}

static double over(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void compare_raw(wpg_diff *diff, uint32_t index, const wpg_report_shader *a,
                        const wpg_report_shader *b)
{
    if (a->has_lanes && b->has_lanes)
        relative(diff, index, "lanes", (double)a->lanes, (double)b->lanes, "lanes at entry");
    if (a->has_waves && b->has_waves)
        relative(diff, index, "waves", (double)a->waves, (double)b->waves, "waves at entry");
}

static void compare_totals(wpg_diff *diff, uint32_t index)
{
    const wpg_diff_pair *pair = &diff->pairs.data[index];
    const wpg_report_shader *a = pair->shaders[0], *b = pair->shaders[1];
    const bool waves = a->has_waves && b->has_waves;
    points(diff, index, "cost", pair->shares[0], pair->shares[1], "of the work");
    if (a->has_lanes && b->has_lanes && a->has_module == b->has_module)
        relative(diff, index, "work", over(a->work_lanes, a->lanes), over(b->work_lanes, b->lanes),
                 a->has_module ? "instructions a lane" : "blocks a lane");
    if (waves && a->has_lanes && b->has_lanes)
        relative(diff, index, "lanes/wave", over(a->work_lanes, a->work_waves),
                 over(b->work_lanes, b->work_waves), "lanes a wave");
    if (waves && a->has_uniform && b->has_uniform)
        points(diff, index, "uniform", uniformity(a), uniformity(b), "of waves uniform");
    if (diff->raw)
        compare_raw(diff, index, a, b);
}

/* -- Blocks, branches, loops: of equal code */

typedef struct function_pair {
    uint32_t pair;
    const wpg_report_shader *shader; /* of the first profile */
    const wpg_report_function *a, *b;
} function_pair;

static void put(wpg_diff *diff, const function_pair *f, wpg_diff_change change, const char *said)
{
    char place[WPG_PLACE_SIZE];
    change.pair = f->pair;
    change.has_block = true;
    change.function = f->a->counts->function;
    (void)wpg_report_block_text(place, diff->reports[0], f->shader, change.function, change.block);
    (void)snprintf(change.text, sizeof change.text, "%.150s: %.150s", place, said);
    wpg_diff_add(diff, change);
}

/* The part of its shader's work that a block has, in the profile where it is more. */
static double part_of(const wpg_diff *diff, const function_pair *f, uint32_t block)
{
    const wpg_diff_pair *pair = &diff->pairs.data[f->pair];
    double most = 0;
    const wpg_report_function *const functions[2] = {f->a, f->b};
    for (unsigned side = 0; side < 2; side++) {
        const wpg_report_block *b = &functions[side]->blocks[block];
        const double work = (double)b->lanes * (b->instructions ? b->instructions : 1);
        const double all = (double)pair->shaders[side]->work_lanes;
        const double part = all > 0 ? pair->shares[side] * work / all : 0;
        most = part > most ? part : most;
    }
    return most;
}

/* How often a lane ran the block. */
static void compare_block(wpg_diff *diff, const function_pair *f, uint32_t block)
{
    const wpg_diff_pair *pair = &diff->pairs.data[f->pair];
    const uint64_t lanes[2] = {f->a->blocks[block].lanes, f->b->blocks[block].lanes};
    const double a = over(lanes[0], pair->shaders[0]->lanes), b = over(lanes[1], pair->shaders[1]->lanes);
    const double change = a > 0 ? (b / a - 1) * 100 : b > 0 ? INFINITY : 0;
    char said[WPG_DIFF_TEXT];
    if (a == b || fabs(change) < diff->threshold)
        return;
    if (lanes[0] && lanes[1])
        (void)snprintf(said, sizeof said, "%.4g -> %.4g times a lane (%+.1f%%)", a, b, change);
    else
        (void)snprintf(said, sizeof said,
                       lanes[0] ? "%.4g -> %.4g times a lane: no longer runs"
                                : "%.4g -> %.4g times a lane: runs now",
                       a, b);
    put(diff, f,
        (wpg_diff_change){.what = "block",
                          .block = block,
                          .values = {a, b},
                          .weight = part_of(diff, f, block) * distance(a, b)},
        said);
}

/* The branch of that block, with or without waves. */
static bool find_branch(wpg_branch_counts *branch, const wpg_shader_counts *counts, uint32_t block)
{
    const wpg_profile_record *record = counts->records[WPG_RECORD_BRANCHES],
                             *by_lane = counts->records[WPG_RECORD_LANE_BRANCHES];
    for (size_t i = 0; i < wpg_branch_count(record); i++) {
        wpg_branch_at(branch, record, i);
        if (branch->block == block)
            return true;
    }
    for (size_t i = 0; i < wpg_lane_branch_count(by_lane); i++) {
        wpg_lane_branch_at(branch, by_lane, i);
        if (branch->block == block)
            return true;
    }
    return false;
}

static void compare_branch(wpg_diff *diff, const function_pair *f, uint32_t block)
{
    wpg_branch_counts x, y;
    char said[WPG_DIFF_TEXT];
    if (!find_branch(&x, f->a->counts, block) || !find_branch(&y, f->b->counts, block))
        return;
    const uint64_t all[2] = {x.lanes[0] + x.lanes[1], y.lanes[0] + y.lanes[1]};
    const double a = over(x.lanes[0], all[0]), b = over(y.lanes[0], all[1]);
    if (!all[0] || !all[1] || a == b || fabs(b - a) * 100 < diff->threshold)
        return;
    const bool turned = (a < 0.5) != (b < 0.5);
    (void)snprintf(said, sizeof said, "taken by %.1f%% -> %.1f%% of lanes%s", a * 100, b * 100,
                   turned ? ": the usual way changed" : "");
    put(diff, f,
        (wpg_diff_change){.what = "branch",
                          .block = block,
                          .values = {a, b},
                          .weight = share_of(&diff->pairs.data[f->pair]) * fabs(b - a) * (turned ? 1 : 0.5)},
        said);
}

static bool find_loop(wpg_loop_counts *loop, const wpg_shader_counts *counts, uint32_t block)
{
    const wpg_profile_record *record = counts->records[WPG_RECORD_TRIPS],
                             *by_lane = counts->records[WPG_RECORD_LANE_TRIPS];
    for (size_t i = 0; i < wpg_loop_count(record); i++) {
        wpg_loop_at(loop, record, i);
        if (loop->block == block)
            return true;
    }
    for (size_t i = 0; i < wpg_lane_loop_count(by_lane); i++) {
        wpg_lane_loop_at(loop, by_lane, i);
        if (loop->block == block)
            return true;
    }
    return false;
}

static void compare_loop(wpg_diff *diff, const function_pair *f, uint32_t block)
{
    wpg_loop_counts x, y;
    char said[WPG_DIFF_TEXT];
    if (!find_loop(&x, f->a->counts, block) || !find_loop(&y, f->b->counts, block) || !x.lanes || !y.lanes)
        return;
    const double a = over(x.trips, x.lanes), b = over(y.trips, y.lanes);
    const double change = a > 0 ? (b / a - 1) * 100 : INFINITY;
    if (a == b || fabs(change) < diff->threshold)
        return;
    (void)snprintf(said, sizeof said, "%.4g -> %.4g trips a lane", a, b);
    put(diff, f,
        (wpg_diff_change){.what = "loop",
                          .block = block,
                          .values = {a, b},
                          .weight = share_of(&diff->pairs.data[f->pair]) * distance(a, b)},
        said);
}

/* Functions of one number and one control flow: an edited shader's too, where the edit left it alone. */
static void compare_functions(wpg_diff *diff, uint32_t index)
{
    const wpg_diff_pair pair = diff->pairs.data[index];
    for (size_t i = 0; i < pair.shaders[0]->function_count; i++) {
        function_pair f = {.pair = index, .shader = pair.shaders[0], .a = &pair.shaders[0]->functions[i]};
        for (size_t k = 0; k < pair.shaders[1]->function_count; k++) {
            const wpg_shader_counts *other = pair.shaders[1]->functions[k].counts;
            if (other->function == f.a->counts->function && other->checksum == f.a->counts->checksum &&
                other->block_count == f.a->counts->block_count)
                f.b = &pair.shaders[1]->functions[k];
        }
        for (uint32_t b = 0; f.b && b < f.a->counts->block_count; b++) {
            if (f.a->counts->lanes && f.b->counts->lanes)
                compare_block(diff, &f, b);
            compare_branch(diff, &f, b);
            compare_loop(diff, &f, b);
        }
    }
}

/* -- All */

static void compare_pair(wpg_diff *diff, uint32_t index)
{
    const wpg_diff_pair pair = diff->pairs.data[index];
    wpg_diff_change change = {
        .pair = index, .values = {pair.shares[0], pair.shares[1]}, .weight = share_of(&pair)};
    if (!pair.shaders[0] || !pair.shaders[1]) {
        change.what = "only";
        (void)snprintf(change.text, sizeof change.text, "only in %s: %.1f%% of its work",
                       pair.shaders[0] ? "A" : "B", 100 * share_of(&pair));
        wpg_diff_add(diff, change);
        return;
    }
    if (pair.changed_code) {
        change.what = "code";
        (void)snprintf(change.text, sizeof change.text, "changed code: %.8s -> %.8s", pair.shaders[0]->hex,
                       pair.shaders[1]->hex);
        wpg_diff_add(diff, change);
    }
    compare_totals(diff, index);
    compare_functions(diff, index);
}

static int graver(const void *left, const void *right)
{
    const wpg_diff_change *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->pair != b->pair)
        return a->pair < b->pair ? -1 : 1;
    if (strcmp(a->what, b->what) != 0)
        return strcmp(a->what, b->what);
    return a->block < b->block ? -1 : a->block > b->block;
}

void wpg_diff_compare(wpg_diff *diff)
{
    for (uint32_t i = 0; i < diff->pairs.count; i++)
        compare_pair(diff, i);
    if (diff->changes.count)
        qsort(diff->changes.data, diff->changes.count, sizeof *diff->changes.data, graver);
    for (size_t i = 0; i < diff->changes.count; i++) {
        wpg_diff_pair *pair = &diff->pairs.data[diff->changes.data[i].pair];
        pair->weight =
            diff->changes.data[i].weight > pair->weight ? diff->changes.data[i].weight : pair->weight;
    }
}
