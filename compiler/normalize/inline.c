/* Pass: replaces the calls of the entry function by the bodies of the functions, one level: calls in a body
 * that was copied are left to the next run of the pass. Between runs wpg_fold_branches takes away what the
 * arguments decide, so that a large function costs in each place what it does there. Functions that keep a
 * call are treated as the entry function is.
 *
 * A call stays, and its callee keeps a profile record of its own, where
 *     - the callee is marked DontInline or has an opcode that the grammar does not know,
 *     - the callee returns from inside a loop or switch in a way that inline_returns.c leaves,
 *     - the callee ends the invocation or has an unreachable end, and is called from a continue construct
 *       (which must reach its back edge),
 *     - a loop header leaves no legal place for blocks,
 *     - the caller or the module would become too large.
 *
 * Sizes count only what can change code, so lines and names never change the normal form. SPIR-V has no
 * recursion (2.16.1): a recursive call is WPG_E_FORMAT. Functions that lose all their calls are removed.
 *
 * Needs: a parsed module, best after wpg_fold_branches (less to copy, fewer early returns). Keeps: ids of the
 * caller. Source: SPIR-V 1.6, 2.11, 2.16. */
#include "compiler/normalize/inline_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/debug.h"
#include "compiler/spirv/grammar.h"

/* -- What a function is -------------------------------------------------------------------------------- */

/* A return's place among constructs: 0 in none, 1 in ifs only, 2 in a loop or switch. */
static int nesting(const wpg_flow *flow, const wpg_flow_block *block)
{
    int depth = 0;
    for (uint32_t c = block->construct; c != WPG_NONE; c = flow->blocks[c].construct) {
        const wpg_flow_block *header = &flow->blocks[c];
        if (header->merge->opcode == SpvOpLoopMerge || header->terminator->opcode == SpvOpSwitch)
            return 2;
        depth = 1;
    }
    return depth;
}

static wpg_return_shape shape_of(const wpg_flow *flow)
{
    uint32_t returns = 0;
    int worst = 0;
    for (uint32_t i = 0; i < flow->order_count; i++) {
        const wpg_flow_block *block = &flow->blocks[flow->order[i]];
        if (!block->reachable ||
            (block->terminator->opcode != SpvOpReturn && block->terminator->opcode != SpvOpReturnValue))
            continue;
        int place = nesting(flow, block);
        worst = place > worst ? place : worst;
        returns++;
    }
    if (!returns)
        return WPG_RETURNS_NEVER;
    if (worst == 2)
        return WPG_RETURNS_NESTED;
    return returns == 1 && worst == 0 ? WPG_RETURNS_ONCE : WPG_RETURNS_EARLY;
}

static wpg_inline_function *function_of(const wpg_inliner *in, uint32_t id)
{
    uint32_t index = id < in->id_count ? in->ids[id].function : 0;
    return index ? &in->functions.data[index - 1] : NULL;
}

static void name_function(wpg_inliner *in, wpg_inline_function *f, uint32_t id)
{
    if (function_of(in, id) && !wpg_vec_push(&f->callees, id))
        in->out_of_memory = true;
}

/* Core instructions name functions in calls only; those of extensions are looked through. */
static void name_functions(wpg_inliner *in, wpg_inline_function *f, const wpg_inst *inst)
{
    wpg_operand_walk walk = wpg_operands(in->module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand))
        if (operand.kind == WPG_OPERAND_ID)
            name_function(in, f, inst->words[operand.at]);
}

static void begin_reading(wpg_inline_function *f)
{
    f->is_read = true;
    f->is_partly_read = false;
    f->has_unknown = f->has_kill = f->has_unreachable = f->has_lines = false;
    f->size = f->params = f->call_count = 0;
    wpg_vec_clear(&f->callees);
}

