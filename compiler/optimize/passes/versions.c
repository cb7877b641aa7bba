/* Versions ('c'): versions of the whole stage for the values that words of uniform blocks had all through the
 * profile, or together in a good part of it, behind tests at its entry:
 *
 *     main:  x = block.size, y = block.stride          the words that decide something
 *            if (((x ^ 120000) | (y ^ 64)) == 0)
 *                body      with these as constants     (load_fold.h): bounds, divisors, indices, branches
 *            else if ...
 *                copy      with another set of values
 *            else
 *                copy      the body as it was
 *
 * Host programs write sizes, strides, divisors and flags into uniform blocks once, and every invocation
 * computes with them: a division by a constant costs a tenth of a division. One pipeline often serves
 * several sets of values: layers of a network, materials of a scene.
 *
 * Which sets (facts/word_sets.h proposes them): each set is folded by itself, to see which words decide
 * something and what is saved. Then the set is taken that saves most beside those taken, until one more would
 * save next to nothing, or the copies would be too much code. Tests stand in the order of what is saved, so
 * that a set of few words does not take the waves of one of many.
 *
 * Why it is right:
 *  - A version runs only where the words have the values. A uniform block does not change during a draw or
 *    dispatch (Vulkan 1.3, 7.1: a write must be made available before), so later loads give the same.
 *  - All invocations of a draw or dispatch read the same words: the tests are dynamically uniform. So what
 *    needs its neighbours (derivatives, barriers, quad and subgroup operations) has them in any arm
 *    (SPIR-V 1.6, 2.2.5, dynamic uniformity; 2.16.1, uniform control flow). All arms end in one merge
 *    block.
 *  - The tests load each word once at the entry, where the body may have loaded it under a condition. They
 *    read what the stage uses statically through a single descriptor, which has to be valid (Vulkan 1.3,
 *    14.5.1). Where the program may leave unused descriptors invalid (descriptorBindingPartiallyBound), only
 *    blocks that every invocation reads are tested. Blocks in arrays of descriptors are no word sites.
 *  - Results keep their bits: load_fold.c.
 *
 * Where one word decides nothing but divisors, and takes more values than few versions serve, the body stays
 * alone: divisions become products (divisor_table.h).
 *
 * The copy for all other values gets guards on weights (zero_guard.c): another material may have a weight of
 * 0 where these had none.
 *
 * Needs: a profile with the words probe. Body and copies are functions of their own, which the entry calls:
 * every driver inlines them. Tables become variables of the module (tables.h). The body keeps its ids, and so
 * every table of the profile. The body becomes the version that saves most. Copies are new. Not for stages
 * whose entry function must hold certain instructions: mesh and task, ray tracing, tessellation control. */
#include <stdio.h>
#include <stdlib.h>

#include "compiler/analysis/values/place_names.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/word_facts.h"
#include "compiler/optimize/facts/word_test.h"
#include "compiler/optimize/fold/divisor_table.h"
#include "compiler/optimize/fold/equal_fold.h"
#include "compiler/optimize/fold/fold_saving.h"
#include "compiler/optimize/fold/float_setting.h"
#include "compiler/optimize/fold/known_words.h"
#include "compiler/optimize/fold/load_fold.h"
#include "compiler/optimize/fold/tables.h"
#include "compiler/optimize/fold/version_entry.h"
#include "compiler/optimize/fold/weight_fold.h"
#include "compiler/optimize/fold/word_worth.h"
#include "compiler/spirv/builder.h"

static const char PASS[] = "versions";

enum {
    MOST_WORDS = WPG_MOST_WORD_TESTS, /* that the test compares */
    WORD_COST = 2,                    /* of a word in the test, in weighted instructions */
    MOST_INSTRUCTIONS = 16000,        /* of a body that is copied: compile time */
    LEAST_GAIN = 1,                   /* least share of a kernel's work that is saved, in percent */
    SURE_GAIN = 3,                    /* of other stages; below it a kernel's version must save LEAST_WORK */
    FALLEN_SHARE = 10, /* percent that code is worth which falls away and never ran: registers, masks */
    /* Of a version alone: what falls away frees registers, too, and what it saves is underestimated where the
     * profile is of many sets (costs by block are means over all of them). */
    LEAST_GAIN_ALONE = 1,
    FALLEN_SHARE_ALONE = 30,
    /* Least work that an invocation saves: branches that all lanes take cost next to nothing on some drivers,
     * and then the test of a small shader costs more than it saves. */
    LEAST_WORK = 20,
    FREE_GROWTH = 2000, /* instructions that copies may add whatever GROWTH says */
};

/* What a version has to save, in percent over all waves. A set that saves much is worth its code where the
 * training run saw it seldom: another run may see it more often. */
