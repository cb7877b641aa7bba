/* See weights_check.h. Lanes: what the blocks' counts decide of the edges (lane_flow.h) is compared with
 * every block that they arrive at or leave. */
#include "compiler/optimize/ir/weights_check.h"

#include <inttypes.h>

#include "compiler/analysis/graph/lane_flow.h"
#include "runtime/base/text.h"

typedef struct checker {
    wpg_weights_findings *findings;
    const wpg_block_graph *flow;
    const wpg_function_weights *w;
    double slack;
    wpg_arena *arena;
    wpg_conservation lanes;
    uint32_t *predecessors; /* of block b: lanes.first_in[b] .. */
} checker;

static void contradiction(checker *c, unsigned rule, uint32_t block, const char *what, double have,
                          double want)
{
    wpg_weights_findings *findings = c->findings;
    if (!findings->items)
        findings->items = WPG_ARENA_ARRAY(c->arena, wpg_weights_finding, WPG_MOST_FINDINGS);
    findings->total++;
    if (!findings->items || findings->count >= WPG_MOST_FINDINGS)
        return;
    wpg_weights_finding *finding = &findings->items[findings->count++];
    *finding = (wpg_weights_finding){.rule = rule, .block = block, .what = what};
    (void)wpg_format(finding->text, sizeof finding->text, "block %" PRIu32 ": %s: %.0f, %.0f", block, what,
                     have, want);
}

/* a <= b, as far as the slack goes. */
static bool at_most(const checker *c, double a, double b)
{
    return a <= b + (c->slack > 0 ? b * c->slack + 1 : 0);
}

static bool is_reachable(const checker *c, uint32_t block)
{
    return c->flow->flags[block] & WPG_BLOCK_REACHABLE;
}

static bool loses_lanes(const checker *c, uint32_t block)
{
    return c->flow->flags[block] & WPG_BLOCK_LOSES_LANES;
}

/* How many waves its lanes are is the driver's choice. */
static bool may_split(const checker *c, uint32_t block)
{
    return c->flow->flags[block] & WPG_BLOCK_SEVERAL_VALUES;
}

/* Blocks beside one another in an array. */
typedef struct neighbours {
    const uint32_t *list;
    uint32_t count;
} neighbours;

static neighbours successors_of(const checker *c, uint32_t block)
{
    const uint32_t first = c->flow->first[block];
    return (neighbours){c->flow->successors + first, c->flow->first[block + 1] - first};
}

static neighbours predecessors_of(const checker *c, uint32_t block)
{
    const uint32_t first = c->lanes.first_in[block];
    return (neighbours){c->predecessors + first, c->lanes.first_in[block + 1] - first};
}

static bool is_unknown(const checker *c, uint32_t block)
{
    return c->w->known && !c->w->known[block];
}

static bool any_unknown(const checker *c, neighbours blocks)
{
    for (uint32_t i = 0; i < blocks.count; i++)
        if (is_unknown(c, blocks.list[i]))
            return true;
    return false;
}

/* -- Kinds and inflow */

static void check_kinds(checker *c, uint32_t b)
{
    const wpg_function_weights *w = c->w;
    if (w->lanes && w->waves && w->waves[b] > w->lanes[b])
        contradiction(c, WPG_CHECK_KINDS, b, "more waves than lanes", (double)w->waves[b],
                      (double)w->lanes[b]);
    if (w->lanes && w->waves && w->lanes[b] && !w->waves[b])
        contradiction(c, WPG_CHECK_KINDS, b, "lanes without a wave", (double)w->lanes[b], 0);
    else if (w->lanes && w->waves && !at_most(c, (double)w->lanes[b], (double)w->waves[b] * WPG_LARGEST_WAVE))
        contradiction(c, WPG_CHECK_KINDS, b, "more lanes than its waves hold", (double)w->lanes[b],
                      (double)w->waves[b] * WPG_LARGEST_WAVE);
    if (w->waves && w->uniform && w->uniform[b] > w->waves[b])
        contradiction(c, WPG_CHECK_KINDS, b, "more uniform waves than waves", (double)w->uniform[b],
                      (double)w->waves[b]);
}

static double sum_of(const uint64_t *counts, neighbours blocks)
{
    double sum = 0;
    for (uint32_t i = 0; i < blocks.count; i++)
        sum += (double)counts[blocks.list[i]];
    return sum;
}

static void check_inflow(checker *c, uint32_t b)
{
    neighbours from = predecessors_of(c, b);
    if (!c->w->lanes || b == 0 || !is_reachable(c, b) || is_unknown(c, b) || any_unknown(c, from))
        return;
    double in = sum_of(c->w->lanes, from);
    if (!at_most(c, (double)c->w->lanes[b], in))
        contradiction(c, WPG_CHECK_INFLOW, b, "more lanes than its predecessors sent", (double)c->w->lanes[b],
                      in);
}

/* -- Lanes */

