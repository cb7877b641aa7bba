/* A random program (program.h) as a SPIR-V shader.
 *
 *     buffer State { uint words[]; };  // three of each lane: mine, shared, fuel; set 0, binding 0
 *
 * Compute: lane number = global invocation x; a fragment shader uses lane 0's words throughout (it is made to
 * be validated, not run). Labels are LABEL + block index. */
#ifndef WPG_TESTS_UNIT_PROGRAM_SPIRV_H
#define WPG_TESTS_UNIT_PROGRAM_SPIRV_H

#include "runtime/base/map.h"
#include "tests/unit/compiler/analysis/program.h"

typedef struct program_words {
    WPG_VEC(uint32_t) words;
    uint32_t next;
} program_words;

enum {
    ID_VOID = 1,
    ID_FUNCTION_TYPE,
    ID_MAIN,
    ID_BOOL,
    ID_UINT,
    ID_UVEC3,
    ID_ARRAY,
    ID_STRUCT,
    ID_P_STRUCT,
    ID_P_UINT,
    ID_STATE,
    ID_P_UVEC3,
    ID_GLOBAL_ID,
    ID_MINE,
    ID_SHARED,
    ID_FUEL,
    ID_EARLY,
    ID_LABEL = 128
};

PROGRAM_INLINE void program_emit(program_words *w, uint32_t opcode, const uint32_t *operands, size_t count)
{
    if (!wpg_vec_push(&w->words, (uint32_t)(count + 1) << 16 | opcode))
        abort();
    for (size_t i = 0; i < count; i++) {
        if (!wpg_vec_push(&w->words, operands[i]))
            abort();
    }
}
#define PROGRAM_OP(w, opcode, ...)                                                                           \
    program_emit((w), (opcode), (const uint32_t[]){__VA_ARGS__},                                             \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

PROGRAM_INLINE uint32_t program_value(program_words *w, uint32_t opcode, uint32_t type, uint32_t a,
                                      uint32_t b)
{
    uint32_t id = w->next++;
    PROGRAM_OP(w, opcode, type, id, a, b);
    return id;
}

/* Literal constants are made on demand into a table in front of the functions. */
typedef struct program_literals {
    WPG_VEC(uint32_t) values;
    uint32_t first;
    wpg_map index;
} program_literals;

PROGRAM_INLINE uint32_t program_literal(program_literals *l, uint32_t value)
{
    uint64_t known;
    if (wpg_map_get(&l->index, value, &known))
        return l->first + (uint32_t)known;
    if (!wpg_map_set(&l->index, value, l->values.count) || !wpg_vec_push(&l->values, value))
        abort();
    return l->first + (uint32_t)l->values.count - 1;
}

PROGRAM_INLINE uint32_t program_load(program_words *w, uint32_t pointer)
{
    uint32_t id = w->next++;
    PROGRAM_OP(w, SpvOpLoad, ID_UINT, id, pointer, SpvMemoryAccessVolatileMask);
    return id;
}

PROGRAM_INLINE void program_store(program_words *w, uint32_t pointer, uint32_t value)
{
    PROGRAM_OP(w, SpvOpStore, pointer, value, SpvMemoryAccessVolatileMask);
}

/* (value >> shift & mask) */
PROGRAM_INLINE uint32_t program_bits(program_words *w, program_literals *l, uint32_t value, uint32_t shift,
                                     uint32_t mask)
{
    uint32_t moved = program_value(w, SpvOpShiftRightLogical, ID_UINT, value, program_literal(l, shift));
    return program_value(w, SpvOpBitwiseAnd, ID_UINT, moved, program_literal(l, mask));
}

PROGRAM_INLINE uint32_t program_condition(program_words *w, program_literals *l, uint32_t mine)
{
    return program_value(w, SpvOpIEqual, ID_BOOL, program_bits(w, l, mine, 9, 3), program_literal(l, 1));
}

PROGRAM_INLINE void program_entry_code(program_words *w, program_literals *l, bool fragment)
{
    uint32_t number = program_literal(l, 0);
    if (!fragment) {
        uint32_t id = w->next++;
        PROGRAM_OP(w, SpvOpLoad, ID_UVEC3, id, ID_GLOBAL_ID);
        number = w->next++;
        PROGRAM_OP(w, SpvOpCompositeExtract, ID_UINT, number, id, 0);
    }
    uint32_t base = program_value(w, SpvOpIMul, ID_UINT, number, program_literal(l, 3));
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t at = program_value(w, SpvOpIAdd, ID_UINT, base, program_literal(l, i));
        PROGRAM_OP(w, SpvOpAccessChain, ID_P_UINT, ID_MINE + i, ID_STATE, program_literal(l, 0), at);
    }
    uint32_t start = program_load(w, ID_MINE), shifted = program_bits(w, l, start, 9, 3);
    PROGRAM_OP(w, SpvOpIEqual, ID_BOOL, ID_EARLY, shifted, program_literal(l, 1));
}

