/* See simt.h. */
#include "tests/e2e/random/simt_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool simt_refuse(machine *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!m->error[0])
        vsnprintf(m->error, m->error_size, format, args);
    va_end(args);
    return false;
}

/* -- Types and memory ---------------------------------------------------------------------------------- */

static uint32_t constant_of(const machine *m, uint32_t id)
{
    return m->values[id].part[0];
}

/* Words of a value of the type, a pointer having two; 0 for a runtime array and what is unknown. */
uint32_t simt_type_words(const machine *m, uint32_t type)
{
    const wpg_inst *t = wpg_module_def(m->module, type);
    uint32_t sum = 0;
    switch (t ? t->opcode : SpvOpNop) {
    case SpvOpTypeBool:
    case SpvOpTypeFloat:
        return 1;
    case SpvOpTypeInt:
        return t->words[2] / 32;
    case SpvOpTypePointer:
        return 2;
    case SpvOpTypeVector:
        return simt_type_words(m, t->words[2]) * t->words[3];
    case SpvOpTypeArray:
        return simt_type_words(m, t->words[2]) * constant_of(m, t->words[3]);
    case SpvOpTypeStruct:
        for (uint32_t i = 2; i < t->count; i++)
            sum += simt_type_words(m, t->words[i]);
        return sum;
    default:
        return 0;
    }
}

static uint32_t pointee(const machine *m, uint32_t pointer_type)
{
    const wpg_inst *t = wpg_module_def(m->module, pointer_type);
    return t && t->opcode == SpvOpTypePointer ? t->words[3] : 0;
}

static bool is_physical(const machine *m, uint32_t pointer_type)
{
    return wpg_module_def(m->module, pointer_type)->words[2] == SpvStorageClassPhysicalStorageBuffer;
}

uint32_t *simt_words_at(machine *m, const value *pointer, uint32_t pointer_type, uint32_t count)
{
    uint32_t id = pointer->part[0], at = pointer->part[1];
    if (is_physical(m, pointer_type)) {
        uint64_t offset = ((uint64_t)at << 32 | id) - m->launch->memory_address;
        if (offset % 4 == 0 && offset / 4 < m->launch->memory_words &&
            count <= m->launch->memory_words - offset / 4)
            return m->launch->memory + offset / 4;
        simt_refuse(m, "access to address %#x%08x", at, id);
        return NULL;
    }
    uint32_t *base = m->lane_words + m->variable[id];
    size_t size = simt_type_words(m, pointee(m, wpg_module_def(m->module, id)->type));
    if (m->is_buffer[id]) {
        base = m->launch->buffers[m->variable[id]];
        size = m->launch->buffer_words[m->variable[id]];
    }
    if (base && at < size && count <= size - at)
        return base + at;
    simt_refuse(m, "access to word %u of variable %%%u, which has %zu", at, id, size);
    return NULL;
}

/* Walks by the sizes of types: every layout here is tight. */
static bool access_chain(machine *m, const wpg_inst *inst)
{
    const wpg_inst *base = wpg_module_def(m->module, inst->words[3]);
    uint32_t type = pointee(m, base->type), words = 0;
    for (uint32_t i = 4; i < inst->count; i++) {
        const wpg_inst *t = wpg_module_def(m->module, type);
        uint32_t index = m->values[inst->words[i]].part[0];
        if (t->opcode == SpvOpTypeStruct) {
            for (uint32_t k = 0; k < index; k++)
                words += simt_type_words(m, t->words[2 + k]);
            type = t->words[2 + index];
        } else {
            type = t->words[2];
            words += index * simt_type_words(m, type);
        }
    }
    value pointer = m->values[inst->words[3]];
    if (is_physical(m, base->type)) {
        uint64_t address = ((uint64_t)pointer.part[1] << 32 | pointer.part[0]) + 4 * (uint64_t)words;
        pointer.part[0] = (uint32_t)address;
        pointer.part[1] = (uint32_t)(address >> 32);
    } else {
        pointer.part[1] += words;
    }
    m->values[inst->result] = pointer;
    return true;
}

