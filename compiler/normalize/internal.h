/* Declarations shared by the passes of the CFG tier: the light block view, the constant folder, removal of
 * ids. Threads: one module, one thread. */
#ifndef WPG_COMPILER_NORMALIZE_INTERNAL_H
#define WPG_COMPILER_NORMALIZE_INTERNAL_H

#include "compiler/normalize/normalize.h"
#include "compiler/spirv/builder.h"

#define WPG_NONE UINT32_MAX

/* -- Ids that went ------------------------------------------------------------------------------------- */

/* A set of marked ids: ids below the module's bound at wpg_marks_init, and later ones after growth. */
typedef struct wpg_marks {
    uint8_t *mark; /* [capacity] */
    uint32_t capacity, count;
    uint32_t code; /* instructions removed that can change code */
} wpg_marks;

wpg_status wpg_marks_init(wpg_marks *marks, const wpg_module *module, wpg_error *err);
void wpg_marks_finish(wpg_marks *marks);
static inline void wpg_marks_add(wpg_marks *marks, uint32_t id)
{
    if (id && id < marks->capacity && !marks->mark[id]) {
        marks->mark[id] = 1;
        marks->count++;
    }
}
static inline bool wpg_marks_has(const wpg_marks *marks, uint32_t id)
{
    return id < marks->capacity && marks->mark[id];
}

/* Removes one instruction; its result goes to `gone`. */
void wpg_remove_inst(wpg_module *module, wpg_inst *inst, wpg_marks *gone);
/* Removes from `first` up to but not including `end`; results go to `gone`. */
void wpg_remove_range(wpg_module *module, wpg_inst *first, wpg_inst *end, wpg_marks *gone);
/* Removes the names, decorations and execution modes of ids in `gone`. */
wpg_status wpg_remove_annotations(wpg_module *module, const wpg_marks *gone, wpg_error *err);
/* Removes functions that no entry point reaches through calls. Removes none if the module holds unknown
 * opcodes: their operands may name any function. Results go to `gone`. */
wpg_status wpg_remove_dead_functions(wpg_module *module, wpg_marks *gone, wpg_error *err);

/* Removes debug information in extended instructions: NonSemantic.Shader.DebugInfo.100, OpenCL.DebugInfo.100
 * and other non-semantic sets except DebugPrintf. Its lines become OpLine. Debug information cannot change
 * code, but binds instructions to blocks and functions that the tier changes. */
wpg_status wpg_strip_debug(wpg_module *module, wpg_error *err);

/* -- Blocks -------------------------------------------------------------------------------------------- */

typedef struct wpg_flow_block {
    wpg_inst *label, *merge, *terminator; /* merge: OpSelectionMerge or OpLoopMerge or NULL */
    uint32_t rank;      /* position in structured reverse post-order; WPG_NONE: not even structurally
                           reachable */
    uint32_t construct; /* index of the header of the innermost construct that holds it, or WPG_NONE */
    uint32_t preds;     /* reachable blocks that branch to it */
    bool reachable;     /* from the entry by branches */
    bool in_continue;   /* in the continue construct of some loop */
    bool is_exit;       /* loop merge, continue target or switch merge of a reachable header */
} wpg_flow_block;

/* A function's blocks. compiler/analysis builds more and refuses more. The tier needs a view of modules that
 * are not yet in normal form. One wpg_flow serves all functions of a module in turn. */
typedef struct wpg_flow {
    wpg_module *module;
    wpg_inst *function, *end;
    wpg_flow_block *blocks; /* module order, [0] the entry */
    uint32_t count, capacity;
    uint32_t *order; /* structurally reachable blocks by rank */
    uint32_t order_count;
    uint32_t *stack, *cursor, *parent; /* [capacity] scratch */
    uint32_t *index_of;                /* [index_capacity] block number + 1 by label id */
    uint32_t index_capacity;
    bool two_merges;      /* in one block, in a module that is not valid */
    const uint32_t *only; /* by block, may be NULL: label taken as the only target if not 0 */
} wpg_flow;

wpg_status wpg_flow_init(wpg_flow *flow, wpg_module *module, wpg_error *err);
void wpg_flow_finish(wpg_flow *flow);
/* Reads the blocks of a function with a body, orders them and assigns constructs. WPG_E_FORMAT: a branch
 * target is no block of the function. */
