/* See interface.h.
 *
 * An output and an input match where they share a location and a component (15.1.3). What is wider here
 * than there does not matter: an output is read if any of its components is.
 *
 * Front ends read every input as they enter (Tint): a load alone says nothing. An input is read if what is
 * loaded of it feeds anything but outputs that nobody reads. Whoever leaves an input unread may leave it
 * undefined: so an index, divisor or texel coordinate reads what it is made of, even where the result is of
 * no use. */
#include "compiler/optimize/facts/interface.h"

#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

enum { ALL_COMPONENTS = 15 };

static bool literal_of(uint32_t *literal, const wpg_module *module, uint32_t id, SpvDecoration decoration)
{
    const wpg_inst *found = wpg_find_decoration(module, id, decoration);
    if (!found || found->count < 4)
        return false;
    *literal = found->words[3];
    return true;
}

/* Marks a scalar or vector at a place; how many locations that takes, 0 if it is no such type. */
static uint32_t mark_vector(uint8_t *places, const wpg_module *module, const wpg_inst *type, uint32_t at,
                            uint32_t component)
{
    uint32_t width = 1;
    if (type->opcode == SpvOpTypeVector) {
        width = type->words[3];
        type = wpg_module_def(module, type->words[2]);
    }
    if (!type || (type->opcode != SpvOpTypeFloat && type->opcode != SpvOpTypeInt))
        return 0;
    const bool wide = type->words[2] > 32;
    const uint32_t locations = wide && width > 2 ? 2 : 1;
    for (uint32_t i = 0; i < locations && at + i < WPG_OUTPUT_LOCATIONS; i++)
        places[at + i] =
            (uint8_t)(places[at + i] |
                      (wide ? ALL_COMPONENTS : ((1u << width) - 1u) << component & ALL_COMPONENTS));
    return at + locations <= WPG_OUTPUT_LOCATIONS ? locations : 0;
}

static uint32_t mark_type(uint8_t *places, const wpg_module *module, uint32_t type, uint32_t at,
                          uint32_t component, unsigned depth)
{
    const wpg_inst *held = wpg_module_def(module, type);
    uint64_t length, count = 0;
    uint32_t bits;
    if (!held || depth > 6)
        return 0;
    switch ((SpvOp)held->opcode) {
    case SpvOpTypeArray:
        if (!wpg_const_value(module, held->words[3], &length, &bits))
            return 0;
        break;
    case SpvOpTypeMatrix:
        length = held->words[3];
        break;
    case SpvOpTypeStruct:
        for (unsigned i = 2; i < held->count; i++) {
            const uint32_t taken =
                mark_type(places, module, held->words[i], at + (uint32_t)count, 0, depth + 1);
            if (!taken)
                return 0;
            count += taken;
        }
        return (uint32_t)count;
    default:
        return mark_vector(places, module, held, at, component);
    }
    for (uint64_t i = 0; i < length; i++) {
        const uint32_t taken =
            mark_type(places, module, held->words[2], at + (uint32_t)count, component, depth + 1);
        if (!taken)
            return 0;
        count += taken;
    }
    return (uint32_t)count;
}

/* A block's members with locations of their own. False: one has none. */
static bool mark_members(uint8_t *places, const wpg_module *module, const wpg_inst *held)
{
    uint32_t marked = 0;
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode != SpvOpMemberDecorate || inst->count < 5 || inst->words[1] != held->result ||
            inst->words[3] != SpvDecorationLocation || inst->words[2] + 2u >= held->count)
            continue;
        /* Components of members are not looked at: all of the location. */
        const uint32_t taken =
            mark_type(places, module, held->words[inst->words[2] + 2u], inst->words[4], 0, 0);
        for (uint32_t i = 0; i < taken; i++)
            places[inst->words[4] + i] = ALL_COMPONENTS;
        if (!taken)
            return false;
        marked++;
    }
    return marked + 2u == held->count;
}

