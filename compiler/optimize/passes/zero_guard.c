/* Zero-guard ('z'): what a uniform weight multiplies is skipped while the weight is 0.
 *
 *      metal = (lights, textures, loops)            if (block.metalness != 0)
 *      dielectric = (the same)               =>         metal = (lights, textures, loops)
 *      colour = mix(dielectric, metal,              if (block.metalness != 1)
 *                   block.metalness)                    dielectric = (the same)
 *                                                   colour = mix(dielectric, metal, block.metalness)
 *
 * Uber-shaders compute all parts of a material and weigh them by words of uniform blocks. A version
 * (versions.c) drops the parts whose weights were 0 in the profile, in a copy of the stage. This pass copies
 * nothing, and serves every set of weights. Where it saves enough, there are no versions.
 *
 * For each word that the profile saw as 0 or 1: what falls away with that value (fold/weight_fold.h,
 * fold/zero_live.h), in which pieces (stretch.h), and is that worth a branch? The word that saves most comes
 * first; each application works on a fresh view.
 *
 * Why it is right:
 *  - The parts that are skipped go into products with 0, and null stands for them there. That is right where
 *    FLOAT allows to take them as finite (fold/weight_fold.h).
 *  - A uniform block does not change during a draw (versions.c): the branch is dynamically uniform, and
 *    derivatives and implicit levels of detail behind it have their neighbours.
 *  - Code moves within one construct, and past nothing that writes what it reads (stretch.c).
 *
 * Needs: a profile with the words probe. Keeps: result ids; block weights, scaled in what is behind a
 * branch. */
#include <stdio.h>
#include "compiler/optimize/fold/float_setting.h"
#include "compiler/optimize/fold/known_words.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/word_facts.h"
#include "compiler/optimize/memory/promote.h"
#include "compiler/optimize/passes/stretch.h"
#include "compiler/spirv/builder.h"

static const char PASS[] = "zero-guard";

enum {
    MOST_WORDS = 12, /* that are guarded on */
    MOST_ROUNDS = 4, /* for one word */
    LEAST_WORK = 60, /* weighted instructions that a branch saves an invocation, over all waves */
};
static const double LEAST_SHARE = 0.05; /* of the waves in which the word has the value */
/* Of the waves that another run may show with that value, where this one showed none. Materials differ. */
static const double GUESS = 0.1;
/* Of the stage's work, over all waves, by values that were seen: else versions save more (measured). */
static const double LEAST_SAVED = 0.1;

static const struct {
    bool is_float;
    uint32_t bits;
} values[] = {{true, 0}, {true, 0x3f800000}, {false, 0}, {false, 1}};
enum { VALUES = sizeof values / sizeof *values };

/* A word and a value of it. */
typedef struct candidate {
    wpg_word_set set;
    uint32_t fact;
    double share, saved; /* share: of the waves */
    bool done;
    wpg_map behind; /* labels of blocks behind branches on it */
} candidate;

typedef struct zero_guard {
    wpg_context *context;
    wpg_function_profile *profile;
    wpg_view *view;
    wpg_arena arena; /* of `ground`, which is of the view */
    wpg_zero_ground ground;
    wpg_weight_ground weights;
    const wpg_id_set *exact;
    candidate candidates[WPG_MOST_WORD_SITES * 2];
    uint32_t count, seen; /* candidates; of these, those whose value the profile has */
} zero_guard;

static double worth_of(const candidate *c)
{
    return c->share < GUESS ? GUESS : c->share;
}

static double share_of(const wpg_function_profile *profile, uint32_t fact, uint32_t bits)
{
    const wpg_word_fact *word = &profile->words.data[fact];
    double fits = 0, waves = 0;
    for (uint32_t i = 0; i < profile->visit_count; i++) {
        waves += (double)profile->visits[i].waves;
        if (profile->visits[i].bits[word->site] == bits)
            fits += (double)profile->visits[i].waves;
    }
    if (waves > 0)
        return fits / waves;
    return word->bits == bits ? wpg_word_fact_share(word) : 0;
}

