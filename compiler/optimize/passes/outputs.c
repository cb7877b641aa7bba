/* Outputs ('o'): what a stage writes for nobody is written to memory of the shader's own instead. Whatever
 * was computed for it alone is dead code then, which every driver removes.
 *
 *     layout(location = 1) out vec4 light;              private vec4 twin;   light stays declared, unwritten
 *     light = shade(normal);                    -->     twin = shade(normal);
 *     gl_Position = matrix * place;                     gl_Position = matrix * place;
 *
 * Why it is right: the caller says which locations and components are read by the next stage, or reach an
 * attachment (wpg_optimize_options.outputs). The output stays in the interface, so that inputs still find
 * it (Vulkan 1.3, 15.1.3). The shader's own loads of it see the twin. Built-ins are never touched.
 *
 * Bits of all else are kept, though drivers may fuse and re-associate by use. An output stays where
 *
 * - a float operation that feeds it also feeds something else: that would lose a user;
 * - a construct that it is computed in also computes floats for something else: with less in it, a driver
 *   may flatten a branch or unroll a loop, and floats meet that did not meet before;
 * - floats that decide a branch around its computation feed something else.
 *
 * Left alone altogether: transform feedback, blocks, initializers, decoration groups, pointers that go
 * anywhere but into loads, stores and access chains, several functions, instructions that are not known.
 *
 * Needs: the normal form. No profile. Keeps: blocks, result ids. */
#include <string.h>

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/facts/interface.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

static const char PASS[] = "outputs";

typedef struct candidate {
    wpg_inst *variable;
    uint32_t location;
    const char *why; /* it stays; NULL: it goes */
} candidate;

typedef struct trimmer {
    wpg_context *context;
    wpg_module *module;
    wpg_cfg *cfg;
    WPG_VEC(candidate) candidates;
    WPG_VEC(uint32_t) conditions;
    wpg_id_set others; /* what feeds all but the outputs that go */
    wpg_operand_list operands;
    bool *touched; /* [constructs] */
    bool out_of_memory;
} trimmer;

/* -- Which outputs may go */

static bool is_bare(const wpg_module *module, const wpg_inst *variable)
{
    static const SpvDecoration kept[] = {SpvDecorationPatch,     SpvDecorationInvariant,
                                         SpvDecorationXfbBuffer, SpvDecorationXfbStride,
                                         SpvDecorationOffset,    SpvDecorationStream};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (wpg_variable_has(module, variable, kept[i]))
            return false;
    const wpg_inst *pointer = wpg_module_def(module, variable->type);
    return variable->count == 4 && pointer && pointer->opcode == SpvOpTypePointer &&
           wpg_module_opcode_of(module, pointer->words[3]) != SpvOpTypeStruct &&
           wpg_find_decoration(module, variable->result, SpvDecorationLocation);
}

static uint32_t location_of(const wpg_module *module, const wpg_inst *variable)
{
    const wpg_inst *found = wpg_find_decoration(module, variable->result, SpvDecorationLocation);
    return found && found->count > 3 ? found->words[3] : 0;
}

static void find_candidates(trimmer *t)
{
    for (wpg_inst *inst = t->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpVariable && inst->words[3] == SpvStorageClassOutput &&
            is_bare(t->module, inst) && !wpg_output_is_read(&t->context->options->outputs, t->module, inst) &&
            !wpg_vec_push(&t->candidates, ((candidate){inst, location_of(t->module, inst), NULL})))
            t->out_of_memory = true;
}

static candidate *candidate_of(const trimmer *t, uint32_t pointer)
{
    if (wpg_pointer_class(t->module, pointer) != SpvStorageClassOutput)
        return NULL;
    const wpg_inst *root = wpg_pointer_root(t->module, pointer);
    for (size_t i = 0; root && i < t->candidates.count; i++)
        if (t->candidates.data[i].variable == root)
            return &t->candidates.data[i];
    return NULL;
}

