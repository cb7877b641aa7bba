/* Finds or makes declarations: see builder.h. Types and constants are found by the index of globals.c.
 * Capabilities, extensions and imports are few: they are searched. */
#include "compiler/spirv/builder.h"

#include <string.h>

#include "compiler/spirv/module_internal.h"

/* -- Capabilities, extensions, imports ----------------------------------------------------------------- */

/* First instruction of `opcode` among those before the memory model, NULL if none, `from` included. */
static const wpg_inst *next_early(const wpg_inst *from, SpvOp opcode)
{
    for (; from && from->opcode != SpvOpMemoryModel && from->opcode != SpvOpFunction; from = from->next)
        if (from->opcode == opcode)
            return from;
    return NULL;
}

bool wpg_has_capability(const wpg_module *module, SpvCapability capability)
{
    for (const wpg_inst *at = module->first; (at = next_early(at, SpvOpCapability)); at = at->next)
        if (at->count > 1 && at->words[1] == (uint32_t)capability)
            return true;
    return false;
}

void wpg_require_capability(wpg_module *module, SpvCapability capability)
{
    if (!wpg_has_capability(module, capability))
        wpg_inst_add(module, wpg_module_section_end(module, WPG_SECTION_CAPABILITY), SpvOpCapability,
                     (uint32_t)capability);
}

/* The OpExtension or OpExtInstImport with that name. */
static const wpg_inst *find_named(const wpg_module *module, SpvOp opcode, size_t string_at, const char *name)
{
    for (const wpg_inst *at = module->first; (at = next_early(at, opcode)); at = at->next) {
        const char *text = wpg_inst_string(at, string_at);
        if (text && !strcmp(text, name))
            return at;
    }
    return NULL;
}

/* Inserts `opcode` with `lead` words before a string. */
static void add_named(wpg_module *module, wpg_inst *where, SpvOp opcode, const uint32_t *lead,
                      size_t lead_count, const char *name)
{
    size_t count = lead_count + wpg_string_words(NULL, name);
    uint32_t *operands = WPG_ARENA_ARRAY(&module->arena, uint32_t, count);
    if (!operands)
        return;
    for (size_t i = 0; i < lead_count; i++)
        operands[i] = lead[i];
    wpg_string_words(operands + lead_count, name);
    wpg_inst_insert(module, where, opcode, operands, count);
}

static bool has_extension(const wpg_module *module, const char *name)
{
    return find_named(module, SpvOpExtension, 1, name) != NULL;
}

void wpg_require_extension(wpg_module *module, const char *name)
{
    if (!has_extension(module, name))
        add_named(module, wpg_module_section_end(module, WPG_SECTION_EXTENSION), SpvOpExtension, NULL, 0,
                  name);
}

bool wpg_is_glsl_set(const wpg_module *module, uint32_t set)
{
    static const char name[12] = "GLSL.std.450"; /* then a word that begins with the end */
    const wpg_inst *import = wpg_module_def(module, set);
    return import && import->opcode == SpvOpExtInstImport && import->count > 5 &&
           memcmp(import->words + 2, name, sizeof name) == 0 && !(import->words[5] & 0xff);
}

uint32_t wpg_require_import(wpg_module *module, const char *name)
{
    const wpg_inst *import = find_named(module, SpvOpExtInstImport, 2, name);
    if (import)
        return import->result;
    uint32_t id = wpg_module_fresh_id(module);
    add_named(module, wpg_module_section_end(module, WPG_SECTION_IMPORT), SpvOpExtInstImport, &id, 1, name);
    return id;
}

void wpg_require_version(wpg_module *module, unsigned minor)
{
    uint32_t version = 1u << 16 | minor << 8;
    if (module->version < version)
        module->version = version;
}

/* -- Types --------------------------------------------------------------------------------------------- */

