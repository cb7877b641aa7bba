/* Variables by storage class, access chains, loads and stores. All addresses are in bytes from a pointer in
 * the storage's address space. Composites are loaded and stored scalar by scalar, contiguous vectors
 * whole. */
#include "compiler/amdgpu/translate/translate_internal.h"

/* -- Addresses */

static LLVMTypeRef index_type(const wpg_tr *t, LLVMValueRef pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    bool narrow = t->options->gpu && (space == t->abi->space_local || space == t->abi->space_private ||
                                      (space == t->abi->space_buffer && t->abi->index_bits == 32));
    return narrow ? t->t_i32 : t->t_i64;
}

LLVMValueRef wpg_tr_offset(wpg_tr *t, LLVMValueRef pointer, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(t->builder, t->t_i8, pointer, &bytes, 1, "");
}

LLVMValueRef wpg_tr_offset_by(wpg_tr *t, LLVMValueRef pointer, uint64_t bytes)
{
    return bytes ? wpg_tr_offset(t, pointer, LLVMConstInt(index_type(t, pointer), bytes, false)) : pointer;
}

/* Sets out from the start of a buffer. */
static void begin_buffer(wpg_tr *t, wpg_tr_place *place, LLVMValueRef pointer)
{
    place->pointer = pointer;
    place->align = t->abi->buffer_align;
    place->root = t->abi->index_bits == 64 ? pointer : NULL;
    place->dynamic = NULL;
    place->fixed = 0;
}

static void settle_pointer(wpg_tr *t, wpg_tr_place *place)
{
    place->pointer = place->root;
    if (place->dynamic)
        place->pointer =
            wpg_tr_offset(t, place->pointer, LLVMBuildZExt(t->builder, place->dynamic, t->t_i64, ""));
    place->pointer = wpg_tr_offset_by(t, place->pointer, (uint64_t)place->fixed);
}

static void move_by(wpg_tr *t, wpg_tr_place *place, uint64_t bytes)
{
    if (place->root) {
        place->fixed += (int64_t)bytes;
        settle_pointer(t, place);
    } else {
        place->pointer = wpg_tr_offset_by(t, place->pointer, bytes);
    }
}

static uint64_t align_at(uint64_t align, uint64_t offset)
{
    uint64_t low = offset & (~offset + 1);
    return low && low < align ? low : align;
}

static LLVMValueRef as_index(wpg_tr *t, LLVMValueRef index, LLVMTypeRef type, bool is_signed)
{
    uint32_t from = wpg_tr_bits(LLVMTypeOf(index)), to = wpg_tr_bits(type);
    if (from == to)
        return index;
    return from > to   ? LLVMBuildTrunc(t->builder, index, type, "")
           : is_signed ? LLVMBuildSExt(t->builder, index, type, "")
                       : LLVMBuildZExt(t->builder, index, type, "");
}

/* Moves the place by index * stride. Indices into arrays that begin at the place are not negative, whatever
 * their type says; those of a pointer as an array's element may be (`is_signed`). */
static bool step(wpg_tr *t, wpg_tr_place *place, LLVMValueRef index, uint64_t stride, bool is_signed)
{
    if (!wpg_tr_is_int(LLVMTypeOf(index)) || wpg_tr_components(LLVMTypeOf(index)) != 1)
        return wpg_tr_malformed(t);
    if (is_signed && !LLVMIsAConstantInt(index))
        place->root = NULL; /* backwards: not by an unsigned offset */
    bool narrow = place->root && !LLVMIsAConstantInt(index);
    index = as_index(t, index, narrow ? t->t_i32 : index_type(t, place->pointer), is_signed);
    LLVMValueRef bytes = LLVMBuildMul(t->builder, index, LLVMConstInt(LLVMTypeOf(index), stride, false), "");
    bool constant = LLVMIsAConstantInt(bytes);
    if (constant && !LLVMConstIntGetZExtValue(bytes))
        return true;
    place->align = align_at(place->align, constant ? LLVMConstIntGetZExtValue(bytes) : stride);
    if (!place->root) {
        place->pointer = wpg_tr_offset(t, place->pointer, bytes);
        return true;
    }
    if (constant)
        place->fixed += LLVMConstIntGetSExtValue(bytes);
    else
        place->dynamic = place->dynamic ? LLVMBuildAdd(t->builder, place->dynamic, bytes, "") : bytes;
    settle_pointer(t, place);
    return true;
}

