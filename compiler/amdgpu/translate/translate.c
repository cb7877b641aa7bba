/* The walk: declarations, then the entry function block by block, then its phis.
 *
 *     types -> bindings -> ABI (function, entry block) -> constants, variables -> blocks -> phis -> verify
 *
 * Needs: the normal form (compiler/normalize). A call that could not be inlined there is refused. */
#include "compiler/amdgpu/translate/probes.h"
#include "compiler/amdgpu/translate/translate_internal.h"

#include <string.h>

#include <llvm-c/Analysis.h>

typedef struct wpg_tr_phi {
    struct wpg_tr_phi *next;
    const wpg_inst *inst;
    uint32_t block;
    LLVMValueRef phi;
} wpg_tr_phi;

/* -- The entry point */

static bool constant_words(const wpg_tr *t, const wpg_inst *inst, unsigned at, uint32_t out[3])
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t bits;
        uint32_t width;
        if (at + i >= inst->count || !wpg_const_value(t->module, inst->words[at + i], &bits, &width) ||
            bits > UINT32_MAX)
            return false;
        out[i] = (uint32_t)bits;
    }
    return true;
}

/* The built-in constant outranks the modes (SPIR-V 1.6, 3.21, WorkgroupSize). */
static bool local_size(wpg_tr *t)
{
    uint32_t *size = t->local_size, function = t->entry_function->result;
    const wpg_inst *mode = wpg_find_execution_mode(t->module, function, SpvExecutionModeLocalSize);
    const wpg_inst *by_id = wpg_find_execution_mode(t->module, function, SpvExecutionModeLocalSizeId);
    bool found = false;
    if (mode && mode->count > 5) {
        memcpy(size, mode->words + 3, 3 * sizeof *size);
        found = true;
    }
    if (by_id)
        found = constant_words(t, by_id, 3, size);
    for (const wpg_inst *inst = t->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpDecorate && inst->count > 3 && inst->words[2] == SpvDecorationBuiltIn &&
            inst->words[3] == SpvBuiltInWorkgroupSize) {
            const wpg_inst *constant = wpg_module_def(t->module, inst->words[1]);
            if (constant && (constant->opcode == SpvOpConstantComposite ||
                             constant->opcode == SpvOpSpecConstantComposite))
                found = constant_words(t, constant, 3, size);
        }
    uint64_t lanes = (uint64_t)size[0] * size[1];
    if (!found || !size[0] || !size[1] || !size[2] || lanes > 1024 || lanes * size[2] > 1024)
        return wpg_tr_fail(t, WPG_E_UNSUPPORTED, "the workgroup's size is not known, or not of 1 to 1024");
    memcpy(t->out->local_size, size, 3 * sizeof *size);
    return true;
}