/* Outputs whose pointers go elsewhere stay; outputs that are never stored to are none of ours. */
static void look_at_uses(trimmer *t)
{
    WPG_VEC(const wpg_inst *) stored = {0};
    for (wpg_inst *inst = t->cfg->function; inst; inst = inst->next) {
        if (wpg_inst_is_non_semantic(t->module, inst))
            continue;
        if (!wpg_used_ids(&t->operands, t->module, inst))
            t->out_of_memory = true;
        for (size_t i = 0; i < t->operands.count; i++) {
            candidate *of = candidate_of(t, inst->words[t->operands.data[i]]);
            if (of && !wpg_is_access(inst, t->operands.data[i]))
                of->why = "a pointer to it is passed on";
            else if (of && inst->opcode == SpvOpStore && !wpg_vec_push(&stored, of->variable))
                t->out_of_memory = true;
        }
    }
    size_t left = 0;
    for (size_t i = 0; i < t->candidates.count; i++) {
        bool any = false;
        for (size_t k = 0; k < stored.count; k++)
            any |= stored.data[k] == t->candidates.data[i].variable;
        if (any)
            t->candidates.data[left++] = t->candidates.data[i];
    }
    t->candidates.count = left;
    wpg_vec_free(&stored);
}

/* Why nothing of the stage is touched; NULL: it may be. */
static const char *unfit(const trimmer *t)
{
    const wpg_inst *function = wpg_first_function(t->module);
    if (wpg_next_function(function->next))
        return "calls are left in the stage";
    for (const wpg_inst *inst = function; inst; inst = inst->next) {
        const unsigned traits = wpg_inst_traits(t->module, inst);
        if ((traits & WPG_TRAIT_UNKNOWN) || inst->opcode == SpvOpCopyMemory ||
            inst->opcode == SpvOpCopyMemorySized ||
            (inst->opcode == SpvOpExtInst && (traits & WPG_TRAIT_WRITES)))
            return "an instruction of the stage is not followed";
        if (t->context->options->keep_size &&
            (inst->opcode == SpvOpBranchConditional || inst->opcode == SpvOpSwitch))
            return "the driver compiles large stages with branches otherwise";
    }
    return NULL;
}

/* -- Last bits */

/* The innermost construct in which the block's code stands: the header of a selection stands outside. */
static uint32_t construct_of(const wpg_cfg *cfg, uint32_t block)
{
    const uint32_t heads = cfg->blocks[block].heads;
    if (heads != WPG_NO_BLOCK && cfg->constructs[heads].kind != WPG_CONSTRUCT_LOOP &&
        cfg->blocks[block].construct == heads)
        return cfg->constructs[heads].parent;
    return cfg->blocks[block].construct;
}

static bool is_own_store(const trimmer *t, const wpg_inst *inst, const candidate *of)
{
    return inst->opcode == SpvOpStore && candidate_of(t, inst->words[1]) == of;
}

typedef void (*visitor)(trimmer *t, uint32_t block, wpg_inst *inst, void *with);

static void each_instruction(trimmer *t, visitor visit, void *with)
{
    for (uint32_t b = 0; b < t->cfg->count; b++)
        for (wpg_inst *inst = t->cfg->blocks[b].label->next; inst; inst = inst->next) {
            visit(t, b, inst, with);
            if (inst == t->cfg->blocks[b].terminator)
                break;
        }
}

typedef struct inquiry {
    candidate *of;
    wpg_id_set slice; /* what feeds it */
    uint32_t cost;    /* of what feeds nothing else */
    const char *why;
} inquiry;

/* What drivers do for nothing where it leads nowhere: inputs that are loaded, parts of vectors. */
static bool is_free(const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpLoad:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpVectorShuffle:
        return true;
    default:
        return false;
    }
}

/* Marks the constructs that something falls away in. */
static void mark_touched(trimmer *t, uint32_t block, wpg_inst *inst, void *with)
{
    inquiry *asked = with;
    const bool falls = inst->result && wpg_id_set_has(&asked->slice, inst->result) &&
                       !wpg_id_set_has(&t->others, inst->result);
    if (!falls && !is_own_store(t, inst, asked->of))
        return;
    asked->cost += falls && !is_free(inst) ? wpg_inst_cost(t->module, inst) : 0;
    for (uint32_t c = construct_of(t->cfg, block); c != WPG_NO_BLOCK; c = t->cfg->constructs[c].parent)
        t->touched[c] = true;
}