/* One of an array of descriptors. */
static bool choose_descriptor(wpg_tr *t, wpg_tr_place *place, const wpg_tr_type *type, LLVMValueRef index)
{
    const wpg_tr_type *block = wpg_tr_type_of(t, type->element);
    if (!block || !wpg_tr_is_int(LLVMTypeOf(index)) || wpg_tr_components(LLVMTypeOf(index)) != 1)
        return block && wpg_tr_malformed(t);
    if (block->kind != WPG_TR_STRUCT)
        return wpg_tr_fail(t, WPG_E_UNSUPPORTED, "an array of arrays of descriptors");
    uint32_t bits = wpg_tr_bits(LLVMTypeOf(index));
    place->element = bits < 32   ? LLVMBuildZExt(t->builder, index, t->t_i32, "")
                     : bits > 32 ? LLVMBuildTrunc(t->builder, index, t->t_i32, "")
                                 : index;
    begin_buffer(t, place, t->abi->buffer(t, place->binding, place->element));
    place->type = block->id;
    return place->pointer != NULL;
}

static bool into_struct(wpg_tr *t, wpg_tr_place *place, const wpg_tr_type *type, LLVMValueRef index)
{
    if (!LLVMIsAConstantInt(index))
        return wpg_tr_malformed(t);
    uint64_t at = LLVMConstIntGetZExtValue(index);
    if (at >= type->count)
        return wpg_tr_malformed(t);
    const wpg_tr_member *member = &type->members[at];
    move_by(t, place, member->offset);
    place->align = align_at(place->align, member->offset);
    place->type = member->type;
    place->matrix_stride = member->matrix_stride;
    place->row_major = member->row_major;
    place->is_volatile = place->is_volatile || member->coherent;
    return true;
}

static bool go_into(wpg_tr *t, wpg_tr_place *place, LLVMValueRef index)
{
    const wpg_tr_type *type = wpg_tr_type_of(t, place->type);
    if (!type)
        return false;
    if (!place->pointer)
        return choose_descriptor(t, place, type, index);
    uint64_t stride = type->stride;
    switch (type->kind) {
    case WPG_TR_STRUCT:
        return into_struct(t, place, type, index);
    case WPG_TR_ARRAY:
    case WPG_TR_RUNTIME_ARRAY:
        break;
    case WPG_TR_MATRIX:
        if (place->matrix_stride && place->row_major) {
            stride = t->types[t->types[type->element]->element]->size;
            place->vector_stride = place->matrix_stride;
        } else if (place->matrix_stride) {
            stride = place->matrix_stride;
        }
        place->matrix_stride = 0;
        break;
    case WPG_TR_VECTOR:
        stride = place->vector_stride ? place->vector_stride : t->types[type->element]->size;
        place->vector_stride = 0;
        break;
    default:
        return wpg_tr_malformed(t);
    }
    place->type = type->element;
    return step(t, place, index, stride, false);
}

static bool access_chain(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_place *base = wpg_tr_pointer(t, inst, 3);
    bool element = inst->opcode == SpvOpPtrAccessChain || inst->opcode == SpvOpInBoundsPtrAccessChain;
    unsigned at = 4;
    if (!base)
        return false;
    wpg_tr_place place = *base;
    if (element) { /* the stride is the pointer type's own */
        uint32_t stride = 0;
        LLVMValueRef index = wpg_tr_value(t, inst, at++);
        const wpg_tr_type *type = index ? wpg_tr_type_of(t, place.type) : NULL;
        if (!type)
            return false;
        uint32_t base_type = t->entries[inst->words[3]].type;
        if (!wpg_tr_decoration(t, base_type, SpvDecorationArrayStride, &stride))
            stride = (uint32_t)type->size;
        if (!place.pointer)
            return wpg_tr_refuse(t);
        if (!step(t, &place, index, stride, true))
            return false;
    }
    for (; at < inst->count; at++) {
        LLVMValueRef index = wpg_tr_value(t, inst, at);
        if (!index || !go_into(t, &place, index))
            return false;
    }
    return wpg_tr_define_pointer(t, inst, &place);
}

/* -- Loads and stores */

static LLVMTypeRef in_memory(const wpg_tr *t, LLVMTypeRef type)
{
    return wpg_tr_is_bool(type) ? wpg_tr_with_components(t->t_i32, wpg_tr_components(type)) : type;
}

