#include "compiler/spirv/reflect.h"

#include "compiler/spirv/builder.h"

enum { DEPTH = 16, MOST_DESCRIPTORS = 1 << 16, MOST_PUSH_BYTES = 4096 };

/* The literal of a decoration; `absent` if there is none. */
static uint32_t decoration(const wpg_module *module, uint32_t id, SpvDecoration which, uint32_t absent)
{
    const wpg_inst *inst = wpg_find_decoration(module, id, which);
    return !inst ? absent : inst->count > 3 ? inst->words[3] : 0;
}

static uint32_t member_decoration(const wpg_module *module, uint32_t type, uint32_t member,
                                  SpvDecoration which, uint32_t absent)
{
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpMemberDecorate && inst->count > 4 && inst->words[1] == type &&
            inst->words[2] == member && inst->words[3] == (uint32_t)which)
            return inst->words[4];
    return absent;
}

/* Elements of an OpTypeArray; 0 if that is not a constant. */
static uint32_t array_length(const wpg_module *module, const wpg_inst *array)
{
    const wpg_inst *length = wpg_module_def(module, array->words[3]);
    return length && (length->opcode == SpvOpConstant || length->opcode == SpvOpSpecConstant) &&
                   length->count > 3
               ? length->words[3]
               : 0;
}

/* -- Descriptors */

static bool descriptor_of(wpg_descriptor *type, const wpg_module *module, const wpg_inst *of,
                          uint32_t storage)
{
    const wpg_inst *image = of->opcode == SpvOpTypeSampledImage ? wpg_module_def(module, of->words[2]) : of;
    bool buffer = image && image->opcode == SpvOpTypeImage && image->words[3] == SpvDimBuffer;
    switch (of->opcode) {
    case SpvOpTypeSampler:
        *type = WPG_DESCRIPTOR_SAMPLER;
        return true;
    case SpvOpTypeSampledImage:
        *type = buffer ? WPG_DESCRIPTOR_UNIFORM_TEXEL_BUFFER : WPG_DESCRIPTOR_COMBINED_IMAGE_SAMPLER;
        return true;
    case SpvOpTypeImage:
        if (of->words[3] == SpvDimSubpassData)
            *type = WPG_DESCRIPTOR_INPUT_ATTACHMENT;
        else if (of->words[7] == 2)
            *type = buffer ? WPG_DESCRIPTOR_STORAGE_TEXEL_BUFFER : WPG_DESCRIPTOR_STORAGE_IMAGE;
        else
            *type = buffer ? WPG_DESCRIPTOR_UNIFORM_TEXEL_BUFFER : WPG_DESCRIPTOR_SAMPLED_IMAGE;
        return true;
    case SpvOpTypeAccelerationStructureKHR:
        *type = WPG_DESCRIPTOR_ACCELERATION_STRUCTURE;
        return true;
    case SpvOpTypeStruct:
        *type = storage == SpvStorageClassStorageBuffer ||
                        wpg_find_decoration(module, of->result, SpvDecorationBufferBlock)
                    ? WPG_DESCRIPTOR_STORAGE_BUFFER
                    : WPG_DESCRIPTOR_UNIFORM_BUFFER;
        return true;
    default:
        return false;
    }
}

/* Variables may share a binding if they are of one type. */
static wpg_status add_binding(wpg_reflection *to, const wpg_module *module, const wpg_inst *variable,
                              const wpg_inst *of, wpg_error *err)
{
    uint64_t count = 1;
    wpg_reflect_binding made = {
        .set = decoration(module, variable->result, SpvDecorationDescriptorSet, 0),
        .binding = decoration(module, variable->result, SpvDecorationBinding, 0),
    };
    for (unsigned depth = 0;
         of && depth < DEPTH && (of->opcode == SpvOpTypeArray || of->opcode == SpvOpTypeRuntimeArray);
         depth++) {
        count *= of->opcode == SpvOpTypeArray ? array_length(module, of) : WPG_REFLECT_UNSIZED;
        of = count <= MOST_DESCRIPTORS ? wpg_module_def(module, of->words[2]) : NULL;
    }
    if (!of || !count || !descriptor_of(&made.type, module, of, variable->words[3]))
        return wpg_fail(err, WPG_E_UNSUPPORTED, "binding %u of set %u is of a type that is not known",
                        made.binding, made.set);
    made.count = (uint32_t)count;
    for (uint32_t i = 0; i < to->binding_count; i++) {
        wpg_reflect_binding *there = &to->bindings[i];
        if (there->set != made.set || there->binding != made.binding)
            continue;
        if (there->type != made.type)
            return wpg_fail(err, WPG_E_UNSUPPORTED, "binding %u of set %u has two types", made.binding,
                            made.set);
        there->count = made.count > there->count ? made.count : there->count;
        return WPG_OK;
    }
    if (to->binding_count == WPG_REFLECT_BINDINGS)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "more than %d bindings", WPG_REFLECT_BINDINGS);
    to->bindings[to->binding_count++] = made;
    return WPG_OK;
}