/* Gives a variable its place; buffers are found by their binding. */
static bool place_variable(machine *m, const wpg_inst *inst)
{
    uint32_t words = simt_type_words(m, pointee(m, inst->type));
    m->values[inst->result] = (value){.part = {inst->result}};
    SpvStorageClass class = (SpvStorageClass)inst->words[3];
    if (class == SpvStorageClassStorageBuffer || class == SpvStorageClassUniform) {
        m->is_buffer[inst->result] = true;
        WPG_INST_EACH (d, m->module) {
            if (d->opcode == SpvOpDecorate && d->words[1] == inst->result &&
                d->words[2] == SpvDecorationBinding)
                m->variable[inst->result] = d->words[3];
        }
        return m->variable[inst->result] < SIMT_BINDINGS ||
               simt_refuse(m, "a binding above %u", SIMT_BINDINGS);
    }
    if (words > LANE_WORDS - m->lane_used)
        return simt_refuse(m, "too many variables");
    m->variable[inst->result] = m->lane_used;
    m->lane_used += words;
    return true;
}

static bool initialise(machine *m, const wpg_inst *inst)
{
    uint32_t words = simt_type_words(m, pointee(m, inst->type));
    if (inst->count < 5 || m->is_buffer[inst->result])
        return true;
    if (words > PARTS)
        return simt_refuse(m, "a large initialiser");
    memcpy(m->lane_words + m->variable[inst->result], m->values[inst->words[4]].part, words * 4);
    return true;
}

/* -- Set-up -------------------------------------------------------------------------------------------- */

static void global_value(machine *m, const wpg_inst *inst)
{
    value *v = &m->values[inst->result];
    if (inst->opcode == SpvOpConstant)
        memcpy(v->part, inst->words + 3, (inst->count - 3u) * sizeof(uint32_t));
    if (inst->opcode == SpvOpConstantTrue)
        v->part[0] = 1;
    for (uint32_t i = 0, at = 0; inst->opcode == SpvOpConstantComposite && i + 3 < inst->count; i++) {
        uint32_t words = simt_type_words(m, wpg_module_def(m->module, inst->words[3 + i])->type);
        for (uint32_t k = 0; k < words && at < PARTS; k++)
            v->part[at++] = m->values[inst->words[3 + i]].part[k];
    }
}

bool simt_prepare(machine *m)
{
    simt_counts *counts = m->counts;
    simt_function *function = NULL;
    label *open = NULL;
    WPG_INST_EACH (inst, m->module) {
        if (inst->opcode == SpvOpFunction) {
            if (counts->function_count == SIMT_FUNCTIONS)
                return simt_refuse(m, "too many functions");
            function = &counts->functions[counts->function_count++];
            *function = (simt_function){.first_block = m->block_count, .id = inst->result};
        } else if (inst->opcode == SpvOpLabel) {
            open = &m->labels[inst->result];
            open->first = inst;
            open->number = m->block_count++;
            function->block_count++;
        } else if (inst->opcode == SpvOpLoopMerge) {
            open->merge = inst->words[1];
            open->again = inst->words[2];
        } else if (inst->opcode == SpvOpVariable) {
            if (!place_variable(m, inst))
                return false;
            m->global_used = function ? m->global_used : m->lane_used;
        } else if (!function && inst->result) {
            global_value(m, inst);
        }
    }
    return simt_counts_make(m);
}

static void pixel_centre(uint32_t *words, uint32_t number, uint32_t width)
{
    const float at[2] = {(float)(number % width) + 0.5f, (float)(number / width) + 0.5f};
    memcpy(words, at, sizeof at);
}

/* The input variables a shader may read. */
static bool fill_builtins(machine *m, uint32_t invocation)
{
    WPG_INST_EACH (d, m->module) {
        if (d->opcode == SpvOpFunction)
            break;
        bool located = d->opcode == SpvOpDecorate && d->words[2] == SpvDecorationLocation;
        if (d->opcode != SpvOpDecorate || (d->words[2] != SpvDecorationBuiltIn && !located))
            continue;
        uint32_t *words = m->lane_words + m->variable[d->words[1]], local = m->launch->local_size;
        uint32_t pixels = m->launch->pixels ? m->launch->pixels : 1,
                 width = m->launch->width ? m->launch->width : 1;
        const wpg_inst *variable = wpg_module_def(m->module, d->words[1]);
        if (!variable || variable->opcode != SpvOpVariable)
            continue; /* WorkgroupSize is a constant */
        if (located)
            words[0] = invocation / pixels * pixels;
        else if (d->words[3] == SpvBuiltInFragCoord)
            pixel_centre(words, invocation % pixels, width);
        else if (d->words[3] == SpvBuiltInGlobalInvocationId || d->words[3] == SpvBuiltInVertexIndex)
            words[0] = invocation;
        else if (d->words[3] == SpvBuiltInLocalInvocationId)
            words[0] = invocation % local;
        else if (d->words[3] == SpvBuiltInWorkgroupId)
            words[0] = invocation / local;
        else if (d->words[3] == SpvBuiltInSubgroupLocalInvocationId)
            words[0] = m->lane;
        else if (d->words[3] == SpvBuiltInSubgroupSize)
            words[0] = m->launch->wave_size;
        else
            return simt_refuse(m, "built-in %u", d->words[3]);
    }
    return true;
}

