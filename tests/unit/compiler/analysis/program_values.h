/* A random program (program.h) as a SPIR-V compute shader whose numbers are values: variables that an
 * analysis can follow, phis, and values of one block used in another. Says for each block which id holds what
 * the interpreter knows, so that claims about ids can be held against what lanes do.
 *
 * The numbers live in Function variables loaded and stored whole, or in elements of one array, per program.
 * `far[b]` names a block that dominates b, whose `shared` b uses as the value it is. */
#ifndef WPG_TESTS_UNIT_PROGRAM_VALUES_H
#define WPG_TESTS_UNIT_PROGRAM_VALUES_H

#include "tests/unit/compiler/analysis/program_spirv.h"

typedef struct block_values {
    uint32_t phi, mine, shared, fuel, far; /* ids; 0 = none */
} block_values;

typedef struct program_values {
    program_words spirv;
    block_values *blocks; /* malloc'd */
    /* In: [block][5] which numbers (phi, mine, shared, fuel, far) the shader checks itself: where the active
     * lanes do not agree, failures[block * 5 + number] of set 0, binding 0 is counted up. NULL: none. */
    const bool (*checked)[5];
} program_values;

enum {
    ID_V_ARRAY = ID_EARLY + 1, /* uint[3] */
    ID_V_THREE,
    ID_V_P_ARRAY,
    ID_V_P_UINT,
    ID_V_NUMBERS,
    ID_V_PUSH_STRUCT,
    ID_V_P_PUSH,
    ID_V_PUSH,
    ID_V_P_PUSH_UINT,
    ID_V_OUT_ARRAY,
    ID_V_OUT_STRUCT,
    ID_V_P_OUT,
    ID_V_P_OUT_UINT,
    ID_V_OUT,
    ID_V_LAST
};

PROGRAM_INLINE uint32_t values_pointer(program_words *w, program_literals *l, bool parts, uint32_t which)
{
    if (!parts)
        return ID_MINE + which;
    uint32_t id = w->next++;
    PROGRAM_OP(w, SpvOpAccessChain, ID_V_P_UINT, id, ID_V_NUMBERS, program_literal(l, which));
    return id;
}

PROGRAM_INLINE uint32_t values_load(program_words *w, program_literals *l, bool parts, uint32_t which)
{
    uint32_t pointer = values_pointer(w, l, parts, which), id = w->next++;
    PROGRAM_OP(w, SpvOpLoad, ID_UINT, id, pointer);
    return id;
}

PROGRAM_INLINE void values_store(program_words *w, program_literals *l, bool parts, uint32_t which,
                                 uint32_t value)
{
    uint32_t pointer = values_pointer(w, l, parts, which);
    PROGRAM_OP(w, SpvOpStore, pointer, value);
}

PROGRAM_INLINE void values_check(program_words *w, program_literals *l, uint32_t slot, uint32_t value)
{
    uint32_t equal = w->next++, wrong = w->next++, pointer = w->next++, old = w->next++;
    PROGRAM_OP(w, SpvOpGroupNonUniformAllEqual, ID_BOOL, equal, program_literal(l, SpvScopeSubgroup), value);
    PROGRAM_OP(w, SpvOpSelect, ID_UINT, wrong, equal, program_literal(l, 0), program_literal(l, 1));
    PROGRAM_OP(w, SpvOpAccessChain, ID_V_P_OUT_UINT, pointer, ID_V_OUT, program_literal(l, 0),
               program_literal(l, slot));
    PROGRAM_OP(w, SpvOpAtomicIAdd, ID_UINT, old, pointer, program_literal(l, SpvScopeDevice),
               program_literal(l, 0), wrong);
}

/* Variables, and what lanes start with: a hash of their number, a push constant, the fuel. */
PROGRAM_INLINE void values_entry(program_words *w, program_literals *l, bool parts)
{
    if (parts)
        PROGRAM_OP(w, SpvOpVariable, ID_V_P_ARRAY, ID_V_NUMBERS, SpvStorageClassFunction);
    for (uint32_t i = 0; i < 3 && !parts; i++)
        PROGRAM_OP(w, SpvOpVariable, ID_V_P_UINT, ID_MINE + i, SpvStorageClassFunction);
    uint32_t id = w->next++, number = w->next++;
    PROGRAM_OP(w, SpvOpLoad, ID_UVEC3, id, ID_GLOBAL_ID);
    PROGRAM_OP(w, SpvOpCompositeExtract, ID_UINT, number, id, 0);
    uint32_t mine = program_value(w, SpvOpIMul, ID_UINT, number, program_literal(l, UINT32_C(2246822519)));
    mine = program_value(w, SpvOpIAdd, ID_UINT, mine, program_literal(l, 1));
    uint32_t pointer = w->next++, pushed = w->next++;
    PROGRAM_OP(w, SpvOpAccessChain, ID_V_P_PUSH_UINT, pointer, ID_V_PUSH, program_literal(l, 0));
    PROGRAM_OP(w, SpvOpLoad, ID_UINT, pushed, pointer);
    values_store(w, l, parts, 0, mine);
    values_store(w, l, parts, 1, pushed);
    values_store(w, l, parts, 2, program_literal(l, PROGRAM_FUEL));
    PROGRAM_OP(w, SpvOpIEqual, ID_BOOL, ID_EARLY, program_bits(w, l, mine, 9, 3), program_literal(l, 1));
}