/* A symbol that assemblers take. */
static const char *kernel_name(wpg_tr *t, const char *entry)
{
    char *name = wpg_arena_strdup(&t->arena, entry && *entry ? entry : "main");
    for (char *at = name; at && *at; at++)
        if (!((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_' ||
              (*at >= '0' && *at <= '9' && at != name)))
            *at = '_';
    return name;
}

static bool find_entry(wpg_tr *t, const wpg_stage *stage)
{
    if (stage->model != SpvExecutionModelGLCompute)
        return wpg_tr_fail(t, WPG_E_UNSUPPORTED, "only compute shaders go this way");
    t->entry_point = wpg_find_entry_point(t->module, stage->model, stage->entry);
    if (!t->entry_point)
        return wpg_tr_fail(t, WPG_E_NOT_FOUND, "no such entry point");
    t->entry_function = wpg_module_def(t->module, t->entry_point->words[2]);
    if (!t->entry_function || t->entry_function->opcode != SpvOpFunction)
        return wpg_tr_fail(t, WPG_E_FORMAT, "the entry point's function is not there");
    t->out->kernel = kernel_name(t, stage->entry);
    return t->out->kernel || wpg_tr_fail(t, WPG_E_NOMEM, "out of memory");
}

/* -- Module scope */

static bool declare_types(wpg_tr *t)
{
    for (const wpg_inst *inst = t->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        t->inst = inst;
        bool forward = inst->opcode == SpvOpTypeForwardPointer;
        const wpg_opcode_info *info = wpg_opcode_lookup(inst->opcode);
        bool type = info && info->has_result && !info->has_type && strncmp(info->name, "OpType", 6) == 0;
        if ((type || forward) && !wpg_tr_declare_type(t, inst))
            return false;
        if (inst->opcode == SpvOpGroupDecorate || inst->opcode == SpvOpGroupMemberDecorate)
            return wpg_tr_refuse(t);
    }
    t->inst = NULL;
    return true;
}

static wpg_tr_result instruction(wpg_tr *t, const wpg_inst *inst);

/* An operation on constants that normalising could not fold: done in the entry block. */
static bool constant_operation(wpg_tr *t, const wpg_inst *inst)
{
    uint32_t words[64];
    if (inst->count < 4 || inst->count > 64)
        return wpg_tr_refuse(t);
    words[0] = inst->words[0];
    words[1] = inst->words[1];
    words[2] = inst->words[2];
    memcpy(words + 3, inst->words + 4, (inst->count - 4u) * sizeof *words);
    wpg_inst plain = {.words = words,
                      .opcode = (uint16_t)inst->words[3],
                      .count = (uint16_t)(inst->count - 1),
                      .type = inst->type,
                      .result = inst->result};
    if (plain.opcode == SpvOpSpecConstantOp || plain.opcode == SpvOpVariable || inst->words[3] > UINT16_MAX)
        return wpg_tr_malformed(t);
    wpg_tr_result result = instruction(t, &plain);
    return result == WPG_TR_DONE || (result == WPG_TR_OTHER && wpg_tr_refuse(t));
}

static bool declare_values(wpg_tr *t)
{
    for (const wpg_inst *inst = t->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        t->inst = inst;
        if (wpg_inst_section(inst) != WPG_SECTION_GLOBAL || !inst->result)
            continue;
        if (inst->result >= t->bound)
            return wpg_tr_malformed(t);
        if (inst->opcode == SpvOpVariable         ? !wpg_tr_global_variable(t, inst)
            : inst->opcode == SpvOpSpecConstantOp ? !constant_operation(t, inst)
                                                  : wpg_tr_constants(t, inst) == WPG_TR_FAILED)
            return false;
    }
    t->inst = NULL;
    return true;
}

/* -- The function */

static bool phi(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_type *type = wpg_tr_result_type(t, inst);
    wpg_tr_phi *made = WPG_ARENA_NEW(&t->arena, wpg_tr_phi);
    if (!type || !made)
        return type && wpg_tr_fail(t, WPG_E_NOMEM, "out of memory");
    *made = (wpg_tr_phi){.next = t->phis, .inst = inst, .block = t->block};
    made->phi = LLVMBuildPhi(t->builder, type->llvm, "");
    t->phis = made;
    return wpg_tr_define(t, inst, made->phi);
}

static wpg_tr_result instruction(wpg_tr *t, const wpg_inst *inst)
{
    static wpg_tr_result (*const handlers[])(wpg_tr *, const wpg_inst *) = {
        wpg_tr_integers, wpg_tr_floats,      wpg_tr_memory,    wpg_tr_composites,
        wpg_tr_control,  wpg_tr_conversions, wpg_tr_extended,  wpg_tr_constants,
        wpg_tr_matrices, wpg_tr_atomics,     wpg_tr_subgroups,
    };
    switch (inst->opcode) {
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
        return WPG_TR_DONE;
    case SpvOpPhi:
        return wpg_tr_did(phi(t, inst));
    default:
        break;
    }
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        wpg_tr_result result = handlers[i](t, inst);
        if (result == WPG_TR_FAILED)
            wpg_tr_malformed(t); /* unless a reason was given */
        if (result != WPG_TR_OTHER)
            return result;
    }
    return WPG_TR_OTHER;
}

static bool make_blocks(wpg_tr *t, const wpg_inst *first, const wpg_inst *end)
{
    bool any = false;
    for (const wpg_inst *inst = first; inst != end; inst = inst->next) {
        if (inst->opcode != SpvOpLabel)
            continue;
        t->inst = inst;
        if (!inst->result || inst->result >= t->bound || t->blocks[inst->result].first)
            return wpg_tr_malformed(t);
        t->blocks[inst->result].first = LLVMAppendBasicBlockInContext(t->context, t->function, "");
        if (!any) { /* from here on variables go before the entry block's end */
            LLVMValueRef leave = LLVMBuildBr(t->builder, t->blocks[inst->result].first);
            t->entry_builder = LLVMCreateBuilderInContext(t->context);
            LLVMPositionBuilderBefore(t->entry_builder, leave);
        }
        any = true;
    }
    return any || wpg_tr_fail(t, WPG_E_FORMAT, "the entry point has no block");
}

/* Behind the phis. */
static bool probe(wpg_tr *t, const wpg_inst *inst, bool *wanted)
{
    if (!*wanted || inst->opcode == SpvOpPhi || inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine)
        return true;
    *wanted = false;
    return wpg_probe_insert(t->llvm, t->builder, t->block_number) ||
           wpg_tr_fail(t, WPG_E_UNSUPPORTED, "this LLVM has no pseudo probes");
}

static bool walk_blocks(wpg_tr *t, const wpg_inst *first, const wpg_inst *end)
{
    bool open = false, probe_wanted = false;
    for (const wpg_inst *inst = first; inst != end; inst = inst->next) {
        t->inst = inst;
        if (inst->opcode == SpvOpLabel) {
            t->block = inst->result;
            t->block_number = t->blocks_begun++;
            LLVMPositionBuilderAtEnd(t->builder, t->blocks[t->block].first);
            if (t->options->lines)
                wpg_lines_block(&t->lines);
            open = true;
            probe_wanted = t->options->probes;
            continue;
        }
        if (!open)
            return wpg_tr_malformed(t);
        if (!probe(t, inst, &probe_wanted))
            return false;
        wpg_tr_result result = instruction(t, inst);
        if (result == WPG_TR_OTHER)
            return wpg_tr_refuse(t);
        if (result == WPG_TR_FAILED)
            return false;
        if (wpg_opcode_is_terminator((SpvOp)inst->opcode)) {
            t->blocks[t->block].last = LLVMGetInsertBlock(t->builder);
            open = false;
        }
    }
    t->inst = NULL;
    return !open || wpg_tr_fail(t, WPG_E_FORMAT, "a block without an end");
}