static const struct {
    double much; /* from so much saved where it runs, in percent */
    double more; /* of any version but the first */
    double code; /* instructions of a copy that one percent is worth: compile time, caches */
} prices[] = {{20, 0.5, 8000}, {0, 2, 1500}};

/* The same of a version alone: a compile in the background. */
static const double ALONE_PRICE = 0.1;

typedef struct versions versions;

/* One function while one set is folded in it. */
typedef struct folding {
    versions *v;
    wpg_inst *function;
    wpg_context *context; /* for a copy: with the profile of the copy */
    wpg_known_words known;
    uint64_t allowed;        /* words, where there is a choice */
    uint64_t along;          /* words that decide nothing, and are worth a test */
    wpg_load_folding *found; /* NULL: no load is known */
    wpg_load_folded folded;
    wpg_weight_plan weights;
    wpg_equal_plan equal;
} folding;

/* A set that may become a version. */
typedef struct candidate {
    wpg_version version;
    folding judged;       /* in the body */
    double saved, fallen; /* percent of the work; share of the code, 0 to 1 */
    double alone;         /* percent of the work that it would save as a pipeline of its own; 0: it cannot */
    double work;  /* weighted instructions that an invocation saves, less the test, without branches */
    double share; /* of the waves that saw these values */
    bool taken;
    const char *why; /* it is refused; NULL */
} candidate;

struct versions {
    wpg_context *context;
    wpg_module *module;
    wpg_function_profile *profile; /* of the body */
    wpg_inst *body;
    const wpg_view *view; /* of the body as it came; NULL: it is changed */
    candidate candidates[WPG_MOST_SETS];
    uint32_t count;
    wpg_word_source sources[WPG_MOST_WORD_SITES]; /* by fact, in the body */
    bool folds_floats;                            /* wpg_float_may_fold */
    wpg_arena *arena;
};

static wpg_function_profile *entry_profile(const wpg_context *context)
{
    for (uint32_t i = 0; i < context->profile_count; i++)
        if (context->profiles[i].ordinal == 0)
            return &context->profiles[i];
    return NULL;
}

static bool stage_may_call(SpvExecutionModel model)
{
    return model == SpvExecutionModelGLCompute || model == SpvExecutionModelFragment ||
           model == SpvExecutionModelVertex;
}

bool wpg_versions_wanted(wpg_context *context)
{
    wpg_function_profile *profile = entry_profile(context);
    wpg_word_set sets[WPG_MOST_SETS];
    uint32_t count = profile ? (uint32_t)profile->words.count : 0;
    uint32_t set_count = count ? wpg_word_sets(sets, profile, context->options->value_share) : 0;
    uint32_t steady = set_count ? (uint32_t)__builtin_popcountll(sets[0].known) : 0;
    bool any = steady || set_count > 1;
    if (steady < count)
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, 0, 0,
                       "%u of %u words of uniform blocks had no value in VALUE_SHARE of the waves asked",
                       (unsigned)(count - steady), (unsigned)count);
    if (any && !stage_may_call(context->stage->model))
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, 0, 0,
                       "no version: only compute, fragment and vertex stages get one");
    return any && stage_may_call(context->stage->model);
}

/* -- Worth -- */

/* What constants save of the body's work, by lanes, less the test: what is constant itself, divisions by what
 * is, branches that are decided, and what weights of zero leave nothing of. What a branch skipped did not run
 * before, and took registers. */
static void judge_gain(candidate *judged, const folding *f)
{
    wpg_fold_saving of;
    wpg_fold_saving_measure(&of, f->v->module, f->v->profile, &f->folded, &f->weights, &f->equal);
    const double whole = of.whole + of.arrays, saved = of.saved + of.branches,
                 test = of.entries * (double)WORD_COST * __builtin_popcountll(judged->version.tested);
    judged->fallen = of.code > 0 ? of.fallen / of.code : 0;
    judged->alone = (whole > 0 ? 100 * (saved + of.arrays) / whole : 0) + FALLEN_SHARE_ALONE * judged->fallen;
    if (f->v->context->options->alone) {
        judged->work = of.entries > 0 ? of.saved / of.entries : 0;
        judged->saved = judged->alone;
        return;
    }
    judged->work = of.entries > 0 ? (of.saved - test) / of.entries : 0;
    judged->saved = (whole > 0 ? 100 * (saved - test) / whole : 0) + FALLEN_SHARE * judged->fallen;
}

/* -- The pass -- */

/* Every invocation that ends comes through the block. */
static bool surely_runs(const wpg_cfg *cfg, uint32_t block)
{
    for (uint32_t b = 0; b < cfg->count; b++)
        if (cfg->blocks[b].rpo != WPG_NO_BLOCK && !cfg->blocks[b].successor_count &&
            !wpg_cfg_dominates(cfg, block, b))
            return false;
    return true;
}