PROGRAM_INLINE void program_phi(program_words *w, program_literals *l, const program_block *b, int index,
                                uint32_t id)
{
    uint32_t operands[2 + 16] = {ID_UINT, id};
    for (int i = 0; i < b->predecessor_count; i++) {
        operands[2 + 2 * i] = program_literal(l, program_phi_value(index, b->predecessors[i]));
        operands[3 + 2 * i] = ID_LABEL + (uint32_t)b->predecessors[i];
    }
    program_emit(w, SpvOpPhi, operands, 2 + 2 * (size_t)b->predecessor_count);
}

PROGRAM_INLINE void program_terminator(program_words *w, program_literals *l, const program_block *b,
                                       uint32_t mine, uint32_t shared, uint32_t fuel)
{
    uint32_t label = ID_LABEL;
    uint32_t number = program_bits(w, l, b->on_shared ? shared : mine, 16, 7), condition = 0;
    if (b->end == END_IF) {
        condition = program_value(w, SpvOpULessThan, ID_BOOL, number, program_literal(l, b->threshold));
        if (b->needs_fuel) {
            uint32_t more = program_value(w, SpvOpSGreaterThan, ID_BOOL, fuel, program_literal(l, 0));
            condition = program_value(w, SpvOpLogicalAnd, ID_BOOL, condition, more);
        }
    }
    if (b->continue_target != NONE)
        PROGRAM_OP(w, SpvOpLoopMerge, label + (uint32_t)b->merge, label + (uint32_t)b->continue_target, 0);
    else if (b->merge != NONE)
        PROGRAM_OP(w, SpvOpSelectionMerge, label + (uint32_t)b->merge, 0);
    uint32_t operands[2 + 2 * MAX_TARGETS];
    switch (b->end) {
    case END_BRANCH:
        PROGRAM_OP(w, SpvOpBranch, label + (uint32_t)b->targets[0]);
        break;
    case END_IF:
        PROGRAM_OP(w, SpvOpBranchConditional, condition, label + (uint32_t)b->targets[0],
                   label + (uint32_t)b->targets[1]);
        break;
    case END_SWITCH:
        operands[0] = number;
        operands[1] = label + (uint32_t)b->targets[0];
        for (size_t t = 1; t < (size_t)b->target_count; t++) {
            operands[2 * t] = (uint32_t)t - 1;
            operands[2 * t + 1] = label + (uint32_t)b->targets[t];
        }
        program_emit(w, SpvOpSwitch, operands, 2 * (size_t)b->target_count);
        break;
    case END_RETURN:
        program_emit(w, SpvOpReturn, NULL, 0);
        break;
    case END_KILL:
        program_emit(w, SpvOpKill, NULL, 0);
        break;
    case END_UNREACHABLE:
        program_emit(w, SpvOpUnreachable, NULL, 0);
        break;
    }
}

PROGRAM_INLINE void program_block_words(program_words *w, program_literals *l, const program_block *b,
                                        int index, bool fragment)
{
    PROGRAM_OP(w, SpvOpLabel, ID_LABEL + (uint32_t)index);
    uint32_t phi = b->has_phi ? w->next++ : 0;
    if (phi)
        program_phi(w, l, b, index, phi);
    if (index == 0)
        program_entry_code(w, l, fragment);
    uint32_t factor = program_literal(l, 1664525), constant = program_literal(l, program_constant(index));
    uint32_t mine = program_value(w, SpvOpIMul, ID_UINT, program_load(w, ID_MINE), factor);
    mine = program_value(w, SpvOpIAdd, ID_UINT, mine, constant);
    if (phi)
        mine = program_value(w, SpvOpIAdd, ID_UINT, mine, phi);
    uint32_t shared = program_value(w, SpvOpIMul, ID_UINT, program_load(w, ID_SHARED), factor);
    shared = program_value(w, SpvOpIAdd, ID_UINT, shared, constant);
    uint32_t fuel = program_value(w, SpvOpISub, ID_UINT, program_load(w, ID_FUEL), program_literal(l, 1));
    if (b->selects) {
        uint32_t condition = b->select_late ? program_condition(w, l, mine) : (uint32_t)ID_EARLY;
        uint32_t mix = w->next++;
        PROGRAM_OP(w, SpvOpSelect, ID_UINT, mix, condition, program_literal(l, 0x5a5a5),
                   program_literal(l, 0x1234567));
        mine = program_value(w, SpvOpBitwiseXor, ID_UINT, mine, mix);
    }
    program_store(w, ID_MINE, mine);
    program_store(w, ID_SHARED, shared);
    program_store(w, ID_FUEL, fuel);
    if (b->demotes)
        program_emit(w, SpvOpDemoteToHelperInvocation, NULL, 0);
    program_terminator(w, l, b, mine, shared, fuel);
}

