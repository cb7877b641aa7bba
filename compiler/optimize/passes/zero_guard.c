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
 * first. In one round only pieces without a block in common get their branches. The next round asks what is
 * left, on a fresh view.
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
#include "compiler/analysis/values/place_names.h"
#include "compiler/optimize/fold/float_setting.h"
#include "compiler/optimize/fold/known_words.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/word_facts.h"
#include "compiler/optimize/memory/promote.h"
#include "compiler/optimize/passes/stretch.h"
#include "compiler/spirv/builder.h"

static const char PASS[] = "zero-guard";

enum {
    MOST_WORDS = 12,  /* that are guarded on */
    MOST_ROUNDS = 16, /* each on a fresh view; in straight code each makes one branch */
    LEAST_WORK = 60,  /* weighted instructions that a branch saves an invocation, over all waves */
};
static const double LEAST_SHARE = 0.05; /* of the waves in which the word has the value */
/* Of the waves that another run may show with that value, where this one showed none. Materials differ. */
static const double GUESS = 0.1;
/* Of the entries: runs of a block that never ran, in the waves that another run may show. */
static const double UNSEEN = 0.5;
/* Of the stage's work, over all waves, by values that were seen: else versions save more (measured). */
static const double LEAST_SAVED = 0.1;
/* Of what branches skip by now: while pieces that others kept from a branch are less, there is no other
 * round; nor while all that is dead and behind no branch is less. One takes 4 to 8 % of the time to rewrite a
 * large stage. */
static const double LEAST_KEPT_BACK = 0.015, LEAST_LEFT = 0.08;
/* Of the stage's work: what versions have to save more than guards. Versions serve the profile's values
 * alone, and are a copy more for compilers. So large bodies are not asked about. */
static const double MORE_BY_VERSIONS = 0.15;
static const uint32_t MOST_COPIED = 4000; /* instructions */
static const double ROUNDING = 1 + 1e-9;  /* more than sums of costs lose in another order */

static const struct {
    bool is_float;
    uint32_t bits;
} values[] = {{true, 0}, {true, 0x3f800000}, {false, 0}, {false, 1}};
enum { VALUES = sizeof values / sizeof *values };

/* A word and a value of it. */
typedef struct candidate {
    wpg_word_set set;
    uint32_t fact;
    double share; /* of the waves */
    /* Weighted instructions, over all waves: in all that falls away; of that, measured; behind branches. */
    double saved, measured, skipped;
    double left;      /* of what falls away in this round: not behind branches */
    double kept_back; /* of that: in pieces of which others have taken a block */
    uint32_t branches;
    bool asked;     /* in this round */
    wpg_map behind; /* labels of blocks behind branches on it */
} candidate;

typedef struct zero_guard {
    bool rest; /* in the body beside versions: it runs with values that were not seen */
    wpg_context *context;
    wpg_function_profile *profile;
    wpg_view *view;
    wpg_arena arena;   /* of `ground` and `weights`, which are of the view */
    wpg_arena scratch; /* of the tables of `weights` that serve view after view */
    wpg_zero_ground ground;
    wpg_weight_ground weights;
    const wpg_id_set *exact;
    wpg_map whole; /* wpg_stretch_branch.whole */
    wpg_map loops; /* labels of wpg_weight_ground.in_loops */
    bool has_loops;
    candidate candidates[WPG_MOST_WORD_SITES * 2];
    uint32_t count, seen;                      /* candidates; of these, those whose value the profile has */
    uint32_t chosen[MOST_WORDS], chosen_count; /* candidates, in this order */
} zero_guard;

static double worth_of(const candidate *c)
{
    return c->share < GUESS ? GUESS : c->share;
}