static LLVMValueRef load_plain(wpg_tr *t, const wpg_tr_place *place, LLVMTypeRef type)
{
    LLVMTypeRef stored = in_memory(t, type);
    LLVMValueRef value = LLVMBuildLoad2(t->builder, stored, place->pointer, "");
    LLVMSetAlignment(value, (unsigned)place->align);
    LLVMSetVolatile(value, place->is_volatile);
    /* Uniform buffers: nothing writes them while the shader runs (a write through an alias is not made
     * visible to it). */
    if (place->binding && place->binding->uniform && !place->is_volatile)
        wpg_tr_mark_invariant(t, value);
    if (stored == type)
        return value;
    return LLVMBuildICmp(t->builder, LLVMIntNE, value, LLVMConstNull(stored), "");
}

static void store_plain(wpg_tr *t, const wpg_tr_place *place, LLVMValueRef value)
{
    LLVMTypeRef stored = in_memory(t, LLVMTypeOf(value));
    if (stored != LLVMTypeOf(value))
        value = LLVMBuildZExt(t->builder, value, stored, "");
    LLVMValueRef store = LLVMBuildStore(t->builder, value, place->pointer);
    LLVMSetAlignment(store, (unsigned)place->align);
    LLVMSetVolatile(store, place->is_volatile);
}

/* The index-th part of what lies at the place. */
static bool part_of(wpg_tr *t, wpg_tr_place *part, const wpg_tr_place *place, uint32_t index)
{
    *part = *place;
    return go_into(t, part, LLVMConstInt(t->t_i32, index, false));
}

static bool is_whole(const wpg_tr_place *place, const wpg_tr_type *type)
{
    return type->kind == WPG_TR_BOOL || type->kind == WPG_TR_INT || type->kind == WPG_TR_FLOAT ||
           type->kind == WPG_TR_POINTER || (type->kind == WPG_TR_VECTOR && !place->vector_stride);
}

/* A value of the place's type; its parts by recursion, as deep as types are. */
static LLVMValueRef load_from(wpg_tr *t, const wpg_tr_place *place)
{
    const wpg_tr_type *type = wpg_tr_type_of(t, place->type);
    if (!type || !type->llvm || !place->pointer) {
        wpg_tr_refuse(t);
        return NULL;
    }
    if (is_whole(place, type))
        return load_plain(t, place, type->llvm);
    LLVMValueRef value = LLVMGetPoison(type->llvm);
    for (uint32_t i = 0; i < type->count; i++) {
        wpg_tr_place part;
        LLVMValueRef loaded = part_of(t, &part, place, i) ? load_from(t, &part) : NULL;
        if (!loaded)
            return NULL;
        value = wpg_tr_set(t, value, loaded, i);
    }
    return value;
}

bool wpg_tr_store(wpg_tr *t, const wpg_tr_place *place, LLVMValueRef value)
{
    const wpg_tr_type *type = wpg_tr_type_of(t, place->type);
    if (!type || !type->llvm || !place->pointer)
        return wpg_tr_refuse(t);
    if (LLVMTypeOf(value) != type->llvm)
        return wpg_tr_malformed(t);
    if (place->constant)
        return wpg_tr_malformed(t);
    if (is_whole(place, type)) {
        store_plain(t, place, value);
        return true;
    }
    for (uint32_t i = 0; i < type->count; i++) {
        wpg_tr_place part;
        if (!part_of(t, &part, place, i) || !wpg_tr_store(t, &part, wpg_tr_get(t, value, i)))
            return false;
    }
    return true;
}

/* Memory operands from word `at`: what they say of the access. Availability and visibility operations, and
 * non-private accesses, go past the caches that are not coherent: LLVM's volatile. */
static wpg_tr_place accessed(const wpg_tr_place *place, const wpg_inst *inst, unsigned at)
{
    wpg_tr_place result = *place;
    uint32_t mask = at < inst->count ? inst->words[at] : 0;
    if (mask & (SpvMemoryAccessVolatileMask | SpvMemoryAccessMakePointerAvailableMask |
                SpvMemoryAccessMakePointerVisibleMask))
        result.is_volatile = true;
    if (mask & SpvMemoryAccessAlignedMask && at + 1u < inst->count) {
        uint32_t align = inst->words[at + 1];
        if (align && !(align & (align - 1)) && align <= 4096 && align > result.align)
            result.align = align;
    }
    return result;
}

static bool load(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_place *from = wpg_tr_pointer(t, inst, 3);
    if (!from)
        return false;
    wpg_tr_place place = accessed(from, inst, 4);
    LLVMValueRef value = load_from(t, &place);
    return value && wpg_tr_define(t, inst, value);
}

static bool store(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_place *to = wpg_tr_pointer(t, inst, 1);
    LLVMValueRef value = to ? wpg_tr_value(t, inst, 2) : NULL;
    if (!value)
        return false;
    wpg_tr_place place = accessed(to, inst, 3);
    return wpg_tr_store(t, &place, value);
}

