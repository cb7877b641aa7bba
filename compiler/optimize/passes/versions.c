/* Versions ('c'): a version of the whole stage for the values that words of uniform blocks had all through
 * the profile, behind one test at its entry:
 *
 *     main:  x = block.size, y = block.stride          the words that decide something
 *            if (((x ^ 120000) | (y ^ 64)) == 0)
 *                body      with these as constants     (load_fold.h): bounds, divisors, indices, branches
 *            else
 *                copy      the body as it was
 *
 * Host programs write sizes, strides, divisors and flags into uniform blocks once, and every invocation
 * computes with them: a division by a constant costs a tenth of a division.
 *
 * Why it is right:
 *  - The version runs only where the words have the values. A uniform block does not change during a draw or
 *    dispatch (Vulkan 1.3, 7.1: a write must be made available before), so later loads give the same.
 *  - All invocations of a draw or dispatch read the same words: the test is dynamically uniform. So what
 *    needs its neighbours (derivatives, barriers, quad and subgroup operations) has them in either arm
 *    (SPIR-V 1.6, 2.2.5, dynamic uniformity; 2.16.1, uniform control flow). Both arms end in one merge
 *    block.
 *  - The test loads each word once at the entry, where the body may have loaded it under a condition. It
 *    reads what the stage uses statically through a single descriptor, which has to be valid (Vulkan 1.3,
 *    14.5.1). Where the program may leave unused descriptors invalid (descriptorBindingPartiallyBound), only
 *    blocks that every invocation reads are tested. Blocks in arrays of descriptors are no word sites.
 *  - Results keep their bits: load_fold.c.
 *
 * Needs: a profile with the words probe. Body and copy are functions of their own, which the entry calls:
 * every driver inlines them. The body keeps its ids, and so every table of the profile; the copy is new.
 * Not for stages whose entry function must hold certain instructions: mesh and task, ray tracing,
 * tessellation control. */
#include <string.h>

#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/word_facts.h"
#include "compiler/optimize/loops/cloner.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/optimize/passes/load_fold.h"
#include "compiler/optimize/passes/weight_fold.h"
#include "compiler/spirv/builder.h"

static const char PASS[] = "versions";

enum {
    MOST_WORDS = 32,           /* that the test compares */
    WORD_COST = 2,             /* of a word in the test, in weighted instructions */
    BRANCH_COST = 4,           /* of a branch: masks of lanes, phis behind it */
    MOST_INSTRUCTIONS = 16000, /* of a body that is copied: compile time */
    LEAST_GAIN = 3,            /* least share of the body's work that is saved, in percent */
    FALLEN_SHARE = 10, /* percent that code is worth which falls away and never ran: registers, masks */
};

typedef struct versions {
    wpg_context *context;
    wpg_module *module;
    wpg_function_profile *profile;
    wpg_inst *function;
    WPG_VEC(wpg_known_load) loads;
    /* By fact: a load of the body that gives the word, and the component of what it loads (WPG_NO_BLOCK: all
     * of it). */
    struct word_source {
        const wpg_inst *load;
        uint32_t component;
    } sources[WPG_MOST_WORD_SITES];
    wpg_weight_plan weights;
    uint64_t decided; /* the test's words, one bit a fact */
    double saved;     /* percent */
    wpg_arena *arena;
    uint32_t copy;
} versions;

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

static bool is_steady(const wpg_context *context, const wpg_word_fact *fact)
{
    return wpg_word_fact_share(fact) >= context->options->value_share;
}

bool wpg_versions_wanted(wpg_context *context)
{
    wpg_function_profile *profile = entry_profile(context);
    uint32_t steady = 0, count = profile ? (uint32_t)profile->words.count : 0;
    for (uint32_t f = 0; f < count; f++)
        steady += is_steady(context, &profile->words.data[f]);
    if (steady < count)
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, 0, 0,
                       "%u of %u words of uniform blocks had no value in VALUE_SHARE of the waves asked",
                       (unsigned)(count - steady), (unsigned)count);
    if (steady && !stage_may_call(context->stage->model))
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, 0, 0,
                       "no version: only compute, fragment and vertex stages get one");
    return steady && stage_may_call(context->stage->model);
}

/* -- Loads of known words -- */

static uint64_t bit_of(uint32_t fact)
{
    return UINT64_C(1) << fact;
}

