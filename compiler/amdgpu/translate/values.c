/* Operands and results by id; constants; extracting from composites and constructing them. */
#include "compiler/amdgpu/translate/translate_internal.h"

#include <string.h>

uint32_t wpg_tr_word(wpg_tr *t, const wpg_inst *inst, unsigned at)
{
    if (at < inst->count)
        return inst->words[at];
    wpg_tr_malformed(t);
    return 0;
}

static const wpg_tr_entry *entry(wpg_tr *t, const wpg_inst *inst, unsigned at)
{
    uint32_t id = at < inst->count ? inst->words[at] : 0;
    if (id && id < t->bound && (t->entries[id].value || t->entries[id].place))
        return &t->entries[id];
    const wpg_inst *definition = wpg_module_def(t->module, id);
    const wpg_opcode_info *info = definition ? wpg_opcode_lookup(definition->opcode) : NULL;
    if (info && definition->opcode >= SpvOpTypeVoid && definition->opcode <= SpvOpTypeForwardPointer)
        wpg_tr_malformed(t);
    else if (info) /* declared, but nothing that this translator keeps: or not yet */
        wpg_tr_fail(t, WPG_E_UNSUPPORTED, "its operand %%%u, %s, has no value here", id, info->name);
    else
        wpg_tr_malformed(t);
    return NULL;
}

LLVMValueRef wpg_tr_value(wpg_tr *t, const wpg_inst *inst, unsigned at)
{
    const wpg_tr_entry *found = entry(t, inst, at);
    if (found && !found->value)
        wpg_tr_fail(t, WPG_E_UNSUPPORTED, "an array of descriptors as an operand");
    return found ? found->value : NULL;
}

LLVMValueRef wpg_tr_value_of(wpg_tr *t, const wpg_inst *inst, unsigned at, LLVMTypeRef type)
{
    LLVMValueRef value = wpg_tr_value(t, inst, at);
    if (value && LLVMTypeOf(value) == type)
        return value;
    if (value)
        wpg_tr_malformed(t);
    return NULL;
}

const wpg_tr_place *wpg_tr_pointer(wpg_tr *t, const wpg_inst *inst, unsigned at)
{
    const wpg_tr_entry *found = entry(t, inst, at);
    if (found && !found->place)
        wpg_tr_malformed(t);
    return found ? found->place : NULL;
}

bool wpg_tr_define(wpg_tr *t, const wpg_inst *inst, LLVMValueRef value)
{
    if (!value)
        return false;
    const wpg_tr_type *type = wpg_tr_result_type(t, inst);
    if (!type)
        return false;
    if (!inst->result || inst->result >= t->bound || LLVMTypeOf(value) != type->llvm)
        return wpg_tr_malformed(t);
    if (type->kind == WPG_TR_POINTER) {
        /* A pointer that was computed: nothing is known of it but its type. */
        const wpg_tr_type *to = type->element < t->bound ? t->types[type->element] : NULL;
        wpg_tr_place *place = WPG_ARENA_NEW(&t->arena, wpg_tr_place);
        if (!place)
            return wpg_tr_fail(t, WPG_E_NOMEM, "out of memory");
        *place = (wpg_tr_place){.pointer = value, .type = type->element, .align = 1};
        /* The natural alignment of a scalar holds wherever it lies (Vulkan 1.3, 15.6.4). */
        while (to &&
               (to->kind == WPG_TR_VECTOR || to->kind == WPG_TR_ARRAY || to->kind == WPG_TR_RUNTIME_ARRAY))
            to = t->types[to->element];
        if (to && (to->kind == WPG_TR_INT || to->kind == WPG_TR_FLOAT || to->kind == WPG_TR_BOOL))
            place->align = to->align;
        t->entries[inst->result].place = place;
    }
    t->entries[inst->result].value = value;
    t->entries[inst->result].type = inst->type;
    return true;
}