/* -- Push constants */

/* Bytes up to the end of a type with explicit layout; 0 if it has none. `stride` is that of a matrix' columns
 * or rows, of the member it is in. */
static uint32_t end_of(const wpg_module *module, uint32_t id, uint32_t stride, unsigned depth)
{
    const wpg_inst *type = wpg_module_def(module, id);
    uint64_t end = 0;
    if (!type || depth > DEPTH)
        return 0;
    switch (type->opcode) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        end = type->words[2] / 8;
        break;
    case SpvOpTypePointer:
        end = 8;
        break;
    case SpvOpTypeVector:
        end = (uint64_t)end_of(module, type->words[2], 0, depth + 1) * type->words[3];
        break;
    case SpvOpTypeMatrix: { /* of rows or columns: at most four, and all of them */
        const wpg_inst *column = wpg_module_def(module, type->words[2]);
        uint32_t rows = column && column->opcode == SpvOpTypeVector ? column->words[3] : 0;
        end = (uint64_t)stride * (rows > type->words[3] ? rows : type->words[3]);
        break;
    }
    case SpvOpTypeArray:
        end = (uint64_t)decoration(module, id, SpvDecorationArrayStride, 0) * array_length(module, type);
        break;
    case SpvOpTypeStruct:
        for (uint32_t i = 2; i < type->count; i++) {
            uint32_t at = member_decoration(module, id, i - 2, SpvDecorationOffset, 0);
            uint32_t columns = member_decoration(module, id, i - 2, SpvDecorationMatrixStride, 16);
            uint32_t size = end_of(module, type->words[i], columns, depth + 1);
            if (!size || size > MOST_PUSH_BYTES || at > MOST_PUSH_BYTES)
                return 0;
            end = at + size > end ? at + size : end;
        }
        break;
    default:
        break;
    }
    return end <= MOST_PUSH_BYTES ? (uint32_t)end : 0;
}

/* -- Inputs and outputs */

static wpg_component component_of(const wpg_module *module, const wpg_inst *type, uint32_t *locations)
{
    *locations = 1;
    for (unsigned depth = 0; type && depth < DEPTH; depth++) {
        switch (type->opcode) {
        case SpvOpTypeArray:
            *locations *= array_length(module, type);
            break;
        case SpvOpTypeMatrix:
            *locations *= type->words[3];
            break;
        case SpvOpTypeVector:
            break;
        case SpvOpTypeFloat:
            return type->words[2] <= 32 ? WPG_COMPONENT_FLOAT : WPG_COMPONENT_NONE;
        case SpvOpTypeInt:
            return type->words[2] > 32 ? WPG_COMPONENT_NONE
                   : type->words[3]    ? WPG_COMPONENT_INT
                                       : WPG_COMPONENT_UINT;
        default:
            return WPG_COMPONENT_NONE;
        }
        if (*locations > WPG_REFLECT_LOCATIONS)
            return WPG_COMPONENT_NONE;
        type = wpg_module_def(module, type->words[2]);
    }
    return WPG_COMPONENT_NONE;
}

