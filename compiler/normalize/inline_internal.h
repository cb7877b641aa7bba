/* Declarations shared by the files of the inliner. inline.c decides, inline_returns.c prepares callees that
 * return from loops, inline_splice.c copies. Threads: one. */
#ifndef WPG_COMPILER_NORMALIZE_INLINE_INTERNAL_H
#define WPG_COMPILER_NORMALIZE_INLINE_INTERNAL_H

#include "compiler/normalize/internal.h"
#include "compiler/spirv/grammar.h"
#include "runtime/base/vec.h"

struct wpg_context_recorder;

enum {
    WPG_INLINE_MAX_SIZE = 65536,  /* instructions of a function, beyond which calls in it stay */
    WPG_INLINE_MAX_TOTAL = 131072 /* instructions copied in one module, beyond which all calls stay */
};

/* How a function's returns can become branches. */
typedef enum wpg_return_shape {
    WPG_RETURNS_ONCE,   /* one return, in no construct: its block goes on with what follows the call */
    WPG_RETURNS_EARLY,  /* returns inside ifs: a one-trip switch around the body, left by breaks */
    WPG_RETURNS_NESTED, /* returns inside loops or switches, out of which one break does not lead */
    WPG_RETURNS_NEVER,
} wpg_return_shape;

typedef struct wpg_inline_function {
    wpg_inst *inst;                                                /* OpFunction; NULL: removed */
    enum { WPG_VISIT_NONE, WPG_VISIT_OPEN, WPG_VISIT_DONE } visit; /* in search of recursion */
    bool is_folded;                                                /* folding would change nothing */
    bool is_root;                                                  /* in `roots` */
    bool is_reached;                                               /* by calls from an entry point */
    bool is_read;        /* what follows, up to the callees, is known */
    bool is_partly_read; /* the size is known; the rest is as it was before blocks were removed */
    bool has_blocks;     /* label, merge and terminator of the blocks are known, and the pointers */
    bool has_flow;       /* the blocks, their order, and the shape are known */
    bool has_unknown, has_kill, has_unreachable, has_lines;
    uint32_t size; /* instructions that can change code */
    uint32_t params;
    uint32_t call_count;       /* OpFunctionCalls */
    WPG_VEC(uint32_t) callees; /* ids of functions that it names, some twice */
    wpg_return_shape shape;
    wpg_flow_block *blocks; /* as in wpg_flow */
    uint32_t *order;
    uint32_t block_count, order_count;
    wpg_inst *end;                /* OpFunctionEnd, with has_blocks */
    WPG_VEC(wpg_inst *) pointers; /* OpVariables and access chains, with has_blocks */
} wpg_inline_function;

/* Whether an id has an entry: a small table, which is asked of every word of an instruction. */
enum { WPG_INLINE_MAPPED = 1, WPG_INLINE_RENAMED = 2 };

/* By id. */
typedef struct wpg_inline_id {
    uint32_t map;      /* with WPG_INLINE_MAPPED, during a splice: the copy of this id of the callee */
    uint32_t rename;   /* result of a call inlined in this run: the value in its place, 0 = none */
    uint32_t note;     /* index + 1 of its first name or decoration in notes */
    uint32_t function; /* index + 1 in functions, if it is a function */
    bool calls;        /* label of a block with a call, when its function was read */
} wpg_inline_id;

typedef struct wpg_inline_note {
    wpg_inst *inst;
    uint32_t next; /* index + 1 */
} wpg_inline_note;

