/* Loops as the passes see them: members, entries, the test that leaves. Private to
 * compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_LOOPS_H
#define WPG_COMPILER_OPTIMIZE_IR_LOOPS_H

#include "compiler/optimize/ir/pass.h"

typedef struct wpg_loop {
    uint32_t construct;                                 /* index in cfg->constructs */
    uint32_t header, merge, continue_target, back_edge; /* block indices */
    bool *members; /* [cfg->count]: dominated by the header, not by the merge block, and unreachable
                      blocks that constructs inside name */
    /* [cfg->count]: members that lead to the back edge: the natural loop. Any other member is on a way out:
     * front ends leave through blocks of their own (Tint, Zink). */
    bool *inside;
    uint32_t member_count;
    uint32_t instructions, cost; /* of the members */
    unsigned traits;             /* union over the members */
    /* Ways out: edges from inside to a block that is not. A driver told to unroll a loop with several of them
     * unrolls by whichever way it can count. That took seconds of compile time for a break after 3000 rounds
     * (Mesa 25, measured). */
    uint32_t exits;
    uint32_t first_test; /* first conditional branch that every entering lane runs (header or a straight line
                            from it), WPG_NO_BLOCK if none */
    bool top_tested;     /* that branch may leave: the body may run zero times */
} wpg_loop;

/* Describes a loop construct, once for a view; members live in the view's arena. False if the back edge or
 * merge block is unreachable, or memory ran out (arena.failed of view->module). */
bool wpg_loop_describe(wpg_loop *loop, const wpg_view *view, uint32_t construct);

/* The same without a view: the blocks and members alone. */
bool wpg_loop_members(wpg_loop *loop, const wpg_cfg *cfg, uint32_t construct, wpg_arena *arena);

/* True if a lane may leave the loop by the edge: from inside to a block that is not, and that is more than
 * OpUnreachable. Inlined functions leave such blocks. */
bool wpg_loop_is_left_by(const wpg_cfg *cfg, const wpg_loop *loop, uint32_t from, uint32_t to);

/* True if the way out that begins with `block`, which is not inside, leads to the merge block and nowhere
 * else. */
bool wpg_loop_leads_to_merge(const wpg_view *view, const wpg_loop *loop, uint32_t block);

/* The number of lanes that entered the loop from outside; false if the profile does not tell. */
bool wpg_loop_entries(uint64_t *entries, const wpg_view *view, const wpg_function_profile *profile,
                      const wpg_loop *loop);
/* True if the block is in the continue construct of the loop, and does not head the loop. */
bool wpg_loop_has_in_continue(const wpg_cfg *cfg, const wpg_construct *loop, uint32_t block);
/* The same of any loop. */
bool wpg_block_is_in_continue(const wpg_cfg *cfg, uint32_t block);
/* Lanes measured in a block; false if not measured. */
bool wpg_block_lanes(uint64_t *lanes, const wpg_view *view, const wpg_function_profile *profile,
                     uint32_t block);

#endif
