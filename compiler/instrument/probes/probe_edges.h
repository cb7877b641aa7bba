/* Edges out of a block: numbers that follow from block counts, and code for the others. Shared by the probes
 * of branches and switches. */
#ifndef WPG_COMPILER_INSTRUMENT_PROBES_PROBE_EDGES_H
#define WPG_COMPILER_INSTRUMENT_PROBES_PROBE_EDGES_H

#include "compiler/instrument/probes/probe.h"

/* Counters of one edge's own; WPG_NO_COUNTER where block counts tell it. */
typedef struct wpg_edge_counters {
    uint32_t lanes, waves;
} wpg_edge_counters;

/* All edges of one block, each target once. */
typedef struct wpg_edges {
    uint32_t from, count;
    const uint32_t *targets;     /* block indices */
    wpg_edge_counters *counters; /* [count], filled by wpg_edges_plan */
    uint32_t waves;              /* counter of waves with a live lane at the block's end; WPG_NO_COUNTER: the
                                    block's */
    uint32_t rest;               /* edge whose lanes are the block's less the others'; `count`: none */
    bool counted;                /* some counter is needed */
} wpg_edges;

void wpg_edges_plan(wpg_probe_plan *p, wpg_edges *edges);
/* The record's next word: lanes or waves of edge i; waves with a live lane at the block's end. */
void wpg_edges_lanes_word(wpg_probe_plan *p, const wpg_edges *edges, uint32_t i);
void wpg_edges_waves_word(wpg_probe_plan *p, const wpg_edges *edges, uint32_t i);
void wpg_edges_all_waves_word(wpg_probe_plan *p, const wpg_edges *edges);

enum { WPG_EDGE_ADDS = 2 };

static inline bool wpg_edge_is_counted(const wpg_edge_counters *edge)
{
    return edge->lanes != WPG_NO_COUNTER || edge->waves != WPG_NO_COUNTER;
}
/* Emits code for one counted edge, before the election. Fills `adds` with the additions and returns their
 * number. `taken` is the id of a bool, `live` as of wpg_probe_live. */
size_t wpg_edge_emit(wpg_inject *in, wpg_add *adds, const wpg_edge_counters *edge, uint32_t taken,
                     uint32_t live);

#endif
