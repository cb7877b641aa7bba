/* Records the blocks that the inliner copies. contexts.c makes the table of contexts from the record. Private
 * to compiler/normalize. A recorder never changes the module or a decision. Failure is sticky
 * (out_of_memory). Threads: one. */
#ifndef WPG_COMPILER_NORMALIZE_CONTEXT_RECORDER_H
#define WPG_COMPILER_NORMALIZE_CONTEXT_RECORDER_H

#include "compiler/normalize/contexts.h"
#include "compiler/normalize/inline_internal.h"
#include "runtime/base/map.h"

/* A context while it grows: a path of calls from some function of the module. */
typedef struct wpg_context_node {
    uint32_t parent, call, function;
} wpg_context_node;

/* A source block that starts behind some label. */
typedef struct wpg_label_origin {
    uint32_t node, block, next; /* next: index + 1 */
} wpg_label_origin;

typedef struct wpg_label_origins {
    uint32_t first, last; /* index + 1 in origins, 0 = none */
    bool goes_on;         /* the block goes on with a source block that starts elsewhere */
} wpg_label_origins;

typedef struct wpg_recorded_call {
    uint32_t node, call;
} wpg_recorded_call;

typedef struct wpg_context_recorder {
    wpg_context_table *table; /* source functions are filled in at the start */
    wpg_map functions;        /* id of OpFunction -> index; roots: node of that index */
    wpg_map labels;           /* label id -> index in label_origins */
    wpg_map calls;            /* result of OpFunctionCall -> index in recorded_calls */
    WPG_VEC(wpg_context_node) nodes;
    WPG_VEC(wpg_label_origins) label_origins;
    WPG_VEC(wpg_label_origin) origins;
    WPG_VEC(wpg_recorded_call) recorded_calls;
    bool out_of_memory;
} wpg_context_recorder;

/* Names the source functions of `module` (function_name.c): table->functions has room for all, in module
 * order. */
wpg_status wpg_name_source_functions(wpg_context_table *table, const wpg_module *module, wpg_error *err);

/* Notes the functions, blocks and calls of a folded module before anything is inlined. recorder->table is an
 * empty table. Call wpg_record_finish after a failure, too. */
wpg_status wpg_record_begin(wpg_context_recorder *recorder, const wpg_module *module, wpg_error *err);
void wpg_record_finish(wpg_context_recorder *recorder);

/* Notes that the body of `callee` is copied to `site`. in->ids is its
 * mapping. `post` is the label behind the call if a new block starts there, else 0. */
void wpg_record_splice(wpg_context_recorder *recorder, const wpg_inliner *in, const wpg_call_site *site,
                       const wpg_inline_function *callee, bool join_entry, uint32_t post);
/* Notes that the source blocks which started behind label `from` now start behind `to`. */
void wpg_record_move(wpg_context_recorder *recorder, uint32_t from, uint32_t to);

#endif