static bool copy_memory(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_place *to = wpg_tr_pointer(t, inst, 1), *from = to ? wpg_tr_pointer(t, inst, 2) : NULL;
    if (!from)
        return false;
    wpg_tr_place target = accessed(to, inst, 3), source = accessed(from, inst, 3);
    LLVMValueRef value = load_from(t, &source);
    return value && wpg_tr_store(t, &target, value);
}

/* Elements that fit behind the members before the array. */
static bool array_length(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_place *place = wpg_tr_pointer(t, inst, 3);
    const wpg_tr_type *type = place ? wpg_tr_type_of(t, place->type) : NULL;
    uint32_t member = wpg_tr_word(t, inst, 4);
    if (!type || type->kind != WPG_TR_STRUCT || member >= type->count)
        return place && wpg_tr_malformed(t);
    const wpg_tr_type *array = t->types[type->members[member].type];
    if (array->kind != WPG_TR_RUNTIME_ARRAY || !array->stride)
        return wpg_tr_malformed(t);
    if (!place->binding)
        return wpg_tr_refuse(t);
    LLVMValueRef bytes = t->abi->length(t, place->binding, place->element);
    if (!bytes)
        return false;
    LLVMValueRef before = LLVMConstInt(t->t_i32, type->members[member].offset, false);
    LLVMValueRef rest = wpg_tr_call2(t, "llvm.usub.sat", bytes, before);
    return rest &&
           wpg_tr_define(t, inst,
                         LLVMBuildUDiv(t->builder, rest, LLVMConstInt(t->t_i32, array->stride, false), ""));
}

static bool pointer_compare(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef a = wpg_tr_value(t, inst, 3), b = a ? wpg_tr_value_of(t, inst, 4, LLVMTypeOf(a)) : NULL;
    if (!b)
        return false;
    if (LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMPointerTypeKind)
        return wpg_tr_malformed(t);
    return wpg_tr_define(
        t, inst, LLVMBuildICmp(t->builder, inst->opcode == SpvOpPtrEqual ? LLVMIntEQ : LLVMIntNE, a, b, ""));
}

/* -- Variables */

static LLVMValueRef alloca_of(wpg_tr *t, const wpg_tr_type *type)
{
    if (!type->stored || type->size > WPG_TR_MAX_VARIABLE) {
        wpg_tr_fail(t, WPG_E_UNSUPPORTED, "variables of this type are not translated");
        return NULL;
    }
    bool words = type->size % 4 == 0;
    LLVMTypeRef memory = LLVMArrayType2(words ? t->t_i32 : t->t_i8, type->size / (words ? 4 : 1));
    LLVMBuilderRef builder = t->entry_builder ? t->entry_builder : t->builder;
    LLVMValueRef made = LLVMBuildAlloca(builder, memory, "");
    LLVMSetAlignment(made, 16);
    return made;
}

static LLVMValueRef workgroup_memory(wpg_tr *t, const wpg_tr_type *type)
{
    if (!type->stored || type->size > WPG_TR_MAX_VARIABLE) {
        wpg_tr_fail(t, WPG_E_UNSUPPORTED, "variables of this type are not translated");
        return NULL;
    }
    LLVMTypeRef memory = LLVMArrayType2(t->t_i32, (type->size + 3) / 4);
    LLVMValueRef made = LLVMAddGlobalInAddressSpace(t->llvm, memory, "workgroup", t->abi->space_local);
    LLVMSetLinkage(made, LLVMInternalLinkage);
    LLVMSetInitializer(made, t->options->gpu ? LLVMGetPoison(memory) : LLVMConstNull(memory));
    LLVMSetAlignment(made, 16);
    return made;
}

static bool input(wpg_tr *t, const wpg_inst *inst, wpg_tr_place *place, const wpg_tr_type *type)
{
    uint32_t which;
    if (!wpg_tr_decoration(t, inst->result, SpvDecorationBuiltIn, &which))
        return true; /* nothing that compute has: its use is refused */
    if (!type->llvm)
        return true;
    LLVMValueRef value = wpg_tr_builtin(t, (SpvBuiltIn)which);
    if (!value)
        return false;
    if (LLVMTypeOf(value) != type->llvm)
        return wpg_tr_malformed(t);
    place->pointer = alloca_of(t, type);
    if (!place->pointer)
        return false;
    wpg_tr_place all = *place;
    place->constant = true;
    return wpg_tr_store(t, &all, value) && wpg_tr_define_pointer(t, inst, place);
}

