/* Checks that the counts of a function fit its control flow.
 *
 * Lanes conserve flow: they are counts of one thread each. Waves do not, because both arms of a divergent
 * branch run: max(arms) <= waves(header) <= sum(arms). Of a switch the arms of several values are not in the
 * maximum: a driver may run their lanes apart. Blocks that lose lanes (demote, kill in a call, end of
 * a wave segment) may pass on fewer lanes. Source: M. Trofin, "RFC: Profile Information Propagation
 * Unittesting" (LLVM, 2024).
 *
 * Ownership: findings live in the arena given. Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_WEIGHTS_CHECK_H
#define WPG_COMPILER_OPTIMIZE_IR_WEIGHTS_CHECK_H

#include "compiler/analysis/graph/block_graph.h"
#include "compiler/analysis/graph/cfg.h"
#include "compiler/optimize/ir/optimize.h"

enum {
    WPG_CHECK_KINDS = 1,  /* of a block: waves <= lanes <= waves * WPG_LARGEST_WAVE, uniform <= waves */
    WPG_CHECK_INFLOW = 2, /* no more lanes than the predecessors had together */
    WPG_CHECK_LANES = 4,  /* flow of lanes through every edge that the blocks' counts determine */
    WPG_CHECK_WAVES = 8,  /* waves of headers and arms */
    WPG_CHECK_COUNTS = 15
};

enum { WPG_LARGEST_WAVE = 128 }; /* lanes of a wave on any device known */

typedef struct wpg_weights_finding {
    unsigned rule;    /* WPG_CHECK_* */
    uint32_t block;   /* block index in the cfg */
    const char *what; /* static: one sentence without figures */
    char text[160];   /* the sentence with figures */
} wpg_weights_finding;

typedef struct wpg_weights_findings {
    wpg_weights_finding *items; /* the first WPG_MOST_FINDINGS of them */
    uint32_t count;
    uint64_t total;
} wpg_weights_findings;

enum { WPG_MOST_FINDINGS = 64 };

/* Checks the counts of `weights` against the graph by the chosen rules. Kinds that are NULL are skipped.
 * Blocks that `weights->known` leaves out say nothing. `weights->block_count` must be cfg->count: otherwise
 * one finding says so. `slack` is the allowed error as a share of a count: 0.01 because merged counts may be
 * scaled or saturated, 0 for none. Findings are added to *findings, which starts zeroed. WPG_E_NOMEM only. */
wpg_status wpg_weights_check(wpg_weights_findings *findings, const wpg_cfg *cfg,
                             const wpg_function_weights *weights, unsigned rules, double slack,
                             wpg_arena *arena);
/* As wpg_weights_check, against the graph alone. */
wpg_status wpg_graph_check(wpg_weights_findings *findings, const wpg_block_graph *flow,
                           const wpg_function_weights *weights, unsigned rules, double slack,
                           wpg_arena *arena);

#endif
