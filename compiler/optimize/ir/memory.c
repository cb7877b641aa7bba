/* Decides which loads may move and which may be guarded on. See legality.h. */
#include "compiler/optimize/ir/legality.h"

#include "compiler/spirv/builder.h"

const wpg_inst *wpg_pointer_root(const wpg_module *module, uint32_t pointer)
{
    for (unsigned depth = 0; depth < 64; depth++) {
        const wpg_inst *inst = wpg_module_def(module, pointer);
        if (!inst)
            return NULL;
        switch ((SpvOp)inst->opcode) {
        case SpvOpVariable:
            return inst;
        case SpvOpAccessChain:
        case SpvOpInBoundsAccessChain:
        case SpvOpCopyObject:
        case SpvOpImageTexelPointer:
            if (inst->count < 4)
                return NULL;
            pointer = inst->words[3];
            break;
        default:
            return NULL;
        }
    }
    return NULL;
}

bool wpg_is_access(const wpg_inst *inst, unsigned operand)
{
    switch (inst->opcode) {
    case SpvOpLoad:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return operand == 3;
    case SpvOpStore:
        return operand == 1;
    default:
        return false;
    }
}

SpvStorageClass wpg_pointer_class(const wpg_module *module, uint32_t pointer)
{
    const wpg_inst *inst = wpg_module_def(module, pointer);
    const wpg_inst *type = inst ? wpg_module_def(module, inst->type) : NULL;
    return type && type->opcode == SpvOpTypePointer && type->count == 4 ? (SpvStorageClass)type->words[2]
                                                                        : SpvStorageClassMax;
}

uint32_t wpg_own_variable(const wpg_module *module, uint32_t pointer)
{
    const SpvStorageClass class = wpg_pointer_class(module, pointer);
    if (class != SpvStorageClassFunction && class != SpvStorageClassPrivate)
        return 0;
    const wpg_inst *root = wpg_pointer_root(module, pointer);
    return root && root->opcode == SpvOpVariable ? root->result : 0;
}

/* The struct type a variable holds, through pointer and arrays; 0 if it holds none. */
static uint32_t held_struct(const wpg_module *module, const wpg_inst *variable)
{
    const wpg_inst *type = wpg_module_def(module, variable->type);
    if (!type || type->opcode != SpvOpTypePointer || type->count < 4)
        return 0;
    type = wpg_module_def(module, type->words[3]);
    for (unsigned depth = 0; type && depth < 16; depth++) {
        if (type->opcode == SpvOpTypeStruct)
            return type->result;
        if (type->opcode != SpvOpTypeArray && type->opcode != SpvOpTypeRuntimeArray)
            return 0;
        type = wpg_module_def(module, type->words[2]);
    }
    return 0;
}

static bool decorated(const wpg_module *module, uint32_t id, SpvDecoration decoration, bool members)
{
    const wpg_inst *end = wpg_annotations_end(module);
    for (const wpg_inst *inst = wpg_annotations_begin(module); inst != end; inst = inst->next) {
        if (inst->opcode == SpvOpDecorate && inst->count >= 3 && inst->words[1] == id &&
            inst->words[2] == (uint32_t)decoration)
            return true;
        if (members && inst->opcode == SpvOpMemberDecorate && inst->count >= 4 && inst->words[1] == id &&
            inst->words[3] == (uint32_t)decoration)
            return true;
        /* Groups are old and rare: what one says counts for everything. */
        if (inst->opcode == SpvOpGroupDecorate || inst->opcode == SpvOpGroupMemberDecorate)
            for (unsigned i = 1; i < inst->count; i++)
                if (inst->words[i] == id && wpg_find_decoration(module, inst->words[1], decoration))
                    return true;
    }
    return false;
}

bool wpg_variable_has(const wpg_module *module, const wpg_inst *variable, SpvDecoration decoration)
{
    if (decorated(module, variable->result, decoration, false))
        return true;
    uint32_t type = held_struct(module, variable);
    return type && decorated(module, type, decoration, true);
}

/* Are all members of the variable's struct (or the variable itself) decorated so? */
static bool all_members_have(const wpg_module *module, const wpg_inst *variable, SpvDecoration decoration)
{
    if (decorated(module, variable->result, decoration, false))
        return true;
    uint32_t type = held_struct(module, variable);
    const wpg_inst *inst = wpg_module_def(module, type);
    if (!type || !inst)
        return false;
    const wpg_inst *end = wpg_annotations_end(module);
    unsigned members = inst->count - 2u, with = 0;
    for (unsigned member = 0; member < members; member++)
        for (const wpg_inst *annotation = wpg_annotations_begin(module); annotation != end;
             annotation = annotation->next) {
            if (annotation->opcode == SpvOpMemberDecorate && annotation->count >= 4 &&
                annotation->words[1] == type && annotation->words[2] == member &&
                annotation->words[3] == (uint32_t)decoration) {
                with++;
                break;
            }
        }
    return members && with == members;
}

