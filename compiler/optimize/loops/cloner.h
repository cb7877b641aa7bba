/* Copies of a loop's blocks, values and decorations (cloner.c), of which the guards (loop_clone.c) and
 * peeling (loop_peel.c) put theirs together. Private to those files.
 *
 * Ownership: the cloner borrows all but copy_of, operands and merge_phis, which wpg_cloner_finish frees.
 * Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_LOOPS_CLONER_H
#define WPG_COMPILER_OPTIMIZE_LOOPS_CLONER_H

#include "compiler/optimize/loops/loop_clone.h"

typedef struct wpg_cloner {
    wpg_context *context;
    wpg_module *module;
    wpg_function_profile *profile;
    const wpg_view *view;
    const wpg_guard_plan *plan;
    uint32_t *copy_of; /* [bound] id in the copy of an id of the loop; 0 where none */
    uint32_t bound;    /* of the module before */
    uint32_t replaced; /* the bound's id, read as `constant` everywhere in the copy; 0 where not */
    uint32_t constant;
    uint32_t zero; /* for seams; 0 where the copy has none */
    uint32_t even; /* the same, for phis that lanes agree in; 0: there is no such */
    uint32_t guard_block, copy_block, rest_block, copy_merge, rest_merge; /* G T F X Y */
    uint32_t late_block, decide_block; /* where late values are loaded, and met again; 0: no late values */
    /* A block of the copy that leads to X, though what it copies does not lead to M: of the values there, X
     * has null; 0: none. */
    uint32_t also_from;
    wpg_operand_list operands;
    WPG_VEC(wpg_inst *) merge_phis; /* of M, before */
    bool nomem;
} wpg_cloner;

static inline const wpg_block *wpg_cloner_block(const wpg_cloner *c, uint32_t index)
{
    return &c->view->cfg->blocks[index];
}

/* The id in the copy; the id itself where the loop does not define it. */
static inline uint32_t wpg_cloner_copied(const wpg_cloner *c, uint32_t id)
{
    return id < c->bound && c->copy_of[id] ? c->copy_of[id] : id;
}

/* Finds M's phis and gives all that is copied, and the new blocks, their ids. WPG_E_NOMEM only. */
wpg_status wpg_cloner_init(wpg_cloner *c, wpg_context *context, wpg_function_profile *profile,
                           const wpg_view *view, const wpg_guard_plan *plan);
/* Frees; WPG_E_NOMEM when memory ran out on the way. */
wpg_status wpg_cloner_finish(wpg_cloner *c);

/* -- Pieces -- */

wpg_inst *wpg_cloner_label(wpg_cloner *c, wpg_inst *where, uint32_t id);
/* A constant of an integer or Boolean type. */
uint32_t wpg_cloner_constant(wpg_cloner *c, uint32_t type, uint32_t bits);
/* Decorations of `of`, on `copy` too. */
void wpg_cloner_decorate(wpg_cloner *c, uint32_t of, uint32_t copy);
/* Does a phi of either loop get a seam? */
bool wpg_cloner_has_seams(const wpg_cloner *c);

/* -- Steps, in this order -- */

/* The copy of the loop's blocks, before `where`. */
void wpg_cloner_copy(wpg_cloner *c, wpg_inst *where);
/* The last instruction of the loop. */
wpg_inst *wpg_cloner_last(const wpg_cloner *c);
/* The original loop: entered from F, left to Y; what led to H leads to G. */
void wpg_cloner_rewire(wpg_cloner *c);
/* M's phis move to Y (before `in_rest`) and, of the copy, to X (before `in_copy`); M gets phis of the two,
 * and of all values of the loop that are used after it. */
void wpg_cloner_merge(wpg_cloner *c, wpg_inst *in_rest, wpg_inst *in_copy);
/* Decorations of all copies; seams of the original's phis, last, since nothing that was looked up knows the
 * ids they bring. */
void wpg_cloner_seal(wpg_cloner *c);

/* -- Counts -- */

/* Of what came to the loop. Waves come to its header from before it or from its own end. */
wpg_block_weight wpg_cloner_entered(const wpg_cloner *c, uint32_t origin);
/* What was said of the loop in `map` goes for its copy, too. False when memory ran out. */
bool wpg_cloner_inherit(wpg_cloner *c, wpg_map *map, uint32_t header);

#endif