/* -- Where a lane is ----------------------------------------------------------------------------------- */

static bool enter_place(machine *m, uint32_t id, bool is_call)
{
    if (m->depth == MOST_NESTING)
        return simt_refuse(m, "nested too deep");
    m->places[m->depth++] = (place){.id = id, .is_call = is_call, .alive = !m->helper};
    return true;
}

/* A branch to `to`: which loops it leaves, which goes round, which begins. */
bool simt_move_to(machine *m, uint32_t to)
{
    for (uint32_t i = m->depth; i-- > 0 && !m->places[i].is_call;) {
        const label *header = &m->labels[m->places[i].id];
        if (m->places[i].id == to) {
            simt_leave_places(m, i + 1);
            m->places[i].iteration++;
            m->places[i].trips += !m->helper;
            return true;
        }
        if (header->merge == to) {
            simt_leave_places(m, i);
            break;
        }
        if (header->again == to) {
            simt_leave_places(m, i + 1);
            break;
        }
    }
    return !m->labels[to].merge || (enter_place(m, to, false) && simt_note_entry(m, to));
}

/* -- Instructions -------------------------------------------------------------------------------------- */

static bool scalar(uint32_t *out, SpvOp opcode, uint32_t a, uint32_t b)
{
    switch ((int)opcode) {
    case SpvOpIAdd:
        *out = a + b;
        return true;
    case SpvOpISub:
        *out = a - b;
        return true;
    case SpvOpIMul:
        *out = a * b;
        return true;
    case SpvOpUDiv:
        *out = b ? a / b : 0;
        return b != 0;
    case SpvOpUMod:
        *out = b ? a % b : 0;
        return b != 0;
    case SpvOpSDiv:
        *out = b && !(a == 0x80000000u && b == UINT32_MAX) ? (uint32_t)((int32_t)a / (int32_t)b) : 0;
        return b && !(a == 0x80000000u && b == UINT32_MAX);
    case SpvOpShiftRightLogical:
        *out = a >> (b & 31);
        return b < 32;
    case SpvOpShiftLeftLogical:
        *out = a << (b & 31);
        return b < 32;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
        *out = a & b;
        return true;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
        *out = a | b;
        return true;
    case SpvOpBitwiseXor:
        *out = a ^ b;
        return true;
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
        *out = a == b;
        return true;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
        *out = a != b;
        return true;
    case SpvOpULessThan:
        *out = a < b;
        return true;
    case SpvOpULessThanEqual:
        *out = a <= b;
        return true;
    case SpvOpUGreaterThan:
        *out = a > b;
        return true;
    case SpvOpUGreaterThanEqual:
        *out = a >= b;
        return true;
    case SpvOpSLessThan:
        *out = (int32_t)a < (int32_t)b;
        return true;
    case SpvOpSLessThanEqual:
        *out = (int32_t)a <= (int32_t)b;
        return true;
    case SpvOpSGreaterThan:
        *out = (int32_t)a > (int32_t)b;
        return true;
    case SpvOpSGreaterThanEqual:
        *out = (int32_t)a >= (int32_t)b;
        return true;
    case SpvOpNot:
        *out = ~a;
        return true;
    case SpvOpBitCount:
        *out = (uint32_t)__builtin_popcount(a);
        return true;
    case SpvOpLogicalNot:
        *out = !a;
        return true;
    case SpvOpSNegate:
        *out = 0 - a;
        return true;
    case SpvOpBitcast:
    case SpvOpCopyObject:
        *out = a;
        return true;
    default:
        return false;
    }
}

