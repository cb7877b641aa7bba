/* Branches: lanes and waves that went each way of every OpBranchConditional.
 *
 *     record: 1, then for each branch in module order: block, lanes true, lanes false, waves true, waves
 *             false, waves
 *
 * Lanes and waves are those live at the block's end. `waves` counts waves with any live lane there. So true +
 * false - waves is the number of waves with lanes in both directions; in the others all lanes agreed.
 *
 * Most numbers follow from block counts and cost nothing. The lanes that take an edge are the lanes of its
 * target, if no other edge leads there. The same holds for waves if, besides, parts of several waves'
 * executions do not meet there (proof: wpg_edge_runs_block). The other way has the rest of the block's lanes,
 * unless lanes die between the block's start and its end. Code counts the remainder: waves of critical edges,
 * as of an if without else. It counts by tallies where rules.c knows a way, else in place. */
#include "compiler/instrument/probes/probe.h"

#include "compiler/instrument/probes/probe_edges.h"

typedef struct branch_site {
    uint32_t condition;
    wpg_edge_counters side[2]; /* true, false */
    uint32_t waves;            /* WPG_NO_COUNTER: known from the block */
} branch_site;

static bool is_branch(const wpg_block *block)
{
    return block->rpo != WPG_NO_BLOCK && block->terminator->opcode == SpvOpBranchConditional &&
           block->successor_count == 2;
}

/* Both directions have tallies of their own. */
static void describe_by_tallies(wpg_probe_plan *p, uint32_t b)
{
    static const uint8_t order[] = {WPG_SELECT_LANES_TRUE, WPG_SELECT_LANES_FALSE, WPG_SELECT_WAVES_TRUE,
                                    WPG_SELECT_WAVES_FALSE};
    const wpg_function_plan *f = p->function;
    wpg_term_list terms[WPG_SELECT_COUNTERS] = {0};
    p->failed |= !wpg_side_terms(p->plan, f, terms, f->branch_yes[b], f->branch_no[b], b);
    wpg_probe_describe(p, b);
    for (unsigned i = 0; i < WPG_SELECT_COUNTERS; i++) {
        const wpg_term_list *made = &terms[order[i]];
        wpg_probe_word(p);
        if (!p->failed)
            wpg_probe_add(p, WPG_TERM_COUNTER, wpg_plan_add_sum(p->plan, made->data, made->count));
    }
    wpg_probe_word(p);
    wpg_probe_add(p, WPG_TERM_WAVES, b);
    for (unsigned i = 0; i < WPG_SELECT_COUNTERS; i++)
        wpg_vec_free(&terms[i]);
}

static void plan_branch(wpg_probe_plan *p, uint32_t b)
{
    const wpg_cfg *cfg = p->function->cfg;
    const wpg_block *block = &cfg->blocks[b];
    branch_site *site = wpg_probe_alloc(p, 1, sizeof *site);
    if (!site)
        return;
    site->condition = block->terminator->words[1];
    uint32_t targets[2] = {wpg_cfg_find(cfg, block->terminator->words[2]),
                           wpg_cfg_find(cfg, block->terminator->words[3])};
    wpg_edges edges = {.from = b, .count = 2, .targets = targets, .counters = site->side};
    wpg_edges_plan(p, &edges);
    site->waves = edges.waves;
    wpg_probe_describe(p, b);
    for (uint32_t i = 0; i < 2; i++)
        wpg_edges_lanes_word(p, &edges, i);
    for (uint32_t i = 0; i < 2; i++)
        wpg_edges_waves_word(p, &edges, i);
    wpg_edges_all_waves_word(p, &edges);
    if (edges.counted)
        wpg_probe_place(p, b, block->terminator, site);
}

static void plan(wpg_probe_plan *p)
{
    const wpg_cfg *cfg = p->function->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!is_branch(&cfg->blocks[b]))
            continue;
        if (!p->first.count)
            wpg_probe_describe(p, 1);
        if (p->function->branch_yes && p->function->branch_yes[b] != WPG_NO_TALLY)
            describe_by_tallies(p, b);
        else
            plan_branch(p, b);
    }
}

static void emit(wpg_inject *in, const wpg_function_plan *function, const wpg_probe_point *point)
{
    const branch_site *site = point->site;
    wpg_add adds[WPG_EDGE_ADDS * 2 + 1];
    size_t count = 0;
    uint32_t live = wpg_probe_live(in);
    for (unsigned i = 0; i < 2; i++) {
        if (!wpg_edge_is_counted(&site->side[i]))
            continue;
        uint32_t taken =
            i == 0 ? site->condition : WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, site->condition);
        count += wpg_edge_emit(in, adds + count, &site->side[i], taken, live);
    }
    if (site->waves != WPG_NO_COUNTER)
        adds[count++] = (wpg_add){site->waves, in->c_one};
    wpg_probe_add_elected(in, function, live, adds, count);
}

const wpg_probe wpg_probe_branches = {.name = "branches",
                                      .record = "branches",
                                      .bit = WPG_PROBE_BRANCHES,
                                      .ids = 128,
                                      .plan = plan,
                                      .emit = emit};
