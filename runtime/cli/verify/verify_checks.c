/* The rules of `wavepgo verify`: see verify.h. */
#include "runtime/cli/verify/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "compiler/analysis/graph/mask.h"
#include "compiler/analysis/values/sites.h"
#include "compiler/optimize/ir/weights_check.h"
#include "runtime/base/arithmetic.h"
#include "runtime/profile/probe_records.h"
#include "runtime/profile/weights.h"

#define SATURATED (UINT64_C(1) << 56) /* counters are clamped there */

typedef struct verifier {
    wpg_verify_result *result;
    const wpg_shader_counts *f;
    const wpg_cfg *cfg;
} verifier;

void wpg_verify_add(wpg_verify_result *result, const wpg_shader_counts *function, const char *rule,
                    uint32_t block, const char *fmt, ...)
{
    wpg_verify_finding finding = {.function = function, .rule = rule, .block = block};
    va_list arguments;
    va_start(arguments, fmt);
    (void)vsnprintf(finding.text, sizeof finding.text, fmt, arguments);
    va_end(arguments);
    result->out_of_memory |= !wpg_vec_push(&result->findings, finding);
}

/* a <= b, as numbers of one record; clamped ones say nothing. */
static void at_most(verifier *v, const char *rule, uint32_t block, const char *what, uint64_t a, uint64_t b)
{
    v->result->checks++;
    if (a > b && a < SATURATED)
        wpg_verify_add(v->result, v->f, rule, block, "block %" PRIu32 ": %s: %" PRIu64 " > %" PRIu64, block,
                       what, a, b);
}

static void equal(verifier *v, const char *rule, uint32_t block, const char *what, uint64_t a, uint64_t b)
{
    v->result->checks++;
    if (a != b && a < SATURATED && b < SATURATED)
        wpg_verify_add(v->result, v->f, rule, block, "block %" PRIu32 ": %s: %" PRIu64 ", %" PRIu64, block,
                       what, a, b);
}

/* -- Blocks */

/* Lanes that a wave can have at most: as the waves' sizes were seen, else as devices have. */
static uint64_t wave_size(const wpg_shader_counts *f)
{
    wpg_entry_counts entry;
    if (wpg_entry_read(&entry, f->records[WPG_RECORD_ENTRY_MASK]) && entry.waves && entry.sizes &&
        entry.sizes % entry.waves == 0)
        return entry.sizes / entry.waves;
    return WPG_LARGEST_WAVE;
}

static void check_sizes(verifier *v)
{
    uint64_t size = wave_size(v->f);
    if (v->cfg && size == WPG_LARGEST_WAVE)
        return; /* check_flow asks that */
    for (uint32_t b = 0; b < v->f->block_count && v->f->lanes && v->f->waves; b++)
        if (v->f->waves[b] < SATURATED / size)
            at_most(v, "blocks", b, "more lanes than its waves hold", v->f->lanes[b], v->f->waves[b] * size);
}

/* What compiler/optimize/ir/weights_check.h asks; without a graph, what it asks of kinds. */
static void check_flow(verifier *v)
{
    wpg_arena arena;
    wpg_weights weights;
    wpg_weights_findings findings = {0};
    wpg_arena_init(&arena);
    bool good = wpg_weights_of_shader(&weights, &arena, v->f, 1) == WPG_OK;
    if (good && v->cfg) {
        good = wpg_weights_check(&findings, v->cfg, &weights.functions[0], WPG_CHECK_COUNTS, 0, &arena) ==
               WPG_OK;
        v->result->checks +=
            (uint64_t)v->cfg->count * 6; /* kinds, inflow, lanes both ways, waves both ways */
    }
    for (uint32_t i = 0; good && i < findings.count; i++)
        wpg_verify_add(v->result, v->f, findings.items[i].rule == WPG_CHECK_KINDS ? "blocks" : "flow",
                       findings.items[i].block, "%s", findings.items[i].text);
    v->result->out_of_memory |= !good;
    wpg_arena_finish(&arena);
}

static void check_kinds(verifier *v)
{
    const wpg_shader_counts *f = v->f;
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (f->lanes && f->waves)
            at_most(v, "blocks", b, "more waves than lanes", f->waves[b], f->lanes[b]);
        if (f->waves && f->uniform)
            at_most(v, "blocks", b, "more uniform waves than waves", f->uniform[b], f->waves[b]);
    }
}

