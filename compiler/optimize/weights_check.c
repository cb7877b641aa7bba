/* See weights_check.h.
 *
 * Lanes: an edge is a number to find. A block's outgoing edges sum to its lanes, and so do its incoming ones
 * (not those of the entry, which starts lanes; not outgoing ones of blocks that end lanes). Where all edges
 * of one side but one are known, that one follows; every other equation is then a check, and a negative edge
 * a contradiction. Blocks that may lose lanes within give bounds only. Source: Knuth, Stevenson, "Optimal
 * Measurement Points for Program Frequency Counts" (1973): edges off a spanning tree determine the others. */
#include "compiler/optimize/weights_check.h"

#include "compiler/optimize/pass.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "runtime/base/text.h"

typedef struct edge {
    bool known;
    double lanes;
} edge;

typedef struct checker {
    wpg_weights_findings *findings;
    const wpg_cfg *cfg;
    const wpg_function_weights *w;
    double slack;
    const bool *unknown; /* [count] blocks not to ask about; NULL: none */
    wpg_arena *arena;
    edge *edges;                               /* by the block they leave */
    uint32_t *first_out, *first_in, *incoming; /* [count + 1], [count + 1]; edges by the block they reach */
} checker;

static void add(wpg_weights_findings *findings, wpg_arena *arena, unsigned rule, uint32_t block,
                const char *what, const char *text)
{
    if (!findings->items)
        findings->items = WPG_ARENA_ARRAY(arena, wpg_weights_finding, WPG_MOST_FINDINGS);
    findings->total++;
    if (!findings->items || findings->count >= WPG_MOST_FINDINGS)
        return;
    wpg_weights_finding *finding = &findings->items[findings->count++];
    *finding = (wpg_weights_finding){.rule = rule, .block = block, .what = what};
    (void)snprintf(finding->text, sizeof finding->text, "%s", text);
}

static void contradiction(checker *c, unsigned rule, uint32_t block, const char *what, double have,
                          double want)
{
    char text[160];
    (void)wpg_format(text, sizeof text, "block %" PRIu32 ": %s: %.0f, %.0f", block, what, have, want);
    add(c->findings, c->arena, rule, block, what, text);
}

/* a <= b, as far as the slack goes. */
static bool at_most(const checker *c, double a, double b)
{
    return a <= b + (c->slack > 0 ? b * c->slack + 1 : 0);
}

static bool equal(const checker *c, double a, double b)
{
    return at_most(c, a, b) && at_most(c, b, a);
}

static bool reachable(const wpg_block *block)
{
    return block->rpo != WPG_NO_BLOCK;
}

static bool any_unknown(const checker *c, const uint32_t *blocks, uint32_t count)
{
    for (uint32_t i = 0; c->unknown && i < count; i++)
        if (c->unknown[blocks[i]])
            return true;
    return false;
}

static bool is_unknown(const checker *c, uint32_t block)
{
    return any_unknown(c, &block, 1);
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
    if (w->waves && w->uniform && w->uniform[b] > w->waves[b])
        contradiction(c, WPG_CHECK_KINDS, b, "more uniform waves than waves", (double)w->uniform[b],
                      (double)w->waves[b]);
}

static double sum_of(const uint64_t *counts, const uint32_t *blocks, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += (double)counts[blocks[i]];
    return sum;
}

static void check_inflow(checker *c, uint32_t b)
{
    const wpg_block *block = &c->cfg->blocks[b];
    if (!c->w->lanes || b == 0 || !reachable(block) || is_unknown(c, b) ||
        any_unknown(c, block->predecessors, block->predecessor_count))
        return;
    double in = sum_of(c->w->lanes, block->predecessors, block->predecessor_count);
    if (!at_most(c, (double)c->w->lanes[b], in))
        contradiction(c, WPG_CHECK_INFLOW, b, "more lanes than its predecessors sent", (double)c->w->lanes[b],
                      in);
}

/* -- Lanes */

/* Sums the edges of one side of a block; how many are not known, the last of these in *open. */
static uint32_t side_of(double *known, edge **open, const checker *c, uint32_t block, bool outgoing)
{
    const uint32_t *first = outgoing ? c->first_out : c->first_in;
    uint32_t unknown = 0;
    *known = 0;
    for (uint32_t i = first[block]; i < first[block + 1]; i++) {
        edge *at = &c->edges[outgoing ? i : c->incoming[i]];
        if (at->known) {
            *known += at->lanes;
        } else {
            unknown++;
            *open = at;
        }
    }
    return unknown;
}

/* Lanes of the edges of that side are those of the block: not where lanes start or end. */
static bool side_is_exact(const checker *c, uint32_t b, bool outgoing)
{
    const wpg_block *block = &c->cfg->blocks[b];
    if (is_unknown(c, b))
        return false;
    return outgoing ? block->successor_count && !block->changes_mask : b != 0;
}

