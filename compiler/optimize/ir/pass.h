/* Declarations shared by the passes of use mode: the context of one run, a function's profile keyed by label
 * id, remarks, and the view of a function for look-ups. Private to compiler/optimize.
 *
 * Ownership: wpg_context borrows everything. wpg_profiles_finish frees a profile's tables, wpg_view_destroy a
 * view. Threads: one module, one thread. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_PASS_H
#define WPG_COMPILER_OPTIMIZE_IR_PASS_H

#include <string.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/analysis/values/divergence.h"
#include "compiler/analysis/values/word_sites.h"
#include "compiler/optimize/ir/optimize.h"
#include "compiler/spirv/grammar.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"

/* What the profile says of one block. */
typedef struct wpg_block_weight {
    uint64_t lanes, waves, uniform; /* meaningful where the profile has the kind */
    uint32_t origin;                /* block id in the normal form, for remarks */
    bool uniform_known;             /* false for blocks a pass made */
    /* The pass that made the block and cannot tell its counts; the counts are then the pass's guess, if any.
     * NULL: the counts are known. */
    const char *unknown_by;
} wpg_block_weight;

/* One select site, by the result id of its OpSelect, which the SSA tier keeps. */
typedef struct wpg_site_weight {
    uint64_t lanes[2], waves[2]; /* index 0: condition true, 1: condition false */
    uint32_t origin;             /* block id in the normal form */
    bool settled;                /* a remark was made about it: not looked at again */
} wpg_site_weight;

/* A place in memory: a variable and constant indices into it. */
enum { WPG_PLACE_DEPTH = 6 };
typedef struct wpg_value_place {
    uint32_t variable, count, indices[WPG_PLACE_DEPTH];
} wpg_value_place;

/* The value that uniform memory held while the profile was taken. */
typedef struct wpg_value_fact {
    wpg_value_place place;
    uint32_t bits;         /* of a 32-bit integer: its commonest value */
    uint64_t waves, asked; /* waves that saw it; that were asked */
    uint32_t origin;       /* block id in the normal form, for remarks */
} wpg_value_fact;

/* An index that is not proved uniform, and how often lanes agreed on it. */
typedef struct wpg_uniform_fact {
    uint32_t value;         /* id */
    uint64_t agreed, asked; /* waves whose live lanes all had one value; that were asked */
    uint32_t origin;        /* block id in the normal form, for remarks */
} wpg_uniform_fact;

/* The value that a word of a uniform block had while the profile was taken. */
typedef struct wpg_word_fact {
    wpg_word_place place;
    uint32_t site; /* its number in the list of sites: its word of a visit */
    bool is_float;
    uint32_t bits;         /* the commonest value */
    uint64_t waves, asked; /* waves that saw it; that were asked */
} wpg_word_fact;

/* What the trip guard has done about a loop. */
enum { WPG_LOOP_SEEN = 1, WPG_LOOP_GUARDED = 2 };

/* The profile of one function of the module, bound to label and result ids. So the profile survives passes
 * that keep these ids. */
typedef struct wpg_function_profile {
    uint32_t function, ordinal; /* result id of the OpFunction; ordinal as in the counter map */
    bool has_lanes, has_waves, has_uniform;
    bool lanes_alone; /* waves and uniform are lanes (wpg_optimize_options.lanes_alone) */
    wpg_map labels;   /* label id -> index in blocks */
    WPG_VEC(wpg_block_weight) blocks;
    wpg_map sites; /* result id -> index in site_weights */
    WPG_VEC(wpg_site_weight) site_weights;
    wpg_map guarded; /* label of a loop header -> WPG_LOOP_SEEN or WPG_LOOP_GUARDED */
    WPG_VEC(wpg_value_fact) facts;
    WPG_VEC(wpg_uniform_fact) indices;
    WPG_VEC(wpg_word_fact) words;
    const wpg_word_visit *visits; /* what words had together; borrowed */
    uint32_t visit_count;
    wpg_map valued;     /* labels of loop headers that the value guard has dealt with */
    wpg_map unswitched; /* label of a loop header -> what unswitching has done about it (unswitch.c) */
    wpg_map peeled;     /* labels of loop headers that peeling has dealt with */
    wpg_cfg *cfg;       /* of the function as it was bound; stale unless wpg_module.edits is cfg_edits */
    uint32_t cfg_edits;
} wpg_function_profile;

/* What passes found of the module, kept for the next pass while the module stays as it is (analyses.c). */
typedef struct wpg_analyses {
    struct wpg_view *view;     /* of one function; NULL: none */
    struct wpg_slices *slices; /* NULL: none */
    const wpg_module *slices_of;
    uint32_t view_edits, slices_edits; /* of the module (wpg_module.edits) when they were made */
} wpg_analyses;