static wpg_status add_location(wpg_component *table, const wpg_module *module, const wpg_inst *variable,
                               const wpg_inst *type, wpg_error *err)
{
    uint32_t at = decoration(module, variable->result, SpvDecorationLocation, UINT32_MAX), locations;
    if (at == UINT32_MAX) /* a built-in */
        return WPG_OK;
    wpg_component component = component_of(module, type, &locations);
    if (component == WPG_COMPONENT_NONE || at >= WPG_REFLECT_LOCATIONS ||
        locations > WPG_REFLECT_LOCATIONS - at)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "location %u is of a type that is not known", at);
    for (uint32_t i = 0; i < locations; i++) {
        if (table[at + i] != WPG_COMPONENT_NONE && table[at + i] != component)
            return wpg_fail(err, WPG_E_UNSUPPORTED, "location %u has two types", at + i);
        table[at + i] = component;
    }
    return WPG_OK;
}

static wpg_status add_variable(wpg_reflection *to, const wpg_module *module, const wpg_stage *stage,
                               const wpg_inst *variable, bool in_interface, wpg_error *err)
{
    const wpg_inst *pointer = wpg_module_def(module, variable->type);
    const wpg_inst *type = pointer && pointer->opcode == SpvOpTypePointer && pointer->count > 3
                               ? wpg_module_def(module, pointer->words[3])
                               : NULL;
    uint32_t end;
    if (!type)
        return wpg_fail(err, WPG_E_FORMAT, "variable %%%u has no type", variable->result);
    switch (variable->words[3]) {
    case SpvStorageClassUniform:
    case SpvStorageClassUniformConstant:
    case SpvStorageClassStorageBuffer:
        return add_binding(to, module, variable, type, err);
    case SpvStorageClassPushConstant:
        end = end_of(module, type->result, 0, 0);
        if (!end)
            return wpg_fail(err, WPG_E_UNSUPPORTED, "push constants of a type that is not known");
        end = (end + 3) & ~3u;
        to->push_bytes = end > to->push_bytes ? end : to->push_bytes;
        return WPG_OK;
    case SpvStorageClassInput:
        to->multiview |= in_interface && decoration(module, variable->result, SpvDecorationBuiltIn,
                                                    UINT32_MAX) == SpvBuiltInViewIndex;
        return in_interface && stage->model == SpvExecutionModelVertex
                   ? add_location(to->inputs, module, variable, type, err)
                   : WPG_OK;
    case SpvStorageClassOutput:
        if (!in_interface || stage->model != SpvExecutionModelFragment)
            return WPG_OK;
        to->dual_source |= decoration(module, variable->result, SpvDecorationIndex, 0) != 0;
        return add_location(to->outputs, module, variable, type, err);
    default:
        return WPG_OK;
    }
}

static bool is_interface(const wpg_inst *entry, uint32_t id)
{
    const char *name = wpg_inst_string(entry, 3);
    if (!name)
        return false;
    for (size_t i = 3 + wpg_string_words(NULL, name); i < entry->count; i++)
        if (entry->words[i] == id)
            return true;
    return false;
}

static void read_mode(wpg_reflection *to, const wpg_inst *mode)
{
    switch (mode->words[2]) {
    case SpvExecutionModeOutputVertices:
        to->output_vertices = mode->count > 3 ? mode->words[3] : 0;
        break;
    case SpvExecutionModeInputPoints:
    case SpvExecutionModeInputLines:
    case SpvExecutionModeInputLinesAdjacency:
    case SpvExecutionModeTriangles:
    case SpvExecutionModeInputTrianglesAdjacency:
        to->primitive = (SpvExecutionMode)mode->words[2];
        break;
    default:
        break;
    }
}

wpg_status wpg_reflect(wpg_reflection *to, const wpg_module *module, const wpg_stage *stage, wpg_error *err)
{
    *to = (wpg_reflection){.primitive = SpvExecutionModeMax};
    const wpg_inst *entry = wpg_find_entry_point(module, stage->model, stage->entry);
    if (!entry || entry->count < 3)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no entry point '%s'", stage->entry);
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if (inst->opcode == SpvOpExecutionMode && inst->words[1] == entry->words[2])
            read_mode(to, inst);
        else if (inst->opcode == SpvOpVariable)
            WPG_TRY(add_variable(to, module, stage, inst, is_interface(entry, inst->result), err));
    }
    return WPG_OK;
}