bool wpg_tr_define_pointer(wpg_tr *t, const wpg_inst *inst, const wpg_tr_place *place)
{
    const wpg_tr_type *type = wpg_tr_result_type(t, inst);
    if (!type || !place)
        return false;
    wpg_tr_place *copy = wpg_arena_memdup(&t->arena, place, sizeof *place);
    if (!copy)
        return wpg_tr_fail(t, WPG_E_NOMEM, "out of memory");
    if (type->kind != WPG_TR_POINTER || type->element != place->type || inst->result >= t->bound)
        return wpg_tr_malformed(t);
    t->entries[inst->result] = (wpg_tr_entry){place->pointer, copy, inst->type};
    return true;
}

bool wpg_tr_constant(wpg_tr *t, const wpg_inst *inst, unsigned at, uint64_t *bits)
{
    uint32_t width;
    if (at < inst->count && wpg_const_value(t->module, inst->words[at], bits, &width))
        return true;
    LLVMValueRef value = wpg_tr_value(t, inst, at);
    if (!value)
        return false;
    if (!LLVMIsAConstantInt(value))
        return wpg_tr_fail(t, WPG_E_UNSUPPORTED, "its operand %u is no constant", at);
    *bits = LLVMConstIntGetZExtValue(value);
    return true;
}

/* -- Made by hand */

LLVMValueRef wpg_tr_int(LLVMTypeRef type, uint64_t value)
{
    LLVMValueRef parts[4], one = LLVMConstInt(wpg_tr_scalar(type), value, false);
    uint32_t count = wpg_tr_components(type);
    for (uint32_t i = 0; i < 4; i++)
        parts[i] = one;
    return count == 1 ? one : LLVMConstVector(parts, count > 4 ? 4 : count);
}

LLVMValueRef wpg_tr_float(LLVMTypeRef type, double value)
{
    LLVMValueRef parts[4], one = LLVMConstReal(wpg_tr_scalar(type), value);
    uint32_t count = wpg_tr_components(type);
    for (uint32_t i = 0; i < 4; i++)
        parts[i] = one;
    return count == 1 ? one : LLVMConstVector(parts, count > 4 ? 4 : count);
}

LLVMValueRef wpg_tr_get(wpg_tr *t, LLVMValueRef composite, uint32_t index)
{
    if (LLVMGetTypeKind(LLVMTypeOf(composite)) == LLVMVectorTypeKind)
        return LLVMBuildExtractElement(t->builder, composite, LLVMConstInt(t->t_i32, index, false), "");
    return LLVMBuildExtractValue(t->builder, composite, index, "");
}

LLVMValueRef wpg_tr_set(wpg_tr *t, LLVMValueRef composite, LLVMValueRef part, uint32_t index)
{
    if (LLVMGetTypeKind(LLVMTypeOf(composite)) == LLVMVectorTypeKind)
        return LLVMBuildInsertElement(t->builder, composite, part, LLVMConstInt(t->t_i32, index, false), "");
    return LLVMBuildInsertValue(t->builder, composite, part, index, "");
}

LLVMValueRef wpg_tr_splat(wpg_tr *t, LLVMValueRef scalar, LLVMTypeRef type)
{
    uint32_t count = wpg_tr_components(type);
    if (count == 1)
        return scalar;
    LLVMValueRef vector = LLVMGetPoison(type);
    for (uint32_t i = 0; i < count; i++)
        vector = wpg_tr_set(t, vector, scalar, i);
    return vector;
}

LLVMValueRef wpg_tr_call(wpg_tr *t, const char *name, LLVMTypeRef *types, unsigned type_count,
                         LLVMValueRef *arguments, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (!id) {
        wpg_tr_fail(t, WPG_E_UNSUPPORTED, "this LLVM has no %s", name);
        return NULL;
    }
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(t->llvm, id, types, type_count);
    return LLVMBuildCall2(t->builder, LLVMIntrinsicGetType(t->context, id, types, type_count), function,
                          arguments, count, "");
}

LLVMValueRef wpg_tr_call1(wpg_tr *t, const char *name, LLVMValueRef a)
{
    return a ? wpg_tr_call(t, name, (LLVMTypeRef[]){LLVMTypeOf(a)}, 1, (LLVMValueRef[]){a}, 1) : NULL;
}

