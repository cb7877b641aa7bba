/* Vectors all of whose components are one number, whichever it is, and what that rests on. Threads: no shared
 * state. */
#ifndef WPG_COMPILER_ANALYSIS_EQUAL_PARTS_H
#define WPG_COMPILER_ANALYSIS_EQUAL_PARTS_H

#include "compiler/analysis/graph/cfg.h"
#include "runtime/base/arena.h"

typedef struct wpg_equal_parts {
    const wpg_cfg *cfg;
    const bool *runs;      /* [cfg->count] blocks that are looked at; NULL: all */
    const bool *given;     /* [bound] vectors that are taken to be such; NULL: none */
    const uint64_t *words; /* [bound] of each given vector: what that rests on; NULL: not asked */
    uint32_t bound;        /* of the module, or less: ids from here on are none */
    wpg_arena *arena;
    /* Results, [bound], in the arena. */
    bool *equal;     /* the components have the same bits in every invocation, since they are computed alike
                        of what is the same. Also by id of variables of the shader's own that hold such */
    bool *merged;    /* equal, and not if nothing were given */
    uint64_t *rests; /* of merged ones: the words behind them */
} wpg_equal_parts;

/* Fills the results. False when memory runs out. */
bool wpg_equal_parts_find(wpg_equal_parts *parts);

/* True for an operation that computes each component of its result of that component of the operands, and of
 * scalars: copies and selects, too. */
bool wpg_is_by_component(const wpg_module *module, const wpg_inst *inst);

#endif