/* Is each word's block read by every invocation, at that word or another? */
static bool all_surely_loaded(const folding *f, uint64_t tested)
{
    const wpg_view *view = f->folded.view;
    const wpg_word_fact *facts = f->v->profile->words.data;
    for (uint32_t w = 0; w < WPG_MOST_WORD_SITES; w++) {
        bool sure = !(tested >> w & 1);
        for (size_t i = 0; i < f->known.loads.count && !sure; i++) {
            const wpg_inst *inst = f->known.loads.data[i].inst;
            uint32_t block = inst->result < view->bound ? view->block_of[inst->result] : WPG_NO_BLOCK;
            for (uint32_t o = 0; block != WPG_NO_BLOCK && o < WPG_MOST_WORD_SITES && !sure; o++)
                sure = (f->known.loads.data[i].words >> o & 1) &&
                       facts[o].place.variable == facts[w].place.variable && surely_runs(view->cfg, block);
        }
        if (!sure)
            return false;
    }
    return true;
}

static const char *refusal(const folding *f, const candidate *judged)
{
    const wpg_context *context = f->v->context;
    uint32_t words = (uint32_t)__builtin_popcountll(judged->version.tested);
    if (!words)
        return f->weights.why ? f->weights.why : "no branch, loop bound, index or divisor would be decided";
    if (words > MOST_WORDS)
        return "more words decide something than one test compares";
    if (f->folded.view->instruction_count > MOST_INSTRUCTIONS)
        return "its body is too long to be there twice";
    if (context->options->max_growth < 100 && !context->options->alone)
        return "GROWTH allows no copy of it";
    if (context->options->partial_descriptors && !context->options->alone &&
        !all_surely_loaded(f, judged->version.tested))
        return "descriptors may be invalid, and it reads them under a condition";
    const bool is_kernel = context->stage->model == SpvExecutionModelGLCompute;
    const bool is_fragment = context->stage->model == SpvExecutionModelFragment;
    const int least = context->options->alone ? LEAST_GAIN_ALONE : is_kernel ? LEAST_GAIN : SURE_GAIN;
    if (judged->saved < (double)least)
        return "next to nothing would be saved";
    const bool must_save_work = is_fragment || judged->saved < (double)SURE_GAIN;
    return !context->options->alone && must_save_work && judged->work < (double)LEAST_WORK
               ? "hardly more than its test costs would be saved"
               : NULL;
}

static wpg_status plan_equal(folding *f, uint64_t allowed)
{
    return wpg_equal_plan_make(&f->equal, f->context, wpg_profile_of(f->context, f->function->result),
                               &f->folded, f->known.loads.data, f->known.loads.count, allowed, f->v->arena)
               ? WPG_OK
               : wpg_fail(f->v->context->err, WPG_E_NOMEM, "out of memory");
}

static uint64_t along(const wpg_load_fold *job, uint64_t decided)
{
    folding *f = job->of;
    if (f->allowed != UINT64_MAX)
        return f->allowed;
    f->along = job->view ? wpg_words_worth_a_test(job->view, f->v->profile, &f->known, decided) : 0;
    return f->along | decided;
}

/* Finds what the set folds in the function, of the words `allowed` where that is a choice. Nothing is
 * changed. */
static wpg_status plan(folding *f, uint64_t allowed)
{
    f->allowed = allowed;
    const wpg_view *view = f->function == f->v->body ? f->v->view : NULL;
    if (!wpg_known_words_collect(&f->known, f->function, view))
        return wpg_fail(f->v->context->err, WPG_E_NOMEM, "out of memory");
    const wpg_load_fold job = {.context = f->context,
                               .pass = PASS,
                               .what = "words of uniform blocks",
                               .function = f->function->result,
                               .loads = f->known.loads.data,
                               .load_count = f->known.loads.count,
                               .view = view,
                               .always = true,
                               .along = along,
                               .of = f};
    if (f->known.loads.count)
        WPG_TRY(wpg_load_fold_find(&f->found, &f->folded, &job));
    if (!f->found)
        return WPG_OK;
    if (!wpg_weight_plan_make(&f->weights, f->v->context, &f->folded, f->known.loads.data,
                              f->known.loads.count, f->v->arena))
        return wpg_fail(f->v->context->err, WPG_E_NOMEM, "out of memory");
    return plan_equal(f, allowed);
}

/* The judged folding of the body, for a version that tests these words alone. */
static wpg_status plan_again(folding *f, uint64_t tested)
{
    if (!(f->equal.asked & ~tested))
        return WPG_OK;
    wpg_equal_plan_finish(&f->equal);
    return plan_equal(f, tested);
}

