/* Branches where waves are not counted (stages without subgroup operations, STRATEGY=lane): lanes of each
 * direction. Waves are absent, so the record has a kind of its own.
 *
 *     record: 1, then for each conditional branch in module order: block, lanes true, lanes false
 *
 * The lanes that take an edge are the lanes of its target, if no other edge leads there. The other way has
 * the rest of the block's lanes, unless lanes die between the block's start and its end. Otherwise each lane
 * adds one to the direction it takes. */
#include "compiler/instrument/probes/probe.h"

typedef struct lane_branch {
    uint32_t condition;
    uint32_t counters[2]; /* true, false; WPG_NO_COUNTER: known from blocks */
} lane_branch;

static void plan_branch(wpg_probe_plan *p, uint32_t b)
{
    const wpg_cfg *cfg = p->function->cfg;
    const wpg_block *block = &cfg->blocks[b];
    lane_branch *site = wpg_probe_alloc(p, 1, sizeof *site);
    uint32_t targets[2] = {wpg_cfg_find(cfg, block->terminator->words[2]),
                           wpg_cfg_find(cfg, block->terminator->words[3])};
    bool known[2] = {wpg_cfg_comes_only_from(cfg, b, targets[0]),
                     wpg_cfg_comes_only_from(cfg, b, targets[1])};
    if (!site)
        return;
    *site = (lane_branch){block->terminator->words[1], {WPG_NO_COUNTER, WPG_NO_COUNTER}};
    /* One direction that is not known is the rest, if there is a rest to speak of. */
    uint32_t rest = block->changes_mask ? 2 : !known[0] ? 0 : !known[1] ? 1 : 2;
    for (uint32_t i = 0; i < 2; i++)
        if (!known[i] && i != rest)
            site->counters[i] = wpg_probe_counters(p, 1);
    wpg_probe_describe(p, b);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t from = i == rest ? 1 - i : i;
        wpg_probe_word(p);
        if (i == rest)
            wpg_probe_add(p, WPG_TERM_LANES, b);
        wpg_term_source source = site->counters[from] != WPG_NO_COUNTER ? WPG_TERM_COUNTER : WPG_TERM_LANES;
        uint32_t index = site->counters[from] != WPG_NO_COUNTER ? site->counters[from] : targets[from];
        if (i == rest)
            wpg_probe_subtract(p, source, index);
        else
            wpg_probe_add(p, source, index);
    }
    if (site->counters[0] != WPG_NO_COUNTER || site->counters[1] != WPG_NO_COUNTER)
        wpg_probe_place(p, b, block->terminator, site);
}

static void plan(wpg_probe_plan *p)
{
    const wpg_cfg *cfg = p->function->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->rpo == WPG_NO_BLOCK || block->terminator->opcode != SpvOpBranchConditional ||
            block->successor_count != 2)
            continue;
        if (!p->first.count)
            wpg_probe_describe(p, 1);
        plan_branch(p, b);
    }
}

static void emit(wpg_inject *in, const wpg_function_plan *function, const wpg_probe_point *point)
{
    const lane_branch *site = point->site;
    uint32_t live = wpg_probe_live(in);
    (void)function;
    for (uint32_t i = 0; i < 2; i++) {
        if (site->counters[i] == WPG_NO_COUNTER)
            continue;
        uint32_t taken =
            i == 0 ? site->condition : WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, site->condition);
        wpg_if goes = wpg_if_begin(in, wpg_probe_and(in, taken, live));
        wpg_memory_add(in, &(wpg_add){site->counters[i], in->c_one}, 1);
        wpg_if_end(in, goes);
    }
}

const wpg_probe wpg_probe_lane_branches = {.name = "branches",
                                           .record = "lane_branches",
                                           .bit = WPG_PROBE_BRANCHES,
                                           .by_lane = true,
                                           .ids = 64,
                                           .plan = plan,
                                           .emit = emit};