PROGRAM_INLINE void values_block(program_words *w, program_literals *l, const program *p, int index,
                                 bool parts, const int *far, block_values *ids, const bool *checked)
{
    const program_block *b = &p->blocks.data[index];
    block_values *own = &ids[index];
    PROGRAM_OP(w, SpvOpLabel, ID_LABEL + (uint32_t)index);
    own->phi = b->has_phi ? w->next++ : 0;
    if (own->phi)
        program_phi(w, l, b, index, own->phi);
    if (index == 0)
        values_entry(w, l, parts);
    uint32_t factor = program_literal(l, 1664525), constant = program_literal(l, program_constant(index));
    uint32_t mine = program_value(w, SpvOpIMul, ID_UINT, values_load(w, l, parts, 0), factor);
    mine = program_value(w, SpvOpIAdd, ID_UINT, mine, constant);
    if (own->phi)
        mine = program_value(w, SpvOpIAdd, ID_UINT, mine, own->phi);
    uint32_t shared = program_value(w, SpvOpIMul, ID_UINT, values_load(w, l, parts, 1), factor);
    own->shared = shared = program_value(w, SpvOpIAdd, ID_UINT, shared, constant);
    own->fuel = program_value(w, SpvOpISub, ID_UINT, values_load(w, l, parts, 2), program_literal(l, 1));
    if (b->selects) {
        uint32_t condition = b->select_late ? program_condition(w, l, mine) : (uint32_t)ID_EARLY;
        uint32_t mix = w->next++;
        PROGRAM_OP(w, SpvOpSelect, ID_UINT, mix, condition, program_literal(l, 0x5a5a5),
                   program_literal(l, 0x1234567));
        mine = program_value(w, SpvOpBitwiseXor, ID_UINT, mine, mix);
    }
    own->mine = mine;
    if (far && far[index] != NONE)
        own->far = program_value(w, SpvOpIAdd, ID_UINT, ids[far[index]].shared, constant);
    values_store(w, l, parts, 0, mine);
    values_store(w, l, parts, 1, shared);
    values_store(w, l, parts, 2, own->fuel);
    const uint32_t numbers[] = {own->phi, own->mine, own->shared, own->fuel, own->far};
    for (uint32_t i = 0; checked && i < 5; i++)
        if (checked[i] && numbers[i])
            values_check(w, l, (uint32_t)index * 5 + i, numbers[i]);
    program_terminator(w, l, b, mine, shared, own->fuel);
}

PROGRAM_INLINE void values_declarations(program_words *w, const program_literals *l)
{
    PROGRAM_OP(w, SpvOpTypeVoid, ID_VOID);
    PROGRAM_OP(w, SpvOpTypeFunction, ID_FUNCTION_TYPE, ID_VOID);
    PROGRAM_OP(w, SpvOpTypeBool, ID_BOOL);
    PROGRAM_OP(w, SpvOpTypeInt, ID_UINT, 32, 0);
    PROGRAM_OP(w, SpvOpTypeVector, ID_UVEC3, ID_UINT, 3);
    PROGRAM_OP(w, SpvOpConstant, ID_UINT, ID_V_THREE, 3);
    PROGRAM_OP(w, SpvOpTypeArray, ID_V_ARRAY, ID_UINT, ID_V_THREE);
    PROGRAM_OP(w, SpvOpTypePointer, ID_V_P_ARRAY, SpvStorageClassFunction, ID_V_ARRAY);
    PROGRAM_OP(w, SpvOpTypePointer, ID_V_P_UINT, SpvStorageClassFunction, ID_UINT);
    PROGRAM_OP(w, SpvOpTypeStruct, ID_V_PUSH_STRUCT, ID_UINT);
    PROGRAM_OP(w, SpvOpTypePointer, ID_V_P_PUSH, SpvStorageClassPushConstant, ID_V_PUSH_STRUCT);
    PROGRAM_OP(w, SpvOpTypePointer, ID_V_P_PUSH_UINT, SpvStorageClassPushConstant, ID_UINT);
    PROGRAM_OP(w, SpvOpVariable, ID_V_P_PUSH, ID_V_PUSH, SpvStorageClassPushConstant);
    PROGRAM_OP(w, SpvOpTypeRuntimeArray, ID_V_OUT_ARRAY, ID_UINT);
    PROGRAM_OP(w, SpvOpTypeStruct, ID_V_OUT_STRUCT, ID_V_OUT_ARRAY);
    PROGRAM_OP(w, SpvOpTypePointer, ID_V_P_OUT, SpvStorageClassUniform, ID_V_OUT_STRUCT);
    PROGRAM_OP(w, SpvOpTypePointer, ID_V_P_OUT_UINT, SpvStorageClassUniform, ID_UINT);
    PROGRAM_OP(w, SpvOpVariable, ID_V_P_OUT, ID_V_OUT, SpvStorageClassUniform);
    PROGRAM_OP(w, SpvOpTypePointer, ID_P_UVEC3, SpvStorageClassInput, ID_UVEC3);
    PROGRAM_OP(w, SpvOpVariable, ID_P_UVEC3, ID_GLOBAL_ID, SpvStorageClassInput);
    for (size_t i = 0; i < l->values.count; i++)
        PROGRAM_OP(w, SpvOpConstant, ID_UINT, l->first + (uint32_t)i, l->values.data[i]);
}