static double share_of(const zero_guard *z, uint32_t fact, uint32_t bits)
{
    const wpg_function_profile *profile = z->profile;
    const wpg_word_fact *word = &profile->words.data[fact];
    double fits = 0, waves = 0;
    for (uint32_t i = 0; i < profile->visit_count; i++) {
        waves += (double)profile->visits[i].waves;
        if (profile->visits[i].bits[word->site] == bits)
            fits += (double)profile->visits[i].waves;
    }
    if (waves > 0)
        return fits / waves;
    if (z->rest)
        return 0;
    return word->bits == bits ? wpg_word_fact_share(word) : 0;
}

static void list_candidates(zero_guard *z)
{
    const wpg_function_profile *profile = z->profile;
    for (uint32_t f = 0; f < profile->words.count && f < WPG_MOST_WORD_SITES; f++)
        for (unsigned v = 0; v < VALUES; v++) {
            const double share =
                values[v].is_float == profile->words.data[f].is_float ? share_of(z, f, values[v].bits) : 0;
            if (values[v].is_float != profile->words.data[f].is_float ||
                (share < LEAST_SHARE && !values[v].is_float))
                continue;
            candidate *c = &z->candidates[z->count++];
            *c = (candidate){.fact = f, .share = share, .asked = true};
            z->seen += share >= LEAST_SHARE;
            c->set.known = UINT64_C(1) << f;
            c->set.bits[f] = values[v].bits;
        }
}

/* With FLOAT=spec the values themselves become constants: versions' matter. */
static bool may_guard(const wpg_context *context)
{
    return !context->options->alone && context->options->floats != WPG_FLOAT_SPEC &&
           wpg_float_is_free(context);
}

bool wpg_zero_guard_wanted(wpg_context *context, wpg_function_profile *profile)
{
    zero_guard z = {.context = context, .profile = profile};
    if (profile->ordinal != 0 || !may_guard(context))
        return false;
    list_candidates(&z);
    return z.seen > 0;
}

/* -- What falls away -- */

typedef WPG_VEC(wpg_stretch) stretches;

/* Loads of words, each with one value. By fact the loads that hang on this word alone, as index + 1. */
typedef struct word_loads {
    wpg_known_words words;
    uint32_t first[WPG_MOST_WORD_SITES], *next; /* next: by load; 0 ends the list */
} word_loads;

/* What a round knows of its view. */
typedef struct zero_round {
    zero_guard *z;
    wpg_arena arena;
    word_loads zeros, ones;
    wpg_word_source sources[WPG_MOST_WORD_SITES];
    wpg_stretch_runs *runs; /* [block] likely: at most 0 where it never ran, below where that is not known */
    stretches worth[WPG_MOST_WORD_SITES * 2]; /* by candidate: worth a branch, without a block in common */
    wpg_stretch next;                         /* scratch: tables that no stretch has */
} zero_round;

/* Of all candidates alike. */
static bool find_runs(zero_round *r)
{
    const zero_guard *z = r->z;
    const wpg_cfg *cfg = z->view->cfg;
    const wpg_block_weight *entry = wpg_profile_block(z->profile, cfg->blocks[0].id);
    r->runs = WPG_ARENA_ARRAY(&r->arena, wpg_stretch_runs, cfg->count);
    for (uint32_t b = 0; r->runs && b < cfg->count; b++) {
        const wpg_block_weight *weight = wpg_profile_block(z->profile, cfg->blocks[b].id);
        uint64_t whole = 0;
        r->runs[b].likely = -1;
        if (!weight || !entry || !entry->lanes)
            continue;
        wpg_map_get(&z->whole, cfg->blocks[b].id, &whole);
        const double entries = (double)entry->lanes, measured = (double)weight->lanes / entries,
                     least = GUESS * (double)whole / entries;
        r->runs[b] = (wpg_stretch_runs){.likely = measured > least ? measured : least, .measured = measured};
    }
    return r->runs;
}