static void read_inst(wpg_inliner *in, wpg_inline_function *f, const wpg_inst *inst)
{
    f->size++;
    switch (inst->opcode) {
    case SpvOpLine:
    case SpvOpNoLine:
        f->has_lines = true;
        f->size--;
        break;
    case SpvOpNop:
    case SpvOpExtInst:
        f->size -= wpg_is_remark(in->module, inst);
        break;
    case SpvOpFunctionParameter:
        f->params++;
        break;
    case SpvOpLabel:
        in->label = inst->result;
        in->ids[in->label].calls = false;
        break;
    case SpvOpFunctionCall:
        f->call_count++;
        in->ids[in->label].calls = true;
        name_function(in, f, inst->words[3]);
        break;
    case SpvOpKill:
    case SpvOpTerminateInvocation:
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpTerminateRayKHR:
        f->has_kill = true;
        break;
    case SpvOpUnreachable:
        f->has_unreachable = true;
        break;
    default:
        break;
    }
    if (in->module->has_unknown)
        f->has_unknown |= !wpg_opcode_lookup(inst->opcode);
    if (inst->opcode >= SpvOpTerminateInvocation)
        name_functions(in, f, inst);
}

/* Most instructions: of a range of numbers that read_inst only counts, and that no flow notes. */
static bool is_only_counted(const wpg_inliner *in, const wpg_inst *inst)
{
    return inst->opcode > SpvOpFunctionCall && inst->opcode < SpvOpPhi && !in->module->has_unknown;
}

static void read_function(wpg_inliner *in, wpg_inline_function *f)
{
    if (f->is_read)
        return;
    begin_reading(f);
    for (const wpg_inst *inst = f->inst; inst->opcode != SpvOpFunctionEnd; inst = inst->next)
        if (is_only_counted(in, inst))
            f->size++;
        else
            read_inst(in, f, inst);
}

static void forget_flow(wpg_inline_function *f)
{
    free(f->blocks);
    free(f->order);
    f->blocks = NULL;
    f->order = NULL;
    f->block_count = f->order_count = 0;
    f->has_blocks = f->has_flow = false;
    wpg_vec_clear(&f->pointers);
}

static void forget(wpg_inline_function *f)
{
    f->is_folded = f->is_read = f->is_partly_read = false;
    forget_flow(f);
}

static bool keep_blocks(wpg_inline_function *f, const wpg_flow *flow)
{
    f->blocks = malloc((flow->count + 1) * sizeof *f->blocks);
    f->order = malloc((flow->order_count + 1) * sizeof *f->order);
    if (!f->blocks || !f->order)
        return false;
    f->block_count = flow->count;
    f->order_count = flow->order_count;
    if (flow->count) {
        memcpy(f->blocks, flow->blocks, flow->count * sizeof *f->blocks);
        memcpy(f->order, flow->order, flow->order_count * sizeof *f->order);
    }
    return true;
}

static wpg_status keep_flow(wpg_inline_function *f, const wpg_flow *flow, wpg_error *err)
{
    forget_flow(f);
    if (!keep_blocks(f, flow))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for %u blocks", flow->count);
    f->has_flow = true;
    f->shape = shape_of(flow);
    return WPG_OK;
}

wpg_fold_job wpg_inline_fold_job(const wpg_inline_function *f)
{
    wpg_fold_job job = {.function = f->inst};
    if (f->has_blocks) {
        job.end = f->end;
        job.blocks = f->blocks;
        job.block_count = f->block_count;
        job.pointers = f->pointers.data;
        job.pointer_count = f->pointers.count;
    }
    return job;
}

wpg_status wpg_inline_folded(wpg_inliner *in, wpg_inline_function *f, const wpg_fold_job *job, wpg_error *err)
{
    f->is_folded = !job->changed;
    if (job->changed) {
        f->is_partly_read = f->is_read && !in->module->has_unknown;
        f->is_read = false;
        f->size -= job->removed;
    }
    return keep_flow(f, job->flow, err);
}

/* Reads `f` as a callee. */
static wpg_status summarise(wpg_inliner *in, wpg_inline_function *f, wpg_error *err)
{
    read_function(in, f);
    if (f->has_flow)
        return WPG_OK;
    WPG_TRY(wpg_flow_read(&in->callee, f->inst, err));
    return keep_flow(f, &in->callee, err);
}

/* -- Decisions ----------------------------------------------------------------------------------------- */

/* May a loop header be split before its terminator? The second part must then be a plain branch or one with
 * an exit: a choice between two ways into the body would need a merge block that the header never had. */