bool wpg_places_of(uint8_t places[WPG_OUTPUT_LOCATIONS], bool *unknown, const wpg_module *module,
                   const wpg_inst *variable)
{
    uint32_t at, component = 0;
    const wpg_inst *pointer = wpg_module_def(module, variable->type);
    *unknown = false;
    if (wpg_variable_has(module, variable, SpvDecorationBuiltIn))
        return false;
    *unknown = true;
    if (!pointer || pointer->opcode != SpvOpTypePointer)
        return false;
    (void)literal_of(&component, module, variable->result, SpvDecorationComponent);
    const wpg_inst *held = wpg_module_def(module, pointer->words[3]);
    if (literal_of(&at, module, variable->result, SpvDecorationLocation)) {
        if (at >= WPG_OUTPUT_LOCATIONS || component > 3 ||
            !mark_type(places, module, pointer->words[3], at, component, 0))
            return false;
    } else if (!held || held->opcode != SpvOpTypeStruct || !mark_members(places, module, held))
        return false;
    *unknown = false;
    return true;
}

bool wpg_output_is_read(const wpg_output_use *use, const wpg_module *module, const wpg_inst *variable)
{
    uint8_t places[WPG_OUTPUT_LOCATIONS] = {0};
    bool unknown;
    if (!use->known || !wpg_places_of(places, &unknown, module, variable))
        return true;
    for (uint32_t i = 0; i < WPG_OUTPUT_LOCATIONS; i++)
        if (places[i] & use->read[i])
            return true;
    return false;
}

bool wpg_writes_unread(const wpg_module *module, const wpg_output_use *outputs)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode == SpvOpVariable && inst->words[3] == SpvStorageClassOutput &&
            !wpg_output_is_read(outputs, module, inst))
            return true;
    }
    return false;
}

/* -- What is read */

/* Outputs that nobody reads: their stores are no effect. */
static bool note_unread(wpg_map *unread, const wpg_module *module, const wpg_output_use *outputs)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode == SpvOpVariable && inst->words[3] == SpvStorageClassOutput &&
            !wpg_output_is_read(outputs, module, inst) && !wpg_map_set(unread, inst->result, 1))
            return false;
    }
    return true;
}

/* Does the instruction read the input by a pointer into it? */
static bool reads(const wpg_id_set *useful, const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpLoad:
        return wpg_id_set_has(useful, inst->result);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return false; /* what is made of it is looked at */
    default:
        return true;
    }
}

static bool add_places(wpg_output_use *use, const wpg_module *module, const wpg_inst *variable)
{
    uint8_t places[WPG_OUTPUT_LOCATIONS] = {0};
    bool unknown;
    if (!wpg_places_of(places, &unknown, module, variable))
        return !unknown;
    for (uint32_t i = 0; i < WPG_OUTPUT_LOCATIONS; i++)
        use->read[i] |= places[i];
    return true;
}

/* False: memory ran out, or what is read cannot be told. */
static bool add_reads(wpg_output_use *use, const wpg_module *module, const wpg_id_set *useful)
{
    wpg_operand_list operands = {0};
    bool told = true;
    for (const wpg_inst *inst = wpg_first_function(module); inst && told; inst = inst->next) {
        if (wpg_inst_section(inst) != WPG_SECTION_FUNCTION || wpg_inst_is_non_semantic(module, inst))
            continue;
        told = wpg_used_ids(&operands, module, inst);
        for (size_t i = 0; i < operands.count && told; i++) {
            const uint32_t pointer = inst->words[operands.data[i]];
            if (wpg_pointer_class(module, pointer) != SpvStorageClassInput || !reads(useful, inst))
                continue;
            const wpg_inst *root = wpg_pointer_root(module, pointer);
            told = root && add_places(use, module, root);
        }
    }
    wpg_vec_free(&operands);
    return told;
}

wpg_status wpg_inputs_read(wpg_output_use *use, const wpg_module *module, const wpg_output_use *outputs,
                           wpg_error *err)
{
    wpg_id_set useful = {0};
    wpg_map unread = {0};
    *use = (wpg_output_use){0};
    wpg_status status = note_unread(&unread, module, outputs)
                            ? wpg_effect_slice(&useful, module, &unread, true, err)
                            : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK)
        use->known =
            !module->has_unknown && !wpg_has_decoration_groups(module) && add_reads(use, module, &useful);
    wpg_id_set_free(&useful);
    wpg_map_free(&unread);
    return status;
}