typedef struct wpg_inliner {
    wpg_module *module;
    wpg_normal_info *info;
    wpg_arena arena;    /* of the two tables: what one shader took serves the next */
    wpg_inline_id *ids; /* [id_count] */
    uint8_t *has;       /* [id_count] WPG_INLINE_MAPPED, WPG_INLINE_RENAMED */
    uint32_t id_count;
    wpg_flow caller, callee; /* of the functions read last */
    WPG_VEC(wpg_inline_function) functions;
    WPG_VEC(uint32_t) entries; /* functions of entry points */
    WPG_VEC(wpg_inline_note) notes;
    WPG_VEC(uint32_t)
    roots; /* functions whose calls are replaced: the entry's, then those that keep a call */
    size_t next_root;
    WPG_VEC(uint32_t) renamed;             /* ids with a rename */
    WPG_VEC(uint32_t) words;               /* operands of an instruction being made */
    wpg_operand_list operands;             /* places of ids in the instruction being copied */
    WPG_VEC(uint32_t) values;              /* return values and the blocks that return them, in pairs */
    uint32_t label;                        /* of the block being read */
    WPG_VEC(wpg_inst *) sampled;           /* OpSampledImage of the block so far */
    wpg_inst *last_variable;               /* of the caller: variables go behind it */
    struct wpg_context_recorder *recorder; /* follows the blocks, or NULL */
    bool out_of_memory;
} wpg_inliner;

/* Where a call stands: the part of its block that begins with the label `label`, after earlier splices. */
typedef struct wpg_call_site {
    uint32_t label;
    wpg_inst *loop_merge; /* the part's OpLoopMerge, NULL if it has none (any more) */
    bool is_own_continue; /* a loop of this one block */
    const wpg_inst *line; /* last OpLine or OpNoLine before the call in its block */
    wpg_inst *call, *terminator;
} wpg_call_site;

/* Makes room in ids for every id below the bound. */
bool wpg_inline_reserve(wpg_inliner *in);

/* Replaces the call by the callee's body. The callee's blocks are known. Afterwards the site's label and
 * merge describe the rest of the block. */
void wpg_inline_splice(wpg_inliner *in, wpg_call_site *site, const wpg_inline_function *callee);

/* Does an operand of the instruction look like an id that has one of these entries? Literals may do so, too.
 * Types have none. */
static inline bool wpg_inline_has_any(const wpg_inliner *in, const wpg_inst *inst, unsigned entries)
{
    for (uint32_t i = inst->type ? 3 : inst->result ? 2 : 1; i < inst->count; i++)
        if (inst->words[i] < in->id_count && in->has[inst->words[i]] & entries)
            return true;
    return false;
}

/* The copy of `id` during a splice, or `id` itself. */
static inline uint32_t wpg_inline_mapped(const wpg_inliner *in, uint32_t id)
{
    return id < in->id_count && (in->has[id] & WPG_INLINE_MAPPED) ? in->ids[id].map : id;
}

/* The id that stands for `id` after all renames so far. */
uint32_t wpg_inline_renamed(const wpg_inliner *in, uint32_t id);
/* Renames the parent in the phis of the successors: `from` becomes the block that now branches to them. */
void wpg_inline_rename_parent(wpg_inliner *in, const wpg_inst *terminator, uint32_t from, uint32_t to);

/* Turns returns of WPG_RETURNS_NESTED into breaks, in the callee itself. `flow` is its flow, stale then.
 * False and nothing changed if that cannot be done. */
bool wpg_inline_unnest(wpg_inliner *in, const wpg_flow *flow, const wpg_inline_function *callee);

/* The pass, for several runs over one module. What is known of a function is kept until the function changes.
 * In between the caller may fold functions: wpg_inline_folded reports each. `recorder` may be NULL. */
wpg_status wpg_inline_begin(wpg_inliner *in, wpg_module *module, struct wpg_context_recorder *recorder,
                            wpg_normal_info *info, wpg_error *err);
/* Calls become bodies where inline.c allows. info counts them and says why others stay. */
wpg_status wpg_inline_calls(wpg_inliner *in, wpg_error *err);
/* What folding is to know of a function, and what it did there. */
wpg_fold_job wpg_inline_fold_job(const wpg_inline_function *f);
wpg_status wpg_inline_folded(wpg_inliner *in, wpg_inline_function *f, const wpg_fold_job *job,
                             wpg_error *err);
void wpg_inline_end(wpg_inliner *in);

/* As wpg_normalize, with a recorder that holds an empty table (may be NULL). */
wpg_status wpg_normalize_recorded(wpg_module *module, const wpg_stage *stage,
                                  struct wpg_context_recorder *recorder, wpg_normal_info *info,
                                  wpg_error *err);

#endif