static bool header_splits(const wpg_call_site *site)
{
    const wpg_inst *term = site->terminator;
    if (!site->loop_merge || term->opcode == SpvOpBranch || site->is_own_continue)
        return true;
    if (term->opcode != SpvOpBranchConditional)
        return false;
    uint32_t merge = site->loop_merge->words[1], target = site->loop_merge->words[2];
    return term->words[2] == merge || term->words[3] == merge || term->words[2] == target ||
           term->words[3] == target;
}

/* Why the call cannot be inlined; NULL if it can. */
static const char *refusal(const wpg_inliner *in, const wpg_call_site *site,
                           const wpg_inline_function *caller, const wpg_inline_function *callee,
                           bool in_continue)
{
    if (callee->inst->words[3] & SpvFunctionControlDontInlineMask)
        return "the function is marked DontInline";
    if (!callee->block_count)
        return "the function has no body";
    if (caller->has_unknown || callee->has_unknown)
        return "the function has unknown instructions";
    if (callee->has_kill && in_continue)
        return "a continue construct calls a function that ends the invocation";
    if (callee->has_unreachable && in_continue)
        return "a continue construct calls a function with an unreachable end";
    if (callee->params + 4u != site->call->count)
        return "the arguments do not fit the parameters";
    if (callee->order_count > 1 && !header_splits(site))
        return "a loop header calls it and branches two ways";
    uint32_t grows = callee->shape == WPG_RETURNS_NESTED ? 4 : 1; /* by flags and kept values */
    if (caller->size + callee->size * grows > WPG_INLINE_MAX_SIZE)
        return "the caller would become too large";
    if (in->info->instructions_inlined + callee->size * grows > WPG_INLINE_MAX_TOTAL)
        return "the module would become too large";
    return NULL;
}

/* -- One caller ---------------------------------------------------------------------------------------- */

static wpg_status expand_call(wpg_inliner *in, uint32_t caller, wpg_call_site *site, bool in_continue,
                              wpg_error *err)
{
    wpg_inline_function *callee = function_of(in, site->call->words[3]), *f = &in->functions.data[caller];
    if (!callee)
        return wpg_fail(err, WPG_E_FORMAT, "call of %%%u, which is no function", site->call->words[3]);
    WPG_TRY(summarise(in, callee, err));
    const char *why = refusal(in, site, f, callee, in_continue);
    if (!why && callee->shape == WPG_RETURNS_NESTED) {
        WPG_TRY(wpg_flow_read(&in->callee, callee->inst, err));
        if (wpg_inline_unnest(in, &in->callee, callee)) {
            forget(callee);
            WPG_TRY(summarise(in, callee, err));
        } else {
            why = "the function returns from inside a loop or switch";
        }
    }
    if (why) {
        if (!in->info->kept_because[0])
            (void)snprintf(in->info->kept_because, sizeof in->info->kept_because, "%s", why);
        if (!callee->is_root && !wpg_vec_push(&in->roots, (uint32_t)(callee - in->functions.data)))
            in->out_of_memory = true;
        callee->is_root = true;
        return WPG_OK;
    }
    wpg_inline_splice(in, site, callee);
    f->size += callee->size;
    in->info->instructions_inlined += callee->size;
    in->info->calls_inlined++;
    return WPG_OK;
}

static wpg_status expand_block(wpg_inliner *in, uint32_t caller, const wpg_flow_block *block, wpg_error *err)
{
    wpg_inst *loop = block->merge && block->merge->opcode == SpvOpLoopMerge ? block->merge : NULL;
    wpg_call_site site = {.label = block->label->result, .loop_merge = loop, .terminator = block->terminator};
    site.is_own_continue = loop && loop->words[2] == site.label;
    bool in_continue = block->in_continue || site.is_own_continue;
    wpg_vec_clear(&in->sampled);
    for (wpg_inst *inst = block->label->next, *next; inst != block->terminator; inst = next) {
        next = inst->next;
        if (inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine)
            site.line = inst;
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): a vector of pointers */
        if (inst->opcode == SpvOpSampledImage && !wpg_vec_push(&in->sampled, inst))
            in->out_of_memory = true;
        if (inst->opcode != SpvOpFunctionCall || in->out_of_memory)
            continue;
        site.call = inst;
        WPG_TRY(expand_call(in, caller, &site, in_continue, err));
    }
    if (site.label != block->label->result)
        wpg_inline_rename_parent(in, block->terminator, block->label->result, site.label);
    return WPG_OK;
}