static bool solve_once(checker *c)
{
    bool progress = false;
    for (uint32_t b = 0; b < c->cfg->count; b++) {
        for (int outgoing = 0; outgoing < 2 && reachable(&c->cfg->blocks[b]); outgoing++) {
            edge *open = NULL;
            double known;
            if (!side_is_exact(c, b, outgoing != 0) || side_of(&known, &open, c, b, outgoing != 0) != 1)
                continue;
            double lanes = (double)c->w->lanes[b] - known;
            if (lanes < 0) {
                if (!at_most(c, known, (double)c->w->lanes[b]))
                    contradiction(c, WPG_CHECK_LANES, b,
                                  outgoing ? "more lanes left it than it had" : "more lanes came than it had",
                                  known, (double)c->w->lanes[b]);
                lanes = 0;
            }
            open->known = true;
            open->lanes = lanes;
            progress = true;
        }
    }
    return progress;
}

static void check_side(checker *c, uint32_t b, bool outgoing)
{
    edge *open = NULL;
    double known, lanes = (double)c->w->lanes[b];
    uint32_t unknown = side_of(&known, &open, c, b, outgoing);
    if (outgoing && !c->cfg->blocks[b].successor_count)
        return;
    if ((!outgoing && b == 0) || is_unknown(c, b))
        return;
    if (!unknown && side_is_exact(c, b, outgoing) && !equal(c, known, lanes))
        contradiction(c, WPG_CHECK_LANES, b,
                      outgoing ? "lanes that left it are not those it had"
                               : "lanes that came are not those it had",
                      known, lanes);
    else if (outgoing && !at_most(c, known, lanes))
        contradiction(c, WPG_CHECK_LANES, b, "more lanes left it than it had", known, lanes);
}

static bool list_edges(checker *c)
{
    const wpg_cfg *cfg = c->cfg;
    uint32_t count = 0;
    c->first_out = WPG_ARENA_ARRAY(c->arena, uint32_t, (size_t)cfg->count + 1);
    c->first_in = WPG_ARENA_ARRAY(c->arena, uint32_t, (size_t)cfg->count + 1);
    for (uint32_t b = 0; b < cfg->count && !c->arena->failed; b++) {
        const wpg_block *block = &cfg->blocks[b];
        c->first_out[b] = count;
        count += reachable(block) ? block->successor_count : 0;
        for (uint32_t s = 0; reachable(block) && s < block->successor_count; s++)
            c->first_in[block->successors[s] + 1]++;
    }
    c->edges = WPG_ARENA_ARRAY(c->arena, edge, count);
    c->incoming = WPG_ARENA_ARRAY(c->arena, uint32_t, count);
    uint32_t *cursor = WPG_ARENA_ARRAY(c->arena, uint32_t, (size_t)cfg->count + 1);
    if (c->arena->failed)
        return false;
    c->first_out[cfg->count] = count;
    for (uint32_t b = 0; b < cfg->count; b++)
        c->first_in[b + 1] += c->first_in[b];
    memcpy(cursor, c->first_in, ((size_t)cfg->count + 1) * sizeof *cursor);
    for (uint32_t b = 0; b < cfg->count; b++)
        for (uint32_t e = c->first_out[b]; e < c->first_out[b + 1]; e++) {
            uint32_t to = cfg->blocks[b].successors[e - c->first_out[b]];
            c->edges[e] = (edge){0};
            c->incoming[cursor[to]++] = e;
        }
    return true;
}

static void check_lanes(checker *c)
{
    if (!c->w->lanes || !list_edges(c))
        return;
    while (solve_once(c))
        ;
    for (uint32_t b = 0; b < c->cfg->count; b++) {
        if (!reachable(&c->cfg->blocks[b]))
            continue;
        check_side(c, b, true);
        check_side(c, b, false);
    }
}

/* -- Waves */

static void check_waves(checker *c, uint32_t b)
{
    const wpg_block *block = &c->cfg->blocks[b];
    const uint64_t *waves = c->w->waves;
    if (!waves || !reachable(block) || is_unknown(c, b) ||
        any_unknown(c, block->predecessors, block->predecessor_count) ||
        any_unknown(c, block->successors, block->successor_count))
        return;
    double own = (double)waves[b];
    if (b != 0 && !at_most(c, own, sum_of(waves, block->predecessors, block->predecessor_count)))
        contradiction(c, WPG_CHECK_WAVES, b, "more waves than its predecessors sent", own,
                      sum_of(waves, block->predecessors, block->predecessor_count));
    bool single = block->successor_count > 0;
    for (uint32_t s = 0; s < block->successor_count; s++) {
        uint32_t to = block->successors[s];
        bool only = to != 0 && c->cfg->blocks[to].predecessor_count == 1;
        if (only && !at_most(c, (double)waves[to], own))
            contradiction(c, WPG_CHECK_WAVES, to, "more waves than the branch that leads to it",
                          (double)waves[to], own);
        single &= only;
    }
    double arms = sum_of(waves, block->successors, block->successor_count);
    if (single && !block->changes_mask && !at_most(c, own, arms))
        contradiction(c, WPG_CHECK_WAVES, b, "more waves than its ways together", own, arms);
}