static wpg_status fold(folding *f)
{
    if (!f->found)
        return WPG_OK;
    wpg_load_folding_apply(f->found);
    return wpg_weight_plan_apply(&f->weights, f->v->module, f->function, f->v->arena) &&
                   wpg_equal_plan_apply(&f->equal, f->v->module, f->function)
               ? WPG_OK
               : wpg_fail(f->v->context->err, WPG_E_NOMEM, "out of memory");
}

static void folding_finish(folding *f)
{
    wpg_load_folding_destroy(f->found);
    wpg_weight_plan_finish(&f->weights);
    wpg_equal_plan_finish(&f->equal);
    wpg_vec_free(&f->known.loads);
    *f = (folding){0};
}

/* -- Which sets -- */

static wpg_known_words known_words(versions *v, const candidate *c)
{
    return (wpg_known_words){.module = v->module,
                             .profile = v->profile,
                             .set = &c->version.set,
                             .sources = v->sources,
                             .folds_floats = v->folds_floats};
}

static wpg_status judge(versions *v, candidate *c)
{
    folding *f = &c->judged;
    *f = (folding){.v = v, .function = v->body, .context = v->context, .known = known_words(v, c)};
    c->why = "no branch, loop bound, index or divisor would be decided";
    WPG_TRY(plan(f, UINT64_MAX));
    if (!f->found)
        return WPG_OK;
    c->version.tested = f->folded.words | f->weights.words | f->equal.words;
    judge_gain(c, f);
    c->why = refusal(f, c);
    const unsigned words = (unsigned)__builtin_popcountll(c->version.tested);
    if (!words || words > MOST_WORDS || f->folded.view->instruction_count > MOST_INSTRUCTIONS)
        c->alone = 0;
    return WPG_OK;
}

/* Which versions: those taken, with one `more` beside them; or each that could be a pipeline of its own. */
typedef struct selection {
    const candidate *more; /* NULL: none */
    bool alone;
} selection;

static double saving_of(const candidate *c, selection of)
{
    return of.alone ? c->alone : c->taken || c == of.more ? c->saved : 0;
}

/* Work that the versions save, in percent over all waves. */
static double saved_by(const versions *v, selection of)
{
    const wpg_function_profile *profile = v->profile;
    double saved = 0, waves = 0;
    for (uint32_t i = 0; i < profile->visit_count; i++) {
        double best = 0;
        for (uint32_t c = 0; c < v->count; c++) {
            const candidate *one = &v->candidates[c];
            if (saving_of(one, of) > best &&
                wpg_word_set_fits(&one->version.set, one->version.tested, profile, &profile->visits[i]))
                best = saving_of(one, of);
        }
        saved += best * (double)profile->visits[i].waves;
        waves += (double)profile->visits[i].waves;
    }
    return waves > 0 ? saved / waves : saving_of(v->candidates, of);
}

/* Instructions that the set adds as a version: the first brings the copy of the body as it was. What falls
 * away does not count: drivers remove it. */
static double code_of(const candidate *c, uint32_t instructions, bool first)
{
    return first ? instructions : (1 - c->fallen) * instructions;
}

/* What the set must save beside those taken. */
static double price_of(const candidate *c, uint32_t taken, double code)
{
    const unsigned row = c->saved < prices[0].much;
    return (taken ? prices[row].more : 0) + code / prices[row].code;
}

/* Takes sets while one more saves more than its code is worth; the number taken. */
static uint32_t take_sets(versions *v, uint32_t instructions)
{
    const double limit = (double)v->context->options->max_growth * instructions / 100;
    double saved = 0, added = 0;
    uint32_t taken = 0;
    for (candidate *best;; taken++) {
        double most = 0, code = 0;
        best = NULL;
        for (uint32_t c = 0; c < v->count; c++) {
            candidate *one = &v->candidates[c];
            if (one->taken || one->why)
                continue;
            const double more = code_of(one, instructions, !taken);
            const double price = v->context->options->alone ? ALONE_PRICE : price_of(one, taken, more);
            const double gain = saved_by(v, (selection){.more = one}) - saved - price;
            const bool has_room = !taken || added + more <= FREE_GROWTH || added + more <= limit;
            if (gain > most && has_room) {
                best = one;
                most = gain;
                code = more;
            }
        }
        if (!best)
            return taken;
        best->taken = true;
        saved = saved_by(v, (selection){.more = best});
        added += code;
    }
}

static double share_of(const versions *v, const candidate *c)
{
    const wpg_function_profile *profile = v->profile;
    double fits = 0, waves = 0;
    for (uint32_t i = 0; i < profile->visit_count; i++) {
        const double more = (double)profile->visits[i].waves;
        waves += more;
        if (wpg_word_set_fits(&c->version.set, c->version.tested, profile, &profile->visits[i]))
            fits += more;
    }
    return waves > 0 ? fits / waves : 1;
}