typedef struct wpg_context {
    wpg_module *module;
    const wpg_stage *stage;
    const wpg_optimize_options *options;
    wpg_remarks *remarks;
    wpg_function_profile *profiles;
    uint32_t profile_count;
    wpg_error *err;
    wpg_analyses analyses;
} wpg_context;

/* -- Weights (weights.c) -- */

/* Binds the weights whose checksum agrees to the functions of context->module, which must be the normal form.
 * A function whose checksum, counts or flow disagree gets no profile and a remark. */
wpg_status wpg_profiles_bind(wpg_context *context, const wpg_weights *weights);
void wpg_profiles_finish(wpg_context *context);

/* The profile of the function with that result id; NULL if it has none. */
const wpg_function_profile *wpg_profile_of(const wpg_context *context, uint32_t function);
wpg_block_weight *wpg_profile_block(const wpg_function_profile *profile, uint32_t label);
/* As wpg_profile_block, and NULL if a pass could not tell the counts. */
const wpg_block_weight *wpg_known_block(const wpg_function_profile *profile, uint32_t label);
/* a - b, 0 if b is more. */
static inline uint64_t wpg_less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}
/* False when memory ran out. */
bool wpg_profile_add_block(wpg_function_profile *profile, uint32_t label, wpg_block_weight weight);
wpg_site_weight *wpg_profile_site(const wpg_function_profile *profile, uint32_t result);

/* -- Remarks (remarks.c) -- */