static void rename_operands(const wpg_inliner *in, wpg_inst *inst)
{
    if (!wpg_inline_has_any(in, inst, WPG_INLINE_RENAMED))
        return;
    wpg_operand_walk walk = wpg_operands(in->module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand))
        if (wpg_operand_is_id(&operand) && operand.kind <= WPG_OPERAND_SEMANTICS &&
            operand.kind != WPG_OPERAND_RESULT)
            inst->words[operand.at] = wpg_inline_renamed(in, inst->words[operand.at]);
}

static void note_pointer(wpg_inliner *in, wpg_inline_function *f, wpg_inst *inst)
{
    if ((inst->opcode == SpvOpVariable || inst->opcode == SpvOpAccessChain ||
         inst->opcode == SpvOpInBoundsAccessChain) &&
        !wpg_vec_push(&f->pointers, inst)) /* NOLINT(bugprone-sizeof-expression): a vector of pointers */
        in->out_of_memory = true;
}

/* Afterwards it is another function: what is to be known of it, in one walk. */
static wpg_status finish_caller(wpg_inliner *in, wpg_inline_function *f, wpg_error *err)
{
    forget(f);
    begin_reading(f);
    wpg_flow_begin(&in->caller, f->inst);
    wpg_inst *inst = f->inst;
    for (; inst->opcode != SpvOpFunctionEnd; inst = inst->next) {
        if (in->renamed.count)
            rename_operands(in, inst);
        note_pointer(in, f, inst);
        if (is_only_counted(in, inst)) {
            f->size++;
            continue;
        }
        read_inst(in, f, inst);
        WPG_TRY(wpg_flow_note(&in->caller, inst, err));
    }
    if (in->caller.two_merges)
        return WPG_OK;
    f->end = inst;
    f->has_blocks = keep_blocks(f, &in->caller);
    return f->has_blocks ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory for blocks");
}

static wpg_status expand(wpg_inliner *in, uint32_t index, wpg_error *err)
{
    wpg_inline_function *f = &in->functions.data[index];
    if (!f->is_partly_read)
        read_function(in, f);
    if (!f->call_count)
        return WPG_OK;
    if (!f->has_flow) {
        WPG_TRY(wpg_flow_read(&in->caller, f->inst, err));
        WPG_TRY(keep_flow(f, &in->caller, err));
    }
    if (!f->block_count)
        return WPG_OK;
    in->last_variable = f->blocks[0].label;
    for (wpg_inst *inst = in->last_variable->next; inst != f->blocks[0].terminator; inst = inst->next)
        if (inst->opcode == SpvOpVariable)
            in->last_variable = inst;
    for (uint32_t i = 0; i < f->block_count; i++)
        if (f->blocks[i].reachable && in->ids[f->blocks[i].label->result].calls)
            WPG_TRY(expand_block(in, index, &f->blocks[i], err));
    return finish_caller(in, f, err);
}

/* -- Call graph ---------------------------------------------------------------------------------------- */

typedef struct visit {
    uint32_t function;
    const wpg_inst *at;
} visit;

/* Refuses recursion, without recursion of our own. */
static wpg_status check_calls(wpg_inliner *in, uint32_t root, wpg_error *err)
{
    WPG_VEC(visit) stack = {0};
    wpg_status status = WPG_OK;
    in->functions.data[root].visit = WPG_VISIT_OPEN;
    if (!wpg_vec_push(&stack, (visit){.function = root, .at = in->functions.data[root].inst}))
        in->out_of_memory = true;
    while (stack.count && !status && !in->out_of_memory) {
        visit *top = &stack.data[stack.count - 1];
        while (top->at->opcode != SpvOpFunctionCall && top->at->opcode != SpvOpFunctionEnd)
            top->at = top->at->next;
        if (top->at->opcode == SpvOpFunctionEnd) {
            in->functions.data[top->function].visit = WPG_VISIT_DONE;
            stack.count--;
            continue;
        }
        wpg_inline_function *callee = function_of(in, top->at->words[3]);
        top->at = top->at->next;
        if (!callee || callee->visit == WPG_VISIT_DONE)
            continue;
        if (callee->visit == WPG_VISIT_OPEN)
            status = wpg_fail(err, WPG_E_FORMAT, "function %%%u calls itself", callee->inst->result);
        callee->visit = WPG_VISIT_OPEN;
        if (!wpg_vec_push(&stack,
                          (visit){.function = (uint32_t)(callee - in->functions.data), .at = callee->inst}))
            in->out_of_memory = true;
    }
    wpg_vec_free(&stack);
    return status;
}

