/* SPIR-V types: their LLVM form as values, and their layout in memory.
 *
 * All memory is addressed in bytes. A type's layout depends on the type alone: Offset, ArrayStride and
 * MatrixStride if decorated, else natural packing (bools as 32-bit words). So two pointers to the same type
 * agree, whatever their storage class. */
#include "compiler/amdgpu/translate/translate_internal.h"

#include <string.h>

bool wpg_tr_decoration(const wpg_tr *t, uint32_t id, SpvDecoration which, uint32_t *literal)
{
    const wpg_inst *inst = wpg_find_decoration(t->module, id, which);
    if (inst && literal)
        *literal = inst->count > 3 ? inst->words[3] : 0;
    return inst != NULL;
}

static bool member_decoration(const wpg_tr *t, uint32_t type, uint32_t member, SpvDecoration which,
                              uint32_t *literal)
{
    for (const wpg_inst *inst = t->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpMemberDecorate && inst->count > 3 && inst->words[1] == type &&
            inst->words[2] == member && inst->words[3] == (uint32_t)which) {
            if (literal)
                *literal = inst->count > 4 ? inst->words[4] : 0;
            return true;
        }
    return false;
}

const wpg_tr_type *wpg_tr_type_of(wpg_tr *t, uint32_t id)
{
    const wpg_tr_type *type = id < t->bound ? t->types[id] : NULL;
    if (!type)
        wpg_tr_malformed(t);
    return type;
}

const wpg_tr_type *wpg_tr_result_type(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_type *type = wpg_tr_type_of(t, inst->type);
    if (type && !type->llvm) {
        wpg_tr_refuse(t);
        return NULL;
    }
    return type;
}