void wpg_remark_add(wpg_context *context, wpg_remark_kind kind, const char *pass, uint32_t ordinal,
                    uint32_t block, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* The branch that ends the block has no weights, and `pass` (static storage) could not tell them. */
void wpg_branch_is_unknown(wpg_context *context, uint32_t label, const char *pass);

/* -- SSA tier (ssa.c) -- */

/* context->module in SSA form, as a module of its own that the caller destroys. *out = NULL, with a remark,
 * if the tier is missing, fails, or changes arithmetic. Fails for memory only. */
wpg_status wpg_ssa_form(wpg_module **out, wpg_context *context, wpg_ssa_fn ssa);

/* -- View (view.c) -- */

/* Analyses of a view, made when they are first asked for. They live in the view's arena. */
typedef struct wpg_view_memo {
    wpg_arena *arena;
    struct wpg_loop *loops;    /* [construct_count] wpg_loop_describe */
    bool *described, *is_loop; /* [construct_count] */
    struct wpg_divergence *divergence;
    const struct wpg_dom_tree *post; /* wpg_view_post_dominates */
    struct wpg_solution *unfolded;   /* wpg_push_unfolded */
    struct wpg_unrolled *unrolled;   /* of no known ids (facts/unrolled.h) */
    const bool *unrollable;          /* wpg_unrollable_loops */
} wpg_view_memo;

/* One function seen by ids: its CFG, where each id is defined and who uses it. Stale after any edit. */
typedef struct wpg_view {
    wpg_arena arena;
    wpg_module *module;
    wpg_inst *function;
    wpg_cfg *cfg;
    uint32_t bound;
    uint32_t *block_of;   /* [bound] block that defines the id; WPG_NO_BLOCK: none of this function */
    uint32_t *position;   /* [bound] ordinal of the definition in the function */
    uint32_t *first_user; /* [bound + 1] range in users */
    wpg_inst **users;     /* instructions of this function that use the id, in order, repeated per use */
    uint32_t instruction_count;
    wpg_view_memo *memo;
} wpg_view;

/* WPG_E_UNSUPPORTED when the control flow is not structured. */
wpg_status wpg_view_create(wpg_view **view, wpg_module *module, uint32_t function, wpg_error *err);
void wpg_view_destroy(wpg_view *view);
/* Divergence of the view's function; NULL when memory ran out. */
const wpg_divergence *wpg_view_divergence(const wpg_view *view);
/* Does block a post-dominate block b? Reflexive. Where memory runs out, module->arena.failed is set. */
bool wpg_view_post_dominates(const wpg_view *view, uint32_t a, uint32_t b);
/* True if the id is defined in this function: an instruction of a block, a label or a parameter. */
static inline bool wpg_view_is_local(const wpg_view *view, uint32_t id)
{
    return id < view->bound && view->position[id] != 0;
}
/* The block that holds the instruction of the view's function; WPG_NO_BLOCK: none. */
uint32_t wpg_view_block_of(const wpg_view *view, const wpg_inst *inst);
/* The label that opens the instruction's block, NULL for instructions outside blocks. */
wpg_inst *wpg_inst_label(wpg_inst *inst);

/* -- Analyses that survive (analyses.c) -- */

/* A view of the function of context->module: the one that the last pass left, or a new one. The context owns
 * the view. It is valid until the next call of this, or of wpg_analyses_drop. Errors as wpg_view_create. */
wpg_status wpg_view_get(wpg_view **view, wpg_context *context, uint32_t function, wpg_error *err);
/* The view stays right though context->module becomes view->module, or was changed outside the function. The
 * context owns the view from now on. */
void wpg_view_adopt(wpg_context *context, wpg_view *view);
/* The module is about to be destroyed. */
void wpg_analyses_leave(wpg_context *context, const wpg_module *module);
/* To be called after words were changed in place, and by who changes context->module. Insertions, removals
 * and the like are noticed by themselves (wpg_module.edits). */
void wpg_analyses_drop(wpg_context *context);
void wpg_analyses_finish(wpg_context *context); /* frees them; wpg_profiles_finish does so, too */

/* -- Passes: each in a file of its name. *changed is set when the module changed. -- */

/* `wanted`: true if the profile alone makes the pass worth a look (and the SSA tier's time). One that may say
 * why not `says_why`, and is asked whatever others want. A pass that only gives hints has `wanted` NULL and
 * runs after all others. */
typedef struct wpg_pass {
    char letter; /* for wpg_optimize_options.passes */
    const char *name;
    bool (*wanted)(wpg_context *context, wpg_function_profile *profile);
    wpg_status (*run)(bool *changed, wpg_context *context, wpg_function_profile *profile);
    bool says_why;
} wpg_pass;

/* The options leave out the pass of this letter (WPG_PASS_...). */
static inline bool wpg_pass_is_left_out(const wpg_context *context, char letter)
{
    return strchr(context->options->passes, letter) != NULL;
}

/* The passes in the order they run. Tests walk this table: a new pass is tested by standing here. */
extern const wpg_pass wpg_passes[];
extern const size_t wpg_pass_count;

wpg_status wpg_pass_annotate(bool *changed, wpg_context *context, wpg_function_profile *profile);
wpg_status wpg_pass_flatten(bool *changed, wpg_context *context, wpg_function_profile *profile);
wpg_status wpg_pass_zero_guard(bool *changed, wpg_context *context, wpg_function_profile *profile);
/* Guards in the function of the profile, which runs where no version of the stage fits. profile->visits are
 * those that no version fits. */
wpg_status wpg_zero_guard_rest(wpg_context *context, wpg_function_profile *profile);
wpg_status wpg_pass_unflatten(bool *changed, wpg_context *context, wpg_function_profile *profile);
wpg_status wpg_pass_value_guard(bool *changed, wpg_context *context, wpg_function_profile *profile);
wpg_status wpg_pass_unswitch(bool *changed, wpg_context *context, wpg_function_profile *profile);
wpg_status wpg_pass_trip_guard(bool *changed, wpg_context *context, wpg_function_profile *profile);
wpg_status wpg_pass_peel(bool *changed, wpg_context *context, wpg_function_profile *profile);
wpg_status wpg_pass_scalarise(bool *changed, wpg_context *context, wpg_function_profile *profile);
/* Chooses for the whole stage; changes no word. */
void wpg_choose_wave_size(wpg_context *context);

/* Makes a version of the whole stage for the values that words of uniform blocks had, behind one test at its
 * entry. Stands after wpg_passes; hints come after it. */
wpg_status wpg_pass_versions(bool *changed, wpg_context *context);
bool wpg_versions_wanted(wpg_context *context);
/* *percent: of the stage's work, what one version for the values that words had all through the profile would
 * save; 0: there would be none. Not for FLOAT=spec. The context's analyses stay as they are. */
wpg_status wpg_versions_saving(double *percent, wpg_context *context);

/* Folds push constants in the whole module, by values alone (wpg_optimize_options.pushes). It needs no
 * profile and stands before wpg_passes. */
wpg_status wpg_pass_push_fold(bool *changed, wpg_context *context);
/* True if there are values, and loads of push constants. */
bool wpg_push_fold_wanted(const wpg_context *context);

/* Takes outputs that nobody reads off the stage's interface (wpg_optimize_options.outputs). It needs no
 * profile and stands before all others. */
wpg_status wpg_pass_outputs(bool *changed, wpg_context *context);

bool wpg_zero_guard_wanted(wpg_context *context, wpg_function_profile *profile);
bool wpg_unflatten_wanted(wpg_context *context, wpg_function_profile *profile);
bool wpg_value_guard_wanted(wpg_context *context, wpg_function_profile *profile);
bool wpg_unswitch_wanted(wpg_context *context, wpg_function_profile *profile);
bool wpg_trip_guard_wanted(wpg_context *context, wpg_function_profile *profile);
bool wpg_peel_wanted(wpg_context *context, wpg_function_profile *profile);
bool wpg_scalarise_wanted(wpg_context *context, wpg_function_profile *profile);

#endif