/* The fact about the load, or about component `c` of the vector it loads; UINT32_MAX: none that is steady. */
static uint32_t fact_of(versions *v, const wpg_inst *load, wpg_word_place place, uint32_t c)
{
    if (c != WPG_NO_BLOCK && place.count < WPG_WORD_DEPTH)
        place.indices[place.count++] = c;
    uint32_t fact = wpg_word_fact_at(v->profile, &place);
    if (fact >= WPG_MOST_WORD_SITES || !is_steady(v->context, &v->profile->words.data[fact]))
        return UINT32_MAX;
    if (!v->sources[fact].load)
        v->sources[fact] = (struct word_source){load, c};
    return fact;
}

static bool add(versions *v, wpg_inst *inst, uint32_t constant, uint64_t facts)
{
    wpg_known_load load = {.inst = inst, .constant = constant, .words = facts};
    load.group = UINT64_C(1) << v->loads.count % 64;
    return !facts || wpg_vec_push(&v->loads, load);
}

/* A vector all of whose components are known. */
static bool add_vector(versions *v, wpg_inst *load, const wpg_word_place *place, const wpg_inst *type)
{
    uint32_t parts[4];
    uint64_t facts = 0;
    for (uint32_t c = 0; c < type->words[3]; c++) {
        uint32_t fact = c < 4 ? fact_of(v, load, *place, c) : UINT32_MAX;
        if (fact == UINT32_MAX || v->profile->words.data[fact].is_float)
            return true;
        parts[c] = wpg_const_scalar(v->module, type->words[2], v->profile->words.data[fact].bits);
        facts |= bit_of(fact);
    }
    return add(v, load, wpg_const_composite(v->module, load->type, parts, type->words[3]), facts);
}

static bool add_load(versions *v, wpg_inst *inst)
{
    wpg_word_place place;
    const wpg_inst *load = inst;
    uint32_t component = WPG_NO_BLOCK;
    if (inst->opcode == SpvOpCompositeExtract && inst->count == 5) {
        load = wpg_module_def(v->module, inst->words[3]);
        component = inst->words[4];
    }
    if (!load || load->opcode != SpvOpLoad || !wpg_word_place_of(&place, v->module, load))
        return true;
    const wpg_inst *type = wpg_module_def(v->module, load->type);
    if (load == inst && type && type->opcode == SpvOpTypeVector)
        return add_vector(v, inst, &place, type);
    uint32_t fact = fact_of(v, load, place, component);
    const wpg_inst *scalar = wpg_module_def(v->module, inst->type);
    if (fact == UINT32_MAX || !scalar ||
        scalar->opcode != (v->profile->words.data[fact].is_float ? SpvOpTypeFloat : SpvOpTypeInt))
        return true;
    return add(v, inst, wpg_const_scalar(v->module, inst->type, v->profile->words.data[fact].bits),
               bit_of(fact));
}

static bool collect(versions *v)
{
    const wpg_inst *end = wpg_function_end(v->function);
    for (wpg_inst *inst = v->function->next; inst != end; inst = inst->next)
        if (!add_load(v, inst))
            return false;
    return true;
}

/* -- Worth -- */

/* Weighted instructions that the constant operands of an instruction save. */
static double saved_at(const versions *v, const wpg_load_folded *folded, const wpg_inst *inst)
{
    double cost = wpg_inst_cost(v->module, inst);
    if (inst->result && v->weights.dead[inst->result])
        return cost;
    if (inst->result && wpg_is_one(folded->after, inst->result) && !wpg_is_one(folded->before, inst->result))
        return cost;
    bool divides = inst->opcode == SpvOpUDiv || inst->opcode == SpvOpSDiv || inst->opcode == SpvOpUMod ||
                   inst->opcode == SpvOpSRem || inst->opcode == SpvOpSMod;
    if (divides && wpg_is_one(folded->after, inst->words[4]) && !wpg_is_one(folded->before, inst->words[4]))
        return cost * 0.75;
    return 0;
}

static bool is_decided(const wpg_load_folded *folded, const wpg_inst *end)
{
    return (end->opcode == SpvOpBranchConditional || end->opcode == SpvOpSwitch) &&
           wpg_is_one(folded->after, end->words[1]) && !wpg_is_one(folded->before, end->words[1]);
}

