/* The walk over a function's loops, shared by the passes that put a guarded copy beside a loop
 * (value_guard.c, unswitch.c, trip_guard.c) and by peeling (peel.c). Each copy gets a fresh view. A pass says
 * which loops it has seen, what it plans, and how it reports. Private to compiler/optimize. Threads: one
 * module, one thread. */
#ifndef WPG_COMPILER_OPTIMIZE_PASSES_GUARD_WALK_H
#define WPG_COMPILER_OPTIMIZE_PASSES_GUARD_WALK_H

#include "compiler/optimize/loops/loop_clone.h"

typedef struct wpg_guarder {
    wpg_context *context;
    wpg_function_profile *profile;
    wpg_view *view;   /* of the step under way */
    wpg_arena *arena; /* for plans: until the step ends */
    const wpg_slices *slices;
    uint64_t grown;    /* instructions added so far */
    const void *facts; /* the pass's own, of the view (`look`) */
    char text[256];    /* of a refusal with figures, or of what was done; remarks cut it */
} wpg_guarder;

typedef struct wpg_guard_pass {
    const char *name;
    bool inner_first; /* else outer loops before those in them */
    /* True if the loop with that header is not to be looked at (again). */
    bool (*skips)(const wpg_guarder *g, uint32_t header);
    /* Notes that a loop is looked at. False when memory ran out. */
    bool (*enters)(wpg_guarder *g, uint32_t header);
    /* Looks at a fresh view; false when memory ran out. NULL: nothing to look at. */
    bool (*look)(wpg_guarder *g);
    /* Fills the plan, whose loop is described. NULL: go. Otherwise the refusal; "" for no candidate, without
     * a remark. */
    const char *(*plan)(wpg_guarder *g, wpg_guard_plan *plan);
    /* Writes into g->text what was done. */
    void (*tell)(wpg_guarder *g, const wpg_guard_plan *plan);
    /* Carries the plan out; NULL: wpg_guard_apply. */
    wpg_status (*apply)(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                        const wpg_guard_plan *plan);
    /* Afterwards; false when memory ran out. NULL: nothing. */
    bool (*leaves)(wpg_guarder *g, uint32_t header);
} wpg_guard_pass;

/* Guards the loops of the function, each over a fresh view, until no plan is left. */
wpg_status wpg_guard_loops(bool *changed, const wpg_guard_pass *pass, wpg_context *context,
                           wpg_function_profile *profile);

/* True if a pass wants some loop of the function. Asked before the SSA tier, which runs only for wanted
 * passes. Also false without lanes in the profile or when memory ran out. */
typedef bool wpg_loop_wish(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                           const wpg_loop *loop);
bool wpg_guard_any_loop(wpg_context *context, wpg_function_profile *profile, wpg_loop_wish *wanted);

/* Divergence of the step's view; NULL when memory ran out, and the step fails. */
const wpg_divergence *wpg_guard_divergence(wpg_guarder *g);

/* The block id in the normal form, for remarks. */
uint32_t wpg_guard_origin(const wpg_guarder *g, uint32_t block);
/* NULL if a copy of that many instructions may be added; else why not. */
const char *wpg_guard_size_refusal(wpg_guarder *g, uint32_t instructions);

#endif