LLVMValueRef wpg_tr_call2(wpg_tr *t, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    return a && b ? wpg_tr_call(t, name, (LLVMTypeRef[]){LLVMTypeOf(a)}, 1, (LLVMValueRef[]){a, b}, 2) : NULL;
}

LLVMValueRef wpg_tr_call3(wpg_tr *t, const char *name, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    return a && b && c ? wpg_tr_call(t, name, (LLVMTypeRef[]){LLVMTypeOf(a)}, 1, (LLVMValueRef[]){a, b, c}, 3)
                       : NULL;
}

/* -- Constants */

static LLVMValueRef scalar_constant(const wpg_tr_type *type, const wpg_inst *inst)
{
    uint64_t bits = inst->count > 3 ? inst->words[3] : 0;
    if (type->bits == 64 && inst->count > 4)
        bits |= (uint64_t)inst->words[4] << 32;
    if (type->kind == WPG_TR_INT)
        return LLVMConstInt(type->llvm, bits, false);
    LLVMTypeRef as_int = LLVMIntTypeInContext(LLVMGetTypeContext(type->llvm), type->bits);
    if (type->bits < 64)
        bits &= (UINT64_C(1) << type->bits) - 1;
    return LLVMConstBitCast(LLVMConstInt(as_int, bits, false), type->llvm);
}

/* Parts in order, of the types a composite has; words from `at` on. */
static LLVMValueRef composite(wpg_tr *t, const wpg_inst *inst, const wpg_tr_type *type, unsigned at)
{
    if (type->count != (uint32_t)(inst->count - at) || type->kind < WPG_TR_VECTOR ||
        type->kind > WPG_TR_STRUCT) {
        wpg_tr_malformed(t);
        return NULL;
    }
    LLVMValueRef *parts = WPG_ARENA_ARRAY(&t->arena, LLVMValueRef, type->count + 1u);
    bool constant = true;
    if (!parts) {
        wpg_tr_fail(t, WPG_E_NOMEM, "out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < type->count; i++) {
        uint32_t part = type->kind == WPG_TR_STRUCT ? type->members[i].type : type->element;
        parts[i] = wpg_tr_value_of(t, inst, at + i, t->types[part]->llvm);
        if (!parts[i])
            return NULL;
        constant = constant && LLVMIsConstant(parts[i]);
    }
    if (constant && type->kind == WPG_TR_VECTOR)
        return LLVMConstVector(parts, type->count);
    if (constant && type->kind == WPG_TR_STRUCT)
        return LLVMConstStructInContext(t->context, parts, type->count, false);
    if (constant)
        return LLVMConstArray2(t->types[type->element]->llvm, parts, type->count);
    LLVMValueRef value = LLVMGetPoison(type->llvm);
    for (uint32_t i = 0; i < type->count; i++)
        value = wpg_tr_set(t, value, parts[i], i);
    return value;
}

wpg_tr_result wpg_tr_constants(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_type *type;
    switch (inst->opcode) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpConstant:
    case SpvOpSpecConstant:
    case SpvOpConstantNull:
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
    case SpvOpUndef:
        break;
    default:
        return WPG_TR_OTHER;
    }
    type = wpg_tr_type_of(t, inst->type);
    if (!type)
        return WPG_TR_FAILED;
    if (!type->llvm) /* of a type without values: whatever uses it is refused */
        return WPG_TR_DONE;
    bool is_bool = type->kind == WPG_TR_BOOL;
    switch (inst->opcode) {
    case SpvOpConstantTrue:
    case SpvOpSpecConstantTrue:
        return wpg_tr_did(wpg_tr_define(t, inst, is_bool ? LLVMConstInt(t->t_i1, 1, false) : NULL) ||
                          wpg_tr_malformed(t));
    case SpvOpConstantFalse:
    case SpvOpSpecConstantFalse:
        return wpg_tr_did(wpg_tr_define(t, inst, is_bool ? LLVMConstInt(t->t_i1, 0, false) : NULL) ||
                          wpg_tr_malformed(t));
    case SpvOpConstant:
    case SpvOpSpecConstant:
        if (type->kind != WPG_TR_INT && type->kind != WPG_TR_FLOAT)
            return wpg_tr_did(wpg_tr_malformed(t));
        return wpg_tr_did(wpg_tr_define(t, inst, scalar_constant(type, inst)));
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        return wpg_tr_did(wpg_tr_define(t, inst, composite(t, inst, type, 3)));
    default: /* null; what is undefined is zero here, the same for every use */
        return wpg_tr_did(wpg_tr_define(t, inst, LLVMConstNull(type->llvm)));
    }
}