static bool compose(machine *m, const wpg_inst *inst)
{
    value v = {{0}};
    uint32_t at = 0;
    for (uint32_t i = 3; i < inst->count; i++) {
        uint32_t words = simt_type_words(m, wpg_module_def(m->module, inst->words[i])->type);
        for (uint32_t k = 0; k < words; k++) {
            if (at == PARTS)
                return simt_refuse(m, "a large composite");
            v.part[at++] = m->values[inst->words[i]].part[k];
        }
    }
    m->values[inst->result] = v;
    return true;
}

static bool load_store(machine *m, const wpg_inst *inst)
{
    bool load = inst->opcode == SpvOpLoad;
    uint32_t type = load ? inst->type : wpg_module_def(m->module, inst->words[2])->type;
    uint32_t words = simt_type_words(m, type);
    if (words > PARTS)
        return simt_refuse(m, "a large load or store");
    uint32_t pointer = inst->words[load ? 3 : 1];
    uint32_t *at = simt_words_at(m, &m->values[pointer], wpg_module_def(m->module, pointer)->type, words);
    if (at && !load && m->helper && (at < m->lane_words || at >= m->lane_words + LANE_WORDS))
        return true;
    if (at && load)
        memcpy(m->values[inst->result].part, at, words * 4);
    else if (at)
        memcpy(at, m->values[inst->words[2]].part, words * 4);
    return at != NULL;
}

static uint64_t changed(SpvOp opcode, uint64_t old, uint64_t by)
{
    switch ((int)opcode) {
    case SpvOpAtomicIAdd:
        return old + by;
    case SpvOpAtomicUMax:
        return by > old ? by : old;
    case SpvOpAtomicUMin:
        return by < old ? by : old;
    case SpvOpAtomicOr:
        return old | by;
    case SpvOpAtomicCompareExchange:
        return by;
    default: /* OpAtomicLoad */
        return old;
    }
}

static bool atomic(machine *m, const wpg_inst *inst)
{
    uint32_t words = simt_type_words(m, inst->type);
    const bool exchange = inst->opcode == SpvOpAtomicCompareExchange;
    const value none = {{0}}, *by = inst->count > 6 ? &m->values[inst->words[exchange ? 7 : 6]] : &none;
    uint32_t *at =
        simt_words_at(m, &m->values[inst->words[3]], wpg_module_def(m->module, inst->words[3])->type, words);
    if (!at)
        return false;
    value old = {{at[0], words > 1 ? at[1] : 0}};
    m->values[inst->result] = old;
    if (exchange && memcmp(old.part, m->values[inst->words[8]].part, words * sizeof *at) != 0)
        return true;
    uint64_t now = changed((SpvOp)inst->opcode, (uint64_t)old.part[1] << 32 | old.part[0],
                           (uint64_t)(words > 1 ? by->part[1] : 0) << 32 | by->part[0]);
    if (m->helper)
        return true;
    at[0] = (uint32_t)now;
    if (words > 1)
        at[1] = (uint32_t)(now >> 32);
    return true;
}

/* GLSL.std.450, the two that probes of loops take. */
static bool extended(machine *m, const wpg_inst *inst)
{
    enum { UMIN = 38, FIND_UMSB = 75 };
    uint32_t a = m->values[inst->words[5]].part[0];
    if (inst->words[4] == UMIN && inst->count == 7) {
        uint32_t b = m->values[inst->words[6]].part[0];
        m->values[inst->result] = (value){{a < b ? a : b}};
        return true;
    }
    if (inst->words[4] != FIND_UMSB)
        return simt_refuse(m, "extended instruction %u", inst->words[4]);
    m->values[inst->result] = (value){{a ? 31 - (uint32_t)__builtin_clz(a) : UINT32_MAX}};
    return true;
}