/* Edges from one block to another: a switch may have several. */
static unsigned edges(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    unsigned count = 0;
    for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
        count += LLVMGetSuccessor(end, i) == to;
    return count;
}

static bool fill_phis(wpg_tr *t)
{
    for (wpg_tr_phi *p = t->phis; p; p = p->next) {
        t->inst = p->inst;
        t->block = p->block;
        for (unsigned at = 3; at + 1 < p->inst->count; at += 2) {
            uint32_t label = p->inst->words[at + 1];
            LLVMValueRef value = wpg_tr_value_of(t, p->inst, at, LLVMTypeOf(p->phi));
            if (!value)
                return false;
            LLVMBasicBlockRef from = label < t->bound ? t->blocks[label].last : NULL;
            if (!from)
                return wpg_tr_malformed(t);
            for (unsigned n = edges(from, t->blocks[p->block].first); n > 0; n--)
                LLVMAddIncoming(p->phi, &value, &from, 1);
        }
    }
    t->inst = NULL;
    return true;
}

static bool verify(wpg_tr *t)
{
    char *message = NULL;
    if (!LLVMVerifyModule(t->llvm, LLVMReturnStatusAction, &message)) {
        LLVMDisposeMessage(message);
        return true;
    }
    for (char *at = message; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    wpg_tr_fail(t, WPG_E_FORMAT, "the module breaks a rule that LLVM's verifier states: %s", message);
    LLVMDisposeMessage(message);
    return false;
}

static bool translate(wpg_tr *t, const wpg_stage *stage)
{
    if (!find_entry(t, stage) || !local_size(t) || !declare_types(t) || !wpg_tr_collect_bindings(t) ||
        !t->abi->begin(t) || !wpg_tr_float_controls(t) || !declare_values(t))
        return false;
    const wpg_inst *first = t->entry_function->next, *end = wpg_function_end((wpg_inst *)t->entry_function);
    while (first && first != end && first->opcode != SpvOpLabel) {
        t->inst = first;
        if (first->opcode == SpvOpFunctionParameter)
            return wpg_tr_malformed(t);
        first = first->next;
    }
    t->out->function = t->function;
    if (t->options->lines)
        wpg_lines_begin(&t->lines, t->llvm, t->function, t->builder);
    return make_blocks(t, first, end) && walk_blocks(t, first, end) && fill_phis(t) &&
           (!t->abi->end || t->abi->end(t)) && verify(t);
}

wpg_status wpg_translate(wpg_translation *out, LLVMModuleRef llvm, wpg_arena *arena, const wpg_module *normal,
                         const wpg_stage *stage, const wpg_translation_options *options, wpg_error *err)
{
    LLVMContextRef c = LLVMGetModuleContext(llvm);
    wpg_tr t = {
        .module = normal,
        .stage = stage,
        .options = options,
        .abi = options->abi,
        .out = out,
        .err = err,
        .arena = *arena,
        .context = c,
        .llvm = llvm,
        .bound = normal->bound,
        .t_i1 = LLVMInt1TypeInContext(c),
        .t_i8 = LLVMInt8TypeInContext(c),
        .t_i16 = LLVMInt16TypeInContext(c),
        .t_i32 = LLVMInt32TypeInContext(c),
        .t_i64 = LLVMInt64TypeInContext(c),
        .t_f16 = LLVMHalfTypeInContext(c),
        .t_f32 = LLVMFloatTypeInContext(c),
        .t_f64 = LLVMDoubleTypeInContext(c),
    };
    *out = (wpg_translation){0};
    t.types = WPG_ARENA_ARRAY(&t.arena, wpg_tr_type *, (size_t)t.bound + 1);
    t.entries = WPG_ARENA_ARRAY(&t.arena, wpg_tr_entry, (size_t)t.bound + 1);
    t.blocks = WPG_ARENA_ARRAY(&t.arena, wpg_tr_block, (size_t)t.bound + 1);
    LLVMSetTarget(llvm, options->triple);
    LLVMSetDataLayout(llvm, options->data_layout);
    t.builder = LLVMCreateBuilderInContext(c);
    if (!t.types || !t.entries || !t.blocks)
        t.status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    else
        (void)translate(&t, stage);
    LLVMDisposeBuilder(t.builder);
    if (t.entry_builder)
        LLVMDisposeBuilder(t.entry_builder);
    *arena = t.arena;
    return t.status;
}
