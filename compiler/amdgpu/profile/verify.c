#include "compiler/amdgpu/profile/verify.h"

#include "runtime/base/arithmetic.h"

static void complain(wpg_counts_verdict *verdict, wpg_counts_rule rule, uint32_t block, uint64_t count,
                     uint64_t bound)
{
    if (verdict->problems < WPG_COUNTS_PROBLEMS)
        verdict->first[verdict->problems] = (wpg_counts_problem){rule, block, count, bound};
    verdict->problems++;
}

static wpg_status check_flow(wpg_counts_verdict *verdict, wpg_counts_rule rule, const wpg_flow_graph *graph,
                             const uint64_t *counts, wpg_arena *arena, wpg_error *err)
{
    wpg_flow_edges edges;
    WPG_TRY(wpg_flow_derive(&edges, graph, counts, arena, err));
    if (!edges.sound)
        complain(verdict, rule, edges.problem.block, edges.problem.count, edges.problem.explained);
    return WPG_OK;
}

/* An inequality that holds of any control flow; of structurised code flow says more, but of single blocks
 * only where no edge stays unknown. */
static wpg_status check_arms(wpg_counts_verdict *verdict, const wpg_flow_graph *graph, const uint64_t *waves,
                             wpg_arena *arena, wpg_error *err)
{
    uint64_t *before = WPG_ARENA_ARRAY(arena, uint64_t, graph->block_count);
    if (!before)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < graph->block_count; b++) {
        uint64_t after = 0;
        for (uint32_t e = graph->first[b]; e < graph->first[b + 1]; e++) {
            after = wpg_add_saturating(after, waves[graph->targets[e]]);
            before[graph->targets[e]] = wpg_add_saturating(before[graph->targets[e]], waves[b]);
        }
        if (graph->first[b] < graph->first[b + 1] && waves[b] > after)
            complain(verdict, WPG_COUNTS_ARMS, b, waves[b], after);
    }
    for (uint32_t b = 1; b < graph->block_count; b++)
        if (waves[b] > before[b])
            complain(verdict, WPG_COUNTS_ARMS, b, waves[b], before[b]);
    return WPG_OK;
}

wpg_status wpg_counts_verify(wpg_counts_verdict *verdict, const wpg_flow_graph *graph,
                             const wpg_amdgpu_counts *counts, unsigned wave_size, wpg_arena *arena,
                             wpg_error *err)
{
    if (counts->block_count != graph->block_count || !counts->waves)
        return wpg_fail(err, WPG_E_MISMATCH, "counts of %u blocks for a function of %u", counts->block_count,
                        graph->block_count);
    *verdict = (wpg_counts_verdict){0};
    WPG_TRY(check_flow(verdict, WPG_COUNTS_WAVES_FLOW, graph, counts->waves, arena, err));
    if (counts->lanes)
        WPG_TRY(check_flow(verdict, WPG_COUNTS_LANES_FLOW, graph, counts->lanes, arena, err));
    WPG_TRY(check_arms(verdict, graph, counts->waves, arena, err));
    for (uint32_t b = 0; b < graph->block_count; b++) {
        uint64_t waves = counts->waves[b];
        uint64_t most = wpg_multiply_saturating(waves, wave_size);
        if (counts->lanes && counts->lanes[b] < waves)
            complain(verdict, WPG_COUNTS_LANES_FEW, b, counts->lanes[b], waves);
        if (counts->lanes && counts->lanes[b] > most)
            complain(verdict, WPG_COUNTS_LANES_MANY, b, counts->lanes[b], most);
        if (counts->uniform && counts->uniform[b] > waves)
            complain(verdict, WPG_COUNTS_UNIFORM, b, counts->uniform[b], waves);
    }
    return WPG_OK;
}

const char *wpg_counts_rule_name(wpg_counts_rule rule)
{
    static const char *const names[WPG_COUNTS_RULES] = {
        [WPG_COUNTS_WAVES_FLOW] = "waves conserve flow",
        [WPG_COUNTS_LANES_FLOW] = "lanes conserve flow",
        [WPG_COUNTS_ARMS] = "waves of a branch lie between its arms' largest and their sum",
        [WPG_COUNTS_LANES_FEW] = "a wave has at least one lane",
        [WPG_COUNTS_LANES_MANY] = "a wave has no more lanes than its size",
        [WPG_COUNTS_UNIFORM] = "waves with all lanes are waves",
    };
    return rule < WPG_COUNTS_RULES ? names[rule] : "";
}