static void check_masks(verifier *v)
{
    const wpg_shader_counts *f = v->f;
    const uint64_t *const kinds[] = {f->lanes, f->waves, f->uniform};
    static const char *const what[] = {"lanes unlike a block that always runs with it",
                                       "waves unlike a block that always runs with it",
                                       "uniform waves unlike a block that always runs with it"};
    wpg_mask_classes classes;
    wpg_arena arena;
    wpg_arena_init(&arena);
    bool good = wpg_mask_classes_compute(&classes, v->cfg, &arena) == WPG_OK;
    for (uint32_t b = 0; good && b < v->cfg->count; b++) {
        uint32_t class = classes.class_of[b];
        for (unsigned k = 0; k < 3 && class != WPG_NO_BLOCK; k++)
            if (kinds[k])
                equal(v, "masks", b, what[k], kinds[k][b], kinds[k][classes.representative[class]]);
    }
    v->result->out_of_memory |= !good;
    wpg_arena_finish(&arena);
}

/* -- Probes */

static bool has_block(const verifier *v, uint32_t block)
{
    return block < v->f->block_count;
}

/* A count per way of lanes and waves that were in a block as it ended. Lanes may have died before the block's
 * end. */
static void check_ways(verifier *v, const char *rule, uint32_t block, uint64_t lanes, bool dies)
{
    if (!v->f->lanes || !has_block(v, block))
        return;
    if (dies)
        at_most(v, rule, block, "more lanes took its ways than it had", lanes, v->f->lanes[block]);
    else
        equal(v, rule, block, "lanes that took its ways, lanes it had", lanes, v->f->lanes[block]);
}

static bool dies_in(const verifier *v, uint32_t block)
{
    return !v->cfg || (block < v->cfg->count && v->cfg->blocks[block].changes_mask);
}

/* A driver may run lanes apart that come to one target by several values. True, too, without a graph that
 * tells. */
static bool may_split(const verifier *v, uint32_t block, uint32_t target)
{
    const bool known = v->cfg && block < v->cfg->count && target < v->cfg->count;
    return !known || wpg_cfg_takes_several_values(v->cfg, block, target);
}

/* What went one way of a branch or switch is what its target ran, where nobody else comes there. */
static void check_target(verifier *v, const char *rule, uint32_t block, uint32_t target, uint64_t lanes,
                         const uint64_t *waves)
{
    if (!v->cfg || block >= v->cfg->count || target >= v->cfg->count ||
        !wpg_edge_runs_block(v->cfg, block, target))
        return;
    if (v->f->lanes)
        equal(v, rule, target, "lanes, lanes that were sent there", v->f->lanes[target], lanes);
    if (!v->f->waves || !waves)
        return;
    if (may_split(v, block, target))
        at_most(v, rule, target, "fewer waves than were sent there", *waves, v->f->waves[target]);
    else
        equal(v, rule, target, "waves, waves that were sent there", v->f->waves[target], *waves);
}

/* Block that the branch at the end of `block` goes to when its condition holds (0) or does not (1). */
static uint32_t way_of(const verifier *v, uint32_t block, unsigned way)
{
    if (!v->cfg || block >= v->cfg->count ||
        v->cfg->blocks[block].terminator->opcode != SpvOpBranchConditional)
        return WPG_NO_BLOCK;
    return wpg_cfg_find(v->cfg, v->cfg->blocks[block].terminator->words[2 + way]);
}