/* Percent of the body's work, by lanes, that constants save, less the test: what is constant itself,
 * divisions by what is, branches that are decided, and what weights of zero leave nothing of. What a branch
 * skipped did not run before, and took registers. */
static double gain_of(const versions *v, const wpg_load_folded *folded)
{
    const wpg_cfg *cfg = folded->view->cfg;
    double saved = 0, whole = 0, entries = 0, code = 0, fallen = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block_weight *weight = wpg_profile_block(v->profile, cfg->blocks[b].id);
        double runs = weight && v->profile->has_lanes ? (double)weight->lanes : 1;
        entries = b == 0 ? runs : entries;
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
             inst = inst->next) {
            const double cost = wpg_inst_cost(v->module, inst);
            whole += runs * cost;
            saved += runs * saved_at(v, folded, inst);
            code += cost;
            if (!folded->after->runs[b] || (inst->result && v->weights.dead[inst->result]))
                fallen += cost;
        }
        if (is_decided(folded, cfg->blocks[b].terminator))
            saved += runs * (double)BRANCH_COST;
    }
    saved -= entries * (double)WORD_COST * __builtin_popcountll(v->decided);
    return (whole > 0 ? 100 * saved / whole : 0) + (code > 0 ? FALLEN_SHARE * fallen / code : 0);
}

/* -- The copy -- */

typedef struct copier {
    versions *v;
    uint32_t *copies; /* [bound] of the body's ids; 0: not the body's */
    uint32_t bound;
    bool nomem;
} copier;

static uint32_t copied(const copier *c, uint32_t id)
{
    return id < c->bound && c->copies[id] ? c->copies[id] : id;
}

static void copy_inst(copier *c, const wpg_inst *inst, wpg_inst *where)
{
    WPG_VEC(uint32_t) words = {0};
    wpg_operand_list operands = {0};
    if (wpg_used_ids(&operands, c->v->module, inst) && wpg_vec_reserve(&words, inst->count)) {
        for (unsigned i = 1; i < inst->count; i++)
            words.data[words.count++] = inst->words[i];
        for (size_t i = 0; i < operands.count; i++)
            words.data[operands.data[i] - 1] = copied(c, inst->words[operands.data[i]]);
        if (inst->result)
            words.data[inst->type ? 1 : 0] = copied(c, inst->result);
        (void)wpg_inst_insert(c->v->module, where, (SpvOp)inst->opcode, words.data, words.count);
    } else {
        c->nomem = true;
    }
    wpg_vec_free(&words);
    wpg_vec_free(&operands);
}

/* The body once more, behind it, with ids of its own. The copy's id; 0 when memory ran out. */
static uint32_t copy_body(versions *v, wpg_arena *arena)
{
    copier c = {.v = v, .bound = v->module->bound};
    const wpg_inst *end = wpg_function_end(v->function);
    wpg_inst *where = end->next;
    c.copies = WPG_ARENA_ARRAY(arena, uint32_t, c.bound);
    if (!c.copies)
        return 0;
    for (const wpg_inst *inst = v->function; inst != end; inst = inst->next)
        if (inst->result)
            c.copies[inst->result] = wpg_module_fresh_id(v->module);
    wpg_decorate_copies(v->module, c.copies, c.bound);
    for (const wpg_inst *inst = v->function; inst != where; inst = inst->next) {
        copy_inst(&c, inst, where);
        if (inst == end)
            break;
    }
    return c.nomem || v->module->arena.failed ? 0 : copied(&c, v->function->result);
}

/* -- The entry -- */

/* The word as the test sees it: loaded anew, as an unsigned number. */
static uint32_t load_word(const versions *v, const struct word_source *source, wpg_inst *where)
{
    wpg_module *m = v->module;
    const wpg_inst *load = source->load, *chain = wpg_module_def(m, load->words[3]);
    uint32_t u32 = wpg_type_u32(m), words[16] = {0}, count = 0, type = load->type;
    uint32_t pointer = wpg_module_fresh_id(m), value = wpg_module_fresh_id(m);
    for (unsigned i = 1; i < chain->count && count < 16; i++)
        words[count++] = chain->words[i];
    words[1] = pointer;
    (void)wpg_inst_insert(m, where, (SpvOp)chain->opcode, words, count);
    (void)wpg_inst_add(m, where, SpvOpLoad, type, value, pointer);
    if (source->component != WPG_NO_BLOCK) {
        uint32_t part = wpg_module_fresh_id(m);
        type = wpg_module_def(m, type)->words[2];
        (void)wpg_inst_add(m, where, SpvOpCompositeExtract, type, part, value, source->component);
        value = part;
    }
    if (type == u32)
        return value;
    uint32_t cast = wpg_module_fresh_id(m);
    (void)wpg_inst_add(m, where, SpvOpBitcast, u32, cast, value);
    return cast;
}

