/* The chooser of one function: its state while tallies, cells and points are given out. Shared by methods.c,
 * rules.c, selects.c and regions.c. */
#ifndef WPG_COMPILER_INSTRUMENT_COUNTING_METHODS_H
#define WPG_COMPILER_INSTRUMENT_COUNTING_METHODS_H

#include "compiler/instrument/code/plan.h"
#include "compiler/instrument/code/structure.h"

typedef struct wpg_chooser {
    wpg_plan *plan;
    wpg_function_plan *f;
    const wpg_cfg *cfg;
    wpg_structure structure;
    uint32_t *loop_number;    /* [constructs] number among the function's loops, WPG_NO_BLOCK */
    uint32_t *scope_region;   /* [scopes] number of the region, WPG_NO_BLOCK until needed */
    uint32_t function_region; /* the same */
    uint32_t *scope_cells;    /* [scopes + 1] private cells of blocks in each; the last: of those in none */
    uint32_t *loop_cells;     /* [constructs] private cells of blocks in each outermost loop that repeats */
    bool has_function_region; /* it may be used */
    bool uses_trunk;          /* some mark is of the trunk */
    bool cells;               /* there may be private cells at all */
    uint32_t flushes;         /* places where the function's region would go to memory */
    wpg_point_list *points;
    WPG_VEC(wpg_tally) tallies;
    WPG_VEC(wpg_loop_plan) loops;
    WPG_VEC(wpg_region) regions;
    uint32_t *edge_true, *edge_false; /* [blocks] tally of the edge from the block's branch, WPG_NO_TALLY */
    bool failed;
} wpg_chooser;

/* Tallies for both sides of a condition that all lanes of `block` have at instruction `before` (NULL: at the
 * block's start), and a point that counts them. False: count in place. In a pair of cells the false side has
 * waves only: its lanes are the block's less the true side's. */
bool wpg_choose_select(wpg_chooser *c, uint32_t *yes, uint32_t *no, uint32_t block, wpg_inst *before,
                       uint32_t condition);

/* -- Handing out (regions.c) --------------------------------------------------------------------------- */

uint32_t wpg_new_region(wpg_chooser *c, wpg_region region);
uint32_t wpg_region_of_function(wpg_chooser *c);
uint32_t wpg_region_of_scope(wpg_chooser *c, uint32_t scope);
/* The region where the cells of a whole loop live, and the number of its plan. Made at the first request. */
uint32_t wpg_loop_plan_of(wpg_chooser *c, uint32_t construct);
/* The region of private counters of a block in a loop; WPG_NO_BLOCK if there is none. *own: the outermost
 * loop around the block, if that loop is entered once in the region's life. */
uint32_t wpg_region_for(wpg_chooser *c, uint32_t block, uint32_t *own);
/* The scope in which all lanes that come to the block, or enter the loop that it heads, do so once. */
uint32_t wpg_scope_for(const wpg_chooser *c, uint32_t block);
/* The scope whose region has the marks of a block that runs once: wpg_scope_for, or the trunk's. */
uint32_t wpg_mark_scope_for(const wpg_chooser *c, uint32_t block);
/* True if an addition to a cell at the block reaches no exit of a loop around the block within an iteration.
 * Then the value that leaves the loop is the one its header starts with. Only some drivers need this. */
bool wpg_is_kept_by_driver(const wpg_chooser *c, uint32_t block);
uint32_t wpg_new_cell(wpg_chooser *c);
/* True if there are registers left for that many cells of the block. */
bool wpg_cells_left(const wpg_chooser *c, uint32_t block, uint32_t count);
/* The block has got the cells from number `first` on. */
void wpg_cells_given(wpg_chooser *c, uint32_t block, uint32_t first);
uint32_t wpg_new_tally(wpg_chooser *c, wpg_method method);
/* Private cells for lanes, waves and uniform, in a region; `led_by` as in wpg_tally. */
void wpg_give_cells(wpg_chooser *c, uint32_t tally, uint32_t region, uint32_t led_by);
void wpg_add_point(wpg_chooser *c, wpg_point point);
/* The block's end: wpg_block_seek goes before its merge instruction. */
wpg_inst *wpg_end_of(const wpg_chooser *c, uint32_t block);

/* -- Rules (rules.c): true if the class, whose representative is b, is counted by it now --------------- */

bool wpg_rule_mark(wpg_chooser *c, uint32_t class, uint32_t b);
bool wpg_rule_trips(wpg_chooser *c, uint32_t class, uint32_t b);
bool wpg_rule_steady(wpg_chooser *c, uint32_t class, uint32_t b, uint32_t region);
bool wpg_rule_passed(wpg_chooser *c, uint32_t class, uint32_t b, uint32_t region, uint32_t own);
bool wpg_rule_edge(wpg_chooser *c, uint32_t class, uint32_t b, uint32_t region, uint32_t own);
/* Branches whose directions' waves follow from no block: both sides of a select at the block's end. */
void wpg_choose_branches(wpg_chooser *c);
/* After all choices: makes tallies that are sums of others, and drops marks that gain nothing. */
void wpg_derive_sums(wpg_chooser *c);
void wpg_drop_lone_marks(wpg_chooser *c);
/* Then: gives each mark its bit. */
void wpg_place_marks(wpg_chooser *c);
/* Where lanes alone are counted: makes sums of the classes whose lanes follow from those of others (tree.c).
 * `depth` has the depth of loops of each class. */
void wpg_derive_by_flow(wpg_chooser *c, const uint32_t *depth);
/* After that: makes marks of what is left to be counted by each lane, where that gains (lane_marks.c). */
void wpg_plan_lane_marks(wpg_chooser *c);

#endif