/* -- The pass -- */

/* Has a version that was taken these values? */
static bool fits_any(const versions *v, const wpg_word_visit *visit)
{
    bool fits = false;
    for (uint32_t c = 0; c < v->count && !fits; c++)
        fits =
            v->candidates[c].taken && wpg_word_set_fits(&v->candidates[c].version.set,
                                                        v->candidates[c].version.tested, v->profile, visit);
    return fits;
}

/* A context for a copy of the body: with a profile that says which of its blocks are hot. */
static bool context_of_copy(wpg_context *context, const versions *v, uint32_t function,
                            const uint32_t *copies)
{
    const wpg_function_profile *of = v->profile;
    *context = *v->context;
    context->analyses = (wpg_analyses){0}; /* these stay the other's */
    context->profiles = calloc(1, sizeof *context->profiles);
    context->profile_count = context->profiles != NULL;
    if (!context->profiles)
        return false;
    *context->profiles = (wpg_function_profile){.function = function,
                                                .ordinal = of->ordinal,
                                                .has_lanes = of->has_lanes,
                                                .has_waves = of->has_waves,
                                                .has_uniform = of->has_uniform,
                                                .lanes_alone = of->lanes_alone};
    for (const wpg_inst *inst = v->body; wpg_in_function(inst); inst = inst->next) {
        const wpg_block_weight *weight =
            inst->opcode == SpvOpLabel ? wpg_profile_block(of, inst->result) : NULL;
        if (weight && !wpg_profile_add_block(context->profiles, copies[inst->result], *weight))
            return false;
    }
    return true;
}

/* "size, stride and 3 more". */
static void name_words(char *text, size_t size, const versions *v, uint64_t tested)
{
    enum { MOST_NAMES = 3 };
    size_t length = 0;
    uint32_t count = 0;
    text[0] = 0;
    for (uint32_t f = 0; f < v->profile->words.count && f < WPG_MOST_WORD_SITES; f++) {
        char name[WPG_PLACE_NAME];
        if (!(tested >> f & 1) || count++ >= MOST_NAMES || length >= size)
            continue;
        wpg_place_name(name, v->module, &v->profile->words.data[f].place);
        length += (size_t)snprintf(text + length, size - length, "%s%.32s", length ? ", " : "", name);
    }
    if (count > MOST_NAMES && length < size)
        (void)snprintf(text + length, size - length, " and %u more", count - MOST_NAMES);
}

/* Folds a taken set in its function. In the body it was judged, and nothing was changed since then. */
static wpg_status fold_taken(versions *v, candidate *c, wpg_context *context, uint32_t taken)
{
    folding *f = &c->judged;
    const bool is_judged = v->view && c->version.function == v->body->result;
    wpg_status status;
    if (is_judged) {
        status = plan_again(f, c->version.tested);
    } else {
        folding_finish(f);
        *f = (folding){.v = v,
                       .known = known_words(v, c),
                       .function = wpg_module_def(v->module, c->version.function),
                       .context = context};
        status = plan(f, c->version.tested);
    }
    if (status == WPG_OK)
        status = fold(f);
    const unsigned words = (unsigned)__builtin_popcountll(c->version.tested);
    char names[128];
    name_words(names, sizeof names, v, c->version.tested);
    if (status == WPG_OK && taken == 1)
        wpg_remark_add(
            v->context, WPG_REMARK_DONE, PASS, 0, 0,
            "a version of the stage for %u words of uniform blocks (%s): %u loads are constants, %u "
            "blocks fall away, %u operations had a weight of 0, %.0f %% of its work is saved",
            words, names, (unsigned)f->folded.loads, (unsigned)f->folded.dead_blocks,
            (unsigned)f->weights.actions.count, c->saved);
    else if (status == WPG_OK)
        wpg_remark_add(
            v->context, WPG_REMARK_DONE, PASS, 0, 0,
            "a version for %.0f %% of waves, by %u words (%s): %u loads are constants, %u blocks fall "
            "away, %u operations had a weight of 0, %.0f %% of its work is saved",
            100 * c->share, words, names, (unsigned)f->folded.loads, (unsigned)f->folded.dead_blocks,
            (unsigned)f->weights.actions.count, c->saved);
    folding_finish(f);
    return status;
}