/* An instruction that is no terminator, phi, call or label. */
bool simt_step(machine *m, const wpg_inst *inst)
{
    value *v = &m->values[inst->result];
    switch (inst->opcode) {
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpUndef:
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
        return true;
    case SpvOpDemoteToHelperInvocation:
        m->helper = true;
        return true;
    case SpvOpIsHelperInvocationEXT:
        *v = (value){{m->helper}};
        return true;
    case SpvOpVariable:
        return initialise(m, inst);
    case SpvOpLoad:
    case SpvOpStore:
        return load_store(m, inst);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return access_chain(m, inst);
    case SpvOpCompositeConstruct:
        return compose(m, inst);
    case SpvOpCompositeExtract: {
        const wpg_inst *t = wpg_module_def(m->module, wpg_module_def(m->module, inst->words[3])->type);
        if (t->opcode == SpvOpTypeStruct || inst->count != 5 || inst->words[4] >= PARTS)
            return simt_refuse(m, "OpCompositeExtract of a structure");
        *v = (value){{m->values[inst->words[3]].part[inst->words[4]]}};
        return true;
    }
    case SpvOpConvertFToU: {
        float from;
        memcpy(&from, &m->values[inst->words[3]].part[0], sizeof from);
        *v = (value){{(uint32_t)from}};
        return true;
    }
    case SpvOpUConvert:
        *v = (value){{m->values[inst->words[3]].part[0]}};
        return true;
    case SpvOpAll:
    case SpvOpAny: {
        uint32_t size = simt_type_words(m, wpg_module_def(m->module, inst->words[3])->type), set = 0;
        for (uint32_t k = 0; k < size; k++)
            set += m->values[inst->words[3]].part[k];
        *v = (value){{inst->opcode == SpvOpAll ? set == size : set > 0}};
        return true;
    }
    case SpvOpExtInst:
        return extended(m, inst);
    case SpvOpAtomicLoad:
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicIAdd:
    case SpvOpAtomicUMax:
    case SpvOpAtomicUMin:
    case SpvOpAtomicOr:
        return atomic(m, inst);
    case SpvOpSelect:
        if (!simt_note_select(m, inst))
            return false;
        *v = m->values[inst->words[m->values[inst->words[3]].part[0] ? 4 : 5]];
        return true;
    default:
        break;
    }
    if (inst->count != 4 && inst->count != 5)
        return simt_refuse(m, "opcode %u", inst->opcode);
    const value *a = &m->values[inst->words[3]], *b = &m->values[inst->words[inst->count - 1]];
    value out = {{0}};
    uint32_t words = simt_type_words(m, inst->type);
    for (uint32_t k = 0; k < words && k < PARTS; k++) {
        if (!scalar(&out.part[k], (SpvOp)inst->opcode, a->part[k], b->part[k]))
            return simt_refuse(m, "opcode %u, or its operands", inst->opcode);
    }
    *v = out;
    return true;
}

/* The target of a branch or switch. */
uint32_t simt_target(const machine *m, const wpg_inst *inst)
{
    if (inst->opcode == SpvOpBranch)
        return inst->words[1];
    uint32_t selector = m->values[inst->words[1]].part[0];
    if (inst->opcode == SpvOpBranchConditional)
        return inst->words[selector ? 2 : 3];
    for (uint32_t i = 3; i + 1 < inst->count; i += 2) {
        if (inst->words[i] == selector)
            return inst->words[i + 1];
    }
    return inst->words[2];
}

/* Phis read what their edge brings, all at once. */
const wpg_inst *simt_phis(machine *m, const wpg_inst *inst, uint32_t from)
{
    value brought[64];
    const wpg_inst *first = inst;
    uint32_t count = 0;
    for (; inst->opcode == SpvOpPhi && count < 64; inst = inst->next, count++) {
        for (uint32_t i = 3; i + 1 < inst->count; i += 2) {
            if (inst->words[i + 1] == from)
                brought[count] = m->values[inst->words[i]];
        }
    }
    for (uint32_t i = 0; i < count; i++, first = first->next)
        m->values[first->result] = brought[i];
    return inst;
}

typedef enum outcome { FAILED, RETURNED, KILLED } outcome;

static outcome run_function(machine *m, uint32_t id, value *result);

static outcome call(machine *m, const wpg_inst *inst)
{
    const wpg_inst *parameter = wpg_module_def(m->module, inst->words[3]);
    for (uint32_t i = 4; i < inst->count; i++) {
        do
            parameter = parameter->next;
        while (parameter->opcode != SpvOpFunctionParameter);
        m->values[parameter->result] = m->values[inst->words[i]];
    }
    uint32_t depth = m->depth;
    if (!enter_place(m, inst->result, true))
        return FAILED;
    outcome how = run_function(m, inst->words[3], &m->values[inst->result]);
    simt_leave_places(m, depth);
    return how;
}