/* -- Composites */

/* The part that literal indices lead to; checks each. Gives its LLVM type in *part. */
static bool path_of(wpg_tr *t, const wpg_inst *inst, unsigned at, LLVMTypeRef type)
{
    for (; at < inst->count; at++) {
        uint32_t index = inst->words[at];
        switch (LLVMGetTypeKind(type)) {
        case LLVMVectorTypeKind:
            if (index >= LLVMGetVectorSize(type))
                return wpg_tr_malformed(t);
            type = LLVMGetElementType(type);
            break;
        case LLVMArrayTypeKind:
            if (index >= LLVMGetArrayLength2(type))
                return wpg_tr_malformed(t);
            type = LLVMGetElementType(type);
            break;
        case LLVMStructTypeKind:
            if (index >= LLVMCountStructElementTypes(type))
                return wpg_tr_malformed(t);
            type = LLVMStructGetTypeAtIndex(type, index);
            break;
        default:
            return wpg_tr_malformed(t);
        }
    }
    return true;
}

static bool insert(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef part = wpg_tr_value(t, inst, 3), whole[WPG_TR_MAX_DEPTH + 2];
    unsigned depth = inst->count - 5u;
    if (!part || inst->count < 5 || !(whole[0] = wpg_tr_value(t, inst, 4)))
        return false;
    if (depth > WPG_TR_MAX_DEPTH || !path_of(t, inst, 5, LLVMTypeOf(whole[0])))
        return wpg_tr_malformed(t);
    for (unsigned i = 0; i < depth; i++)
        whole[i + 1] = wpg_tr_get(t, whole[i], inst->words[5 + i]);
    if (LLVMTypeOf(whole[depth]) != LLVMTypeOf(part))
        return wpg_tr_malformed(t);
    for (unsigned i = depth; i-- > 0;)
        part = wpg_tr_set(t, whole[i], part, inst->words[5 + i]);
    return wpg_tr_define(t, inst, part);
}

static bool extract(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef value = wpg_tr_value(t, inst, 3);
    if (!value || !path_of(t, inst, 4, LLVMTypeOf(value)))
        return false;
    for (unsigned at = 4; at < inst->count; at++)
        value = wpg_tr_get(t, value, inst->words[at]);
    return wpg_tr_define(t, inst, value);
}

/* A vector's parts may themselves be vectors. */
static bool construct(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_type *type = wpg_tr_result_type(t, inst);
    if (!type)
        return false;
    if (type->kind != WPG_TR_VECTOR)
        return wpg_tr_define(t, inst, composite(t, inst, type, 3));
    LLVMValueRef vector = LLVMGetPoison(type->llvm);
    LLVMTypeRef scalar = wpg_tr_scalar(type->llvm);
    uint32_t filled = 0;
    for (unsigned at = 3; at < inst->count; at++) {
        LLVMValueRef part = wpg_tr_value(t, inst, at);
        if (!part)
            return false;
        uint32_t count = wpg_tr_components(LLVMTypeOf(part));
        if (LLVMTypeOf(part) != wpg_tr_with_components(scalar, count) || filled + count > type->count)
            return wpg_tr_malformed(t);
        for (uint32_t i = 0; i < count; i++)
            vector = wpg_tr_set(t, vector, count == 1 ? part : wpg_tr_get(t, part, i), filled++);
    }
    return filled == type->count ? wpg_tr_define(t, inst, vector) : wpg_tr_malformed(t);
}