static bool in_touched(const trimmer *t, uint32_t construct)
{
    for (; construct != WPG_NO_BLOCK; construct = t->cfg->constructs[construct].parent)
        if (t->touched[construct])
            return true;
    return false;
}

/* Conditions of branches that drivers may drop, or take otherwise, with what falls away. */
static void find_conditions(trimmer *t, uint32_t block, wpg_inst *inst, void *with)
{
    (void)with;
    if ((inst->opcode == SpvOpBranchConditional || inst->opcode == SpvOpSwitch) &&
        in_touched(t, t->cfg->blocks[block].construct) && !wpg_vec_push(&t->conditions, inst->words[1]))
        t->out_of_memory = true;
}

static void find_shared(trimmer *t, uint32_t block, wpg_inst *inst, void *with)
{
    inquiry *asked = with;
    if (!inst->result || !wpg_id_set_has(&t->others, inst->result) || !wpg_is_fused_by_use(t->module, inst))
        return;
    if (wpg_id_set_has(&asked->slice, inst->result))
        asked->why = "floats that it is made of are used elsewhere";
    else if (in_touched(t, construct_of(t->cfg, block)))
        asked->why = "floats are computed beside it in a branch or loop";
}

/* Decides one output by what the others need. */
static wpg_status judge(trimmer *t, candidate *of)
{
    inquiry asked = {.of = of};
    wpg_error *err = t->context->err;
    const uint32_t variable = of->variable->result;
    memset(t->touched, 0, t->cfg->construct_count * sizeof *t->touched);
    wpg_vec_clear(&t->conditions);
    WPG_TRY(wpg_store_slice(&asked.slice, t->module, variable, NULL, 0, err));
    each_instruction(t, mark_touched, &asked);
    each_instruction(t, find_conditions, &asked);
    wpg_id_set_free(&asked.slice);
    WPG_TRY(wpg_store_slice(&asked.slice, t->module, variable, t->conditions.data, t->conditions.count, err));
    each_instruction(t, find_shared, &asked);
    wpg_id_set_free(&asked.slice);
    /* A store to nowhere is no work. To a next stage it is. */
    if (!asked.why && !asked.cost && t->context->stage->model == SpvExecutionModelFragment)
        asked.why = "nothing is computed for it alone";
    of->why = asked.why;
    return WPG_OK;
}

static wpg_status find_others(trimmer *t)
{
    wpg_map going = {0};
    bool fits = true;
    for (size_t i = 0; i < t->candidates.count; i++)
        if (!t->candidates.data[i].why)
            fits &= wpg_map_set(&going, t->candidates.data[i].variable->result, 1);
    wpg_id_set_free(&t->others);
    wpg_status status = fits ? wpg_effect_slice(&t->others, t->module, &going, false, t->context->err)
                             : wpg_fail(t->context->err, WPG_E_NOMEM, "out of memory");
    wpg_map_free(&going);
    return status;
}

/* An output that stays needs what it is made of: the others are judged anew. */
static wpg_status judge_all(trimmer *t)
{
    for (bool again = true; again;) {
        again = false;
        WPG_TRY(find_others(t));
        for (size_t i = 0; i < t->candidates.count; i++) {
            if (t->candidates.data[i].why)
                continue;
            WPG_TRY(judge(t, &t->candidates.data[i]));
            again |= t->candidates.data[i].why != NULL;
        }
    }
    return WPG_OK;
}

/* -- Twins */

static void retype(wpg_module *module, wpg_inst *chain)
{
    const wpg_inst *type = wpg_module_def(module, chain->type);
    chain->type = chain->words[1] = wpg_type_pointer(module, SpvStorageClassPrivate, type->words[3]);
}