wpg_status wpg_flow_read(wpg_flow *flow, wpg_inst *function, wpg_error *err);
/* The same in parts, for a caller that walks the function anyway: begin; note each instruction behind the
 * OpFunction; finish with the OpFunctionEnd. */
void wpg_flow_begin(wpg_flow *flow, wpg_inst *function);
wpg_status wpg_flow_note_marked(wpg_flow *flow, wpg_inst *inst, wpg_error *err);
static inline wpg_status wpg_flow_note(wpg_flow *flow, wpg_inst *inst, wpg_error *err)
{
    /* No label, merge or terminator has a lower number. */
    return inst->opcode < SpvOpLoopMerge ? WPG_OK : wpg_flow_note_marked(flow, inst, err);
}
wpg_status wpg_flow_finish_blocks(wpg_flow *flow, wpg_inst *end, wpg_error *err);
/* The same without a walk: label, merge and terminator of the blocks are known. */
wpg_status wpg_flow_take(wpg_flow *flow, wpg_inst *function, wpg_inst *end, const wpg_flow_block *blocks,
                         uint32_t count, wpg_error *err);
/* The same after the blocks that are not kept were removed, and merges and terminators changed. */
wpg_status wpg_flow_keep(wpg_flow *flow, const bool *kept, wpg_error *err);
/* The blocks stand in `order` now, and `order` has all of them. False: out of memory, the flow is stale. */
bool wpg_flow_arrange(wpg_flow *flow);
/* Computes reachable, preds and is_exit again after terminators or merges changed. */
void wpg_flow_reach(wpg_flow *flow);
/* The number of the block with that label. The label must be one of the function's. */
static inline uint32_t wpg_flow_find(const wpg_flow *flow, uint32_t label)
{
    return label < flow->index_capacity ? flow->index_of[label] - 1u : WPG_NONE;
}

/* Targets of a terminator: words[at], words[at + step], ... below `end`. */
typedef struct wpg_targets {
    uint32_t *words;
    uint32_t at, step, end;
} wpg_targets;
/* Has the OpSwitch literals of two words? */
bool wpg_switch_is_wide(const wpg_module *module, const wpg_inst *terminator);
/* Inline: every walk of the graph asks it of every block. */
static inline wpg_targets wpg_targets_of(const wpg_module *module, const wpg_inst *terminator)
{
    wpg_targets t = {.words = terminator->words, .step = 1};
    if (terminator->opcode == SpvOpBranch) {
        t.at = 1;
        t.end = 2;
    } else if (terminator->opcode == SpvOpBranchConditional) {
        t.at = 2;
        t.end = 4;
    } else if (terminator->opcode == SpvOpSwitch) {
        t.at = 2;
        t.step = wpg_switch_is_wide(module, terminator) ? 3 : 2;
        t.end = terminator->count;
    }
    if (t.end > terminator->count)
        t.end = terminator->count;
    return t;
}

/* -- Folding by function ------------------------------------------------------------------------------- */

/* wpg_fold_branches for callers that know which functions changed: a function that folding left alone stays
 * as it is until it is changed. Rounds: begin, run for each function, end. */
typedef struct wpg_folder wpg_folder;

/* A function, with what is known of it, and what folding says of it. */
typedef struct wpg_fold_job {
    wpg_inst *function, *end;
    const wpg_flow_block *blocks; /* label, merge, terminator of each; NULL: not known */
    uint32_t block_count;
    wpg_inst *const
        *pointers; /* if blocks are known: variables of the function and access chains, in order */
    size_t pointer_count;
    bool changed;         /* folding changed something */
    uint32_t removed;     /* instructions that can change code */
    const wpg_flow *flow; /* the function's, until the next run */
} wpg_fold_job;

wpg_status wpg_folder_create(wpg_folder **folder, wpg_module *module, wpg_error *err);
wpg_status wpg_folder_begin(wpg_folder *folder, wpg_error *err);
wpg_status wpg_folder_run(wpg_folder *folder, wpg_fold_job *job, wpg_error *err);
/* Removes the annotations of what went; adds to the counts of info (may be NULL). */
wpg_status wpg_folder_end(wpg_folder *folder, wpg_normal_info *info, wpg_error *err);
void wpg_folder_destroy(wpg_folder *folder);

#endif