static uint32_t binary(const versions *v, SpvOp opcode, uint32_t type, uint32_t a, uint32_t b,
                       wpg_inst *where)
{
    uint32_t result = wpg_module_fresh_id(v->module);
    (void)wpg_inst_add(v->module, where, opcode, type, result, a, b);
    return result;
}

/* A Boolean: every word has its value. One comparison, of the differences together: drivers that put a
 * constant in place of what was compared with it (Mesa's nir_opt_if) do not see one word. The difference of a
 * single word is joined with a zero that they do not see through. */
static uint32_t emit_test(const versions *v, wpg_inst *where)
{
    wpg_module *m = v->module;
    uint32_t u32 = wpg_type_u32(m), all = 0;
    for (uint32_t f = 0; f < WPG_MOST_WORD_SITES; f++) {
        if (!(v->decided >> f & 1))
            continue;
        uint32_t wanted = wpg_const_u32(m, v->profile->words.data[f].bits);
        uint32_t differs =
            binary(v, SpvOpBitwiseXor, u32, load_word(v, &v->sources[f], where), wanted, where);
        all = all ? binary(v, SpvOpBitwiseOr, u32, all, differs, where) : differs;
    }
    if (!(v->decided & (v->decided - 1)))
        all = binary(v, SpvOpBitwiseOr, u32, all, wpg_opt_barrier_zero_of(m, all, where), where);
    return binary(v, SpvOpIEqual, wpg_type_bool(m), all, wpg_const_u32(m, 0), where);
}

static void call(const versions *v, uint32_t label, uint32_t function, uint32_t merge, wpg_inst *where)
{
    wpg_module *m = v->module;
    (void)wpg_inst_add(m, where, SpvOpLabel, label);
    (void)wpg_inst_add(m, where, SpvOpFunctionCall, v->function->type, wpg_module_fresh_id(m), function);
    (void)wpg_inst_add(m, where, SpvOpBranch, merge);
}