static void check_branches(verifier *v)
{
    const wpg_profile_record *record = v->f->records[WPG_RECORD_BRANCHES],
                             *by_lane = v->f->records[WPG_RECORD_LANE_BRANCHES];
    wpg_branch_counts branch;
    for (size_t i = 0; i < wpg_branch_count(record); i++) {
        wpg_branch_at(&branch, record, i);
        check_ways(v, "branches", branch.block, wpg_add_saturating(branch.lanes[0], branch.lanes[1]),
                   dies_in(v, branch.block));
        at_most(v, "branches", branch.block, "waves of the branch are more than went either way",
                branch.all_waves, wpg_add_saturating(branch.waves[0], branch.waves[1]));
        for (unsigned way = 0; way < 2; way++) {
            at_most(v, "branches", branch.block, "more waves went one way than came to the branch",
                    branch.waves[way], branch.all_waves);
            at_most(v, "branches", branch.block, "more waves than lanes went one way", branch.waves[way],
                    branch.lanes[way]);
            check_target(v, "branches", branch.block, way_of(v, branch.block, way), branch.lanes[way],
                         &branch.waves[way]);
        }
        if (v->f->waves && has_block(v, branch.block))
            at_most(v, "branches", branch.block, "more waves ended the block than started it",
                    branch.all_waves, v->f->waves[branch.block]);
    }
    for (size_t i = 0; i < wpg_lane_branch_count(by_lane); i++) {
        wpg_lane_branch_at(&branch, by_lane, i);
        check_ways(v, "branches", branch.block, wpg_add_saturating(branch.lanes[0], branch.lanes[1]),
                   dies_in(v, branch.block));
    }
}

static void check_cases(verifier *v)
{
    const wpg_profile_record *record = v->f->records[WPG_RECORD_CASES];
    size_t count = wpg_case_count(record);
    uint64_t lanes = 0, waves = 0;
    for (size_t i = 0; i < count; i++) {
        wpg_case_counts at, next = {0};
        wpg_case_at(&at, record, i);
        lanes = wpg_add_saturating(lanes, at.lanes);
        waves = wpg_add_saturating(waves, at.waves);
        if (!may_split(v, at.block, at.target))
            at_most(v, "switches", at.block, "more waves to one target than came to the switch", at.waves,
                    at.all_waves);
        at_most(v, "switches", at.block, "more waves than lanes to one target", at.waves, at.lanes);
        check_target(v, "switches", at.block, at.target, at.lanes, &at.waves);
        if (i + 1 < count)
            wpg_case_at(&next, record, i + 1);
        if (i + 1 < count && next.block == at.block)
            continue;
        check_ways(v, "switches", at.block, lanes, dies_in(v, at.block));
        at_most(v, "switches", at.block, "waves of the switch are more than went to its targets",
                at.all_waves, waves);
        lanes = waves = 0;
    }
}

static void check_loop(verifier *v, const wpg_loop_counts *loop)
{
    uint64_t lanes = 0, least = 0, most = 0;
    for (unsigned i = 0; i < WPG_TRIP_BUCKETS; i++) {
        uint64_t from = i ? UINT64_C(1) << (i - 1) : 0, to = i ? from * 2 - 1 : 0, low, high;
        lanes = wpg_add_saturating(lanes, loop->buckets[i]);
        if (__builtin_mul_overflow(loop->buckets[i], from, &low))
            low = UINT64_MAX;
        if (i == WPG_TRIP_BUCKETS - 1 || __builtin_mul_overflow(loop->buckets[i], to, &high))
            high = loop->buckets[i] ? UINT64_MAX : 0;
        least = wpg_add_saturating(least, low);
        most = wpg_add_saturating(most, high);
    }
    equal(v, "loops", loop->block, "lanes of the trip histogram, lanes that entered", lanes, loop->lanes);
    at_most(v, "loops", loop->block, "the histogram has more trips than were counted", least, loop->trips);
    at_most(v, "loops", loop->block, "more trips than the histogram allows", loop->trips, most);
    if (v->f->lanes && has_block(v, loop->block))
        equal(v, "loops", loop->block, "entries and trips, lanes of the loop's header",
              wpg_add_saturating(loop->lanes, loop->trips), v->f->lanes[loop->block]);
}

static void check_loops(verifier *v)
{
    const wpg_profile_record *record = v->f->records[WPG_RECORD_TRIPS],
                             *by_lane = v->f->records[WPG_RECORD_LANE_TRIPS];
    wpg_loop_counts loop;
    for (size_t i = 0; i < wpg_loop_count(record); i++) {
        wpg_loop_at(&loop, record, i);
        check_loop(v, &loop);
        at_most(v, "loops", loop.block, "more waves than lanes entered", loop.waves, loop.lanes);
    }
    for (size_t i = 0; i < wpg_lane_loop_count(by_lane); i++) {
        wpg_lane_loop_at(&loop, by_lane, i);
        check_loop(v, &loop);
    }
}

