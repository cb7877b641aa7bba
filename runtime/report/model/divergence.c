/* Branches, and what it costs that lanes part there.
 *
 *     header: L lanes a wave ---> arm: block with w waves, l lanes, n instructions
 *                                 idle += n * (w * L - l)
 *                                 a block of an inner arm, whose branch has K lanes a wave before it:
 *                                 idle += n * w * (L - K)
 *
 * So the idle work of all branches adds up. An arm is what its first block dominates, if only the branch
 * leads there. A branch that leaves a loop is
 * judged by the lanes that entered the loop. Waves are needed: without waves there is no idle work. */
#include <stdlib.h>

#include "compiler/analysis/graph/cfg.h"
#include "runtime/profile/probe_records.h"
#include "runtime/report/model/internal.h"

static double width_at(const wpg_report_function *function, uint32_t block)
{
    const wpg_report_block *at = &function->blocks[block];
    return at->waves ? (double)at->lanes / (double)at->waves : 0;
}

/* Lanes that a wave has before the branch. */
static double width_before(const wpg_report_function *function, const wpg_cfg *cfg, uint32_t block)
{
    const uint32_t loop = cfg->blocks[block].loop;
    if (loop != WPG_NO_BLOCK) {
        const wpg_construct *construct = &cfg->constructs[loop];
        const uint32_t before = cfg->blocks[construct->header].idom;
        for (uint32_t s = 0; s < cfg->blocks[block].successor_count; s++)
            if (cfg->blocks[block].successors[s] == construct->merge && before != WPG_NO_BLOCK)
                return width_at(function, before);
    }
    return width_at(function, block);
}

/* For each block that is the first of an arm, the branch; else WPG_REPORT_NONE. */
typedef struct arms {
    uint32_t *branch_of; /* [cfg->count] */
    double *width;       /* by branch block: lanes a wave before it */
} arms;

/* The outermost arm inside of `arm` that holds the block; WPG_REPORT_NONE: none. */
static uint32_t inner_arm(const wpg_cfg *cfg, const arms *all, uint32_t arm, uint32_t block)
{
    uint32_t inner = WPG_REPORT_NONE;
    for (uint32_t b = block; b != arm && b != WPG_NO_BLOCK; b = cfg->blocks[b].idom)
        if (all->branch_of[b] != WPG_REPORT_NONE)
            inner = b;
    return inner;
}

static void add_arm(wpg_report_branch *branch, const wpg_report_function *function, const wpg_cfg *cfg,
                    const arms *all, uint32_t arm)
{
    uint32_t instructions = 0;
    const double width = all->width[branch->block];
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_report_block *block = &function->blocks[b];
        if (cfg->blocks[b].rpo == WPG_NO_BLOCK || !wpg_cfg_dominates(cfg, arm, b))
            continue;
        const uint32_t inner = inner_arm(cfg, all, arm, b);
        const double there = inner == WPG_REPORT_NONE
                                 ? (double)block->lanes
                                 : (double)block->waves * all->width[all->branch_of[inner]];
        const double missing = (double)block->waves * width - there;
        instructions += block->instructions;
        if (function->counts->waves && missing > 0)
            branch->idle += missing * block->instructions;
    }
    if (function->counts->lanes && !function->blocks[arm].lanes && function->blocks[branch->block].lanes &&
        instructions > branch->never_instructions) {
        branch->never = arm;
        branch->never_instructions = instructions;
    }
}

static void add_probe(wpg_report_branch *branch, const wpg_shader_counts *counts)
{
    const wpg_profile_record *record = counts->records[WPG_RECORD_BRANCHES],
                             *by_lane = counts->records[WPG_RECORD_LANE_BRANCHES];
    wpg_branch_counts found;
    for (size_t i = 0; i < wpg_branch_count(record); i++) {
        wpg_branch_at(&found, record, i);
        if (found.block != branch->block)
            continue;
        branch->has_lanes = branch->has_waves = true;
        branch->lanes[0] = found.lanes[0];
        branch->lanes[1] = found.lanes[1];
        branch->waves = found.all_waves;
        branch->both = found.both;
    }
    for (size_t i = 0; i < wpg_lane_branch_count(by_lane); i++) {
        wpg_lane_branch_at(&found, by_lane, i);
        if (found.block == branch->block && !branch->has_waves) {
            branch->has_lanes = true;
            branch->lanes[0] = found.lanes[0];
            branch->lanes[1] = found.lanes[1];
        }
    }
}

static int dearest(const void *left, const void *right)
{
    const wpg_report_branch *a = left, *b = right;
    if (a->idle != b->idle)
        return a->idle > b->idle ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static bool is_arm(const wpg_cfg *cfg, uint32_t branch, uint32_t successor)
{
    return successor != branch && wpg_cfg_comes_only_from(cfg, branch, successor);
}

static bool is_branch(const wpg_cfg *cfg, uint32_t b)
{
    return cfg->blocks[b].rpo != WPG_NO_BLOCK && cfg->blocks[b].successor_count > 1;
}

static bool find_arms(arms *all, const wpg_report_function *function, const wpg_cfg *cfg, wpg_arena *arena)
{
    *all = (arms){WPG_ARENA_ARRAY(arena, uint32_t, cfg->count), WPG_ARENA_ARRAY(arena, double, cfg->count)};
    if (!all->branch_of || !all->width)
        return false;
    for (uint32_t b = 0; b < cfg->count; b++)
        all->branch_of[b] = WPG_REPORT_NONE;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!is_branch(cfg, b))
            continue;
        all->width[b] = width_before(function, cfg, b);
        for (uint32_t s = 0; s < cfg->blocks[b].successor_count; s++)
            if (is_arm(cfg, b, cfg->blocks[b].successors[s]))
                all->branch_of[cfg->blocks[b].successors[s]] = b;
    }
    return true;
}

wpg_status wpg_report_read_branches(wpg_report_function *function, const wpg_cfg *cfg, wpg_arena *arena)
{
    size_t count = 0;
    arms all;
    wpg_arena local;
    wpg_arena_init(&local);
    function->branches = WPG_ARENA_ARRAY(arena, wpg_report_branch, cfg->count);
    if (!function->branches || !find_arms(&all, function, cfg, &local)) {
        wpg_arena_finish(&local);
        return WPG_E_NOMEM;
    }
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!is_branch(cfg, b))
            continue;
        wpg_report_branch *branch = &function->branches[count++];
        *branch = (wpg_report_branch){.block = b, .never = WPG_REPORT_NONE};
        add_probe(branch, function->counts);
        for (uint32_t s = 0; s < cfg->blocks[b].successor_count; s++)
            if (is_arm(cfg, b, cfg->blocks[b].successors[s]))
                add_arm(branch, function, cfg, &all, cfg->blocks[b].successors[s]);
    }
    wpg_arena_finish(&local);
    function->branch_count = count;
    if (count)
        qsort(function->branches, count, sizeof *function->branches, dearest);
    return WPG_OK;
}