static void list_candidates(zero_guard *z)
{
    const wpg_function_profile *profile = z->profile;
    for (uint32_t f = 0; f < profile->words.count && f < WPG_MOST_WORD_SITES; f++)
        for (unsigned v = 0; v < VALUES; v++) {
            const double share = values[v].is_float == profile->words.data[f].is_float
                                     ? share_of(profile, f, values[v].bits)
                                     : 0;
            if (values[v].is_float != profile->words.data[f].is_float ||
                (share < LEAST_SHARE && !values[v].is_float))
                continue;
            candidate *c = &z->candidates[z->count++];
            *c = (candidate){.fact = f, .share = share};
            z->seen += share >= LEAST_SHARE;
            c->set.known = UINT64_C(1) << f;
            c->set.bits[f] = values[v].bits;
        }
}

bool wpg_zero_guard_wanted(wpg_context *context, wpg_function_profile *profile)
{
    zero_guard z = {.context = context, .profile = profile};
    /* With FLOAT=spec the values themselves become constants: versions' matter. */
    if (profile->ordinal != 0 || context->options->alone || context->options->floats == WPG_FLOAT_SPEC ||
        !wpg_float_is_free(context))
        return false;
    list_candidates(&z);
    return z.seen > 0;
}

/* -- What falls away -- */

typedef struct what_if {
    wpg_arena arena;
    wpg_known_words known;
    wpg_word_source sources[WPG_MOST_WORD_SITES];
    wpg_weight_plan plan;
    wpg_zero_live live;
    wpg_stretch *stretches; /* [count] worth a branch, without a block in common */
    uint32_t count;
    double saved;
} what_if;

static void what_if_finish(what_if *w)
{
    for (uint32_t s = 0; s < w->count; s++)
        wpg_stretch_free(&w->stretches[s]);
    wpg_vec_free(&w->known.loads);
    wpg_weight_plan_finish(&w->plan);
    wpg_arena_finish(&w->arena);
}

/* The word may be read at the block: its descriptor is valid. */
static bool may_load(const zero_guard *z, const wpg_word_source *source, uint32_t block)
{
    if (!z->context->options->partial_descriptors)
        return true;
    const uint32_t at = z->view->block_of[source->load->result];
    return at != WPG_NO_BLOCK && wpg_cfg_dominates(z->view->cfg, at, block) && at != block;
}

/* At most so many weighted instructions of an entering lane could go behind branches. */
static double dead_work(const zero_guard *z, const what_if *w, const candidate *c)
{
    const wpg_cfg *cfg = z->view->cfg;
    const wpg_block_weight *entry = wpg_profile_block(z->profile, cfg->blocks[0].id);
    double work = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block_weight *weight = wpg_profile_block(z->profile, cfg->blocks[b].id);
        if (!weight || !weight->lanes || wpg_map_get(&c->behind, cfg->blocks[b].id, NULL))
            continue;
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
             inst = inst->next)
            if (wpg_zero_live_is_dead(&w->live, inst))
                work += (double)weight->lanes * wpg_inst_cost(z->context->module, inst);
    }
    return entry && entry->lanes ? work / (double)entry->lanes : 0;
}

/* Does the block have something dead, or a dead construct behind it? */
static bool may_begin(const wpg_zero_live *live, uint32_t block)
{
    const wpg_cfg *cfg = live->view->cfg;
    const wpg_block *here = &cfg->blocks[block];
    const uint32_t next = here->successor_count == 1 ? here->successors[0] : block,
                   construct = cfg->blocks[next].heads;
    if (construct != WPG_NO_BLOCK && !live->live[construct])
        return true;
    for (const wpg_inst *inst = here->label->next; inst != here->terminator; inst = inst->next)
        if (wpg_zero_live_is_dead(live, inst))
            return true;
    return false;
}

/* Stretches worth a branch, from the entry on. None in loops that drivers may unroll, or not, by what is in
 * them. */
static bool find_stretches(zero_guard *z, what_if *w, const candidate *c)
{
    const wpg_cfg *cfg = z->view->cfg;
    bool *taken = WPG_ARENA_ARRAY(&w->arena, bool, cfg->count);
    w->stretches = WPG_ARENA_ARRAY(&w->arena, wpg_stretch, cfg->count + 1); /* one is being looked at */
    if (!taken || !w->stretches)
        return false;
    if (dead_work(z, w, c) * worth_of(c) < LEAST_WORK)
        return true;
    for (uint32_t o = 0; o < cfg->order_count; o++) {
        const uint32_t block = cfg->order[o];
        wpg_stretch *s = &w->stretches[w->count];
        if (taken[block] || !may_begin(&w->live, block) || z->weights.in_loops[block] ||
            !may_load(z, &w->sources[c->fact], block))
            continue;
        if (!wpg_stretch_find(s, &w->live, z->profile, &c->behind, LEAST_WORK / worth_of(c), block,
                              &w->arena)) {
            wpg_stretch_free(s);
            return false;
        }
        if (s->cost <= 0)
            continue;
        for (uint32_t b = 0; b < cfg->count; b++)
            taken[b] |= wpg_stretch_touches(s, b);
        w->saved += s->cost * worth_of(c);
        w->count++;
    }
    wpg_stretch_free(&w->stretches[w->count]);
    return true;
}

