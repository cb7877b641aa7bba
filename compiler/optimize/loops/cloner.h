/* Copies a loop's blocks, values and decorations (cloner.c). The guards (loop_clone.c) and peeling
 * (loop_peel.c) build their copies from these steps. Private to those files. Each draws its blocks: G
 * guard, T entry of the copy, F entry of the original, H header, M merge block, X merge block of the copy, Y
 * merge block of the original.
 *
 * Ownership: the cloner borrows everything but copy_of, operands and merge_phis, which wpg_cloner_finish
 * frees. Threads: as the module. */
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
    uint32_t zero; /* for optimisation barriers; 0 where the copy has none */
    uint32_t even; /* as `zero`, for phis in which lanes agree; 0: there is none */
    uint32_t guard_block, copy_block, rest_block, copy_merge, rest_merge; /* G T F X Y */
    uint32_t late_block, decide_block; /* where late values are loaded, and where the ways meet again; 0 */
    /* A block of the copy that leads to X, though its original does not lead to M. X has null for the values
     * from there. 0: none. */
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

/* Finds M's phis. Gives ids to all that is copied, and to the new blocks. WPG_E_NOMEM only. */
wpg_status wpg_cloner_init(wpg_cloner *c, wpg_context *context, wpg_function_profile *profile,
                           const wpg_view *view, const wpg_guard_plan *plan);
/* Frees the cloner's tables. WPG_E_NOMEM when memory ran out in any step. */
wpg_status wpg_cloner_finish(wpg_cloner *c);

/* -- Pieces -- */

wpg_inst *wpg_cloner_label(wpg_cloner *c, wpg_inst *where, uint32_t id);
/* A constant of an integer or Boolean type. */
uint32_t wpg_cloner_constant(wpg_cloner *c, uint32_t type, uint32_t bits);
/* Decorations of `of`, on `copy` too. */
void wpg_cloner_decorate(wpg_cloner *c, uint32_t of, uint32_t copy);
/* All decorations of ids that have a copy, on the copies too, in one walk. copy_of[bound]; 0: none. */
void wpg_decorate_copies(wpg_module *module, const uint32_t *copy_of, uint32_t bound);
/* True if a phi of either loop gets an optimisation barrier. */
bool wpg_cloner_has_barriers(const wpg_cloner *c);

/* -- Steps, in this order -- */

/* Copies the loop's blocks before `where`. */
void wpg_cloner_copy(wpg_cloner *c, wpg_inst *where);
/* Puts F before the original loop and Y behind it. Edges that led to H lead to G. Edges from the loop to M
 * lead to Y. Returns Y's branch to M. */
wpg_inst *wpg_cloner_rewire(wpg_cloner *c);
/* Moves M's phis to Y (before `in_rest`), and the copy's to X (before `in_copy`). M gets phis of the two, and
 * phis of all values of the loop that are used after it. */
void wpg_cloner_merge(wpg_cloner *c, wpg_inst *in_rest, wpg_inst *in_copy);
/* Decorates all copies, then makes the optimisation barriers of the original's phis. Optimisation barriers
 * come last: no table knows their new ids. */
void wpg_cloner_seal(wpg_cloner *c);

/* -- Counts -- */

/* The counts of entries into the loop. Waves come to its header from before the loop or from its own end. */
wpg_block_weight wpg_cloner_entered(const wpg_cloner *c, uint32_t origin);
/* Copies the loop's entry in `map` to its copy. False when memory ran out. */
bool wpg_cloner_inherit(wpg_cloner *c, wpg_map *map, uint32_t header);

#endif
