/* Between the files that choose how things are counted (methods.c, selects.c): the chooser of one function,
 * its state while tallies, cells and points are handed out. */
#ifndef WPG_COMPILER_INSTRUMENT_METHODS_H
#define WPG_COMPILER_INSTRUMENT_METHODS_H

#include "compiler/instrument/plan.h"
#include "compiler/instrument/structure.h"

typedef struct wpg_chooser {
    wpg_plan *plan;
    wpg_function_plan *f;
    const wpg_cfg *cfg;
    wpg_structure structure;
    uint32_t *loop_number;    /* [constructs] number among the function's loops, WPG_NO_BLOCK */
    uint32_t *scope_region;   /* [scopes] number of the region, WPG_NO_BLOCK until needed */
    uint32_t function_region; /* the same */
    bool has_function_region; /* it may be used */
    bool cells;               /* there may be private cells at all */
    uint32_t flushes;         /* places where the function's region would go to memory */
    wpg_point_list *points;
    WPG_VEC(wpg_tally) tallies;
    WPG_VEC(wpg_loop_plan) loops;
    WPG_VEC(wpg_region) regions;
    uint32_t *edge_true, *edge_false; /* [blocks] tally of the edge from the block's branch, WPG_NO_TALLY */
    bool failed;
} wpg_chooser;

/* Both sides of a condition that all lanes of `block` have at instruction `before` (NULL: at its start): the
 * tallies of the lanes that have it true and false, with a point that counts them. False: count it in place.
 * In a pair of cells the false side has waves only: its lanes are the block's less the true side's. */
bool wpg_choose_select(wpg_chooser *c, uint32_t *yes, uint32_t *no, uint32_t block, wpg_inst *before,
                       uint32_t condition);

#endif