static wpg_status ask(what_if *w, zero_guard *z, const candidate *c)
{
    *w = (what_if){
        .known = {
            .module = z->context->module, .profile = z->profile, .set = &c->set, .sources = w->sources}};
    wpg_arena_init(&w->arena);
    const wpg_solution *unfolded = wpg_push_unfolded(z->view);
    const wpg_load_folded folded = {
        .view = z->view, .exact = z->exact, .before = unfolded, .after = unfolded};
    w->known.sources = w->sources;
    bool fits = unfolded && wpg_known_words_collect(&w->known, z->view->function);
    if (!fits || !w->known.loads.count)
        return fits ? WPG_OK : wpg_fail(z->context->err, WPG_E_NOMEM, "out of memory");
    fits = wpg_weight_actions_find(&w->plan, &z->weights, &folded, w->known.loads.data, w->known.loads.count,
                                   &w->arena);
    if (fits && w->plan.actions.count)
        fits = wpg_zero_live_find(&w->live, &z->ground, &w->plan, &w->arena) && find_stretches(z, w, c);
    return fits ? WPG_OK : wpg_fail(z->context->err, WPG_E_NOMEM, "out of memory");
}

/* -- The branches -- */

typedef struct test {
    const wpg_word_source *source;
    uint32_t bits;
} test;

/* The word differs from the value. */
static uint32_t emit_test(wpg_module *module, wpg_inst *where, void *of)
{
    const test *t = of;
    const uint32_t word = wpg_word_load(module, where, t->source), result = wpg_module_fresh_id(module);
    (void)wpg_inst_add(module, where, SpvOpINotEqual, wpg_type_bool(module), result, word,
                       wpg_const_u32(module, t->bits));
    return result;
}

static void say(const zero_guard *z, const candidate *c, uint32_t branches)
{
    const wpg_word_place *place = &z->profile->words.data[c->fact].place;
    char path[64];
    size_t used = 0;
    path[0] = 0;
    for (uint32_t i = 0; i < place->count && used < sizeof path; i++)
        used += (size_t)snprintf(path + used, sizeof path - used, "[%u]", place->indices[i]);
    wpg_remark_add(
        z->context, WPG_REMARK_DONE, PASS, z->profile->ordinal, 0,
        "%u branch%s on word %%%u%s, which is %s in %.0f %% of waves: %.0f weighted instructions of an "
        "invocation are skipped",
        branches, branches == 1 ? "" : "es", place->variable, path, c->set.bits[c->fact] ? "1" : "0",
        100 * c->share, c->saved);
}

/* z->view is NULL where the control flow is not structured. */
static wpg_status look(zero_guard *z)
{
    wpg_error reason = {0};
    wpg_status status = wpg_view_get(&z->view, z->context, z->profile->function, &reason);
    if (status != WPG_OK) {
        z->view = NULL;
        return status == WPG_E_NOMEM ? wpg_fail(z->context->err, status, "out of memory") : WPG_OK;
    }
    WPG_TRY(wpg_exact_get(&z->exact, z->context));
    wpg_arena_finish(&z->arena);
    return wpg_zero_ground_make(&z->ground, z->view, &z->arena) &&
                   wpg_weight_ground_make(&z->weights, z->context, z->view, &z->arena)
               ? WPG_OK
               : wpg_fail(z->context->err, WPG_E_NOMEM, "out of memory");
}