static bool shuffle(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_type *type = wpg_tr_result_type(t, inst);
    LLVMValueRef a = type ? wpg_tr_value(t, inst, 3) : NULL, b = a ? wpg_tr_value(t, inst, 4) : NULL;
    if (!b)
        return false;
    uint32_t first = wpg_tr_components(LLVMTypeOf(a)), second = wpg_tr_components(LLVMTypeOf(b));
    if (type->kind != WPG_TR_VECTOR || inst->count - 5u != type->count || first < 2 || second < 2 ||
        wpg_tr_scalar(LLVMTypeOf(a)) != wpg_tr_scalar(type->llvm) ||
        wpg_tr_scalar(LLVMTypeOf(b)) != wpg_tr_scalar(type->llvm))
        return wpg_tr_malformed(t);
    LLVMValueRef vector = LLVMConstNull(type->llvm);
    for (uint32_t i = 0; i < type->count; i++) {
        uint32_t from = inst->words[5 + i];
        if (from == UINT32_MAX) /* undefined: stays zero */
            continue;
        if (from >= first + second)
            return wpg_tr_malformed(t);
        vector =
            wpg_tr_set(t, vector, from < first ? wpg_tr_get(t, a, from) : wpg_tr_get(t, b, from - first), i);
    }
    return wpg_tr_define(t, inst, vector);
}

/* An index past the vector's end is undefined in SPIR-V: it wraps here. */
static bool dynamic(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef vector = wpg_tr_value(t, inst, 3), part = NULL;
    bool inserts = inst->opcode == SpvOpVectorInsertDynamic;
    if (!vector || LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind)
        return vector && wpg_tr_malformed(t);
    if (inserts && !(part = wpg_tr_value_of(t, inst, 4, LLVMGetElementType(LLVMTypeOf(vector)))))
        return false;
    LLVMValueRef index = wpg_tr_value(t, inst, inserts ? 5 : 4);
    if (!index || !wpg_tr_is_int(LLVMTypeOf(index)) || wpg_tr_components(LLVMTypeOf(index)) != 1)
        return index && wpg_tr_malformed(t);
    LLVMTypeRef type = LLVMTypeOf(index);
    index = LLVMBuildURem(t->builder, index, LLVMConstInt(type, LLVMGetVectorSize(LLVMTypeOf(vector)), false),
                          "");
    return wpg_tr_define(t, inst,
                         inserts ? LLVMBuildInsertElement(t->builder, vector, part, index, "")
                                 : LLVMBuildExtractElement(t->builder, vector, index, ""));
}

/* Types that match logically have one LLVM type, since layout is no part of it. */
static bool copy(wpg_tr *t, const wpg_inst *inst)
{
    uint32_t id = wpg_tr_word(t, inst, 3);
    if (id < t->bound && t->entries[id].place && inst->opcode == SpvOpCopyObject)
        return wpg_tr_define_pointer(t, inst, t->entries[id].place);
    return wpg_tr_define(t, inst, wpg_tr_value(t, inst, 3));
}

wpg_tr_result wpg_tr_composites(wpg_tr *t, const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpCompositeConstruct:
        return wpg_tr_did(construct(t, inst));
    case SpvOpCompositeExtract:
        return wpg_tr_did(extract(t, inst));
    case SpvOpCompositeInsert:
        return wpg_tr_did(insert(t, inst));
    case SpvOpVectorShuffle:
        return wpg_tr_did(shuffle(t, inst));
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        return wpg_tr_did(dynamic(t, inst));
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
        return wpg_tr_did(copy(t, inst));
    default:
        return WPG_TR_OTHER;
    }
}

void wpg_tr_mark_invariant(wpg_tr *t, LLVMValueRef load)
{
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(t->context, "invariant.load", 14),
                    LLVMMetadataAsValue(t->context, LLVMMDNodeInContext2(t->context, NULL, 0)));
}