/* What runs of blocks count for the candidate; NULL: out of memory. */
static const wpg_stretch_runs *runs_for(zero_round *r, const candidate *c)
{
    const wpg_cfg *cfg = r->z->view->cfg;
    const double unseen = c->share < LEAST_SHARE ? UNSEEN : UNSEEN * GUESS;
    const bool any_behind = c->behind.count > 0;
    wpg_stretch_runs *runs = wpg_arena_memdup(&r->arena, r->runs, cfg->count * sizeof *runs);
    for (uint32_t b = 0; runs && b < cfg->count; b++)
        if (runs[b].likely < 0 || (any_behind && wpg_map_get(&c->behind, cfg->blocks[b].id, NULL)))
            runs[b] = (wpg_stretch_runs){0};
        else if (runs[b].likely <= 0)
            runs[b].likely = unseen;
    return runs;
}

/* The word may be read at the block: its descriptor is valid. */
static bool may_load(const zero_guard *z, const wpg_word_source *source, uint32_t block)
{
    if (!z->context->options->partial_descriptors)
        return true;
    const uint32_t at = z->view->block_of[source->load->result];
    return at != WPG_NO_BLOCK && wpg_cfg_dominates(z->view->cfg, at, block) && at != block;
}

/* What is dead under some plans asked together. */
typedef struct dead_code {
    uint64_t *plans; /* [block] under which something in it is dead */
    double *costs;   /* [plan][block] weighted instructions of it */
} dead_code;

static bool tell_dead(dead_code *dead, zero_round *r, const wpg_zero_live *live, uint32_t plan_count)
{
    const wpg_cfg *cfg = live->view->cfg;
    const uint64_t all = plan_count < 64 ? (UINT64_C(1) << plan_count) - 1 : UINT64_MAX;
    dead->plans = WPG_ARENA_ARRAY(&r->arena, uint64_t, cfg->count);
    dead->costs = WPG_ARENA_ARRAY(&r->arena, double, (size_t)cfg->count *plan_count);
    if (!dead->plans || !dead->costs)
        return false;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
             inst = inst->next) {
            uint64_t plans = wpg_zero_live_dead_plans(live, inst, all);
            const double cost = plans ? wpg_inst_cost(live->view->module, inst) : 0;
            dead->plans[b] |= plans;
            for (; plans; plans &= plans - 1)
                dead->costs[(size_t)__builtin_ctzll(plans) * cfg->count + b] += cost;
        }
    return true;
}

/* At most so many weighted instructions of an entering lane could go behind branches. */
static double dead_work(const zero_guard *z, const dead_code *dead, uint32_t plan,
                        const wpg_stretch_price *price)
{
    const wpg_cfg *cfg = z->view->cfg;
    double work = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const double runs = dead->plans[b] >> plan & 1 ? price->runs[b].likely : 0;
        work += runs > 0 ? runs * dead->costs[(size_t)plan * cfg->count + b] : 0;
    }
    return work;
}

/* [block] More than a stretch that begins there can cost: a stretch has blocks that its first one dominates,
 * and of these what is dead and their ends. NULL: out of memory. */
static const double *most_costs(zero_round *r, const dead_code *dead, uint32_t plan,
                                const wpg_stretch_price *price)
{
    const wpg_cfg *cfg = r->z->view->cfg;
    double *most = WPG_ARENA_ARRAY(&r->arena, double, cfg->count);
    for (uint32_t o = most ? cfg->order_count : 0; o-- > 0;) {
        const uint32_t b = cfg->order[o], above = cfg->blocks[b].idom;
        most[b] += price->runs[b].likely * (dead->costs[(size_t)plan * cfg->count + b] + 1) * ROUNDING;
        if (above != WPG_NO_BLOCK)
            most[above] += most[b];
    }
    return most;
}

/* Does the block have something dead, or a dead construct behind it? */
static bool may_begin(const wpg_zero_live *live, const dead_code *dead, uint32_t plan, uint32_t block)
{
    const wpg_cfg *cfg = live->view->cfg;
    const wpg_block *here = &cfg->blocks[block];
    const uint32_t next = here->successor_count == 1 ? here->successors[0] : block,
                   construct = cfg->blocks[next].heads;
    return (dead->plans[block] >> plan & 1) ||
           (construct != WPG_NO_BLOCK && !wpg_zero_construct_lives(live, construct));
}

