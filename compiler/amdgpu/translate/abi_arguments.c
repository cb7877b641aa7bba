#include "compiler/amdgpu/translate/abi_arguments.h"

static bool add(wpg_tr *t, wpg_amdgpu_argument_kind kind, const wpg_tr_binding *binding, uint32_t size)
{
    wpg_translation *out = t->out;
    wpg_amdgpu_argument made = {.kind = kind, .offset = out->argument_bytes, .size = size, .count = 1};
    if (binding) {
        made.set = binding->set;
        made.binding = binding->binding;
        made.count = binding->count ? binding->count : 1;
    }
    if (kind == WPG_AMDGPU_PUSH)
        made.offset = (made.offset + 15) & ~15u;
    out->arguments[out->argument_count++] = made;
    out->argument_bytes = made.offset + size;
    return out->argument_bytes <= 4096 ||
           wpg_tr_fail(t, WPG_E_LIMIT, "more than 4096 bytes of kernel arguments");
}

bool wpg_arguments_lay_out(wpg_tr *t)
{
    t->out->arguments = WPG_ARENA_ARRAY(&t->arena, wpg_amdgpu_argument, t->binding_count * 2 + 3);
    if (!t->out->arguments)
        return wpg_tr_fail(t, WPG_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < t->binding_count; i++) {
        wpg_tr_binding *binding = &t->bindings[i];
        binding->offset = t->out->argument_bytes;
        if (!add(t, binding->count ? WPG_AMDGPU_BUFFERS : WPG_AMDGPU_TABLE, binding,
                 binding->count ? binding->count * 8 : 8))
            return false;
    }
    t->out->counters_offset = t->out->argument_bytes; /* so far all are pointers */
    if (t->options->counters && !add(t, WPG_AMDGPU_COUNTERS, NULL, 8))
        return false;
    if (!add(t, WPG_AMDGPU_GROUPS, NULL, 12))
        return false;
    for (uint32_t i = 0; i < t->binding_count; i++) {
        wpg_tr_binding *binding = &t->bindings[i];
        binding->length_offset = t->out->argument_bytes;
        if (binding->measured && binding->count && !add(t, WPG_AMDGPU_LENGTHS, binding, binding->count * 4))
            return false;
    }
    return !t->push_bytes || add(t, WPG_AMDGPU_PUSH, NULL, t->push_bytes);
}

uint32_t wpg_arguments_offset(const wpg_tr *t, wpg_amdgpu_argument_kind kind)
{
    for (uint32_t i = 0; i < t->out->argument_count; i++)
        if (t->out->arguments[i].kind == kind)
            return t->out->arguments[i].offset;
    return 0;
}

LLVMValueRef wpg_tr_load_invariant(wpg_tr *t, LLVMTypeRef type, LLVMValueRef pointer, unsigned align)
{
    LLVMValueRef value = LLVMBuildLoad2(t->builder, type, pointer, "");
    LLVMSetAlignment(value, align);
    wpg_tr_mark_invariant(t, value);
    return value;
}

/* The element-th of words or pointers from `offset` on. */
static LLVMValueRef element_at(wpg_tr *t, LLVMValueRef base, uint32_t offset, LLVMValueRef element,
                               unsigned size)
{
    LLVMValueRef index = LLVMBuildZExt(t->builder, element, t->t_i64, "");
    index = LLVMBuildMul(t->builder, index, LLVMConstInt(t->t_i64, size, false), "");
    return wpg_tr_offset(t, wpg_tr_offset_by(t, base, offset), index);
}

LLVMValueRef wpg_arguments_buffer(wpg_tr *t, LLVMValueRef base, const wpg_tr_binding *binding,
                                  LLVMValueRef element)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(t->context, t->abi->space_buffer);
    uint32_t offset = binding->offset;
    if (!binding->count) { /* the table lies in memory that does not change, either */
        LLVMTypeRef table = LLVMTypeOf(base);
        base = wpg_tr_load_invariant(t, table, wpg_tr_offset_by(t, base, offset), 8);
        offset = 0;
    }
    return wpg_tr_load_invariant(t, pointer, element_at(t, base, offset, element, 8), 8);
}

LLVMValueRef wpg_arguments_length(wpg_tr *t, LLVMValueRef base, const wpg_tr_binding *binding,
                                  LLVMValueRef element)
{
    if (!binding->measured || !binding->count) {
        wpg_tr_fail(t, WPG_E_UNSUPPORTED, "the length of a buffer in a table");
        return NULL;
    }
    return wpg_tr_load_invariant(t, t->t_i32, element_at(t, base, binding->length_offset, element, 4), 4);
}

LLVMValueRef wpg_arguments_groups(wpg_tr *t, LLVMValueRef base, unsigned axis)
{
    uint32_t offset = wpg_arguments_offset(t, WPG_AMDGPU_GROUPS) + 4 * axis;
    return wpg_tr_load_invariant(t, t->t_i32, wpg_tr_offset_by(t, base, offset), 4);
}