static wpg_status run_rules(checker *c, unsigned rules)
{
    for (uint32_t b = 0; b < c->cfg->count; b++) {
        if (rules & WPG_CHECK_KINDS && !is_unknown(c, b))
            check_kinds(c, b);
        if (rules & WPG_CHECK_INFLOW)
            check_inflow(c, b);
        if (rules & WPG_CHECK_WAVES)
            check_waves(c, b);
    }
    if (rules & WPG_CHECK_LANES)
        check_lanes(c);
    return c->arena->failed ? WPG_E_NOMEM : WPG_OK;
}

wpg_status wpg_weights_check(wpg_weights_findings *findings, const wpg_cfg *cfg,
                             const wpg_function_weights *weights, unsigned rules, double slack,
                             wpg_arena *arena)
{
    checker c = {.findings = findings, .cfg = cfg, .w = weights, .slack = slack, .arena = arena};
    if (weights->block_count == cfg->count)
        return run_rules(&c, rules);
    contradiction(&c, rules, 0, "counts of another number of blocks", weights->block_count, cfg->count);
    return arena->failed ? WPG_E_NOMEM : WPG_OK;
}

wpg_status wpg_profile_check(wpg_weights_findings *findings, wpg_context *context,
                             const wpg_function_profile *profile, unsigned rules, double slack,
                             wpg_arena *arena)
{
    wpg_cfg *cfg = NULL;
    wpg_inst *function = wpg_module_def(context->module, profile->function);
    WPG_TRY(wpg_cfg_create(&cfg, context->module, function, context->err));
    uint64_t *lanes = WPG_ARENA_ARRAY(arena, uint64_t, cfg->count);
    uint64_t *waves = WPG_ARENA_ARRAY(arena, uint64_t, cfg->count);
    bool *unknown = WPG_ARENA_ARRAY(arena, bool, cfg->count);
    wpg_function_weights w = {.block_count = cfg->count,
                              .lanes = profile->has_lanes ? lanes : NULL,
                              .waves = profile->has_waves ? waves : NULL};
    checker c = {
        .findings = findings, .cfg = cfg, .w = &w, .slack = slack, .unknown = unknown, .arena = arena};
    for (uint32_t b = 0; b < cfg->count && !arena->failed; b++) {
        const wpg_block_weight *weight = wpg_profile_block(profile, cfg->blocks[b].id);
        unknown[b] = !weight || weight->unknown_by;
        if (!weight && reachable(&cfg->blocks[b]))
            contradiction(&c, 0, b, "a block that no pass entered in the profile", cfg->blocks[b].id, 0);
        lanes[b] = weight ? weight->lanes : 0;
        waves[b] = weight ? weight->waves : 0;
    }
    wpg_status status = arena->failed ? WPG_E_NOMEM : run_rules(&c, rules);
    wpg_cfg_destroy(cfg);
    return status;
}

/* -- Branches */

static bool is_listed(uint32_t label, const wpg_unknown_branch *unknown, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (unknown[i].label == label && unknown[i].pass && *unknown[i].pass)
            return true;
    return false;
}

wpg_status wpg_branches_check(wpg_weights_findings *findings, const wpg_cfg *cfg,
                              const wpg_unknown_branch *unknown, uint32_t unknown_count, wpg_arena *arena)
{
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        const wpg_inst *branch = block->terminator;
        const char *what = NULL;
        char text[160];
        if (branch->opcode != SpvOpBranchConditional || !reachable(block))
            continue;
        if (branch->count < 6)
            what = is_listed(block->id, unknown, unknown_count)
                       ? NULL
                       : "a branch without weights that no pass calls unknown";
        else if (!branch->words[4] && !branch->words[5])
            what = "branch weights 0:0";
        else if ((uint64_t)branch->words[4] + branch->words[5] > UINT32_MAX)
            what = "branch weights whose sum does not fit 32 bits";
        if (!what)
            continue;
        (void)snprintf(text, sizeof text, "block %" PRIu32 " (%%%" PRIu32 "): %s", b, block->id, what);
        add(findings, arena, 0, b, what, text);
    }
    return arena->failed ? WPG_E_NOMEM : WPG_OK;
}