/* The new entry, at the module's end; execution modes and the entry point name it from now on. */
static void make_entry(versions *v)
{
    wpg_module *m = v->module;
    const uint32_t old = v->function->result, entry = wpg_module_fresh_id(m);
    const uint32_t steady = wpg_module_fresh_id(m), other = wpg_module_fresh_id(m),
                   merge = wpg_module_fresh_id(m);
    (void)wpg_inst_add(m, NULL, SpvOpFunction, v->function->type, entry, SpvFunctionControlMaskNone,
                       v->function->words[4]);
    (void)wpg_inst_add(m, NULL, SpvOpLabel, wpg_module_fresh_id(m));
    uint32_t agrees = emit_test(v, NULL);
    (void)wpg_inst_add(m, NULL, SpvOpSelectionMerge, merge, SpvSelectionControlDontFlattenMask);
    (void)wpg_inst_add(m, NULL, SpvOpBranchConditional, agrees, steady, other);
    call(v, steady, old, merge, NULL);
    call(v, other, v->copy, merge, NULL);
    (void)wpg_inst_add(m, NULL, SpvOpLabel, merge);
    (void)wpg_inst_insert(m, NULL, SpvOpReturn, NULL, 0);
    (void)wpg_inst_insert(m, NULL, SpvOpFunctionEnd, NULL, 0);
    for (wpg_inst *inst = m->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if (inst->opcode == SpvOpEntryPoint && inst->words[2] == old)
            inst->words[2] = entry;
        else if ((inst->opcode == SpvOpExecutionMode || inst->opcode == SpvOpExecutionModeId) &&
                 inst->words[1] == old)
            inst->words[1] = entry;
    }
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
static bool all_surely_loaded(const versions *v, const wpg_load_folded *folded)
{
    const wpg_view *view = folded->view;
    for (uint32_t f = 0; f < WPG_MOST_WORD_SITES; f++) {
        bool sure = !(v->decided >> f & 1);
        for (size_t i = 0; i < v->loads.count && !sure; i++) {
            const wpg_inst *inst = v->loads.data[i].inst;
            uint32_t block = inst->result < view->bound ? view->block_of[inst->result] : WPG_NO_BLOCK;
            for (uint32_t o = 0; block != WPG_NO_BLOCK && o < WPG_MOST_WORD_SITES && !sure; o++)
                sure = (v->loads.data[i].words >> o & 1) &&
                       v->profile->words.data[o].place.variable == v->profile->words.data[f].place.variable &&
                       surely_runs(view->cfg, block);
        }
        if (!sure)
            return false;
    }
    return true;
}

static const char *refusal(const versions *v, const wpg_load_folded *folded)
{
    uint32_t words = (uint32_t)__builtin_popcountll(v->decided);
    if (!words)
        return v->weights.why ? v->weights.why : "no branch, loop bound, index or divisor would be decided";
    if (words > MOST_WORDS)
        return "more words decide something than one test compares";
    if (folded->view->instruction_count > MOST_INSTRUCTIONS)
        return "its body is too long to be there twice";
    if (v->context->options->max_growth < 100)
        return "GROWTH allows no copy of it";
    if (v->context->options->partial_descriptors && !all_surely_loaded(v, folded))
        return "descriptors may be invalid, and it reads them under a condition";
    return v->saved < (double)LEAST_GAIN ? "next to nothing would be saved" : NULL;
}

static wpg_status prepare(bool *go, const wpg_load_fold *job, const wpg_load_folded *folded)
{
    versions *v = job->of;
    if (!wpg_weight_plan_make(&v->weights, v->context, folded, v->loads.data, v->loads.count, v->arena))
        return wpg_fail(v->context->err, WPG_E_NOMEM, "out of memory");
    v->decided = folded->words | v->weights.words;
    v->saved = gain_of(v, folded);
    const char *why = refusal(v, folded);
    *go = !why;
    if (why) {
        wpg_remark_add(v->context, WPG_REMARK_REFUSED, PASS, 0, 0, "%u words of uniform blocks: refused: %s",
                       (unsigned)__builtin_popcountll(v->decided), why);
        return WPG_OK;
    }
    v->copy = copy_body(v, v->arena);
    return v->copy ? WPG_OK : wpg_fail(v->context->err, WPG_E_NOMEM, "out of memory");
}

static wpg_status make_version(bool *changed, versions *v)
{
    const wpg_load_fold job = {.context = v->context,
                               .pass = PASS,
                               .what = "words of uniform blocks",
                               .function = v->function->result,
                               .loads = v->loads.data,
                               .load_count = v->loads.count,
                               .always = true,
                               .prepare = prepare,
                               .of = v};
    wpg_load_folded folded;
    WPG_TRY(wpg_load_fold_run(&folded, &job));
    if (!folded.done)
        return WPG_OK;
    if (!wpg_weight_plan_apply(&v->weights, v->module, v->function, v->arena))
        return wpg_fail(v->context->err, WPG_E_NOMEM, "out of memory");
    make_entry(v);
    *changed = true;
    wpg_remark_add(v->context, WPG_REMARK_DONE, PASS, 0, 0,
                   "a version of the stage for %u words of uniform blocks: %u loads are constants, %u blocks "
                   "fall away, %u operations had a weight of 0, %.0f %% of its work is saved",
                   (unsigned)__builtin_popcountll(v->decided), (unsigned)folded.loads,
                   (unsigned)folded.dead_blocks, (unsigned)v->weights.actions.count, v->saved);
    return WPG_OK;
}

wpg_status wpg_pass_versions(bool *changed, wpg_context *context)
{
    wpg_arena arena;
    versions v = {.context = context, .module = context->module, .profile = entry_profile(context)};
    if (!v.profile || wpg_has_decoration_groups(context->module))
        return WPG_OK;
    wpg_arena_init(&arena);
    v.arena = &arena;
    v.function = wpg_module_def(context->module, v.profile->function);
    wpg_status status = WPG_OK;
    if (!collect(&v) || context->module->arena.failed)
        status = wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    else if (v.loads.count)
        status = make_version(changed, &v);
    wpg_weight_plan_finish(&v.weights);
    wpg_vec_free(&v.loads);
    wpg_arena_finish(&arena);
    return status;
}
