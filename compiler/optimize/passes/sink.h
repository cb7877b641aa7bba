/* The instructions of a block that may be sunk under a branch: the chain of pure instructions that only the
 * rare sides of a group of selects use. Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_PASSES_SINK_H
#define WPG_COMPILER_OPTIMIZE_PASSES_SINK_H

#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/pass.h"

/* Selects of one block with one condition, and the instructions that a branch at the first of them may
 * compute. wpg_sink_free frees the vectors. */
typedef struct wpg_sink {
    uint32_t block, condition;
    int rare;                    /* 0: needed when the condition is true, 1: when false */
    WPG_VEC(wpg_inst *) selects; /* in module order; the branch goes before selects.data[0] */
    WPG_VEC(wpg_inst *) chain;   /* in module order */
    WPG_VEC(wpg_inst *) lifted;  /* to be moved before the first select, in this order */
    const wpg_id_set *exact;     /* borrowed: what feeds exact outputs */
    uint32_t cost;               /* weighted instructions of the chain */
    const wpg_inst *kept;        /* first operand of a rare side that may not be sunk, or NULL */
    const char *kept_why;        /* static storage */
} wpg_sink;

/* Fills sink->chain, cost and kept for sink->selects; drops selects after the first that cannot join.
 * WPG_E_NOMEM only. */
wpg_status wpg_sink_chain(wpg_sink *sink, const wpg_view *view, wpg_error *err);
void wpg_sink_free(wpg_sink *sink);
/* The operand of a select that is needed on side `side` (0: true, 1: false). */
static inline uint32_t wpg_select_operand(const wpg_inst *select, int side)
{
    return select->words[4 + side];
}

#endif