static bool is_uniform_block(const wpg_module *module, const wpg_inst *variable)
{
    uint32_t type = held_struct(module, variable);
    return type && !decorated(module, type, SpvDecorationBufferBlock, false);
}

/* Inputs whose value changes while an invocation runs. */
static bool is_changing_input(const wpg_module *module, const wpg_inst *variable)
{
    const wpg_inst *builtin = wpg_find_decoration(module, variable->result, SpvDecorationBuiltIn);
    return builtin && builtin->count >= 4 && builtin->words[3] == SpvBuiltInHelperInvocation;
}

bool wpg_load_is_read_only(const wpg_module *module, const wpg_inst *load)
{
    if (load->opcode != SpvOpLoad || load->count < 4 || wpg_access_is_volatile(load))
        return false;
    const wpg_inst *root = wpg_pointer_root(module, load->words[3]);
    if (!root)
        return false;
    /* The class first: decorations are found by a walk. */
    switch ((SpvStorageClass)root->words[3]) {
    case SpvStorageClassUniformConstant:
    case SpvStorageClassPushConstant:
        break;
    case SpvStorageClassInput:
        if (is_changing_input(module, root))
            return false;
        break;
    case SpvStorageClassUniform:
        if (!is_uniform_block(module, root))
            return false;
        break;
    default:
        return false;
    }
    return !wpg_variable_has(module, root, SpvDecorationVolatile);
}

static bool path_is_constant(const wpg_module *module, uint32_t pointer)
{
    for (unsigned depth = 0; depth < 64; depth++) {
        const wpg_inst *inst = wpg_module_def(module, pointer);
        if (!inst || inst->opcode == SpvOpVariable)
            return inst != NULL;
        if ((inst->opcode != SpvOpAccessChain && inst->opcode != SpvOpInBoundsAccessChain) || inst->count < 4)
            return false;
        for (unsigned i = 4; i < inst->count; i++)
            if (!wpg_const_value(module, inst->words[i], &(uint64_t){0}, &(uint32_t){0}))
                return false;
        pointer = inst->words[3];
    }
    return false;
}

/* Does any instruction write memory that a buffer or texel binding may alias? */
static bool module_writes_buffers(const wpg_module *module)
{
    for (const wpg_inst *inst = wpg_first_function(module); inst; inst = inst->next) {
        unsigned traits = wpg_inst_traits(module, inst);
        if (traits & WPG_TRAIT_UNKNOWN)
            return true;
        if (!(traits & WPG_TRAIT_WRITES) || inst->opcode == SpvOpFunctionCall)
            continue; /* what a call writes is seen in the callee */
        if (inst->opcode == SpvOpImageWrite || inst->opcode == SpvOpExtInst)
            return true;
        uint32_t pointer = inst->opcode == SpvOpStore || inst->opcode == SpvOpCopyMemory ||
                                   inst->opcode == SpvOpCopyMemorySized || inst->opcode == SpvOpAtomicStore ||
                                   inst->opcode == SpvOpAtomicFlagClear
                               ? (inst->count > 1 ? inst->words[1] : 0)
                               : (inst->count > 3 && inst->result ? inst->words[3] : 0);
        switch (wpg_pointer_class(module, pointer)) {
        case SpvStorageClassFunction:
        case SpvStorageClassPrivate:
        case SpvStorageClassOutput:
        case SpvStorageClassWorkgroup:
            break;
        default:
            if (inst->opcode != SpvOpEmitVertex && inst->opcode != SpvOpEndPrimitive &&
                inst->opcode != SpvOpEmitStreamVertex && inst->opcode != SpvOpEndStreamPrimitive)
                return true;
        }
    }
    return false;
}

bool wpg_load_is_draw_constant(const wpg_module *module, const wpg_inst *load, const char **why)
{
    if (load->opcode != SpvOpLoad || load->count < 4)
        return *why = "the value is no load of a uniform value", false;
    const wpg_inst *root = wpg_pointer_root(module, load->words[3]);
    if (!root)
        return *why = "the value is loaded through a pointer of unknown origin", false;
    if (wpg_access_is_volatile(load) || wpg_variable_has(module, root, SpvDecorationVolatile) ||
        wpg_variable_has(module, root, SpvDecorationCoherent))
        return *why = "the value's memory is volatile or coherent", false;
    if (!path_is_constant(module, load->words[3]))
        return *why = "the value is loaded through an index that is no constant", false;
    switch ((SpvStorageClass)root->words[3]) {
    case SpvStorageClassPushConstant:
        return true;
    case SpvStorageClassUniform:
        if (is_uniform_block(module, root))
            return true;
        break;
    case SpvStorageClassStorageBuffer:
        break;
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
        return *why = "the value is in a variable of the shader's own that stays in memory", false;
    default:
        return *why = "the value is loaded from memory that is not constant for a draw", false;
    }
    if (!all_members_have(module, root, SpvDecorationNonWritable))
        return *why = "the value is loaded from writable memory", false;
    if (!wpg_variable_has(module, root, SpvDecorationRestrict) && module_writes_buffers(module))
        return *why = "the value's memory may be aliased by a buffer that is written", false;
    return true;
}
