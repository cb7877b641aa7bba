/* What known weights of 0 leave nothing of: products with zero, mixes. Works on the
 * version of a stage (versions.c), in SSA form. Private to compiler/optimize. Threads: as the
 * module. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_WEIGHT_FOLD_H
#define WPG_COMPILER_OPTIMIZE_FOLD_WEIGHT_FOLD_H

#include "compiler/optimize/fold/load_fold.h"

/* A float instruction that is zero, or an operand of one that may be. */
typedef struct wpg_weight_action {
    wpg_inst *inst;
    unsigned operand; /* the word of that operand; 0: the result */
} wpg_weight_action;

typedef struct wpg_weight_plan {
    WPG_VEC(wpg_weight_action) actions;
    uint64_t words;   /* what the actions rest on, as in wpg_known_load */
    const bool *dead; /* [view->bound] results that nothing needs any more and something did before */
    const bool
        *repeats;     /* [view->bound] results that an earlier instruction has now and had not (repeats.h) */
    uint32_t zero_of; /* a value that drivers do not know (wpg_zero_source) */
    bool shown;       /* drivers may see the zeros (wpg_float_may_fold) */
    const char *why;  /* why there are no actions, where there might be; NULL */
} wpg_weight_plan;

/* Plans for the loads' values. The results of `view` are changed nowhere. The plan's words and `dead` live in
 * `arena`; free its actions by wpg_weight_plan_finish. False when memory runs out. */
bool wpg_weight_plan_make(wpg_weight_plan *plan, const wpg_context *context, const wpg_load_folded *folded,
                          const wpg_known_load *loads, size_t load_count, wpg_arena *arena);
/* What holds of a function whatever is known. Lives in an arena, and is right until the function changes. */
typedef struct wpg_weight_ground {
    const bool
        *in_loops; /* [cfg->count] blocks of loops that drivers may unroll; NULL: there can be no actions */
    bool *fixed;   /* [bound] NoContraction */
    uint32_t zero_of;
    /* Scratch of each search for actions, [room] each. Every search leaves them zeroed. */
    struct wpg_weight_known *values;
    uint32_t *action_of;
    uint32_t room;
} wpg_weight_ground;
/* `is_free`: wpg_float_is_free of the view's module; else there can be no actions. `in_loops`: the table,
 * where it is known; else NULL. The ground is zeroed before, or one of another view: its scratch, which lives
 * in the arena `scratch`, serves again. False when memory runs out. */
bool wpg_weight_ground_make(wpg_weight_ground *ground, const wpg_view *view, bool is_free,
                            const bool *in_loops, wpg_arena *arena, wpg_arena *scratch);
/* The actions alone, for who asks what falls away by itself (zero_live.h): plan->dead is NULL, and the plan
 * is not for wpg_weight_plan_apply. */
bool wpg_weight_actions_find(wpg_weight_plan *plan, const wpg_weight_ground *ground,
                             const wpg_load_folded *folded, const wpg_known_load *loads, size_t load_count);
/* Carries it out in the function. False when memory runs out. */
bool wpg_weight_plan_apply(const wpg_weight_plan *plan, wpg_module *module, wpg_inst *function,
                           wpg_arena *arena);
void wpg_weight_plan_finish(wpg_weight_plan *plan);

#endif