static void put_twin(trimmer *t, candidate *of)
{
    wpg_module *module = t->module;
    const uint32_t output = of->variable->result;
    const wpg_inst *type = wpg_module_def(module, of->variable->type);
    const uint32_t pointer = wpg_type_pointer(module, SpvStorageClassPrivate, type->words[3]);
    wpg_inst *entry = wpg_find_entry_point(module, t->context->stage->model, t->context->stage->entry);
    WPG_VEC(wpg_inst *) chains = {0};
    for (wpg_inst *inst = t->cfg->function; inst; inst = inst->next) /* by roots: before any changes */
        if ((inst->opcode == SpvOpAccessChain || inst->opcode == SpvOpInBoundsAccessChain) &&
            candidate_of(t, inst->result) == of && !wpg_vec_push(&chains, inst))
            t->out_of_memory = true;
    if (!t->out_of_memory) {
        const uint32_t twin = wpg_global_variable(module, entry, SpvStorageClassPrivate, pointer);
        if (wpg_find_decoration(module, output, SpvDecorationRelaxedPrecision))
            wpg_decorate(module, twin, SpvDecorationRelaxedPrecision, NULL, 0);
        for (size_t i = 0; i < chains.count; i++)
            retype(module, chains.data[i]);
        for (wpg_inst *inst = t->cfg->function; inst; inst = inst->next)
            for (unsigned at = 1; at <= 3 && at < inst->count; at++)
                if (wpg_is_access(inst, at) && inst->words[at] == output)
                    inst->words[at] = twin;
    }
    wpg_vec_free(&chains);
}

static void put_twins(bool *changed, trimmer *t)
{
    for (size_t i = 0; i < t->candidates.count; i++) {
        candidate *of = &t->candidates.data[i];
        if (of->why) {
            wpg_remark_add(t->context, WPG_REMARK_REFUSED, PASS, 0, 0,
                           "the unread output at location %u stays: %s", (unsigned)of->location, of->why);
            continue;
        }
        put_twin(t, of);
        wpg_remark_add(t->context, WPG_REMARK_DONE, PASS, 0, 0, "nobody reads the output at location %u",
                       (unsigned)of->location);
        *changed = true;
    }
}

static wpg_status trim(bool *changed, trimmer *t)
{
    wpg_error why;
    wpg_status status = wpg_cfg_create(&t->cfg, t->module, wpg_first_function(t->module), &why);
    if (status == WPG_E_NOMEM)
        return wpg_fail(t->context->err, status, "out of memory");
    if (status != WPG_OK)
        return WPG_OK; /* not structured */
    const char *stays = unfit(t);
    look_at_uses(t);
    for (size_t i = 0; stays && i < t->candidates.count; i++)
        t->candidates.data[i].why = stays;
    t->touched = calloc(t->cfg->construct_count + 1u, sizeof *t->touched);
    t->out_of_memory |= !t->touched;
    if (!t->out_of_memory && !stays && t->candidates.count)
        WPG_TRY(judge_all(t));
    if (!t->out_of_memory)
        put_twins(changed, t);
    return t->out_of_memory ? wpg_fail(t->context->err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}

wpg_status wpg_pass_outputs(bool *changed, wpg_context *context)
{
    trimmer t = {.context = context, .module = context->module};
    wpg_status status = WPG_OK;
    const SpvExecutionModel model = context->stage->model;
    const bool fits = model == SpvExecutionModelVertex || model == SpvExecutionModelTessellationEvaluation ||
                      model == SpvExecutionModelFragment;
    if (!fits || !context->options->outputs.known || t.module->has_unknown || !wpg_first_function(t.module) ||
        wpg_stage_feeds_back(t.module) || wpg_has_decoration_groups(t.module))
        return WPG_OK;
    find_candidates(&t);
    if (t.out_of_memory)
        status = wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    else if (t.candidates.count)
        status = trim(changed, &t);
    wpg_cfg_destroy(t.cfg);
    wpg_id_set_free(&t.others);
    wpg_vec_free(&t.candidates);
    wpg_vec_free(&t.conditions);
    wpg_vec_free(&t.operands);
    free(t.touched);
    return status;
}
