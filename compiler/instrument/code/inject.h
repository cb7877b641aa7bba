/* Declarations shared by code injection: the module under change, the place for new code, and the emitters.
 *
 * `where` is always the instruction before which the next one is inserted. wpg_if_begin and wpg_if_end split
 * the block there. They record the label that now holds the block's rest, for the phis of its successors. */
#ifndef WPG_COMPILER_INSTRUMENT_CODE_INJECT_H
#define WPG_COMPILER_INSTRUMENT_CODE_INJECT_H

#include "compiler/instrument/code/plan.h"
#include "compiler/spirv/builder.h"
#include "runtime/base/map.h"

enum { WPG_SCRATCH = 7 };

typedef struct wpg_inject {
    wpg_module *module;
    const wpg_plan *plan;
    wpg_inst *where;

    /* The block under change (split.c). */
    bool own_back_edge; /* a loop of one block: its terminator now has a block of its own */
    wpg_map tails;      /* label id of a block -> label id of its last part */
    bool failed;

    /* Module-wide ids. */
    uint32_t t_bool, t_u32, t_uvec2, t_uvec4;
    uint32_t c_true, c_zero, c_one;
    uint32_t subgroup_scope;
    uint32_t helper_variable;     /* BuiltIn HelperInvocation, 0 if not used */
    uint32_t lane_variable;       /* BuiltIn SubgroupLocalInvocationId, 0 if not used */
    uint32_t p_cell;              /* pointer to a private cell */
    uint32_t entry_mask_variable; /* Private uvec4, 0 if the entry mask stays an SSA value */
    struct {
        uint32_t t_counter;                        /* u32 or u64 */
        uint32_t p_counters, p_counter;            /* pointer types */
        uint32_t p_seeds, p_seed, p_cells, p_cell; /* of the directory: blocks, and what they hold */
        uint32_t t_product;       /* {u32 low, u32 high}; once declared (wpg_memory_declare_product) */
        uint32_t p_words, p_word; /* the counters as 32-bit words; once declared (wpg_memory_declare_words) */
        uint32_t scope, semantics, seeds; /* constants; the last is an address */
        uint64_t cells;                   /* address of the directory's cells */
        SpvStorageClass storage;          /* of the counters */
        uint32_t bound;       /* the storage buffer that holds them (by_binding); 0: they have an address */
        uint32_t slot_stride; /* counters of one copy, 0 = there is one copy */
    } memory;
    struct {
        uint32_t plain;                            /* the entry function without counting */
        uint32_t inputs[2];                        /* built-in variables that tell groups apart */
        uint32_t constant_weight, weight_variable; /* u32; Private u32: at most one of them is not 0 */
        uint32_t small, before_variable;           /* sample_small.c: bool; Private u32; 0 without */
        uint32_t total;                            /* compute: workgroups of the dispatch */
    } sample;                                      /* zero without sampling */

    /* Of the function under change. */
    uint32_t base;                 /* pointer to the counters */
    uint32_t offset;               /* u32 added to every counter's number; 0 = none */
    uint32_t weight;               /* u32 by which every addition is multiplied; 0: by nothing (sample.h) */
    uint32_t entry_mask;           /* E as an SSA value, 0 if it is in the variable */
    uint32_t scratch[WPG_SCRATCH]; /* variables of flush.c and waves.c, 0 until needed */
    uint32_t *cells; /* [cell_count] variables, 0 for those not used yet; NULL if there are none */
    const wpg_function_plan *function;
    const wpg_cfg *cfg;
    uint32_t *lengths;       /* [blocks] words of each before it was changed (unrolled.c); NULL: no memory */
    uint32_t *watched;       /* [constructs] variable of a watched construct, 0 for others; or NULL */
    struct wpg_known *known; /* [class_count] what was found out of groups (live.c); NULL: nothing is kept */
} wpg_inject;

/* -- Emitters: one instruction before in->where; the result id. ---------------------------------------- */

