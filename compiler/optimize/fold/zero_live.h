/* What a stage still needs where products are known to be zero, control flow included: an aggressive dead
 * code analysis over structured constructs, of up to 64 plans of zeros at once. Private to compiler/optimize.
 * Threads: as the module.
 *
 * Source: Cytron, Ferrante, Rosen, Wegman, Zadeck, "Efficiently Computing Static Single Assignment Form and
 * the Control Dependence Graph" (1991), 7.1, with constructs in place of the control dependence graph. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_ZERO_LIVE_H
#define WPG_COMPILER_OPTIMIZE_FOLD_ZERO_LIVE_H

#include "compiler/optimize/fold/weight_fold.h"

/* What holds of a function whatever is zero. */
typedef struct wpg_zero_ground {
    const wpg_view *view;
    const bool *removable;               /* [bound] of results: nothing but their use keeps the instruction */
    const struct wpg_zero_store *stores; /* to variables of the function */
    const uint32_t *first_store;         /* [bound] of the variable: index + 1 in stores */
    const struct wpg_zero_effect *effects;
    uint32_t effect_count;
    const uint32_t *members, *first_member; /* reachable blocks of construct c: members[first_member[c]...] */
    const uint32_t *own, *next_own; /* reachable blocks of no construct in c: own[c], then next_own[block] */
    const uint32_t *inner, *next_inner; /* constructs in c: inner[c], then next_inner[construct] */
    const bool *whole;                  /* [cfg->count]: the block may not be split */
} wpg_zero_ground;

/* Lives in `arena`, and is right until the function changes. False when memory runs out. */
bool wpg_zero_ground_make(wpg_zero_ground *ground, const wpg_view *view, wpg_arena *arena);

enum { WPG_ZERO_PLANS = 64 };

/* Sets of plans: one bit each. */
typedef struct wpg_zero_live {
    const wpg_zero_ground *ground;
    const wpg_view *view;
    uint64_t *needed; /* [bound] plans under which a value is needed; a variable: some needed load reads it */
    uint64_t *live;   /* [construct_count] under which it has an effect, or chooses what is needed */
    uint64_t asked;   /* the plan that is_dead and construct_lives speak of */
} wpg_zero_live;

/* Each with the actions of one plan carried out, plan k of plans[count]. The tables live in `arena`. False
 * when memory runs out. */
bool wpg_zero_live_find(wpg_zero_live *live, const wpg_zero_ground *ground, const wpg_weight_plan *plans,
                        uint32_t count, wpg_arena *arena);
bool wpg_zero_construct_lives(const wpg_zero_live *live, uint32_t construct);
/* The construct that the block's instructions are in: those of a selection's header stand before it.
 * WPG_NO_BLOCK: none. */
uint32_t wpg_zero_live_around(const wpg_cfg *cfg, uint32_t block);
/* May it stand behind a dynamically uniform branch, or elsewhere in its construct, as far as memory is the
 * same there? Derivatives and implicit levels of detail may: their neighbours go the same way. */
bool wpg_zero_may_move(const wpg_module *module, const wpg_inst *inst);
/* Of these plans, those under which the instruction may be left out, and nothing needs it. */
uint64_t wpg_zero_live_dead_plans(const wpg_zero_live *live, const wpg_inst *inst, uint64_t plans);
/* The same under the plan that is asked. */
bool wpg_zero_live_is_dead(const wpg_zero_live *live, const wpg_inst *inst);

#endif
