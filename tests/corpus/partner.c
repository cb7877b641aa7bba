/* See partner.h. */
#include "tests/corpus/partner.h"

#include <string.h>

#include "compiler/spirv/builder.h"

typedef struct stage {
    wpg_module *module;
    uint32_t function, interface[2 * INTERFACE_SLOTS + 16], count;
} stage;

static bool open_module(stage *s)
{
    static const uint32_t empty[5] = {SpvMagicNumber, 0x00010000, 0, 1, 0};
    *s = (stage){0};
    if (wpg_module_parse(&s->module, empty, 5, NULL) != WPG_OK)
        return false;
    wpg_require_capability(s->module, SpvCapabilityShader);
    wpg_inst_add(s->module, wpg_module_section_end(s->module, WPG_SECTION_MEMORY_MODEL), SpvOpMemoryModel,
                 SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    return true;
}

/* A variable of the interface; decorated with `decoration` `value`. */
static uint32_t variable(stage *s, SpvStorageClass storage, uint32_t type, SpvDecoration decoration,
                         uint32_t value)
{
    const uint32_t pointer = wpg_type_pointer(s->module, storage, type), id = wpg_module_fresh_id(s->module);
    wpg_inst_add(s->module, wpg_module_section_end(s->module, WPG_SECTION_GLOBAL), SpvOpVariable, pointer, id,
                 storage);
    wpg_decorate(s->module, id, decoration, &value, 1);
    s->interface[s->count++] = id;
    return id;
}

static uint32_t slot_variable(stage *s, SpvStorageClass storage, const interface_slot *slot, uint32_t *type)
{
    const uint32_t scalar = slot->kind == INTERFACE_FLOAT
                                ? wpg_type_float(s->module, 32)
                                : wpg_type_int(s->module, 32, slot->kind == INTERFACE_INT);
    *type = slot->components == 1 ? scalar : wpg_type_vector(s->module, scalar, slot->components);
    const uint32_t id = variable(s, storage, *type, SpvDecorationLocation, slot->location);
    if (slot->component)
        wpg_decorate(s->module, id, SpvDecorationComponent, &slot->component, 1);
    return id;
}

static void open_function(stage *s)
{
    const uint32_t nothing = wpg_type_void(s->module), type = wpg_type_function(s->module, nothing, NULL, 0);
    s->function = wpg_module_fresh_id(s->module);
    wpg_inst_add(s->module, NULL, SpvOpFunction, nothing, s->function, SpvFunctionControlMaskNone, type);
    wpg_inst_add(s->module, NULL, SpvOpLabel, wpg_module_fresh_id(s->module));
}

/* One more instruction of the function, with a result. */
#define EMIT(s, opcode, type, ...)                                                                           \
    emit((s), (opcode), (type), (const uint32_t[]){__VA_ARGS__},                                             \
         sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
static uint32_t emit(stage *s, SpvOp opcode, uint32_t type, const uint32_t *operands, size_t count)
{
    uint32_t words[8] = {type, wpg_module_fresh_id(s->module)};
    memcpy(words + 2, operands, count * sizeof *words);
    wpg_inst_insert(s->module, NULL, opcode, words, count + 2);
    return words[1];
}

static uint32_t constant(stage *s, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return wpg_const_scalar(s->module, wpg_type_float(s->module, 32), bits);
}

static bool close_module(uint32_t **words, size_t *count, stage *s, SpvExecutionModel model)
{
    uint32_t operands[4 + sizeof s->interface / sizeof *s->interface] = {model, s->function};
    wpg_inst_add(s->module, NULL, SpvOpReturn);
    wpg_inst_insert(s->module, NULL, SpvOpFunctionEnd, NULL, 0);
    size_t at = 2 + wpg_string_words(operands + 2, "main");
    memcpy(operands + at, s->interface, s->count * sizeof *operands);
    wpg_inst_insert(s->module, wpg_module_section_end(s->module, WPG_SECTION_ENTRY_POINT), SpvOpEntryPoint,
                    operands, at + s->count);
    if (model == SpvExecutionModelFragment)
        wpg_inst_add(s->module, wpg_module_section_end(s->module, WPG_SECTION_EXECUTION_MODE),
                     SpvOpExecutionMode, s->function, SpvExecutionModeOriginUpperLeft);
    const bool made = wpg_module_emit(words, count, s->module, NULL) == WPG_OK;
    wpg_module_destroy(s->module);
    return made;
}

/* What one component of a slot is at the vertex: a constant and steps by vertex and instance. */
static uint32_t written(stage *s, const interface_slot *slot, uint32_t component, const uint32_t numbers[2],
                        const uint32_t floats[2])
{
    const uint32_t key = slot->location * 4 + slot->component + component;
    if (slot->kind != INTERFACE_FLOAT) {
        const uint32_t type = wpg_type_int(s->module, 32, true),
                       sum = EMIT(s, SpvOpIAdd, type, numbers[1], wpg_const_scalar(s->module, type, key % 3));
        return slot->kind == INTERFACE_INT ? sum : EMIT(s, SpvOpBitcast, wpg_type_u32(s->module), sum);
    }
    const uint32_t type = wpg_type_float(s->module, 32),
                   by_vertex = EMIT(s, SpvOpFMul, type, floats[0],
                                    constant(s, (float)(int)(key % 5 - 2) / 8 + 0.0625f)),
                   by_instance = EMIT(s, SpvOpFMul, type, floats[1], constant(s, 0.1875f)),
                   sum = EMIT(s, SpvOpFAdd, type, by_vertex, constant(s, (float)(key % 7) / 8));
    return EMIT(s, SpvOpFAdd, type, sum, by_instance);
}

bool partner_vertices(uint32_t **words, size_t *count, const interface *wanted)
{
    stage s;
    uint32_t slots[INTERFACE_SLOTS], types[INTERFACE_SLOTS], numbers[2], floats[2], corner[4];
    if (!open_module(&s))
        return false;
    const uint32_t number = wpg_type_int(s.module, 32, true), real = wpg_type_float(s.module, 32),
                   vector = wpg_type_vector(s.module, real, 4),
                   place =
                       variable(&s, SpvStorageClassOutput, vector, SpvDecorationBuiltIn, SpvBuiltInPosition),
                   inputs[2] = {variable(&s, SpvStorageClassInput, number, SpvDecorationBuiltIn,
                                         SpvBuiltInVertexIndex),
                                variable(&s, SpvStorageClassInput, number, SpvDecorationBuiltIn,
                                         SpvBuiltInInstanceIndex)};
    for (uint32_t i = 0; i < wanted->count; i++)
        slots[i] = slot_variable(&s, SpvStorageClassOutput, &wanted->slots[i], &types[i]);
    open_function(&s);
    for (int i = 0; i < 2; i++) {
        numbers[i] = EMIT(&s, SpvOpLoad, number, inputs[i]);
        floats[i] = EMIT(&s, SpvOpConvertSToF, real, numbers[i]);
    }
    for (uint32_t i = 0; i < 2; i++) { /* -1 or 3 */
        const uint32_t one = wpg_const_scalar(s.module, number, 1),
                       shifted = EMIT(&s, SpvOpShiftRightLogical, number, numbers[0],
                                      wpg_const_scalar(s.module, number, i)),
                       bit = EMIT(&s, SpvOpBitwiseAnd, number, shifted, one),
                       far =
                           EMIT(&s, SpvOpFMul, real, EMIT(&s, SpvOpConvertSToF, real, bit), constant(&s, 4));
        corner[i] = EMIT(&s, SpvOpFAdd, real, far, constant(&s, -1));
    }
    corner[2] = constant(&s, 0.5f);
    corner[3] = constant(&s, 1);
    wpg_inst_add(s.module, NULL, SpvOpStore, place, emit(&s, SpvOpCompositeConstruct, vector, corner, 4));
    for (uint32_t i = 0; i < wanted->count; i++) {
        uint32_t parts[4];
        for (uint32_t c = 0; c < wanted->slots[i].components && c < 4; c++)
            parts[c] = written(&s, &wanted->slots[i], c, numbers, floats);
        const uint32_t value = wanted->slots[i].components == 1 ? parts[0]
                                                                : emit(&s, SpvOpCompositeConstruct, types[i],
                                                                       parts, wanted->slots[i].components);
        wpg_inst_add(s.module, NULL, SpvOpStore, slots[i], value);
    }
    return close_module(words, count, &s, SpvExecutionModelVertex);
}

uint32_t partner_targets(const interface *given)
{
    return given->count == 0 ? 1 : given->count < PARTNER_TARGETS ? given->count : PARTNER_TARGETS;
}

bool partner_fragments(uint32_t **words, size_t *count, const interface *given)
{
    stage s;
    uint32_t slots[INTERFACE_SLOTS], types[INTERFACE_SLOTS], targets[PARTNER_TARGETS], sums[PARTNER_TARGETS];
    if (!open_module(&s))
        return false;
    const uint32_t real = wpg_type_float(s.module, 32), vector = wpg_type_vector(s.module, real, 4),
                   place =
                       variable(&s, SpvStorageClassInput, vector, SpvDecorationBuiltIn, SpvBuiltInFragCoord),
                   none = constant(&s, 0);
    for (uint32_t i = 0; i < given->count; i++) {
        slots[i] = slot_variable(&s, SpvStorageClassInput, &given->slots[i], &types[i]);
        wpg_decorate(s.module, slots[i], SpvDecorationFlat, NULL, 0);
    }
    for (uint32_t t = 0; t < partner_targets(given); t++)
        targets[t] = variable(&s, SpvStorageClassOutput, vector, SpvDecorationLocation, t);
    open_function(&s);
    sums[0] = EMIT(&s, SpvOpLoad, vector, place);
    for (uint32_t i = 0; i < given->count; i++) {
        const interface_slot *slot = &given->slots[i];
        const uint32_t scalar = slot->kind == INTERFACE_FLOAT
                                    ? real
                                    : wpg_type_int(s.module, 32, slot->kind == INTERFACE_INT),
                       loaded = EMIT(&s, SpvOpLoad, types[i], slots[i]), t = i % PARTNER_TARGETS;
        uint32_t parts[4] = {none, none, none, none};
        for (uint32_t c = 0; c < slot->components && c < 4; c++) {
            const uint32_t part =
                slot->components == 1 ? loaded : EMIT(&s, SpvOpCompositeExtract, scalar, loaded, c);
            parts[c] = slot->kind == INTERFACE_FLOAT ? part
                       : slot->kind == INTERFACE_INT ? EMIT(&s, SpvOpConvertSToF, real, part)
                                                     : EMIT(&s, SpvOpConvertUToF, real, part);
        }
        const uint32_t all = emit(&s, SpvOpCompositeConstruct, vector, parts, 4);
        sums[t] = i == 0 || i >= PARTNER_TARGETS ? EMIT(&s, SpvOpFAdd, vector, sums[t], all) : all;
    }
    for (uint32_t t = 0; t < partner_targets(given); t++)
        wpg_inst_add(s.module, NULL, SpvOpStore, targets[t], sums[t]);
    return close_module(words, count, &s, SpvExecutionModelFragment);
}