/* The whole module of a program that neither kills nor demotes. `far` may be NULL. */
PROGRAM_INLINE void program_values_make(program_values *out, const program *p, bool parts, const int *far)
{
    program_literals literals = {.first = ID_LABEL + (uint32_t)p->blocks.count};
    enum { MOST_LITERALS = 20000 };
    program_words body = {.next = literals.first + MOST_LITERALS};
    out->blocks = calloc(p->blocks.count, sizeof *out->blocks);
    if (!out->blocks)
        abort();
    PROGRAM_OP(&body, SpvOpFunction, ID_VOID, ID_MAIN, 0, ID_FUNCTION_TYPE);
    for (size_t i = 0; i < p->blocks.count; i++)
        values_block(&body, &literals, p, (int)i, parts, far, out->blocks,
                     out->checked ? out->checked[i] : NULL);
    program_emit(&body, SpvOpFunctionEnd, NULL, 0);
    if (literals.values.count > MOST_LITERALS)
        abort();
    out->spirv = (program_words){.next = body.next};
    const uint32_t header[] = {SpvMagicNumber, 0x10300, 0, body.next, 0};
    for (unsigned i = 0; i < 5; i++) {
        if (!wpg_vec_push(&out->spirv.words, header[i]))
            abort();
    }
    program_words *w = &out->spirv;
    const uint32_t name = 'm' | 'a' << 8 | 'i' << 16 | (uint32_t)'n' << 24;
    PROGRAM_OP(w, SpvOpCapability, SpvCapabilityShader);
    PROGRAM_OP(w, SpvOpCapability, SpvCapabilityGroupNonUniform);
    PROGRAM_OP(w, SpvOpCapability, SpvCapabilityGroupNonUniformVote);
    PROGRAM_OP(w, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    PROGRAM_OP(w, SpvOpEntryPoint, SpvExecutionModelGLCompute, ID_MAIN, name, 0, ID_GLOBAL_ID);
    PROGRAM_OP(w, SpvOpExecutionMode, ID_MAIN, SpvExecutionModeLocalSize, 64, 1, 1);
    PROGRAM_OP(w, SpvOpDecorate, ID_GLOBAL_ID, SpvDecorationBuiltIn, SpvBuiltInGlobalInvocationId);
    PROGRAM_OP(w, SpvOpMemberDecorate, ID_V_PUSH_STRUCT, 0, SpvDecorationOffset, 0);
    PROGRAM_OP(w, SpvOpDecorate, ID_V_PUSH_STRUCT, SpvDecorationBlock);
    PROGRAM_OP(w, SpvOpDecorate, ID_V_OUT_ARRAY, SpvDecorationArrayStride, 4);
    PROGRAM_OP(w, SpvOpMemberDecorate, ID_V_OUT_STRUCT, 0, SpvDecorationOffset, 0);
    PROGRAM_OP(w, SpvOpDecorate, ID_V_OUT_STRUCT, SpvDecorationBufferBlock);
    PROGRAM_OP(w, SpvOpDecorate, ID_V_OUT, SpvDecorationDescriptorSet, 0);
    PROGRAM_OP(w, SpvOpDecorate, ID_V_OUT, SpvDecorationBinding, 0);
    values_declarations(w, &literals);
    for (size_t i = 0; i < body.words.count; i++) {
        if (!wpg_vec_push(&w->words, body.words.data[i]))
            abort();
    }
    wpg_vec_free(&body.words);
    wpg_vec_free(&literals.values);
    wpg_map_free(&literals.index);
}

PROGRAM_INLINE void program_values_finish(program_values *v)
{
    wpg_vec_free(&v->spirv.words);
    free(v->blocks);
    v->blocks = NULL;
}

#endif