/* Stretches worth a branch, from the entry on. None in loops that drivers may unroll, or not, by what is in
 * them. */
static bool find_stretches(zero_round *r, const wpg_zero_live *live, const dead_code *dead, uint32_t plan,
                           uint32_t index)
{
    zero_guard *z = r->z;
    candidate *c = &z->candidates[index];
    const wpg_cfg *cfg = z->view->cfg;
    const wpg_stretch_price price = {.runs = runs_for(r, c), .behind = &c->behind};
    bool *taken = WPG_ARENA_ARRAY(&r->arena, bool, cfg->count);
    const double least = LEAST_WORK / worth_of(c);
    if (!taken || !price.runs)
        return false;
    c->left = dead_work(z, dead, plan, &price) * worth_of(c);
    if (c->left < LEAST_WORK)
        return true;
    const double *most = most_costs(r, dead, plan, &price);
    if (!most)
        return false;
    for (uint32_t o = 0; o < cfg->order_count; o++) {
        const uint32_t block = cfg->order[o];
        if (taken[block] || most[block] < least || !may_begin(live, dead, plan, block) ||
            z->weights.in_loops[block] || !may_load(z, &r->sources[c->fact], block))
            continue;
        if (!wpg_stretch_find(&r->next, live, &price, least, block, &r->arena))
            return false;
        /* What is in a construct costs less than the construct. */
        for (size_t i = 0; i < r->next.blocks.count; i++) {
            const uint32_t b = r->next.blocks.data[i];
            taken[b] |= r->next.cost > 0 || (r->next.cheap && wpg_stretch_holds(&r->next, b));
        }
        if (r->next.cost <= 0)
            continue;
        if (!wpg_vec_reserve(&r->worth[index], 1))
            return false;
        r->worth[index].data[r->worth[index].count++] = wpg_stretch_take(&r->next);
    }
    return true;
}

static bool index_loads(word_loads *of, wpg_arena *arena)
{
    const wpg_known_loads *loads = &of->words.loads;
    of->next = WPG_ARENA_ARRAY(arena, uint32_t, loads->count);
    for (size_t i = loads->count; of->next && i-- > 0;) { /* the last goes in first: they stand in order */
        const uint64_t words = loads->data[i].words;
        if (!words || words & (words - 1))
            continue;
        uint32_t *first = &of->first[__builtin_ctzll(words)];
        of->next[i] = *first;
        *first = (uint32_t)i + 1;
    }
    return of->next;
}

/* The loads of all words that are candidates, as if each were 0 or 1. */
static bool collect(zero_round *r, word_loads *of, bool one)
{
    zero_guard *z = r->z;
    wpg_word_set *set = WPG_ARENA_NEW(&r->arena, wpg_word_set);
    if (!set)
        return false;
    for (uint32_t i = 0; i < z->count; i++) {
        const uint32_t f = z->candidates[i].fact;
        if (!z->candidates[i].asked || (z->candidates[i].set.bits[f] != 0) != one)
            continue;
        set->known |= z->candidates[i].set.known;
        set->bits[f] = z->candidates[i].set.bits[f];
    }
    of->words = (wpg_known_words){.module = z->context->module,
                                  .profile = z->profile,
                                  .set = set,
                                  .sources = r->sources,
                                  .single = true};
    return !set->known ||
           (wpg_known_words_collect(&of->words, z->view->function, z->view) && index_loads(of, &r->arena));
}

/* Loads of the candidate's word alone: `loads` gets those of all words of such a value. */
static bool loads_of(wpg_known_loads *loads, const zero_round *r, const candidate *c)
{
    const word_loads *of = c->set.bits[c->fact] ? &r->ones : &r->zeros;
    bool fits = true;
    wpg_vec_clear(loads);
    for (uint32_t i = of->first[c->fact]; i && fits; i = of->next[i - 1])
        fits = wpg_vec_push(loads, of->words.loads.data[i - 1]);
    return fits;
}