/* Puts all that falls away with the value behind branches; the number of these. */
static wpg_status guard(uint32_t *branches, zero_guard *z, candidate *c)
{
    *branches = 0;
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        what_if w;
        WPG_TRY(look(z));
        if (!z->view)
            break;
        wpg_status status = ask(&w, z, c);
        test t = {.source = &w.sources[c->fact], .bits = c->set.bits[c->fact]};
        const wpg_stretch_branch by = {
            .condition = emit_test, .of = &t, .share = 1 - c->share, .behind = &c->behind};
        for (uint32_t s = 0; s < w.count && status == WPG_OK; s++)
            status = wpg_stretch_guard(&w.stretches[s], &w.live, z->profile, &by, z->context->err);
        *branches += w.count;
        c->saved = round ? c->saved + w.saved : w.saved;
        const bool again = w.count > 0;
        what_if_finish(&w);
        if (again)
            wpg_analyses_drop(z->context);
        WPG_TRY(status);
        if (!again)
            break;
    }
    return z->context->module->arena.failed ? wpg_fail(z->context->err, WPG_E_NOMEM, "out of memory")
                                            : WPG_OK;
}

static wpg_status judge_all(zero_guard *z)
{
    for (uint32_t i = 0; i < z->count; i++) {
        what_if w;
        wpg_status status = ask(&w, z, &z->candidates[i]);
        z->candidates[i].saved = w.saved;
        what_if_finish(&w);
        WPG_TRY(status);
    }
    return WPG_OK;
}

/* Weighted instructions that an entering lane spends in the function. */
static double whole_work(const zero_guard *z)
{
    const wpg_cfg *cfg = z->view->cfg;
    const wpg_block_weight *entry = wpg_profile_block(z->profile, cfg->blocks[0].id);
    double work = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block_weight *weight = wpg_profile_block(z->profile, cfg->blocks[b].id);
        for (const wpg_inst *inst = cfg->blocks[b].label->next; weight && inst != cfg->blocks[b].terminator;
             inst = inst->next)
            work += (double)weight->lanes * wpg_inst_cost(z->context->module, inst);
    }
    return entry && entry->lanes ? work / (double)entry->lanes : 0;
}

/* Of all words that were seen with the value; what two words skip counts twice. */
static double saved_by_all(const zero_guard *z)
{
    double saved = 0;
    for (uint32_t i = 0; i < z->count; i++)
        saved += z->candidates[i].share >= LEAST_SHARE ? z->candidates[i].saved : 0;
    return saved;
}

static candidate *best_of(zero_guard *z)
{
    candidate *best = NULL;
    for (uint32_t i = 0; i < z->count; i++) {
        candidate *c = &z->candidates[i];
        if (!c->done && c->saved > 0 && (!best || c->saved > best->saved))
            best = c;
    }
    return best;
}

/* Structures hold what is needed beside what is not. */
static wpg_status forward(wpg_context *context)
{
    bool any = false;
    wpg_graphs graphs = {0};
    bool fits =
        wpg_forward_parts(&any, context->module) && (!any || wpg_drop_unused(context->module, &graphs));
    wpg_graphs_finish(&graphs);
    if (any)
        wpg_analyses_drop(context);
    return fits ? WPG_OK : wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
}

static wpg_status guard_words(bool *changed, zero_guard *z)
{
    wpg_context *context = z->context;
    WPG_TRY(forward(context));
    WPG_TRY(look(z));
    if (!z->view)
        return WPG_OK;
    if (!wpg_id_set_is_empty(z->exact)) {
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, z->profile->ordinal, 0,
                       "the stage has an exact output");
        return WPG_OK;
    }
    list_candidates(z);
    wpg_status status = judge_all(z);
    const double saved = saved_by_all(z), whole = whole_work(z);
    unsigned words = 0;
    if (status == WPG_OK && saved <= LEAST_SAVED * whole) {
        if (saved > 0)
            wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, z->profile->ordinal, 0,
                           "weights of 0 would skip %.1f %% of the stage's work", 100 * saved / whole);
        return WPG_OK;
    }
    for (candidate *c; status == WPG_OK && words < MOST_WORDS && (c = best_of(z)); words++) {
        uint32_t branches;
        c->done = true;
        status = guard(&branches, z, c);
        *changed |= branches > 0;
        if (status == WPG_OK && branches)
            say(z, c, branches);
    }
    for (uint32_t i = 0; i < z->count; i++)
        wpg_map_free(&z->candidates[i].behind);
    return status;
}

wpg_status wpg_pass_zero_guard(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    if (!wpg_zero_guard_wanted(context, profile))
        return WPG_OK;
    zero_guard z = {.context = context, .profile = profile};
    wpg_arena_init(&z.arena);
    const wpg_status status = guard_words(changed, &z);
    wpg_arena_finish(&z.arena);
    return status;
}
