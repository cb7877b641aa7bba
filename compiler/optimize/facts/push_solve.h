/* Sparse conditional constant propagation over one function, in integers: what a driver can know once some
 * loads are constants. Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_PUSH_SOLVE_H
#define WPG_COMPILER_OPTIMIZE_FACTS_PUSH_SOLVE_H

#include "compiler/optimize/ir/pass.h"

typedef enum wpg_solved_kind {
    WPG_SOLVED_NEVER,  /* not reached: no value */
    WPG_SOLVED_VALUE,  /* one scalar, in `bits` */
    WPG_SOLVED_SOME,   /* one constant, whose value is not followed */
    WPG_SOLVED_VARIES, /* may differ */
} wpg_solved_kind;

typedef struct wpg_solved {
    wpg_solved_kind kind;
    uint32_t constant; /* a constant of the module that it equals; 0: none is known */
    uint64_t bits;
} wpg_solved;

typedef struct wpg_solution {
    const wpg_view *view;
    wpg_solved *values; /* [bound] */
    bool *runs;         /* [cfg->count] */
} wpg_solution;

/* `folded[id]`: the constant that stands for the load `id`, 0 for every other id; NULL: none at all.
 * `hidden[id]`: the driver does not see the value, so it varies; NULL: none. Both [view->bound]. The solution
 * lives in `arena`. It is zeroed before, or one of the same view, whose memory is used again. false when
 * memory runs out. */
bool wpg_push_solve(wpg_solution *solution, const wpg_view *view, const uint32_t *folded, const bool *hidden,
                    wpg_arena *arena);
/* With nothing folded or hidden, once for a view; NULL when memory runs out. */
const wpg_solution *wpg_push_unfolded(const wpg_view *view);
/* True if the edge between two blocks is ever taken. */
bool wpg_solution_takes(const wpg_solution *solution, uint32_t from, uint32_t to);
/* True if the id has one value, known or not followed. */
static inline bool wpg_is_one(const wpg_solution *solution, uint32_t id)
{
    return id < solution->view->bound &&
           (solution->values[id].kind == WPG_SOLVED_VALUE || solution->values[id].kind == WPG_SOLVED_SOME);
}

#endif