/* Guards in the body for all other values: those of another run, and those of visits that no version fits. */
static wpg_status guard_other(versions *v, uint32_t function, const uint32_t *copies)
{
    const wpg_function_profile *of = v->profile;
    wpg_context context = {.profile_count = 0};
    wpg_word_visit *left = WPG_ARENA_ARRAY(v->arena, wpg_word_visit, of->visit_count);
    wpg_status status = WPG_E_NOMEM;
    if (wpg_pass_is_left_out(v->context, WPG_PASS_ZERO_GUARD))
        return WPG_OK;
    if (left && context_of_copy(&context, v, function, copies)) {
        wpg_function_profile *profile = context.profiles;
        for (uint32_t i = 0; i < of->visit_count; i++)
            if (!fits_any(v, &of->visits[i]))
                left[profile->visit_count++] = of->visits[i];
        profile->visits = left;
        profile->words = of->words;
        status = wpg_zero_guard_rest(&context, profile);
        profile->words.data = NULL; /* the body's */
    }
    wpg_profiles_finish(&context);
    return status == WPG_E_NOMEM ? wpg_fail(v->context->err, status, "out of memory") : status;
}

/* The sets that were taken, in the order of their tests. */
static uint32_t in_order(candidate *order[WPG_MOST_SETS], versions *v)
{
    uint32_t count = 0, at;
    for (uint32_t c = 0; c < v->count; c++) {
        if (!v->candidates[c].taken)
            continue;
        for (at = count++; at > 0 && order[at - 1]->saved < v->candidates[c].saved; at--)
            order[at] = order[at - 1];
        order[at] = &v->candidates[c];
    }
    return count;
}

/* Copies come before any change to the body. */
static wpg_status make_versions(versions *v)
{
    candidate *order[WPG_MOST_SETS], *hottest;
    uint32_t *copies[WPG_MOST_SETS] = {NULL}, *others, bound;
    wpg_version all[WPG_MOST_SETS];
    const uint32_t taken = in_order(order, v);
    hottest = order[0];
    for (uint32_t i = 0; i < taken; i++) {
        order[i]->share = share_of(v, order[i]);
        if (order[i]->share * order[i]->saved > hottest->share * hottest->saved)
            hottest = order[i];
    }
    const uint32_t edits = v->module->edits;
    bool good = wpg_arrays_to_module(v->module, v->body);
    if (v->module->edits != edits)
        v->view = NULL;
    for (uint32_t i = 0; i < taken; i++) {
        order[i]->version.function = order[i] == hottest
                                         ? v->body->result
                                         : wpg_version_copy(&copies[i], &bound, v->module, v->body, v->arena);
        good = good && order[i]->version.function;
    }
    uint32_t other = wpg_version_copy(&others, &bound, v->module, v->body, v->arena);
    wpg_status status = good && other ? WPG_OK : wpg_fail(v->context->err, WPG_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < taken && status == WPG_OK; i++) {
        wpg_context context = *v->context;
        if (order[i] != hottest && !context_of_copy(&context, v, order[i]->version.function, copies[i]))
            status = wpg_fail(v->context->err, WPG_E_NOMEM, "out of memory");
        if (status == WPG_OK)
            status = fold_taken(v, order[i], &context, taken);
        if (order[i] != hottest)
            wpg_profiles_finish(&context);
        all[i] = order[i]->version;
    }
    if (status != WPG_OK)
        return status;
    wpg_version_entry(v->module, v->body, all, taken, other, v->sources);
    return guard_other(v, other, others); /* drops code that the entry's loads come from */
}

/* -- One word that divides -- */

typedef struct word_value {
    uint32_t bits;
    double waves;
} word_value;

/* The word that alone decides something in each set that was taken; WPG_MOST_WORD_SITES: there is none. */
static uint32_t only_word(const versions *v)
{
    uint64_t words = 0;
    for (uint32_t c = 0; c < v->count; c++)
        words |=
            v->candidates[c].taken ? v->candidates[c].version.tested & ~v->candidates[c].judged.along : 0;
    return words && !(words & (words - 1)) ? (uint32_t)__builtin_ctzll(words) : WPG_MOST_WORD_SITES;
}

/* Are the versions that were taken few, and do they serve nearly all waves? A table would gain no more. */
static bool are_few_and_enough(const versions *v)
{
    enum { FEW = 2 };
    const double ENOUGH = 0.9;
    double served = 0, waves = 0;
    uint32_t taken = 0;
    for (uint32_t c = 0; c < v->count; c++)
        taken += v->candidates[c].taken;
    for (uint32_t i = 0; i < v->profile->visit_count; i++) {
        const double more = (double)v->profile->visits[i].waves;
        served += fits_any(v, &v->profile->visits[i]) ? more : 0;
        waves += more;
    }
    return taken <= FEW && served >= ENOUGH * waves;
}

static int by_waves(const void *a, const void *b)
{
    const word_value *x = a, *y = b;
    return x->waves != y->waves ? (x->waves < y->waves) - (x->waves > y->waves)
                                : (x->bits > y->bits) - (x->bits < y->bits);
}

