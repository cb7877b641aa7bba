/* Control-flow graph of one function, with dominance and structured constructs. The graph
 * points into the module. A change of labels, terminators or merge instructions makes the graph stale.
 * Ownership: wpg_cfg_create allocates everything in one arena; wpg_cfg_destroy frees the arena (NULL is
 * fine). Threads: immutable once built. Sources: Lengauer, Tarjan, "A Fast Algorithm for Finding Dominators
 * in a Flowgraph" (1979); SPIR-V 1.6, 2.11 Structured Control Flow. */
#ifndef WPG_COMPILER_ANALYSIS_CFG_H
#define WPG_COMPILER_ANALYSIS_CFG_H

#include "compiler/spirv/module.h"

#define WPG_NO_BLOCK UINT32_MAX

typedef struct wpg_block {
    uint32_t id;     /* result id of the label */
    wpg_inst *label; /* OpLabel */
    wpg_inst *merge; /* OpSelectionMerge or OpLoopMerge before the terminator, or NULL */
    wpg_inst *terminator;
    const uint32_t *successors,
        *predecessors; /* block indices, no duplicates, in terminator / module order */
    uint32_t successor_count, predecessor_count;
    uint32_t rpo;       /* position in reverse post-order; WPG_NO_BLOCK if unreachable from the entry */
    uint32_t idom;      /* immediate dominator; WPG_NO_BLOCK for the entry and unreachable blocks */
    uint32_t construct; /* innermost construct that holds it (index into constructs), WPG_NO_BLOCK if none */
    uint32_t loop;      /* innermost loop construct (index into constructs), WPG_NO_BLOCK if none */
    uint32_t heads, merges, continues; /* construct of which it is header, merge block, continue target;
                                          WPG_NO_BLOCK if of none */
    bool changes_mask; /* the live mask may differ after it: it demotes, calls something that may demote or
                          kill, or ends a ray-tracing wave segment */
} wpg_block;

typedef enum wpg_construct_kind {
    WPG_CONSTRUCT_SELECTION,
    WPG_CONSTRUCT_SWITCH,
    WPG_CONSTRUCT_LOOP
} wpg_construct_kind;

/* A structured construct: the blocks dominated by the header (in structural dominance) up to but not
 * including the merge block. A loop construct holds its continue construct. */
typedef struct wpg_construct {
    wpg_construct_kind kind;
    uint32_t header, merge;   /* block indices */
    uint32_t continue_target; /* loops only, else WPG_NO_BLOCK */
    uint32_t back_edge;       /* loops only: branches back to the header; WPG_NO_BLOCK: none reachable */
    uint32_t parent;          /* enclosing construct, WPG_NO_BLOCK if none */
    bool leaves_early; /* some path from the header leaves otherwise than through the merge: to an outer merge
                          or continue target, return, kill, terminate (a demote does not leave) */
    bool has_demote;   /* OpDemoteToHelperInvocation inside */
    bool changes_mask; /* some block inside does */
} wpg_construct;

typedef struct wpg_cfg {
    wpg_arena arena;
    const wpg_module *module;
    wpg_inst *function; /* OpFunction */
    wpg_block *blocks; /* module order: blocks[0] is the entry. The index is the *block id* of the profile. */
    uint32_t count;
    const uint32_t *order; /* reachable blocks in reverse post-order */
    uint32_t order_count;
    wpg_construct *constructs; /* outer before inner */
    uint32_t construct_count;
} wpg_cfg;

/* WPG_E_FORMAT: a branch target is no label of the function. WPG_E_UNSUPPORTED: the function breaks
 * structured rules, so its constructs cannot be found. *cfg is set on success only. */
wpg_status wpg_cfg_create(wpg_cfg **cfg, const wpg_module *module, wpg_inst *function, wpg_error *err);
void wpg_cfg_destroy(wpg_cfg *cfg);

uint32_t wpg_cfg_find(const wpg_cfg *cfg, uint32_t label_id);       /* block index or WPG_NO_BLOCK */
bool wpg_cfg_dominates(const wpg_cfg *cfg, uint32_t a, uint32_t b); /* reflexive */
/* The blocks that the block dominates, itself first. None where the entry does not reach it. */
const uint32_t *wpg_cfg_dominated(uint32_t *count, const wpg_cfg *cfg, uint32_t block);
/* The post-dominator tree of the blocks, over a virtual exit. Apart from the graph: few callers ask. Lives in
 * the arena; NULL: out of memory. */
const struct wpg_dom_tree *wpg_cfg_post_dominance(const wpg_cfg *cfg, wpg_arena *arena);
bool wpg_post_dominates(const struct wpg_dom_tree *post, uint32_t a, uint32_t b); /* reflexive */
/* True if no reachable block but `from` branches to `to`. */
bool wpg_cfg_comes_only_from(const wpg_cfg *cfg, uint32_t from, uint32_t to);
bool wpg_construct_holds(const wpg_cfg *cfg, uint32_t construct, uint32_t block);
/* True if the switch that ends `from` sends several selector values to `to`: its default, or a target of
 * several literals. How many tangles their lanes are is the driver's choice: "at least one tangle per case
 * construct, and at most one tangle per unique Selector value" (SPV_KHR_maximal_reconvergence). */
bool wpg_cfg_takes_several_values(const wpg_cfg *cfg, uint32_t from, uint32_t to);

/* True if the lanes of a wave may differ after the instruction: it traces a ray, calls a shader, reports an
 * intersection (this may also end the invocation) or reorders invocations. */
bool wpg_ends_segment(const wpg_inst *inst);

/* 60-bit checksum of the graph: block count, terminator opcodes, edges, merge structure. Ids and other
 * instructions do not count. `normal_form_version` is folded in. Bits 60-63 are zero (LLVM reserves them). */
uint64_t wpg_cfg_checksum(const wpg_cfg *cfg, uint32_t normal_form_version);

#endif