static void check_entry(verifier *v)
{
    wpg_entry_counts entry;
    uint64_t waves = 0;
    if (!wpg_entry_read(&entry, v->f->records[WPG_RECORD_ENTRY_MASK]))
        return;
    for (unsigned i = 0; i < WPG_FULLNESS_BUCKETS; i++)
        waves = wpg_add_saturating(waves, entry.eighths[i]);
    equal(v, "entry", 0, "waves by fullness, waves", waves, entry.waves);
    at_most(v, "entry", 0, "more full waves than waves", entry.whole, entry.waves);
    at_most(v, "entry", 0, "more lanes than the waves' slots", wpg_add_saturating(entry.lanes, entry.helpers),
            entry.sizes);
    if (v->f->lanes && v->f->function == 0 && v->f->block_count)
        equal(v, "entry", 0, "lanes at the entry, lanes of the first block", entry.lanes, v->f->lanes[0]);
}

static void check_samples(verifier *v)
{
    const uint64_t *samples = v->f->samples;
    if (!samples)
        return;
    at_most(v, "samples", 0, "more lanes seen than represented", samples[WPG_SAMPLES_SEEN_LANES],
            samples[WPG_SAMPLES_LANES]);
    at_most(v, "samples", 0, "more waves seen than represented", samples[WPG_SAMPLES_SEEN_WAVES],
            samples[WPG_SAMPLES_WAVES]);
    if (v->f->lanes && v->f->block_count)
        equal(v, "samples", 0, "lanes represented, lanes of the first block", samples[WPG_SAMPLES_LANES],
              v->f->lanes[0]);
}

/* Of each side of a select: sites by block are in the graph, so that without one only themselves are asked.
 */
static void check_selects(verifier *v)
{
    wpg_select_site *sites = NULL;
    uint32_t count = 0;
    wpg_arena arena;
    wpg_arena_init(&arena);
    if (v->f->selects && v->cfg && wpg_select_sites(&sites, &count, v->cfg, &arena) != WPG_OK)
        v->result->out_of_memory = true;
    if (v->f->selects && sites && count != v->f->select_counter_count / WPG_SELECT_COUNTERS)
        wpg_verify_add(v->result, v->f, "selects", 0,
                       "%zu select sites in the profile, %" PRIu32 " in the module",
                       v->f->select_counter_count / WPG_SELECT_COUNTERS, count);
    else
        for (uint32_t i = 0; v->f->selects && sites && i < count; i++) {
            const uint64_t *c = v->f->selects + (size_t)i * WPG_SELECT_COUNTERS;
            uint32_t block = sites[i].block;
            if (!(c[0] | c[1] | c[2] | c[3])) /* not counted, as most sites, or never run */
                continue;
            uint64_t waves = wpg_add_saturating(c[WPG_SELECT_WAVES_TRUE], c[WPG_SELECT_WAVES_FALSE]);
            check_ways(v, "selects", block,
                       wpg_add_saturating(c[WPG_SELECT_LANES_TRUE], c[WPG_SELECT_LANES_FALSE]),
                       dies_in(v, block));
            for (unsigned side = 0; side < 2; side++)
                at_most(v, "selects", block, "more waves than lanes took one side",
                        c[WPG_SELECT_WAVES_TRUE + side], c[WPG_SELECT_LANES_TRUE + side]);
            if (!v->f->waves || !waves) /* not measured */
                continue;
            for (unsigned side = 0; side < 2; side++)
                at_most(v, "selects", block, "more waves took one side than ran the block",
                        c[WPG_SELECT_WAVES_TRUE + side], v->f->waves[block]);
            if (!dies_in(v, block))
                at_most(v, "selects", block, "more waves ran the block than took either side",
                        v->f->waves[block], waves);
        }
    wpg_arena_finish(&arena);
}

void wpg_verify_function(wpg_verify_result *result, const wpg_shader_counts *function, const wpg_cfg *cfg)
{
    verifier v = {.result = result, .f = function, .cfg = cfg};
    check_sizes(&v);
    if (cfg) {
        check_flow(&v);
        check_masks(&v);
    } else {
        check_kinds(&v);
    }
    check_selects(&v);
    check_branches(&v);
    check_cases(&v);
    check_loops(&v);
    check_entry(&v);
    check_samples(&v);
}