static void check_side(checker *c, uint32_t b, bool leaving)
{
    const wpg_side side = (leaving ? c->lanes.out : c->lanes.in)[b];
    const double edges = (double)side.sum, lanes = (double)c->w->lanes[b];
    const wpg_side_verdict verdict = wpg_conservation_check(&c->lanes, b, leaving);
    if (verdict == WPG_SIDE_TOO_MUCH && !at_most(c, edges, lanes))
        contradiction(c, WPG_CHECK_LANES, b,
                      leaving ? "more lanes left it than it had" : "more lanes came than it had", edges,
                      lanes);
    else if (verdict == WPG_SIDE_TOO_LITTLE && !at_most(c, lanes, edges))
        contradiction(c, WPG_CHECK_LANES, b,
                      leaving ? "lanes that left it are not those it had"
                              : "lanes that came are not those it had",
                      edges, lanes);
}

/* The graph's equations. An unknown block has none. */
static bool prepare(checker *c)
{
    if (!wpg_lane_flow_create(&c->lanes, c->flow, c->arena))
        return false;
    const uint32_t edges = c->flow->first[c->flow->count];
    c->predecessors = WPG_ARENA_ARRAY(c->arena, uint32_t, edges);
    if (!c->predecessors)
        return false;
    for (uint32_t i = 0; i < edges; i++)
        c->predecessors[i] = c->lanes.sources[c->lanes.incoming[i]];
    for (uint32_t b = 0; b < c->flow->count; b++)
        if (is_unknown(c, b))
            c->lanes.arriving[b] = c->lanes.leaving[b] = WPG_SIDE_OPEN;
    return true;
}

static bool check_lanes(checker *c)
{
    if (!c->w->lanes)
        return true;
    for (uint32_t b = 0; b < c->flow->count; b++) {
        c->lanes.known[b] = !is_unknown(c, b);
        c->lanes.counts[b] = c->w->lanes[b];
    }
    if (!wpg_conservation_solve(&c->lanes, c->arena))
        return false;
    for (uint32_t b = 0; b < c->flow->count; b++) {
        check_side(c, b, true);
        check_side(c, b, false);
    }
    return true;
}

/* -- Waves */

static void check_waves(checker *c, uint32_t b)
{
    neighbours from = predecessors_of(c, b), to = successors_of(c, b);
    const uint64_t *waves = c->w->waves;
    if (!waves || !is_reachable(c, b) || is_unknown(c, b) || any_unknown(c, from) || any_unknown(c, to))
        return;
    double own = (double)waves[b];
    if (b != 0 && !may_split(c, b) && !at_most(c, own, sum_of(waves, from)))
        contradiction(c, WPG_CHECK_WAVES, b, "more waves than its predecessors sent", own,
                      sum_of(waves, from));
    bool single = to.count > 0;
    for (uint32_t s = 0; s < to.count; s++) {
        uint32_t arm = to.list[s];
        bool only = arm != 0 && predecessors_of(c, arm).count == 1;
        if (only && !may_split(c, arm) && !at_most(c, (double)waves[arm], own))
            contradiction(c, WPG_CHECK_WAVES, arm, "more waves than the branch that leads to it",
                          (double)waves[arm], own);
        single &= only;
    }
    double arms = sum_of(waves, to);
    if (single && !loses_lanes(c, b) && !at_most(c, own, arms))
        contradiction(c, WPG_CHECK_WAVES, b, "more waves than its ways together", own, arms);
}

static wpg_status run_rules(checker *c, unsigned rules)
{
    if (!prepare(c))
        return WPG_E_NOMEM;
    for (uint32_t b = 0; b < c->flow->count; b++) {
        if (rules & WPG_CHECK_KINDS && !is_unknown(c, b))
            check_kinds(c, b);
        if (rules & WPG_CHECK_INFLOW)
            check_inflow(c, b);
        if (rules & WPG_CHECK_WAVES)
            check_waves(c, b);
    }
    if (rules & WPG_CHECK_LANES && !check_lanes(c))
        return WPG_E_NOMEM;
    return c->arena->failed ? WPG_E_NOMEM : WPG_OK;
}

wpg_status wpg_graph_check(wpg_weights_findings *findings, const wpg_block_graph *flow,
                           const wpg_function_weights *weights, unsigned rules, double slack,
                           wpg_arena *arena)
{
    checker c = {.findings = findings, .flow = flow, .w = weights, .slack = slack, .arena = arena};
    if (weights->block_count == flow->count)
        return run_rules(&c, rules);
    contradiction(&c, rules, 0, "counts of another number of blocks", weights->block_count, flow->count);
    return arena->failed ? WPG_E_NOMEM : WPG_OK;
}

wpg_status wpg_weights_check(wpg_weights_findings *findings, const wpg_cfg *cfg,
                             const wpg_function_weights *weights, unsigned rules, double slack,
                             wpg_arena *arena)
{
    wpg_block_graph flow;
    WPG_TRY(wpg_block_graph_of(&flow, cfg, arena));
    return wpg_graph_check(findings, &flow, weights, rules, slack, arena);
}