static outcome run_function(machine *m, uint32_t id, value *result)
{
    const wpg_inst *inst = wpg_module_def(m->module, id);
    while (inst->opcode != SpvOpLabel)
        inst = inst->next;
    if (!simt_note_block(m, inst->result))
        return FAILED;
    for (uint32_t block = inst->result;;) {
        inst = inst->next;
        if (++m->steps > MOST_STEPS) {
            simt_refuse(m, "a lane does not end");
            return FAILED;
        }
        switch (inst->opcode) {
        case SpvOpReturn:
            return RETURNED;
        case SpvOpReturnValue:
            *result = m->values[inst->words[1]];
            return RETURNED;
        case SpvOpKill:
        case SpvOpTerminateInvocation:
            return KILLED;
        case SpvOpUnreachable:
            simt_refuse(m, "OpUnreachable was reached");
            return FAILED;
        case SpvOpFunctionCall: {
            outcome how = call(m, inst);
            if (how != RETURNED)
                return how;
            break;
        }
        case SpvOpBranch:
        case SpvOpBranchConditional:
        case SpvOpSwitch: {
            uint32_t to = simt_target(m, inst);
            if (!simt_note_edge(m, block, to) || !simt_move_to(m, to) || !simt_note_block(m, to))
                return FAILED;
            inst = simt_phis(m, m->labels[to].first->next, block)->prev;
            block = to;
            break;
        }
        default:
            if (!simt_step(m, inst))
                return FAILED;
        }
    }
}

/* -- Waves --------------------------------------------------------------------------------------------- */

bool simt_start_lane(machine *m, uint32_t invocation)
{
    memset(m->lane_words, 0, (size_t)m->lane_used * sizeof *m->lane_words);
    m->depth = 0;
    m->steps = 0;
    m->helper = false;
    if (!fill_builtins(m, invocation))
        return false;
    WPG_INST_EACH (inst, m->module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode == SpvOpVariable && !initialise(m, inst))
            return false;
    }
    return true;
}

static bool run_lane(machine *m, uint32_t entry, uint32_t invocation)
{
    value nothing;
    bool good = simt_start_lane(m, invocation) && run_function(m, entry, &nothing) != FAILED;
    simt_leave_places(m, 0);
    return good;
}

static bool run_waves(machine *m)
{
    uint32_t entry = 0, total = m->launch->local_size * m->launch->groups;
    WPG_INST_EACH (inst, m->module) {
        if (inst->opcode == SpvOpEntryPoint)
            entry = inst->words[2];
    }
    bool *done = calloc(total + 1, sizeof *done);
    bool good = done || simt_refuse(m, "out of memory");
    for (uint32_t first = 0; good && first < total; first++) {
        if (done[first])
            continue;
        m->note_count = 0;
        m->lane = 0;
        m->demoted = 0;
        for (uint32_t i = first; good && i < total; i++) {
            if (m->launch->waves[i] != m->launch->waves[first])
                continue;
            done[i] = true;
            if (m->launch->helpers && m->launch->helpers[i])
                continue;
            good = run_lane(m, entry, i);
            m->demoted += m->helper;
            m->lane++;
        }
        simt_add_up(m, m->lane);
    }
    free(done);
    return good;
}

bool simt_open(machine *m, simt_counts *counts, const wpg_module *module, const simt_launch *launch)
{
    memset(counts, 0, sizeof *counts);
    *m = (machine){.module = module,
                   .launch = launch,
                   .error = counts->error,
                   .error_size = sizeof counts->error,
                   .counts = counts,
                   .values = calloc(module->bound, sizeof *m->values),
                   .labels = calloc(module->bound, sizeof *m->labels),
                   .variable = calloc(module->bound, sizeof *m->variable),
                   .is_buffer = calloc(module->bound, sizeof *m->is_buffer),
                   .lane_words = calloc(LANE_WORDS, sizeof *m->lane_words)};
    if (!m->values || !m->labels || !m->variable || !m->is_buffer || !m->lane_words)
        return simt_refuse(m, "out of memory");
    return simt_prepare(m);
}

void simt_close(machine *m)
{
    free(m->values);
    free(m->labels);
    free(m->variable);
    free(m->is_buffer);
    free(m->lane_words);
    free(m->notes);
}

bool simt_run(simt_counts *counts, const wpg_module *module, const simt_launch *launch)
{
    machine m;
    bool good = simt_open(&m, counts, module, launch);
    m.counting = true;
    good = good && run_waves(&m);
    simt_close(&m);
    return good;
}