#define GET(module, opcode, type, ...)                                                                       \
    wpg_globals_get((module), (opcode), (type), (const uint32_t[]){__VA_ARGS__},                             \
                    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

uint32_t wpg_type_void(wpg_module *module)
{
    return wpg_globals_get(module, SpvOpTypeVoid, 0, NULL, 0);
}

uint32_t wpg_type_bool(wpg_module *module)
{
    return wpg_globals_get(module, SpvOpTypeBool, 0, NULL, 0);
}

uint32_t wpg_type_int(wpg_module *module, uint32_t width, bool is_signed)
{
    return GET(module, SpvOpTypeInt, 0, width, is_signed ? 1u : 0u);
}

uint32_t wpg_type_float(wpg_module *module, uint32_t width)
{
    return GET(module, SpvOpTypeFloat, 0, width);
}

uint32_t wpg_type_vector(wpg_module *module, uint32_t component, uint32_t count)
{
    return GET(module, SpvOpTypeVector, 0, component, count);
}

uint32_t wpg_type_pointer(wpg_module *module, SpvStorageClass storage, uint32_t type)
{
    return GET(module, SpvOpTypePointer, 0, (uint32_t)storage, type);
}

uint32_t wpg_type_function(wpg_module *module, uint32_t result, const uint32_t *params, size_t count)
{
    uint32_t *operands = WPG_ARENA_ARRAY(&module->arena, uint32_t, count + 1);
    if (!operands)
        return 0;
    operands[0] = result;
    for (size_t i = 0; i < count; i++)
        operands[i + 1] = params[i];
    return wpg_globals_get(module, SpvOpTypeFunction, 0, operands, count + 1);
}

uint32_t wpg_type_struct_new(wpg_module *module, const uint32_t *members, size_t count)
{
    return wpg_globals_new(module, SpvOpTypeStruct, 0, members, count);
}

/* -- Constants ----------------------------------------------------------------------------------------- */

/* Width in bits of a scalar type (bool: 1), 0 for any other; *is_signed may be NULL. */
static uint32_t scalar_width(const wpg_module *module, uint32_t type, bool *is_signed)
{
    const wpg_inst *def = wpg_module_def(module, type);
    if (is_signed)
        *is_signed = def && def->opcode == SpvOpTypeInt && def->count > 3 && def->words[3];
    if (!def)
        return 0;
    if (def->opcode == SpvOpTypeBool)
        return 1;
    if ((def->opcode == SpvOpTypeInt || def->opcode == SpvOpTypeFloat) && def->count > 2)
        return def->words[2];
    return 0;
}

static uint64_t low_bits(uint64_t bits, uint32_t width)
{
    return width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
}

uint32_t wpg_const_bool(wpg_module *module, bool value)
{
    return wpg_globals_get(module, value ? SpvOpConstantTrue : SpvOpConstantFalse, wpg_type_bool(module),
                           NULL, 0);
}

uint32_t wpg_const_u32(wpg_module *module, uint32_t value)
{
    return GET(module, SpvOpConstant, wpg_type_u32(module), value);
}

uint32_t wpg_const_u64(wpg_module *module, uint64_t value)
{
    return GET(module, SpvOpConstant, wpg_type_int(module, 64, false), (uint32_t)value,
               (uint32_t)(value >> 32));
}

uint32_t wpg_const_scalar(wpg_module *module, uint32_t type, uint64_t bits)
{
    bool is_signed;
    uint32_t width = scalar_width(module, type, &is_signed);
    if (!width || width > 64)
        return 0;
    if (width == 1)
        return wpg_const_bool(module, bits & 1);
    bits = low_bits(bits, width);
    if (width > 32)
        return GET(module, SpvOpConstant, type, (uint32_t)bits, (uint32_t)(bits >> 32));
    /* Narrow signed integers are sign-extended, everything else zero-extended (specification 2.2.1). */
    if (is_signed && width < 32 && bits >> (width - 1))
        bits |= UINT64_MAX << width;
    return GET(module, SpvOpConstant, type, (uint32_t)bits);
}

uint32_t wpg_const_composite(wpg_module *module, uint32_t type, const uint32_t *parts, size_t count)
{
    return wpg_globals_get(module, SpvOpConstantComposite, type, parts, count);
}

uint32_t wpg_const_null(wpg_module *module, uint32_t type)
{
    return wpg_globals_get(module, SpvOpConstantNull, type, NULL, 0);
}

uint32_t wpg_undef(wpg_module *module, uint32_t type)
{
    return wpg_globals_get(module, SpvOpUndef, type, NULL, 0);
}

bool wpg_is_module_constant(const wpg_module *module, uint32_t id)
{
    switch (wpg_module_opcode_of(module, id)) {
    case SpvOpConstant:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstantNull:
    case SpvOpConstantComposite:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstantComposite:
    case SpvOpSpecConstantOp:
    case SpvOpUndef:
        return true;
    default:
        return false;
    }
}

bool wpg_const_value(const wpg_module *module, uint32_t id, uint64_t *bits, uint32_t *width)
{
    const wpg_inst *def = wpg_module_def(module, id);
    if (!def || def->opcode < SpvOpConstantTrue || def->opcode > SpvOpConstantNull)
        return false;
    uint32_t scalar = scalar_width(module, def->type, NULL);
    if (!scalar || scalar > 64)
        return false;
    uint64_t value = 0;
    switch (def->opcode) {
    case SpvOpConstantTrue:
        value = 1;
        break;
    case SpvOpConstantFalse:
    case SpvOpConstantNull:
        break;
    case SpvOpConstant:
        if (def->count != 3 + (scalar + 31) / 32)
            return false;
        value = def->words[3] | (scalar > 32 ? (uint64_t)def->words[4] << 32 : 0);
        break;
    default:
        return false;
    }
    *bits = low_bits(value, scalar);
    *width = scalar;
    return true;
}

/* -- Decorations and names ----------------------------------------------------------------------------- */

static void annotate(wpg_module *module, SpvOp opcode, const uint32_t *lead, size_t lead_count,
                     const uint32_t *literals, size_t count)
{
    uint32_t *operands = WPG_ARENA_ARRAY(&module->arena, uint32_t, lead_count + count);
    if (!operands)
        return;
    memcpy(operands, lead, lead_count * sizeof *lead);
    if (count)
        memcpy(operands + lead_count, literals, count * sizeof *literals);
    wpg_inst_insert(module, wpg_module_section_end(module, WPG_SECTION_ANNOTATION), opcode, operands,
                    lead_count + count);
}

void wpg_decorate(wpg_module *module, uint32_t id, SpvDecoration decoration, const uint32_t *literals,
                  size_t count)
{
    const uint32_t lead[] = {id, (uint32_t)decoration};
    annotate(module, SpvOpDecorate, lead, 2, literals, count);
}

void wpg_decorate_member(wpg_module *module, uint32_t type, uint32_t member, SpvDecoration decoration,
                         const uint32_t *literals, size_t count)
{
    const uint32_t lead[] = {type, member, (uint32_t)decoration};
    annotate(module, SpvOpMemberDecorate, lead, 3, literals, count);
}

/* -- Entry points and global variables ----------------------------------------------------------------- */

wpg_inst *wpg_find_entry_point(const wpg_module *module, SpvExecutionModel model, const char *name)
{
    for (wpg_inst *at = module->first; at && at->opcode != SpvOpFunction; at = at->next) {
        if (at->opcode != SpvOpEntryPoint || at->count < 4 || at->words[1] != (uint32_t)model)
            continue;
        const char *text = wpg_inst_string(at, 3);
        if (text && !strcmp(text, name))
            return at;
    }
    return NULL;
}

bool wpg_sets_workgroup_size(const wpg_inst *inst)
{
    return inst->opcode == SpvOpDecorate && inst->count > 3 && inst->words[2] == SpvDecorationBuiltIn &&
           inst->words[3] == SpvBuiltInWorkgroupSize;
}

const wpg_inst *wpg_find_execution_mode(const wpg_module *module, uint32_t function, SpvExecutionMode mode)
{
    for (const wpg_inst *at = module->first; at && at->opcode != SpvOpFunction; at = at->next)
        if ((at->opcode == SpvOpExecutionMode || at->opcode == SpvOpExecutionModeId) && at->count > 2 &&
            at->words[1] == function && at->words[2] == (uint32_t)mode)
            return at;
    return NULL;
}

void wpg_entry_point_add_interface(wpg_module *module, wpg_inst *entry_point, uint32_t variable)
{
    const char *name = wpg_inst_string(entry_point, 3);
    if (!name)
        return;
    for (size_t at = 3 + wpg_string_words(NULL, name); at < entry_point->count; at++)
        if (entry_point->words[at] == variable)
            return;
    uint32_t *operands = WPG_ARENA_ARRAY(&module->arena, uint32_t, entry_point->count);
    if (!operands)
        return;
    memcpy(operands, entry_point->words + 1, (entry_point->count - 1u) * sizeof *operands);
    operands[entry_point->count - 1] = variable;
    wpg_inst_set_operands(module, entry_point, operands, entry_point->count);
}

uint32_t wpg_global_variable(wpg_module *module, wpg_inst *entry_point, SpvStorageClass storage,
                             uint32_t pointer_type)
{
    const uint32_t class_word = (uint32_t)storage;
    uint32_t id = wpg_globals_new(module, SpvOpVariable, pointer_type, &class_word, 1);
    bool listed = module->version >= (1u << 16 | 4u << 8) || storage == SpvStorageClassInput ||
                  storage == SpvStorageClassOutput;
    if (entry_point && listed)
        wpg_entry_point_add_interface(module, entry_point, id);
    return id;
}