LLVMTypeRef wpg_tr_scalar(LLVMTypeRef type)
{
    while (LLVMGetTypeKind(type) == LLVMVectorTypeKind || LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    return type;
}

uint32_t wpg_tr_components(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

LLVMTypeRef wpg_tr_with_components(LLVMTypeRef scalar, uint32_t count)
{
    return count == 1 ? scalar : LLVMVectorType(scalar, count);
}

static LLVMTypeRef component_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

bool wpg_tr_is_int(LLVMTypeRef type)
{
    LLVMTypeRef scalar = component_of(type);
    return LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(scalar) > 1;
}

bool wpg_tr_is_bool(LLVMTypeRef type)
{
    LLVMTypeRef scalar = component_of(type);
    return LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(scalar) == 1;
}

bool wpg_tr_is_float(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(component_of(type));
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

uint32_t wpg_tr_bits(LLVMTypeRef type)
{
    LLVMTypeRef scalar = component_of(type);
    switch (LLVMGetTypeKind(scalar)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(scalar);
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 0;
    }
}

/* -- Declarations */

static uint64_t round_up(uint64_t size, uint64_t align)
{
    return (size + align - 1) / align * align;
}

static bool too_large(wpg_tr *t, const wpg_tr_type *type)
{
    if (type->size <= UINT32_MAX && type->stride <= UINT32_MAX && type->depth <= WPG_TR_MAX_DEPTH)
        return false;
    wpg_tr_fail(t, WPG_E_UNSUPPORTED, "the type is too large");
    return true;
}

static bool declare_scalar(wpg_tr *t, wpg_tr_type *type, const wpg_inst *inst)
{
    bool is_float = inst->opcode == SpvOpTypeFloat;
    type->kind = is_float ? WPG_TR_FLOAT : WPG_TR_INT;
    type->bits = inst->words[2];
    type->is_signed = !is_float && inst->count > 3 && inst->words[3];
    if (is_float && inst->count > 3) /* an encoding other than IEEE 754 */
        return wpg_tr_refuse(t);
    if (is_float)
        type->llvm = type->bits == 16   ? t->t_f16
                     : type->bits == 32 ? t->t_f32
                     : type->bits == 64 ? t->t_f64
                                        : NULL;
    else if (type->bits == 8 || type->bits == 16 || type->bits == 32 || type->bits == 64)
        type->llvm = LLVMIntTypeInContext(t->context, type->bits);
    type->size = type->align = type->bits / 8;
    type->leaves = 1;
    type->stored = true;
    return type->llvm || wpg_tr_fail(t, WPG_E_UNSUPPORTED, "a scalar of %u bits", type->bits);
}

static bool declare_vector(wpg_tr *t, wpg_tr_type *type, const wpg_inst *inst)
{
    const wpg_tr_type *element = wpg_tr_type_of(t, inst->words[2]);
    bool matrix = inst->opcode == SpvOpTypeMatrix;
    if (!element)
        return false;
    type->kind = matrix ? WPG_TR_MATRIX : WPG_TR_VECTOR;
    type->element = element->id;
    type->count = inst->words[3];
    type->bits = element->bits;
    if (type->count < 2 || type->count > 4 ||
        (matrix
             ? element->kind != WPG_TR_VECTOR || !wpg_tr_is_float(element->llvm)
             : element->kind != WPG_TR_INT && element->kind != WPG_TR_FLOAT && element->kind != WPG_TR_BOOL))
        return wpg_tr_fail(t, WPG_E_UNSUPPORTED, "%u components", type->count);
    type->llvm =
        matrix ? LLVMArrayType2(element->llvm, type->count) : LLVMVectorType(element->llvm, type->count);
    type->leaves = type->count * element->leaves;
    type->stored = true;
    type->stride = matrix ? round_up(element->size, element->align) : element->size;
    type->size = type->stride * type->count;
    type->align = matrix ? element->align : element->align * (type->count == 3 ? 4 : type->count);
    return true;
}

static bool array_count(wpg_tr *t, const wpg_inst *inst, uint32_t *count)
{
    const wpg_inst *length = wpg_module_def(t->module, inst->words[3]);
    const bool known = length && length->count >= 4 &&
                       (length->opcode == SpvOpConstant || length->opcode == SpvOpSpecConstant);
    if (known && length->count == 4 && !length->words[3])
        return wpg_tr_fail(t, WPG_E_UNSUPPORTED,
                           "an array of length 0 under these specialisation values, or the module's default "
                           "values: give the program's own with --spec ID=VALUE");
    if (!known || (length->count > 4 && length->words[4]))
        return wpg_tr_fail(t, WPG_E_UNSUPPORTED, "an array without a constant length");
    *count = length->words[3];
    return true;
}

static bool declare_array(wpg_tr *t, wpg_tr_type *type, const wpg_inst *inst)
{
    const wpg_tr_type *element = wpg_tr_type_of(t, inst->words[2]);
    uint32_t stride = 0;
    if (!element || (inst->opcode == SpvOpTypeArray && !array_count(t, inst, &type->count)))
        return false;
    type->kind = inst->opcode == SpvOpTypeArray ? WPG_TR_ARRAY : WPG_TR_RUNTIME_ARRAY;
    type->element = element->id;
    type->depth = element->depth + 1;
    type->stored = element->stored && type->kind == WPG_TR_ARRAY;
    type->align = element->align ? element->align : 1;
    (void)wpg_tr_decoration(t, type->id, SpvDecorationArrayStride, &stride);
    type->stride = stride ? stride : round_up(element->size, type->align);
    if (too_large(t, type))
        return false;
    type->size = type->stride * type->count;
    uint64_t leaves = (uint64_t)element->leaves * type->count;
    type->leaves = leaves > UINT32_MAX ? UINT32_MAX : (uint32_t)leaves;
    if (type->kind == WPG_TR_ARRAY && element->llvm && type->leaves <= WPG_TR_MAX_LEAVES)
        type->llvm = LLVMArrayType2(element->llvm, type->count);
    return !too_large(t, type);
}

/* Bytes of a member, whose matrices may be laid out by the member's own stride. */
static uint64_t member_size(const wpg_tr *t, const wpg_tr_member *member)
{
    const wpg_tr_type *type = t->types[member->type];
    if (type->kind != WPG_TR_MATRIX || !member->matrix_stride)
        return type->size;
    uint32_t rows = t->types[type->element]->count;
    return (uint64_t)member->matrix_stride * (member->row_major ? rows : type->count);
}

static bool declare_struct(wpg_tr *t, wpg_tr_type *type, const wpg_inst *inst)
{
    uint32_t count = inst->count - 2u;
    wpg_tr_member *members = WPG_ARENA_ARRAY(&t->arena, wpg_tr_member, count + 1u);
    LLVMTypeRef *parts = WPG_ARENA_ARRAY(&t->arena, LLVMTypeRef, count + 1u);
    uint64_t leaves = 0;
    bool value = true;
    if (!members || !parts)
        return wpg_tr_fail(t, WPG_E_NOMEM, "out of memory");
    type->kind = WPG_TR_STRUCT;
    type->count = count;
    type->members = members;
    type->align = 1;
    type->stored = true;
    for (uint32_t i = 0; i < count; i++) {
        const wpg_tr_type *part = wpg_tr_type_of(t, inst->words[2 + i]);
        uint32_t offset;
        if (!part)
            return false;
        uint64_t align = part->align ? part->align : 1;
        members[i].type = part->id;
        members[i].row_major = member_decoration(t, type->id, i, SpvDecorationRowMajor, NULL);
        members[i].coherent = member_decoration(t, type->id, i, SpvDecorationCoherent, NULL) ||
                              member_decoration(t, type->id, i, SpvDecorationVolatile, NULL);
        (void)member_decoration(t, type->id, i, SpvDecorationMatrixStride, &members[i].matrix_stride);
        members[i].offset = member_decoration(t, type->id, i, SpvDecorationOffset, &offset)
                                ? offset
                                : round_up(type->size, align);
        uint64_t end = members[i].offset + member_size(t, &members[i]);
        type->size = end > type->size ? end : type->size;
        type->align = align > type->align ? align : type->align;
        type->depth = part->depth >= type->depth ? part->depth + 1 : type->depth;
        leaves += part->leaves;
        type->stored = type->stored && part->stored;
        parts[i] = part->llvm;
        value = value && part->llvm;
        if (too_large(t, type))
            return false;
    }
    type->leaves = leaves > UINT32_MAX ? UINT32_MAX : (uint32_t)leaves;
    type->end = type->size;
    type->size = round_up(type->size, type->align);
    if (value && type->leaves <= WPG_TR_MAX_LEAVES)
        type->llvm = LLVMStructTypeInContext(t->context, parts, count, false);
    return !too_large(t, type);
}

/* LLVM's address space of a storage class. */
static unsigned space_of(const wpg_tr *t, SpvStorageClass storage)
{
    switch (storage) {
    case SpvStorageClassUniform: /* BufferBlock, too: as StorageBuffer where it may be written */
    case SpvStorageClassStorageBuffer:
        return t->abi->space_buffer;
    case SpvStorageClassPushConstant:
        return t->abi->space_uniform;
    case SpvStorageClassPhysicalStorageBuffer:
        return t->abi->space_global;
    case SpvStorageClassWorkgroup:
        return t->abi->space_local;
    default:
        return t->abi->space_private;
    }
}

/* What it points to may be declared later. */
static bool declare_pointer(wpg_tr *t, wpg_tr_type *type, uint32_t storage, uint32_t to)
{
    type->kind = WPG_TR_POINTER;
    type->storage = (SpvStorageClass)storage;
    type->element = to;
    type->llvm = LLVMPointerTypeInContext(t->context, space_of(t, type->storage));
    type->size = type->align = 8;
    type->leaves = 1;
    type->stored = true;
    return true;
}

bool wpg_tr_declare_type(wpg_tr *t, const wpg_inst *inst)
{
    uint32_t id = inst->opcode == SpvOpTypeForwardPointer ? 0 : inst->result;
    if (inst->opcode == SpvOpTypeForwardPointer) {
        /* Declared at once, so that a struct may hold it before it is declared itself. */
        id = inst->words[1];
    }
    if (!id || id >= t->bound)
        return wpg_tr_malformed(t);
    if (t->types[id]) {
        if (inst->opcode != SpvOpTypePointer || t->types[id]->kind != WPG_TR_POINTER)
            return wpg_tr_malformed(t);
        t->types[id]->element = inst->words[3];
        return t->types[id]->storage == (SpvStorageClass)inst->words[2] || wpg_tr_malformed(t);
    }
    wpg_tr_type *type = WPG_ARENA_NEW(&t->arena, wpg_tr_type);
    if (!type)
        return wpg_tr_fail(t, WPG_E_NOMEM, "out of memory");
    type->id = id;
    bool ok = true;
    switch (inst->opcode) {
    case SpvOpTypeVoid:
        type->kind = WPG_TR_VOID;
        break;
    case SpvOpTypeBool:
        type->kind = WPG_TR_BOOL;
        type->llvm = t->t_i1;
        type->bits = 1;
        type->leaves = 1;
        type->stored = true;
        type->size = type->align = 4;
        break;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        ok = declare_scalar(t, type, inst);
        break;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        ok = declare_vector(t, type, inst);
        break;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        ok = declare_array(t, type, inst);
        break;
    case SpvOpTypeStruct:
        ok = declare_struct(t, type, inst);
        break;
    case SpvOpTypePointer:
        ok = declare_pointer(t, type, inst->words[2], inst->words[3]);
        break;
    case SpvOpTypeForwardPointer:
        ok = declare_pointer(t, type, inst->words[2], 0);
        break;
    case SpvOpTypeFunction:
        type->kind = WPG_TR_FUNCTION;
        break;
    default: /* whatever uses it is refused */
        break;
    }
    if (ok)
        t->types[id] = type;
    return ok;
}