#define WPG_EMIT(in, opcode, type, ...)                                                                      \
    wpg_emit((in), (opcode), (type), (const uint32_t[]){__VA_ARGS__},                                        \
             sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
uint32_t wpg_emit(wpg_inject *in, SpvOp opcode, uint32_t type, const uint32_t *operands, size_t count);

/* -- Blocks (split.c) ---------------------------------------------------------------------------------- */

/* Makes block `block` ready to take code and sets `where` to its start. A loop header keeps its phis and its
 * OpLoopMerge alone; its rest becomes a block of its own. */
void wpg_block_open(wpg_inject *in, const wpg_cfg *cfg, uint32_t block);
/* Sets `where` before instruction `before` of the opened block. If `before` is the terminator and the block
 * has a merge instruction, `where` is before the merge instruction. */
void wpg_block_seek(wpg_inject *in, const wpg_cfg *cfg, uint32_t block, wpg_inst *before);
/* The place for straight code at the end of a block that heads no loop, be it opened or not. */
wpg_inst *wpg_block_end(const wpg_cfg *cfg, uint32_t block);
void wpg_block_close(wpg_inject *in, const wpg_cfg *cfg, uint32_t block);
/* if (condition) { ... }: instructions emitted between begin and end run conditionally. Nests. */
typedef struct wpg_if {
    uint32_t merge;
} wpg_if;
wpg_if wpg_if_begin(wpg_inject *in, uint32_t condition);
void wpg_if_end(wpg_inject *in, wpg_if branch);
/* do { ... } while (more): `more` is the id of a bool, equal in all lanes that came here unless nothing
 * between begin and end needs another lane. Nests. What goes on from one turn to the next is in variables: a
 * phi would name a block that may yet be split. */
typedef struct wpg_repeat {
    uint32_t header, next, merge;
} wpg_repeat;
wpg_repeat wpg_repeat_begin(wpg_inject *in);
void wpg_repeat_end(wpg_inject *in, wpg_repeat repeat, uint32_t more);
/* The function's variable (u32), made when it is first asked for: *variable is 0 until then. */
uint32_t wpg_local_variable(wpg_inject *in, uint32_t *variable);
/* After all blocks of a function: makes phis name the last parts of their parent blocks. */
void wpg_fix_phis(wpg_inject *in, wpg_inst *function);
/* Before the first block of a function is changed, and after all: marks loops that a driver must no longer
 * unroll (unrolled.c). */
void wpg_note_lengths(wpg_inject *in, const wpg_cfg *cfg);
void wpg_keep_rolled(wpg_inject *in, const wpg_cfg *cfg);

/* -- Live lanes (live.c) ------------------------------------------------------------------------------- */

void wpg_live_declare(wpg_inject *in);
/* Id of a bool: this lane is a helper or demoted; 0 = no lane is. */
uint32_t wpg_live_helper(wpg_inject *in);
/* The state of the wave at a point. */
typedef struct wpg_live {
    uint32_t live;    /* bool: this lane is live; 0 = all active lanes are */
    uint32_t mask;    /* uvec4: L, the live lanes */
    uint32_t equal;   /* bool: L equals the entry mask less the lanes demoted so far */
    uint32_t uniform; /* u32: 1 if equal, else 0 */
} wpg_live;
/* Declares the variable of the entry mask, if the mask has to outlive a function or changes. */
void wpg_live_declare_masks(wpg_inject *in);
void wpg_live_enter(wpg_inject *in, const wpg_function_plan *function);
/* Behind an instruction that ends a wave segment: E becomes the mask of the lanes present. */
void wpg_live_begin_segment(wpg_inject *in);
wpg_live wpg_live_now(wpg_inject *in, const wpg_function_plan *function, const wpg_point *point);
/* The same, as it was found out at an earlier block of the group (steady.h) where there is one; or one field
 * of it, at the start or end of a block, in modules without demotes and segments. */
uint32_t wpg_live_test(wpg_inject *in, const wpg_function_plan *function, uint32_t block); /* .live */
uint32_t wpg_live_mask(wpg_inject *in, const wpg_function_plan *function, uint32_t block, uint32_t live);
/* As wpg_live_elect. */
uint32_t wpg_live_elected(wpg_inject *in, const wpg_function_plan *function, uint32_t block, wpg_live now);
wpg_live wpg_live_known(wpg_inject *in, const wpg_function_plan *function, const wpg_point *point);
/* `mask` (uvec4), computed at the end of block `from`, has the live lanes that go to its successor `to`. */
void wpg_live_learn(wpg_inject *in, const wpg_function_plan *function, uint32_t from, uint32_t to,
                    uint32_t mask);
/* uvec4 ballot of a bool over the active lanes. */
uint32_t wpg_live_ballot(wpg_inject *in, uint32_t condition);

/* Declares the variable that wpg_live_elect needs. */
void wpg_live_declare_lane(wpg_inject *in);
uint32_t wpg_live_masks_equal(wpg_inject *in, uint32_t a, uint32_t b);
/* Bool, true in exactly one of the live lanes present (`now` has their mask); false in helpers. */
uint32_t wpg_live_elect(wpg_inject *in, wpg_live now);

/* -- Memory (sampling/memory.c) ------------------------------------------------------------------------ */

void wpg_memory_declare(wpg_inject *in);
/* At a function's start: in->base. */
void wpg_memory_enter(wpg_inject *in);
/* counters[i] += value[i] (u32 ids). */
typedef struct wpg_add {
    uint32_t counter, value;
} wpg_add;
void wpg_memory_add(wpg_inject *in, const wpg_add *adds, size_t count);
/* counters[index] += value; index and value (not above 2^31) are u32 ids. */
void wpg_memory_add_at(wpg_inject *in, uint32_t index, uint32_t value);
/* The counters as 32-bit words, low word first: pointer types once a module, then a pointer where it is
 * needed, and one to word `index` (u32 id). */
void wpg_memory_declare_words(wpg_inject *in);
uint32_t wpg_memory_words(wpg_inject *in);
uint32_t wpg_memory_word_at(wpg_inject *in, uint32_t words, uint32_t index);
/* in->memory.t_product: what OpUMulExtended gives. */
void wpg_memory_declare_product(wpg_inject *in);
/* Adds lanes, waves and uniform (u32 ids; waves not zero) to a tally's counters. */
void wpg_memory_add_tally(wpg_inject *in, const wpg_tally *tally, uint32_t lanes, uint32_t waves,
                          uint32_t uniform);

/* -- Private cells (counting/cells.c, cell_values.c) -------------------------------------------------- */

void wpg_cells_declare(wpg_inject *in);
void wpg_cells_enter(wpg_inject *in, const wpg_function_plan *function);
void wpg_cells_at(wpg_inject *in, const wpg_function_plan *function, const wpg_point *point);
/* Helpers of this room: the value of a cell; "value if condition, else 0" (u32) and similar. */
uint32_t wpg_cell_load(wpg_inject *in, uint32_t cell);
uint32_t wpg_select_u32(wpg_inject *in, uint32_t condition, uint32_t yes, uint32_t no);
/* a | b (u32); either may be 0: nothing yet. a & b of bools. Bool: value (u32) is not zero. */
uint32_t wpg_either(wpg_inject *in, uint32_t a, uint32_t b);
uint32_t wpg_both(wpg_inject *in, uint32_t a, uint32_t b);
uint32_t wpg_is_set(wpg_inject *in, uint32_t value);
/* Variable `which` of in->scratch: u32. Whoever flushes stores before loading. */
uint32_t wpg_scratch_load(wpg_inject *in, unsigned which);
void wpg_scratch_store(wpg_inject *in, unsigned which, uint32_t value);
uint32_t wpg_reduce(wpg_inject *in, SpvOp opcode, uint32_t value);
/* Bool: some bit of the mask is set. */
uint32_t wpg_any_in(wpg_inject *in, uint32_t mask);
void wpg_cell_store(wpg_inject *in, uint32_t cell, uint32_t value);
/* How often this lane has reached a tally: by the loop's trips, in this run of the loop; by its cell. */
uint32_t wpg_cell_trips(wpg_inject *in, const wpg_function_plan *function, const wpg_tally *tally);
uint32_t wpg_cell_visits(wpg_inject *in, const wpg_function_plan *function, const wpg_tally *tally);

/* True if every lane that leaves the region knows, from its uniform cells, the wave's uniform visits. */
bool wpg_shares_uniform(const wpg_region *region);

/* -- Flushing (counting/flush.c) ----------------------------------------------------------------------- */

/* The tangle that leaves a region or a loop, or may leave next. */
typedef struct wpg_leaving {
    wpg_live now;
    uint32_t elected;
} wpg_leaving;
/* Adds the region's cells to memory, summed over the lanes that leave. */
void wpg_flush_region(wpg_inject *in, const wpg_function_plan *function, uint32_t region,
                      const wpg_leaving *leaving);
/* The marks alone that are not steady. */
void wpg_flush_marks(wpg_inject *in, const wpg_function_plan *function, uint32_t region,
                     const wpg_leaving *leaving);
/* Where lanes alone are counted: each lane adds one for each bit of the region's marks, which are cleared
 * (counting/lane_marks.c). */
void wpg_flush_lane_marks(wpg_inject *in, const wpg_function_plan *function, uint32_t region);

#endif
