/* The descriptors that a module declares, in order of set and binding. */
#include "compiler/amdgpu/translate/translate_internal.h"

#include <stdlib.h>

enum { MOST_BINDINGS = 256, MOST_ELEMENTS = 256 };

static int by_number(const void *a, const void *b)
{
    const wpg_tr_binding *x = a, *y = b;
    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    return x->binding < y->binding ? -1 : x->binding > y->binding;
}

/* Of a struct: whether it ends in an array without a length. */
static bool is_open(const wpg_tr *t, const wpg_tr_type *type)
{
    return type->count && t->types[type->members[type->count - 1].type]->kind == WPG_TR_RUNTIME_ARRAY;
}

static bool add(wpg_tr *t, const wpg_inst *variable)
{
    const wpg_tr_type *pointer = wpg_tr_type_of(t, variable->type);
    const wpg_tr_type *type = pointer ? wpg_tr_type_of(t, pointer->element) : NULL;
    wpg_tr_binding made = {.count = 1};
    if (!type)
        return false;
    if (type->kind == WPG_TR_ARRAY || type->kind == WPG_TR_RUNTIME_ARRAY) {
        /* Long arrays go by a table: the kernel's argument has a limit. */
        made.count = type->count <= MOST_ELEMENTS ? type->count : 0;
        type = wpg_tr_type_of(t, type->element);
    }
    if (!type || type->kind != WPG_TR_STRUCT)
        return type && wpg_tr_fail(t, WPG_E_UNSUPPORTED, "descriptors of this type are not translated");
    (void)wpg_tr_decoration(t, variable->result, SpvDecorationDescriptorSet, &made.set);
    (void)wpg_tr_decoration(t, variable->result, SpvDecorationBinding, &made.binding);
    made.measured = is_open(t, type);
    made.uniform = pointer->storage == SpvStorageClassUniform &&
                   !wpg_tr_decoration(t, type->id, SpvDecorationBufferBlock, NULL);
    for (uint32_t i = 0; i < t->binding_count; i++) {
        wpg_tr_binding *there = &t->bindings[i];
        if (there->set != made.set || there->binding != made.binding)
            continue;
        there->count = !there->count || !made.count ? 0
                       : made.count > there->count  ? made.count
                                                    : there->count;
        there->measured = there->measured || made.measured;
        there->uniform = there->uniform && made.uniform;
        return true;
    }
    if (t->binding_count == MOST_BINDINGS)
        return wpg_tr_fail(t, WPG_E_LIMIT, "more than %d bindings", MOST_BINDINGS);
    t->bindings[t->binding_count++] = made;
    return true;
}

/* Bytes up to the end of the block of push constants. */
static bool add_push(wpg_tr *t, const wpg_inst *variable)
{
    const wpg_tr_type *pointer = wpg_tr_type_of(t, variable->type);
    const wpg_tr_type *type = pointer ? wpg_tr_type_of(t, pointer->element) : NULL;
    if (!type || !type->llvm)
        return type && wpg_tr_refuse(t);
    uint64_t end = type->kind == WPG_TR_STRUCT ? type->end : type->size;
    if (end > 1024)
        return wpg_tr_fail(t, WPG_E_LIMIT, "%llu bytes of push constants", (unsigned long long)end);
    uint32_t size = ((uint32_t)end + 3) & ~3u;
    t->push_bytes = size > t->push_bytes ? size : t->push_bytes;
    return true;
}

bool wpg_tr_collect_bindings(wpg_tr *t)
{
    t->bindings = WPG_ARENA_ARRAY(&t->arena, wpg_tr_binding, MOST_BINDINGS);
    if (!t->bindings)
        return wpg_tr_fail(t, WPG_E_NOMEM, "out of memory");
    for (const wpg_inst *inst = t->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        t->inst = inst;
        if (inst->opcode != SpvOpVariable || inst->count < 4)
            continue;
        if ((inst->words[3] == SpvStorageClassUniform || inst->words[3] == SpvStorageClassStorageBuffer) &&
            !add(t, inst))
            return false;
        if (inst->words[3] == SpvStorageClassPushConstant && !add_push(t, inst))
            return false;
    }
    t->inst = NULL;
    qsort(t->bindings, t->binding_count, sizeof *t->bindings, by_number);
    return true;
}