PROGRAM_INLINE void program_declarations(program_words *w, const program_literals *l, bool fragment)
{
    PROGRAM_OP(w, SpvOpTypeVoid, ID_VOID);
    PROGRAM_OP(w, SpvOpTypeFunction, ID_FUNCTION_TYPE, ID_VOID);
    PROGRAM_OP(w, SpvOpTypeBool, ID_BOOL);
    PROGRAM_OP(w, SpvOpTypeInt, ID_UINT, 32, 0);
    PROGRAM_OP(w, SpvOpTypeVector, ID_UVEC3, ID_UINT, 3);
    PROGRAM_OP(w, SpvOpTypeRuntimeArray, ID_ARRAY, ID_UINT);
    PROGRAM_OP(w, SpvOpTypeStruct, ID_STRUCT, ID_ARRAY);
    PROGRAM_OP(w, SpvOpTypePointer, ID_P_STRUCT, SpvStorageClassUniform, ID_STRUCT);
    PROGRAM_OP(w, SpvOpTypePointer, ID_P_UINT, SpvStorageClassUniform, ID_UINT);
    PROGRAM_OP(w, SpvOpVariable, ID_P_STRUCT, ID_STATE, SpvStorageClassUniform);
    if (!fragment) {
        PROGRAM_OP(w, SpvOpTypePointer, ID_P_UVEC3, SpvStorageClassInput, ID_UVEC3);
        PROGRAM_OP(w, SpvOpVariable, ID_P_UVEC3, ID_GLOBAL_ID, SpvStorageClassInput);
    }
    for (size_t i = 0; i < l->values.count; i++)
        PROGRAM_OP(w, SpvOpConstant, ID_UINT, l->first + (uint32_t)i, l->values.data[i]);
}

PROGRAM_INLINE void program_prologue(program_words *w, bool fragment, uint32_t local_size)
{
    const uint32_t name = 'm' | 'a' << 8 | 'i' << 16 | (uint32_t)'n' << 24;
    PROGRAM_OP(w, SpvOpCapability, SpvCapabilityShader);
    if (fragment) {
        PROGRAM_OP(w, SpvOpCapability, SpvCapabilityDemoteToHelperInvocationEXT);
        static const char text[36] = "SPV_EXT_demote_to_helper_invocation";
        uint32_t words[9];
        memcpy(words, text, sizeof words);
        program_emit(w, SpvOpExtension, words, 9);
    }
    PROGRAM_OP(w, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    if (fragment) {
        PROGRAM_OP(w, SpvOpEntryPoint, SpvExecutionModelFragment, ID_MAIN, name, 0);
        PROGRAM_OP(w, SpvOpExecutionMode, ID_MAIN, SpvExecutionModeOriginUpperLeft);
    } else {
        PROGRAM_OP(w, SpvOpEntryPoint, SpvExecutionModelGLCompute, ID_MAIN, name, 0, ID_GLOBAL_ID);
        PROGRAM_OP(w, SpvOpExecutionMode, ID_MAIN, SpvExecutionModeLocalSize, local_size, 1, 1);
        PROGRAM_OP(w, SpvOpDecorate, ID_GLOBAL_ID, SpvDecorationBuiltIn, SpvBuiltInGlobalInvocationId);
    }
    PROGRAM_OP(w, SpvOpDecorate, ID_ARRAY, SpvDecorationArrayStride, 4);
    PROGRAM_OP(w, SpvOpMemberDecorate, ID_STRUCT, 0, SpvDecorationOffset, 0);
    PROGRAM_OP(w, SpvOpDecorate, ID_STRUCT, SpvDecorationBufferBlock);
    PROGRAM_OP(w, SpvOpDecorate, ID_STATE, SpvDecorationDescriptorSet, 0);
    PROGRAM_OP(w, SpvOpDecorate, ID_STATE, SpvDecorationBinding, 0);
}

/* The whole module; free with wpg_vec_free(&out->words). */
PROGRAM_INLINE void program_spirv(program_words *out, const program *p, uint32_t local_size)
{
    /* Functions first, as they make the literals; literal ids follow the labels. */
    program_literals literals = {.first = ID_LABEL + (uint32_t)p->blocks.count};
    const uint32_t most_literals = 64 + 32 * (uint32_t)p->blocks.count;
    program_words body = {.next = literals.first + most_literals};
    PROGRAM_OP(&body, SpvOpFunction, ID_VOID, ID_MAIN, 0, ID_FUNCTION_TYPE);
    for (size_t i = 0; i < p->blocks.count; i++)
        program_block_words(&body, &literals, &p->blocks.data[i], (int)i, p->fragment);
    program_emit(&body, SpvOpFunctionEnd, NULL, 0);
    if (literals.values.count > most_literals)
        abort();
    *out = (program_words){.next = body.next};
    const uint32_t header[] = {SpvMagicNumber, 0x10000, 0, body.next, 0};
    for (unsigned i = 0; i < 5; i++) {
        if (!wpg_vec_push(&out->words, header[i]))
            abort();
    }
    program_prologue(out, p->fragment, local_size);
    program_declarations(out, &literals, p->fragment);
    for (size_t i = 0; i < body.words.count; i++) {
        if (!wpg_vec_push(&out->words, body.words.data[i]))
            abort();
    }
    wpg_vec_free(&body.words);
    wpg_vec_free(&literals.values);
    wpg_map_free(&literals.index);
}

#endif