/* Asks up to WPG_ZERO_PLANS candidates, from *next on. */
static bool ask_some(zero_round *r, const wpg_load_folded *folded, uint32_t *next)
{
    zero_guard *z = r->z;
    wpg_weight_plan plans[WPG_ZERO_PLANS];
    uint32_t asked[WPG_ZERO_PLANS], count = 0;
    wpg_known_loads loads = {0};
    wpg_zero_live live;
    dead_code dead = {0};
    bool fits = true;
    for (; *next < z->count && count < WPG_ZERO_PLANS && fits; ++*next) {
        const candidate *c = &z->candidates[*next];
        if (!c->asked)
            continue;
        wpg_weight_plan *plan = &plans[count];
        *plan = (wpg_weight_plan){0};
        fits = loads_of(&loads, r, c) &&
               (!loads.count || wpg_weight_actions_find(plan, &z->weights, folded, loads.data, loads.count));
        if (plan->actions.count)
            asked[count++] = *next;
        else
            wpg_weight_plan_finish(plan);
    }
    fits = fits && (!count || (wpg_zero_live_find(&live, &z->ground, plans, count, &r->arena) &&
                               tell_dead(&dead, r, &live, count)));
    for (uint32_t k = 0; k < count; k++) {
        live.asked = UINT64_C(1) << k;
        fits = fits && find_stretches(r, &live, &dead, k, asked[k]);
        wpg_weight_plan_finish(&plans[k]);
    }
    wpg_vec_free(&loads);
    return fits;
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

static void say(const zero_guard *z, const candidate *c)
{
    char name[WPG_PLACE_NAME];
    wpg_place_name(name, z->context->module, &z->profile->words.data[c->fact].place);
    const unsigned value = c->set.bits[c->fact] != 0;
    const char *end = c->branches == 1 ? "" : "es";
    if (c->share < LEAST_SHARE)
        wpg_remark_add(z->context, WPG_REMARK_DONE, PASS, z->profile->ordinal, 0,
                       "%u branch%s on %s, which was never %u: %.0f weighted instructions of an "
                       "invocation are skipped if another run has that value in a tenth of waves",
                       c->branches, end, name, value, c->skipped);
    else
        wpg_remark_add(z->context, WPG_REMARK_DONE, PASS, z->profile->ordinal, 0,
                       "%u branch%s on %s, which is %u in %.0f %% of waves: %.0f weighted instructions "
                       "of an invocation are skipped",
                       c->branches, end, name, value, 100 * c->share, c->skipped);
}

static wpg_status no_memory(const zero_guard *z)
{
    return wpg_fail(z->context->err, WPG_E_NOMEM, "out of memory");
}

/* Branches change no loop: labels of blocks in loops that drivers may unroll are found once. They add no
 * store, so floats stay free (may_guard). */
static bool find_weights(zero_guard *z)
{
    const wpg_cfg *cfg = z->view->cfg;
    bool *in_loops = NULL, fits = true;
    if (z->has_loops) {
        in_loops = WPG_ARENA_ARRAY(&z->arena, bool, cfg->count);
        for (uint32_t b = 0; in_loops && b < cfg->count; b++)
            in_loops[b] = wpg_map_get(&z->loops, cfg->blocks[b].id, NULL);
        fits = in_loops != NULL;
    }
    fits = fits && wpg_weight_ground_make(&z->weights, z->view, true, in_loops, &z->arena, &z->scratch);
    for (uint32_t b = 0; fits && !z->has_loops && z->weights.in_loops && b < cfg->count; b++)
        fits = !z->weights.in_loops[b] || wpg_map_set(&z->loops, cfg->blocks[b].id, 1);
    z->has_loops = true;
    return fits;
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
    return wpg_zero_ground_make(&z->ground, z->view, &z->arena) && find_weights(z) ? WPG_OK : no_memory(z);
}

static void count_saving(candidate *c, const wpg_stretch *stretch)
{
    c->saved += stretch->cost * worth_of(c);
    if (c->share >= LEAST_SHARE)
        c->measured += stretch->measured * c->share;
}

/* Of all candidates that are asked: what falls away with the value, on a fresh view. */
static wpg_status begin(zero_round *r, zero_guard *z)
{
    *r = (zero_round){.z = z};
    wpg_arena_init(&r->arena);
    WPG_TRY(look(z));
    if (!z->view)
        return WPG_OK;
    const wpg_solution *unfolded = wpg_push_unfolded(z->view);
    const wpg_load_folded folded = {
        .view = z->view, .exact = z->exact, .before = unfolded, .after = unfolded};
    bool fits = unfolded && find_runs(r) && collect(r, &r->zeros, false) && collect(r, &r->ones, true);
    for (uint32_t next = 0; next < z->count && fits;)
        fits = ask_some(r, &folded, &next);
    for (uint32_t i = 0; i < z->count; i++)
        for (size_t s = 0; s < r->worth[i].count; s++)
            count_saving(&z->candidates[i], &r->worth[i].data[s]);
    return fits ? WPG_OK : no_memory(z);
}

static void finish(zero_round *r)
{
    for (uint32_t i = 0; i < r->z->count; i++) {
        for (size_t s = 0; s < r->worth[i].count; s++)
            wpg_stretch_free(&r->worth[i].data[s]);
        wpg_vec_free(&r->worth[i]);
    }
    wpg_stretch_free(&r->next);
    wpg_vec_free(&r->zeros.words.loads);
    wpg_vec_free(&r->ones.words.loads);
    wpg_arena_finish(&r->arena);
}

/* Marks the stretch's blocks; false: one is marked already. */
static bool take(bool *taken, const wpg_stretch *stretch)
{
    for (size_t i = 0; i < stretch->blocks.count; i++)
        if (taken[stretch->blocks.data[i]])
            return false;
    for (size_t i = 0; i < stretch->blocks.count; i++)
        taken[stretch->blocks.data[i]] = true;
    return true;
}

/* Branches on one word. The next round asks the word again where much is left: others may have taken a block
 * of a piece, and there may be more behind it. */
static wpg_status guard(zero_round *r, uint32_t index, bool *taken)
{
    zero_guard *z = r->z;
    candidate *c = &z->candidates[index];
    test t = {.source = &r->sources[c->fact], .bits = c->set.bits[c->fact]};
    const wpg_stretch_branch by = {
        .condition = emit_test, .of = &t, .share = 1 - c->share, .behind = &c->behind, .whole = &z->whole};
    c->kept_back = 0;
    for (size_t s = 0; s < r->worth[index].count; s++) {
        const wpg_stretch *stretch = &r->worth[index].data[s];
        if (!take(taken, stretch)) {
            c->kept_back += stretch->cost * worth_of(c);
            continue;
        }
        WPG_TRY(wpg_stretch_guard(stretch, z->view, z->profile, &by, z->context->err));
        c->skipped += stretch->cost * worth_of(c);
        c->left -= stretch->cost * worth_of(c);
        c->branches++;
    }
    c->asked = c->left >= LEAST_WORK;
    return WPG_OK;
}

/* The words that save most: z->chosen. */
static void choose(zero_guard *z)
{
    for (uint32_t i = 0; i < z->count; i++) {
        uint32_t at = z->chosen_count;
        z->candidates[i].asked = false;
        if (!(z->candidates[i].saved > 0))
            continue;
        for (; at > 0 && z->candidates[z->chosen[at - 1]].saved < z->candidates[i].saved; at--)
            if (at < MOST_WORDS)
                z->chosen[at] = z->chosen[at - 1];
        if (at < MOST_WORDS)
            z->chosen[at] = i;
        z->chosen_count += z->chosen_count < MOST_WORDS;
    }
}

/* *more: another round may be worth its time. */
static wpg_status guard_chosen(bool *more, zero_round *r)
{
    zero_guard *z = r->z;
    bool *taken = WPG_ARENA_ARRAY(&r->arena, bool, z->view->cfg->count), any = false;
    double skipped = 0, left = 0, kept_back = 0;
    if (!taken)
        return no_memory(z);
    for (uint32_t i = 0; i < z->chosen_count; i++) {
        const candidate *c = &z->candidates[z->chosen[i]];
        const uint32_t branches = c->branches;
        WPG_TRY(guard(r, z->chosen[i], taken));
        skipped += c->skipped;
        left += c->asked ? c->left : 0;
        kept_back += c->asked ? c->kept_back : 0;
        any |= c->branches > branches;
    }
    *more = any && (kept_back > LEAST_KEPT_BACK * skipped || left > LEAST_LEFT * skipped);
    if (any)
        wpg_analyses_drop(z->context);
    return z->context->module->arena.failed ? no_memory(z) : WPG_OK;
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
        saved += z->candidates[i].measured;
    return saved;
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

/* Is it worth more than versions? Says so if not. */
static wpg_status saves_enough(bool *enough, const zero_guard *z)
{
    const double saved = saved_by_all(z), whole = whole_work(z);
    *enough = saved > LEAST_SAVED * whole;
    if (*enough && z->view->instruction_count <= MOST_COPIED) {
        double percent;
        WPG_TRY(wpg_versions_saving(&percent, z->context));
        *enough = percent / 100 <= saved / whole + MORE_BY_VERSIONS;
    }
    if (!*enough && saved > 0)
        wpg_remark_add(z->context, WPG_REMARK_REFUSED, PASS, z->profile->ordinal, 0,
                       "weights of 0 would skip %.1f %% of the stage's work", 100 * saved / whole);
    return WPG_OK;
}

static wpg_status guard_words(bool *changed, zero_guard *z)
{
    wpg_context *context = z->context;
    bool again = true;
    WPG_TRY(forward(context));
    WPG_TRY(wpg_exact_get(&z->exact, context));
    if (!wpg_id_set_is_empty(z->exact)) {
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, z->profile->ordinal, 0,
                       "the stage has an exact output");
        return WPG_OK;
    }
    list_candidates(z);
    for (unsigned round = 0; round < MOST_ROUNDS && again; round++) {
        zero_round r;
        wpg_status status = begin(&r, z);
        again = status == WPG_OK && z->view;
        if (again && !round && !z->rest) {
            status = saves_enough(&again, z);
            again &= status == WPG_OK;
        }
        if (again && !round)
            choose(z);
        if (again)
            status = guard_chosen(&again, &r);
        finish(&r);
        WPG_TRY(status);
    }
    for (uint32_t i = 0; i < z->chosen_count; i++) {
        const candidate *c = &z->candidates[z->chosen[i]];
        *changed |= c->branches > 0;
        if (c->branches)
            say(z, c);
    }
    return WPG_OK;
}

static wpg_status run(bool *changed, zero_guard *z)
{
    wpg_arena_init(&z->arena);
    wpg_arena_init(&z->scratch);
    const wpg_status status = guard_words(changed, z);
    for (uint32_t i = 0; i < z->count; i++)
        wpg_map_free(&z->candidates[i].behind);
    wpg_map_free(&z->whole);
    wpg_map_free(&z->loops);
    wpg_arena_finish(&z->arena);
    wpg_arena_finish(&z->scratch);
    return status;
}

wpg_status wpg_pass_zero_guard(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    zero_guard z = {.context = context, .profile = profile};
    return wpg_zero_guard_wanted(context, profile) ? run(changed, &z) : WPG_OK;
}

wpg_status wpg_zero_guard_rest(wpg_context *context, wpg_function_profile *profile)
{
    zero_guard z = {.rest = true, .context = context, .profile = profile};
    bool changed = false;
    return may_guard(context) ? run(&changed, &z) : WPG_OK;
}