/* Values that the word had, the commonest first; their number. `values` has room for one a visit. */
static uint32_t values_of(word_value *values, const versions *v, uint32_t fact)
{
    const wpg_function_profile *profile = v->profile;
    uint32_t count = 0, k;
    for (uint32_t i = 0; i < profile->visit_count; i++) {
        const uint32_t bits = profile->visits[i].bits[profile->words.data[fact].site];
        for (k = 0; k < count && values[k].bits != bits; k++)
            continue;
        if (k == count)
            values[count++] = (word_value){.bits = bits};
        values[k].waves += (double)profile->visits[i].waves;
    }
    qsort(values, count, sizeof *values, by_waves);
    return count;
}

/* Adds the value to the table. *divides: the word decides nothing but divisors by that value. */
static wpg_status add_divisors(bool *divides, wpg_divisor_table *table, versions *v, uint32_t fact,
                               uint32_t bits)
{
    wpg_word_set set = {.known = UINT64_C(1) << fact};
    folding f = {.v = v, .function = v->body, .context = v->context};
    set.bits[fact] = bits;
    f.known =
        (wpg_known_words){.module = v->module, .profile = v->profile, .set = &set, .sources = v->sources};
    wpg_status status = plan(&f, set.known);
    *divides = status == WPG_OK && f.found && !f.folded.dead_blocks &&
               (table->division_count ||
                wpg_divisors_list(table, &f.folded, v->profile->words.data[fact].place.variable,
                                  v->context->options->no_scalar_unit));
    if (*divides)
        (void)wpg_divisors_add(table, &f.folded, bits);
    folding_finish(&f);
    return status;
}

/* Puts products in place of versions by one word that decides nothing but divisors. *done: it did. */
static wpg_status divide_by_table(bool *done, versions *v)
{
    wpg_divisor_table table = {.division_count = 0};
    const uint32_t fact = only_word(v);
    word_value *values = WPG_ARENA_ARRAY(v->arena, word_value, v->profile->visit_count + 1u);
    bool divides = v->view && fact < v->profile->words.count && !are_few_and_enough(v);
    if (!values)
        return wpg_fail(v->context->err, WPG_E_NOMEM, "out of memory");
    const uint32_t count = divides ? values_of(values, v, fact) : 0;
    double waves = 0, covered = 0;
    for (uint32_t i = 0; i < count && divides; i++) {
        const uint32_t before = table.case_count;
        if (before < WPG_MOST_DIVISOR_CASES)
            WPG_TRY(add_divisors(&divides, &table, v, fact, values[i].bits));
        waves += values[i].waves;
        covered += table.case_count > before ? values[i].waves : 0;
    }
    if (!divides || table.case_count < 2 || waves <= 0 || !v->sources[fact].load ||
        wpg_divisors_saving(v->view, &table, v->profile) <= 0)
        return WPG_OK;
    uint32_t divisions;
    char names[128];
    name_words(names, sizeof names, v, UINT64_C(1) << fact);
    WPG_TRY(wpg_divisors_apply(&divisions, v->context, v->profile, v->view, &table, &v->sources[fact],
                               covered / waves));
    wpg_remark_add(v->context, WPG_REMARK_DONE, PASS, 0, 0,
                   "%u division%s by what a word of uniform blocks (%s) decides: a product for each of %u "
                   "values, which %.0f %% of the sampled waves had",
                   (unsigned)divisions, divisions == 1 ? "" : "s", names, (unsigned)table.case_count,
                   100 * covered / waves);
    *done = true;
    return WPG_OK;
}

/* -- A version alone -- */

/* False: a word's place in its block cannot be told. */
static bool tell_tests(versions *v, const candidate *c)
{
    wpg_remarks *remarks = v->context->remarks;
    for (uint32_t f = 0; f < WPG_MOST_WORD_SITES; f++) {
        if (!(c->version.tested >> f & 1))
            continue;
        wpg_word_test *test = &remarks->tests[remarks->test_count];
        if (remarks->test_count == WPG_MOST_WORD_TESTS ||
            !wpg_word_test_of(test, v->module, &v->profile->words.data[f].place)) {
            remarks->test_count = 0;
            return false;
        }
        test->bits = c->version.set.bits[f];
        remarks->test_count++;
    }
    return remarks->test_count != 0;
}

/* The body becomes the nth version, and there is nothing else. Code costs nothing here: each version is a
 * pipeline of its own, and the caller says how many there may be. */
