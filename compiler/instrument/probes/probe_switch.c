/* Switches: lanes and waves that went to each target of every OpSwitch.
 *
 *     record: 1, then for each target of each switch, in module order, the default's first:
 *             block of the switch, block of the target, lanes, waves, waves at the switch
 *
 * Lanes and waves are those live at the end of the switch's block. Cases that share a target are one. As for
 * branches, most numbers follow from block counts. Code counts the targets that other edges lead to as well:
 * where a case falls through, and the merge block as target of a value without a case. Each such case takes a
 * comparison. A switch that would need more than MOST_COMPARISONS is left out. */
#include "compiler/instrument/probes/probe.h"
#include "compiler/instrument/probes/probe_edges.h"

enum { MOST_COMPARISONS = 64, IDS_COMPARISON = 4, IDS_EDGE = 40 };

typedef struct switch_site {
    const wpg_inst *inst;
    uint32_t selector_type, literal_words; /* words a literal takes */
    wpg_edges edges;
} switch_site;

/* Case k of the instruction: its literal and where it goes. False: there is none. */
static bool case_at(uint64_t *literal, uint32_t *label, const switch_site *site, uint32_t k)
{
    uint64_t at = 3 + (uint64_t)k * (site->literal_words + 1);
    const wpg_inst *inst = site->inst;
    if (at + site->literal_words >= inst->count)
        return false;
    *literal = inst->words[at];
    if (site->literal_words == 2)
        *literal |= (uint64_t)inst->words[at + 1] << 32;
    *label = inst->words[at + site->literal_words];
    return true;
}

static bool read_selector(switch_site *site, const wpg_module *module)
{
    const wpg_inst *selector = wpg_module_def(module, site->inst->words[1]);
    const wpg_inst *type = selector ? wpg_module_def(module, selector->type) : NULL;
    if (!type || type->opcode != SpvOpTypeInt || type->count < 4)
        return false;
    site->selector_type = selector->type;
    site->literal_words = type->words[2] > 32 ? 2 : 1;
    return true;
}

/* Comparisons that tell whether a lane goes to target i: with every case of that target, or, for the default,
 * with every case of another. */
static uint32_t comparisons(const switch_site *site, const wpg_cfg *cfg, uint32_t i)
{
    uint32_t count = 0, label, target = cfg->blocks[site->edges.targets[i]].id;
    bool is_default = target == site->inst->words[2];
    uint64_t literal;
    for (uint32_t k = 0; case_at(&literal, &label, site, k); k++)
        count += (label == target) != is_default;
    return count;
}

static void plan_switch(wpg_probe_plan *p, uint32_t b)
{
    const wpg_cfg *cfg = p->function->cfg;
    const wpg_block *block = &cfg->blocks[b];
    uint32_t counters_before = p->plan->counter_count, cells_before = p->function->probe_cell_count,
             compared = 0;
    switch_site *site = wpg_probe_alloc(p, 1, sizeof *site);
    wpg_edge_counters *counters = wpg_probe_alloc(p, block->successor_count, sizeof *counters);
    if (!site || !counters)
        return;
    site->inst = block->terminator;
    if (!read_selector(site, p->plan->module))
        return;
    site->edges = (wpg_edges){
        .from = b, .count = block->successor_count, .targets = block->successors, .counters = counters};
    wpg_edges_plan(p, &site->edges);
    for (uint32_t i = 0; i < site->edges.count; i++)
        compared += wpg_edge_is_counted(&counters[i]) ? comparisons(site, cfg, i) : 0;
    if (compared > MOST_COMPARISONS) {
        p->plan->counter_count = counters_before;
        p->function->probe_cell_count = cells_before;
        return;
    }
    if (!p->first.count)
        wpg_probe_describe(p, 1);
    for (uint32_t i = 0; i < site->edges.count; i++) {
        wpg_probe_describe(p, b);
        wpg_probe_describe(p, block->successors[i]);
        wpg_edges_lanes_word(p, &site->edges, i);
        wpg_edges_waves_word(p, &site->edges, i);
        wpg_edges_all_waves_word(p, &site->edges);
    }
    if (!site->edges.counted)
        return;
    p->plan->probe_ids += (uint64_t)compared * IDS_COMPARISON + (uint64_t)site->edges.count * IDS_EDGE;
    wpg_probe_place(p, b, block->terminator, site);
}

static void plan(wpg_probe_plan *p)
{
    const wpg_cfg *cfg = p->function->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (cfg->blocks[b].rpo != WPG_NO_BLOCK && cfg->blocks[b].terminator->opcode == SpvOpSwitch)
            plan_switch(p, b);
}

/* Id of a bool: this lane goes to target i. */
static uint32_t goes_to(wpg_inject *in, const switch_site *site, const wpg_cfg *cfg, uint32_t i)
{
    uint32_t any = 0, label, target = cfg->blocks[site->edges.targets[i]].id;
    bool is_default = target == site->inst->words[2];
    uint64_t literal;
    for (uint32_t k = 0; case_at(&literal, &label, site, k); k++) {
        if ((label == target) == is_default)
            continue;
        uint32_t constant = wpg_const_scalar(in->module, site->selector_type, literal);
        uint32_t equal = WPG_EMIT(in, SpvOpIEqual, in->t_bool, site->inst->words[1], constant);
        any = any ? WPG_EMIT(in, SpvOpLogicalOr, in->t_bool, any, equal) : equal;
    }
    if (!is_default)
        return any ? any : wpg_const_bool(in->module, false);
    return any ? WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, any) : in->c_true;
}

static void emit(wpg_inject *in, const wpg_function_plan *function, const wpg_probe_point *point)
{
    const switch_site *site = point->site;
    size_t most = (size_t)site->edges.count * WPG_EDGE_ADDS + 1, count = 0;
    wpg_add *adds = WPG_ARENA_ARRAY(&in->module->arena, wpg_add, most);
    if (!adds)
        return;
    uint32_t live = wpg_probe_live(in);
    for (uint32_t i = 0; i < site->edges.count; i++)
        if (wpg_edge_is_counted(&site->edges.counters[i]))
            count += wpg_edge_emit(in, adds + count, &site->edges.counters[i],
                                   goes_to(in, site, function->cfg, i), live);
    if (site->edges.waves != WPG_NO_COUNTER)
        adds[count++] = (wpg_add){site->edges.waves, in->c_one};
    wpg_probe_add_elected(in, function, live, adds, count);
}

const wpg_probe wpg_probe_switch = {
    .name = "switch", .record = "cases", .bit = WPG_PROBE_SWITCH, .ids = 32, .plan = plan, .emit = emit};