static const wpg_tr_binding *binding_of(const wpg_tr *t, uint32_t id)
{
    uint32_t set = 0, binding = 0;
    (void)wpg_tr_decoration(t, id, SpvDecorationDescriptorSet, &set);
    (void)wpg_tr_decoration(t, id, SpvDecorationBinding, &binding);
    for (uint32_t i = 0; i < t->binding_count; i++)
        if (t->bindings[i].set == set && t->bindings[i].binding == binding)
            return &t->bindings[i];
    return NULL;
}

static bool buffer(wpg_tr *t, const wpg_inst *inst, wpg_tr_place *place, const wpg_tr_type *type)
{
    place->binding = binding_of(t, inst->result);
    if (!place->binding)
        return true;
    place->align = t->abi->buffer_align;
    place->is_volatile = wpg_tr_decoration(t, inst->result, SpvDecorationCoherent, NULL) ||
                         wpg_tr_decoration(t, inst->result, SpvDecorationVolatile, NULL);
    if (type->kind == WPG_TR_STRUCT) {
        place->element = LLVMConstInt(t->t_i32, 0, false);
        begin_buffer(t, place, t->abi->buffer(t, place->binding, place->element));
        if (!place->pointer)
            return false;
    }
    return wpg_tr_define_pointer(t, inst, place);
}

bool wpg_tr_global_variable(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_type *pointer = wpg_tr_result_type(t, inst);
    const wpg_tr_type *type = pointer ? wpg_tr_type_of(t, pointer->element) : NULL;
    if (!type || pointer->kind != WPG_TR_POINTER)
        return pointer && wpg_tr_malformed(t);
    wpg_tr_place place = {.type = type->id, .align = 16};
    switch ((SpvStorageClass)wpg_tr_word(t, inst, 3)) {
    case SpvStorageClassInput:
        return input(t, inst, &place, type);
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
        return buffer(t, inst, &place, type);
    case SpvStorageClassPushConstant:
        place.align = 4;
        place.constant = true;
        place.pointer = t->abi->push(t);
        break;
    case SpvStorageClassWorkgroup:
        if (inst->count > 4)
            return wpg_tr_fail(t, WPG_E_UNSUPPORTED, "workgroup memory with an initial value");
        if (wpg_tr_decoration(t, inst->result, SpvDecorationAliased, NULL))
            return wpg_tr_fail(t, WPG_E_UNSUPPORTED, "workgroup memory that is aliased");
        place.pointer = workgroup_memory(t, type);
        break;
    case SpvStorageClassPrivate:
        place.pointer = alloca_of(t, type);
        break;
    default: /* images and such: whatever uses it is refused */
        return true;
    }
    if (!place.pointer)
        return false;
    if (inst->count > 4 && !place.constant) {
        LLVMValueRef value = wpg_tr_value(t, inst, 4);
        if (!value || !wpg_tr_store(t, &place, value))
            return false;
    }
    return wpg_tr_define_pointer(t, inst, &place);
}

static bool local_variable(wpg_tr *t, const wpg_inst *inst)
{
    const wpg_tr_type *pointer = wpg_tr_result_type(t, inst);
    const wpg_tr_type *type = pointer ? wpg_tr_type_of(t, pointer->element) : NULL;
    if (!type || pointer->kind != WPG_TR_POINTER || pointer->storage != SpvStorageClassFunction)
        return pointer && wpg_tr_malformed(t);
    wpg_tr_place place = {.pointer = alloca_of(t, type), .type = type->id, .align = 16};
    if (!place.pointer)
        return false;
    if (inst->count > 4) {
        LLVMValueRef value = wpg_tr_value(t, inst, 4);
        if (!value || !wpg_tr_store(t, &place, value))
            return false;
    }
    return wpg_tr_define_pointer(t, inst, &place);
}

wpg_tr_result wpg_tr_memory(wpg_tr *t, const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpVariable:
        return wpg_tr_did(local_variable(t, inst));
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return wpg_tr_did(access_chain(t, inst));
    case SpvOpLoad:
        return wpg_tr_did(load(t, inst));
    case SpvOpStore:
        return wpg_tr_did(store(t, inst));
    case SpvOpCopyMemory:
        return wpg_tr_did(copy_memory(t, inst));
    case SpvOpArrayLength:
        return wpg_tr_did(array_length(t, inst));
    case SpvOpPtrEqual:
    case SpvOpPtrNotEqual:
        return wpg_tr_did(pointer_compare(t, inst));
    default:
        return WPG_TR_OTHER;
    }
}