static wpg_status make_alone(bool *changed, versions *v)
{
    candidate *order[WPG_MOST_SETS];
    const uint32_t which = v->context->options->alone - 1;
    (void)take_sets(v, 0);
    if (which >= in_order(order, v) || !tell_tests(v, order[which]))
        return WPG_OK;
    *changed = true;
    order[which]->share = share_of(v, order[which]);
    order[which]->version.function = v->body->result;
    return fold_taken(v, order[which], v->context, 2);
}

static uint32_t instructions_of(wpg_inst *function)
{
    uint32_t count = 0;
    for (const wpg_inst *inst = function; wpg_in_function(inst); inst = inst->next)
        count++;
    return count;
}

static void say_why_not(const versions *v)
{
    const candidate *c =
        v->candidates[0].version.set.known || v->count == 1 ? &v->candidates[0] : &v->candidates[1];
    wpg_remark_add(v->context, WPG_REMARK_REFUSED, PASS, 0, 0, "%u words of uniform blocks: refused: %s",
                   (unsigned)__builtin_popcountll(c->version.tested),
                   c->why ? c->why : "less would be saved than its code costs");
}

static wpg_status choose_and_make(bool *changed, versions *v)
{
    wpg_word_set sets[WPG_MOST_SETS];
    v->count = wpg_word_sets(sets, v->profile, v->context->options->value_share);
    for (uint32_t c = 0; c < v->count; c++) {
        v->candidates[c].version.set = sets[c];
        WPG_TRY(judge(v, &v->candidates[c]));
    }
    if (v->context->options->alone)
        return make_alone(changed, v);
    const uint32_t taken = take_sets(v, instructions_of(v->body));
    v->context->remarks->saved_alone = (uint32_t)(10 * saved_by(v, (selection){.alone = true}));
    if (!taken) {
        say_why_not(v);
        return WPG_OK;
    }
    v->context->remarks->saved_within = (uint32_t)(10 * saved_by(v, (selection){0}));
    WPG_TRY(divide_by_table(changed, v));
    if (*changed)
        return WPG_OK;
    *changed = true;
    return make_versions(v);
}

/* Of the entry function. False: there can be no versions. */
static bool begin(versions *v, wpg_context *context, wpg_arena *arena)
{
    *v = (versions){
        .context = context, .module = context->module, .profile = entry_profile(context), .arena = arena};
    if (!v->profile || wpg_has_decoration_groups(context->module))
        return false;
    v->body = wpg_module_def(context->module, v->profile->function);
    return true;
}

/* The analyses that the context keeps. */
static wpg_status get_analyses(versions *v)
{
    const wpg_id_set *exact;
    wpg_view *view = NULL;
    wpg_error reason = {0};
    WPG_TRY(wpg_exact_get(&exact, v->context));
    v->folds_floats = wpg_float_may_fold(v->context, exact);
    if (wpg_view_get(&view, v->context, v->profile->function, &reason) == WPG_OK)
        v->view = view;
    return WPG_OK;
}

static void finish(versions *v)
{
    for (uint32_t c = 0; c < v->count; c++)
        folding_finish(&v->candidates[c].judged);
}

wpg_status wpg_pass_versions(bool *changed, wpg_context *context)
{
    wpg_arena arena;
    versions v;
    wpg_status status = WPG_OK;
    wpg_arena_init(&arena);
    if (begin(&v, context, &arena)) {
        status = get_analyses(&v);
        if (status == WPG_OK)
            status = choose_and_make(changed, &v);
    }
    finish(&v);
    wpg_arena_finish(&arena);
    return status;
}

/* What one version for the values of the first set would save; 0: it is refused. */
static wpg_status judge_first(double *percent, versions *v)
{
    wpg_word_set sets[WPG_MOST_SETS];
    if (!wpg_word_sets(sets, v->profile, v->context->options->value_share) || !sets[0].known)
        return WPG_OK;
    v->count = 1;
    v->candidates[0].version.set = sets[0];
    WPG_TRY(judge(v, &v->candidates[0]));
    *percent = v->candidates[0].why ? 0 : v->candidates[0].saved;
    return WPG_OK;
}

wpg_status wpg_versions_saving(double *percent, wpg_context *context)
{
    wpg_arena arena;
    versions v;
    wpg_remarks *said = context->remarks, quiet = {0}; /* the pass says all this when it runs */
    wpg_status status = WPG_OK;
    *percent = 0;
    if (wpg_pass_is_left_out(context, WPG_PASS_VERSIONS) || !stage_may_call(context->stage->model))
        return WPG_OK;
    wpg_arena_init(&arena);
    wpg_arena_init(&quiet.arena);
    context->remarks = &quiet;
    if (begin(&v, context, &arena))
        status = judge_first(percent, &v);
    finish(&v);
    context->remarks = said;
    wpg_arena_finish(&quiet.arena);
    wpg_arena_finish(&arena);
    return status;
}
