/* Call paths of the normal form: where each of its blocks stood before functions were inlined.
 *
 * - A *source function* is a function before inlining, after specialisation constants were frozen and
 *   constant branches folded. Its blocks and calls are numbered in its own order.
 * - A *context* is one copy of a source function in the normal form. The copy is the function itself, or the
 *   body inlined for one call, under the context of the caller.
 * - The *home* of a block of a context is the normal-form block in which the block starts. Several blocks may
 *   start in one home, one after the other, because a call does not begin a block. A block that folding
 *   removed has no home and never runs.
 *
 * The count of a block in a context is the count of its home. Summed over all contexts of a function, the
 * counts are the function's context-less (base) profile.
 *
 *     main: b0, call 0, b1       normal form:  n0 = b0 of [main], b0 of [main:0 @ f]
 *     f:    b0 -> b1 -> b2                     n1 = b1 of [main:0 @ f] ...
 *
 * Inlining makes blocks of its own, such as the test behind a loop that a function returned out of. Nothing
 * starts in these blocks: `is_synthetic`. Counted is the start of a block. Lanes that an earlier instruction
 * of the home demotes still count for a function called later in the same block.
 *
 * Ownership: the table is one arena and owns its names. Threads: immutable once made. Source of the idea:
 * context-sensitive sample profiles (CSSPGO) of LLVM. */
#ifndef WPG_COMPILER_NORMALIZE_CONTEXTS_H
#define WPG_COMPILER_NORMALIZE_CONTEXTS_H

#include "compiler/analysis/graph/cfg.h"
#include "compiler/normalize/normalize.h"

#define WPG_NO_CONTEXT UINT32_MAX

typedef struct wpg_source_call {
    uint32_t block;  /* of the source function that holds the call */
    uint32_t callee; /* index of a source function */
} wpg_source_call;

typedef struct wpg_source_function {
    /* Unique in the table, of [A-Za-z0-9_.$-]: the entry point's name, else the OpName with other characters
     * made '_', else "fn." and a hash of the function's own instructions. */
    const char *name;
    uint64_t checksum; /* wpg_cfg_checksum of the source function */
    uint32_t block_count, call_count;
    const wpg_source_call *calls;
} wpg_source_function;

typedef struct wpg_context {
    uint32_t parent;      /* caller's context; WPG_NO_CONTEXT: the function stands in the normal form */
    uint32_t call;        /* number of the call in the caller; 0 without parent */
    uint32_t function;    /* source function */
    uint32_t ordinal;     /* function of the normal form that it is in: 0 the entry, else its place among the
                             functions left (k of a record name's ".fn<k>") */
    const uint32_t *home; /* [block_count of the source function] block of that function of the normal form,
                             WPG_NO_BLOCK: gone */
    const uint32_t *callee_context; /* [call_count] context of the inlined call; WPG_NO_CONTEXT: it stays */
    const uint32_t *call_home;      /* [call_count] block of the normal form that makes the call: home of the
                                  inlined entry, or where the call still stands; WPG_NO_BLOCK: gone */
} wpg_context;

/* A source block that starts in a block of the normal form. */
typedef struct wpg_context_origin {
    uint32_t context, block;
} wpg_context_origin;

/* A function of the normal form. */
typedef struct wpg_context_blocks {
    uint64_t checksum; /* wpg_cfg_checksum: that of its records */
    uint32_t block_count;
    const uint32_t *first;             /* [block_count + 1] origins of block b: first[b] up to first[b + 1] */
    const wpg_context_origin *origins; /* in order of execution */
    const bool *is_synthetic;          /* [block_count] */
} wpg_context_blocks;

typedef struct wpg_context_table {
    wpg_arena arena;
    wpg_source_function *functions;
    uint32_t function_count;
    wpg_context *contexts; /* parents first; those of an ordinal side by side */
    uint32_t context_count;
    wpg_context_blocks *normal; /* by ordinal */
    uint32_t normal_count;
} wpg_context_table;

/* Normalises exactly as wpg_normalize, and makes the table of call paths. WPG_E_UNSUPPORTED: broken
 * structured rules (counting refuses such modules too). WPG_E_LIMIT: too many contexts. */
wpg_status wpg_normalize_contexts(wpg_context_table **table, wpg_module *module, const wpg_stage *stage,
                                  wpg_normal_info *info, wpg_error *err);
void wpg_context_table_destroy(wpg_context_table *table);

#endif