/* The function and, as they are found, those that keep a call. */
static wpg_status expand_from(wpg_inliner *in, uint32_t root, wpg_error *err)
{
    if (!in->functions.data[root].is_root && !wpg_vec_push(&in->roots, root))
        in->out_of_memory = true;
    in->functions.data[root].is_root = true;
    while (in->next_root < in->roots.count && !in->out_of_memory)
        WPG_TRY(expand(in, in->roots.data[in->next_root++], err));
    return WPG_OK;
}

static wpg_status collect_functions(wpg_inliner *in, wpg_error *err)
{
    if (!wpg_inline_reserve(in))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for %u ids", in->module->bound);
    for (wpg_inst *f = wpg_first_function(in->module); f; f = wpg_next_function(f->next)) {
        if (!wpg_vec_push(&in->functions, (wpg_inline_function){.inst = f}))
            return wpg_fail(err, WPG_E_NOMEM, "out of memory for functions");
        in->ids[f->result].function = (uint32_t)in->functions.count;
    }
    return WPG_OK;
}

/* Those of ids that go stay in the lists: nobody copies these ids any more. */
static wpg_status collect_notes(wpg_inliner *in, wpg_error *err)
{
    for (wpg_inst *inst = in->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        bool group = inst->opcode == SpvOpGroupDecorate;
        if (inst->opcode != SpvOpName && inst->opcode != SpvOpDecorate && inst->opcode != SpvOpDecorateId &&
            inst->opcode != SpvOpDecorateString && !group)
            continue;
        for (uint32_t i = group ? 2 : 1; i < (group ? inst->count : 2u); i++) {
            if (inst->words[i] >= in->id_count)
                continue;
            uint32_t *head = &in->ids[inst->words[i]].note;
            if (!wpg_vec_push(&in->notes, (wpg_inline_note){.inst = inst, .next = *head}))
                return wpg_fail(err, WPG_E_NOMEM, "out of memory for annotations");
            *head = (uint32_t)in->notes.count;
        }
    }
    return WPG_OK;
}

static wpg_status collect_entries(wpg_inliner *in, wpg_error *err)
{
    for (const wpg_inst *inst = in->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        const uint32_t id = inst->opcode == SpvOpEntryPoint ? inst->words[2] : 0;
        if (function_of(in, id) && !wpg_vec_push(&in->entries, in->ids[id].function - 1))
            return wpg_fail(err, WPG_E_NOMEM, "out of memory for entry points");
    }
    return WPG_OK;
}

static wpg_status prepare(wpg_inliner *in, wpg_error *err)
{
    WPG_TRY(collect_notes(in, err));
    WPG_TRY(collect_entries(in, err));
    WPG_TRY(wpg_flow_init(&in->caller, in->module, err));
    return wpg_flow_init(&in->callee, in->module, err);
}

static wpg_status run(wpg_inliner *in, wpg_error *err)
{
    if (!wpg_inline_reserve(in))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for %u ids", in->module->bound);
    for (size_t i = 0; i < in->entries.count; i++) {
        const uint32_t function = in->entries.data[i];
        if (!in->functions.data[function].visit)
            WPG_TRY(check_calls(in, function, err));
        WPG_TRY(expand_from(in, function, err));
    }
    if (in->out_of_memory)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for inlining");
    return WPG_OK;
}

/* -- What is left -------------------------------------------------------------------------------------- */

