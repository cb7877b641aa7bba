/* See probe_edges.h. */
#include "compiler/instrument/probes/probe_edges.h"

#include "compiler/analysis/graph/mask.h"

static bool lanes_known(const wpg_probe_plan *p, const wpg_edges *edges, uint32_t i)
{
    return wpg_cfg_comes_only_from(p->function->cfg, edges->from, edges->targets[i]);
}

static bool waves_known(const wpg_probe_plan *p, const wpg_edges *edges, uint32_t i)
{
    return wpg_edge_runs_block(p->function->cfg, edges->from, edges->targets[i]);
}

void wpg_edges_plan(wpg_probe_plan *p, wpg_edges *edges)
{
    bool steady = !p->function->cfg->blocks[edges->from].changes_mask;
    edges->rest = edges->count;
    edges->waves = WPG_NO_COUNTER;
    edges->counted = false;
    for (uint32_t i = 0; i < edges->count; i++) {
        wpg_edge_counters *c = &edges->counters[i];
        *c = (wpg_edge_counters){WPG_NO_COUNTER, WPG_NO_COUNTER};
        if (!lanes_known(p, edges, i)) {
            if (steady && edges->rest == edges->count)
                edges->rest = i;
            else
                c->lanes = wpg_probe_counters(p, 1);
        }
        if (!waves_known(p, edges, i)) {
            c->waves = wpg_probe_counters(p, 1);
            wpg_probe_keep(p, edges->from, c->waves);
        }
        edges->counted |= wpg_edge_is_counted(c);
    }
    if (!steady) {
        edges->waves = wpg_probe_counters(p, 1);
        wpg_probe_keep(p, edges->from, edges->waves);
        edges->counted = true;
    }
}

static void add_lanes(wpg_probe_plan *p, const wpg_edges *edges, uint32_t i, bool minus)
{
    uint32_t counter = edges->counters[i].lanes;
    wpg_term_source source = counter != WPG_NO_COUNTER ? WPG_TERM_COUNTER : WPG_TERM_LANES;
    uint32_t index = counter != WPG_NO_COUNTER ? counter : edges->targets[i];
    if (minus)
        wpg_probe_subtract(p, source, index);
    else
        wpg_probe_add(p, source, index);
}

void wpg_edges_lanes_word(wpg_probe_plan *p, const wpg_edges *edges, uint32_t i)
{
    wpg_probe_word(p);
    if (i != edges->rest) {
        add_lanes(p, edges, i, false);
        return;
    }
    wpg_probe_add(p, WPG_TERM_LANES, edges->from);
    for (uint32_t k = 0; k < edges->count; k++)
        if (k != i)
            add_lanes(p, edges, k, true);
}

void wpg_edges_waves_word(wpg_probe_plan *p, const wpg_edges *edges, uint32_t i)
{
    uint32_t counter = edges->counters[i].waves;
    wpg_probe_word(p);
    if (counter != WPG_NO_COUNTER)
        wpg_probe_add(p, WPG_TERM_COUNTER, counter);
    else
        wpg_probe_add(p, WPG_TERM_WAVES, edges->targets[i]);
}

void wpg_edges_all_waves_word(wpg_probe_plan *p, const wpg_edges *edges)
{
    wpg_probe_word(p);
    if (edges->waves != WPG_NO_COUNTER)
        wpg_probe_add(p, WPG_TERM_COUNTER, edges->waves);
    else
        wpg_probe_add(p, WPG_TERM_WAVES, edges->from);
}

size_t wpg_edge_emit(wpg_inject *in, wpg_add *adds, const wpg_edge_counters *edge, uint32_t taken,
                     uint32_t live)
{
    size_t count = 0;
    uint32_t lanes = wpg_probe_lanes(in, wpg_probe_and(in, taken, live));
    if (edge->lanes != WPG_NO_COUNTER)
        adds[count++] = (wpg_add){edge->lanes, lanes};
    if (edge->waves != WPG_NO_COUNTER)
        adds[count++] = (wpg_add){edge->waves, wpg_probe_some(in, lanes)};
    return count;
}
