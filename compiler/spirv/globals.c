/* Index of a module's types, constants and undefined values by their words: the builder finds an equal
 * declaration without a search. The index is a hint. An entry counts only while its instruction still stands
 * in the module and is still equal. So removals need not update the index; edit.c reports insertions and
 * rewrites. Ownership: made at first use, lives with the module. Threads: the module's. */
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/module_internal.h"
#include "runtime/base/map.h"

struct wpg_globals {
    wpg_map map; /* hash of a declaration -> id of the first one with it */
};

/* A declaration, its result id left out. */
typedef struct declaration {
    SpvOp opcode;
    uint32_t type; /* 0 = the opcode has none */
    const uint32_t *rest;
    size_t count;
} declaration;

static uint64_t mix(uint64_t hash, uint32_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const declaration *d)
{
    uint64_t hash = mix(mix(d->count, (uint32_t)d->opcode), d->type);
    for (size_t i = 0; i < d->count; i++)
        hash = mix(hash, d->rest[i]);
    return hash;
}

static declaration declaration_of(const wpg_inst *inst)
{
    unsigned at = inst->type ? 3 : 2;
    return (declaration){(SpvOp)inst->opcode, inst->type, inst->words + at,
                         inst->count > at ? inst->count - at : 0u};
}

static bool is_declaration(const wpg_inst *inst)
{
    if (!inst->result)
        return false;
    switch (inst->opcode) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypePointer:
    case SpvOpTypeFunction:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstant:
    case SpvOpConstantComposite:
    case SpvOpConstantNull:
        return true;
    case SpvOpUndef:
        return wpg_inst_section(inst) == WPG_SECTION_GLOBAL;
    default:
        return false;
    }
}

/* Pointers that differ in ArrayStride are different types. */
static bool is_plain(const wpg_module *module, const wpg_inst *inst)
{
    return inst->opcode != SpvOpTypePointer ||
           !wpg_find_decoration(module, inst->result, SpvDecorationArrayStride);
}

static bool says(const wpg_inst *inst, const declaration *d)
{
    if (!inst || inst->opcode != d->opcode || inst->type != d->type || !is_declaration(inst))
        return false;
    declaration other = declaration_of(inst);
    return other.count == d->count && (!d->count || !memcmp(other.rest, d->rest, d->count * sizeof *d->rest));
}

static void note(wpg_module *module, wpg_inst *inst)
{
    if (!is_declaration(inst))
        return;
    declaration d = declaration_of(inst);
    uint64_t hash = hash_of(&d), id;
    if (wpg_map_get(&module->globals->map, hash, &id) && says(wpg_module_def(module, (uint32_t)id), &d))
        return;
    if (!wpg_map_set(&module->globals->map, hash, inst->result))
        module->arena.failed = 1;
}

void wpg_globals_note(wpg_module *module, wpg_inst *inst)
{
    if (module->globals && inst->opcode <= SpvOpConstantNull) /* no declaration has a higher number */
        note(module, inst);
}

static bool make_index(wpg_module *module)
{
    if (module->globals)
        return true;
    module->globals = calloc(1, sizeof *module->globals);
    if (!module->globals) {
        module->arena.failed = 1;
        return false;
    }
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        note(module, inst);
    }
    return true;
}

void wpg_globals_destroy(struct wpg_globals *globals)
{
    if (!globals)
        return;
    wpg_map_free(&globals->map);
    free(globals);
}

static wpg_inst *find(wpg_module *module, const declaration *d)
{
    uint64_t hash = hash_of(d), id;
    if (!wpg_map_get(&module->globals->map, hash, &id))
        return NULL;
    wpg_inst *inst = wpg_module_def(module, (uint32_t)id);
    if (says(inst, d) && is_plain(module, inst))
        return inst;
    /* The one noted is gone or was changed: look for another, and note that. */
    wpg_map_remove(&module->globals->map, hash, NULL);
    WPG_INST_EACH (other, module) {
        if (other->opcode == SpvOpFunction)
            break;
        if (says(other, d) && is_plain(module, other)) {
            note(module, other);
            return other;
        }
    }
    return NULL;
}

uint32_t wpg_globals_new(wpg_module *module, SpvOp opcode, uint32_t type, const uint32_t *rest, size_t count)
{
    uint32_t small[32], *operands = small;
    if (count + 2 > sizeof small / sizeof *small)
        operands = WPG_ARENA_ARRAY(&module->arena, uint32_t, count + 2);
    uint32_t id = wpg_module_fresh_id(module);
    if (!operands)
        return id;
    size_t at = 0;
    if (type)
        operands[at++] = type;
    operands[at++] = id;
    if (count)
        memcpy(operands + at, rest, count * sizeof *rest);
    wpg_inst_insert(module, wpg_module_section_end(module, WPG_SECTION_GLOBAL), opcode, operands, at + count);
    return id;
}

uint32_t wpg_globals_get(wpg_module *module, SpvOp opcode, uint32_t type, const uint32_t *rest, size_t count)
{
    declaration d = {opcode, type, rest, count};
    wpg_inst *found = make_index(module) ? find(module, &d) : NULL;
    return found ? found->result : wpg_globals_new(module, opcode, type, rest, count);
}