static void reach(wpg_inliner *in, wpg_inline_function *f)
{
    if (!f || !f->inst || f->is_reached)
        return;
    f->is_reached = true;
    if (!wpg_vec_push(&in->roots, (uint32_t)(f - in->functions.data)))
        in->out_of_memory = true;
}

/* The roots' list is free by now. */
static void reach_functions(wpg_inliner *in)
{
    wpg_inline_function *f;
    WPG_VEC_EACH (f, &in->functions)
        f->is_reached = f->is_root = false;
    wpg_vec_clear(&in->roots);
    in->next_root = 0;
    for (size_t i = 0; i < in->entries.count; i++)
        reach(in, &in->functions.data[in->entries.data[i]]);
    while (in->roots.count && !in->out_of_memory) {
        f = &in->functions.data[wpg_vec_pop(&in->roots)];
        read_function(in, f);
        for (size_t i = 0; i < f->callees.count; i++)
            reach(in, function_of(in, f->callees.data[i]));
    }
    wpg_vec_clear(&in->roots);
}

static void drop_function(wpg_inline_function *f)
{
    wpg_vec_free(&f->callees);
    forget_flow(f);
    wpg_vec_free(&f->pointers);
    f->inst = NULL;
}

/* Functions without callers go. None goes from a module with unknown opcodes: their operands may name any. */
static void remove_dead(wpg_inliner *in, wpg_marks *gone)
{
    wpg_inline_function *f;
    reach_functions(in);
    if (in->out_of_memory || in->module->has_unknown)
        return;
    WPG_VEC_EACH (f, &in->functions)
        if (f->inst && !f->is_reached) {
            wpg_remove_range(in->module, f->inst, wpg_function_end(f->inst)->next, gone);
            drop_function(f);
        }
}

/* Functions without callers, results of inlined calls, and what was said about them. */
static wpg_status clean(wpg_inliner *in, wpg_error *err)
{
    wpg_marks gone;
    WPG_TRY(wpg_marks_init(&gone, in->module, err));
    uint32_t *id;
    WPG_VEC_EACH (id, &in->renamed) {
        wpg_marks_add(&gone, *id);
        in->ids[*id].rename = 0;
        in->has[*id] &= (uint8_t)~WPG_INLINE_RENAMED;
    }
    wpg_vec_clear(&in->renamed);
    remove_dead(in, &gone);
    wpg_status status = wpg_remove_annotations(in->module, &gone, err);
    wpg_marks_finish(&gone);
    wpg_inline_function *f;
    WPG_VEC_EACH (f, &in->functions)
        if (f->inst) {
            read_function(in, f);
            in->info->calls_kept += f->call_count;
        }
    return !status && in->out_of_memory ? wpg_fail(err, WPG_E_NOMEM, "out of memory for functions") : status;
}

wpg_status wpg_inline_begin(wpg_inliner *in, wpg_module *module, struct wpg_context_recorder *recorder,
                            wpg_normal_info *info, wpg_error *err)
{
    *in = (wpg_inliner){.module = module, .info = info, .recorder = recorder};
    return collect_functions(in, err);
}

wpg_status wpg_inline_calls(wpg_inliner *in, wpg_error *err)
{
    size_t count = 0;
    const wpg_inline_function *f;
    in->info->calls_kept = 0;
    in->info->kept_because[0] = 0;
    WPG_VEC_EACH (f, &in->functions)
        count += f->inst != NULL;
    if (count < 2) /* no calls */
        return WPG_OK;
    if (!in->caller.module)
        WPG_TRY(prepare(in, err));
    WPG_TRY(run(in, err));
    return clean(in, err);
}

void wpg_inline_end(wpg_inliner *in)
{
    wpg_inline_function *f;
    WPG_VEC_EACH (f, &in->functions)
        drop_function(f);
    wpg_flow_finish(&in->caller);
    wpg_flow_finish(&in->callee);
    wpg_vec_free(&in->functions);
    wpg_vec_free(&in->entries);
    wpg_vec_free(&in->notes);
    wpg_vec_free(&in->roots);
    wpg_vec_free(&in->renamed);
    wpg_vec_free(&in->words);
    wpg_vec_free(&in->operands);
    wpg_vec_free(&in->values);
    wpg_vec_free(&in->sampled);
    wpg_arena_finish(&in->arena);
}
