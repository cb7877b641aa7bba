/* See layout.h. */
#include "tests/corpus/layout.h"

#include <stdlib.h>

enum { UNSIZED = 16 };

static uint32_t decoration_of(const wpg_module *module, uint32_t id, SpvDecoration decoration,
                              uint32_t absent)
{
    const wpg_inst *found = wpg_find_decoration(module, id, decoration);
    if (found)
        return found->count > 3 ? found->words[3] : 0;
    return absent;
}

/* false: not a descriptor that this program knows. */
static bool descriptor_type(VkDescriptorType *type, const wpg_module *module, const wpg_inst *of,
                            uint32_t storage)
{
    bool sampled_image = of->opcode == SpvOpTypeSampledImage;
    const wpg_inst *image = sampled_image ? wpg_module_def(module, of->words[2]) : of;
    bool buffer = image && image->opcode == SpvOpTypeImage && image->words[3] == SpvDimBuffer;
    switch (of->opcode) {
    case SpvOpTypeSampler:
        *type = VK_DESCRIPTOR_TYPE_SAMPLER;
        return true;
    case SpvOpTypeSampledImage:
        *type = buffer ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        return true;
    case SpvOpTypeImage:
        if (of->words[3] == SpvDimSubpassData)
            *type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
        else if (of->words[7] == 2)
            *type = buffer ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        else
            *type = buffer ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
        return true;
    case SpvOpTypeStruct:
        *type = storage == SpvStorageClassStorageBuffer ||
                        decoration_of(module, of->result, SpvDecorationBufferBlock, 1) == 0
                    ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                    : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        return true;
    default:
        return false;
    }
}

/* Adds a variable's descriptor; two variables may share a binding if they are of one type. */
static bool add_variable(layout *to, const wpg_module *module, const wpg_inst *variable)
{
    uint32_t set = decoration_of(module, variable->result, SpvDecorationDescriptorSet, 0),
             binding = decoration_of(module, variable->result, SpvDecorationBinding, 0), count = 1;
    const wpg_inst *pointer = wpg_module_def(module, variable->type),
                   *of = pointer && pointer->count > 3 ? wpg_module_def(module, pointer->words[3]) : NULL;
    while (of && (of->opcode == SpvOpTypeArray || of->opcode == SpvOpTypeRuntimeArray)) {
        const wpg_inst *length = of->opcode == SpvOpTypeArray ? wpg_module_def(module, of->words[3]) : NULL;
        count *= length && length->count > 3 ? length->words[3] : UNSIZED;
        of = wpg_module_def(module, of->words[2]);
    }
    VkDescriptorType type;
    if (!of || set >= LAYOUT_SETS || count == 0 || count > 4096 ||
        !descriptor_type(&type, module, of, variable->words[3]))
        return false;
    for (uint32_t i = 0; i < to->counts[set]; i++)
        if (to->bindings[set][i].binding == binding)
            return to->bindings[set][i].descriptorType == type &&
                   to->bindings[set][i].descriptorCount >= count;
    if (to->counts[set] == LAYOUT_BINDINGS)
        return false;
    to->variables[set][to->counts[set]] = variable->result;
    to->bindings[set][to->counts[set]++] =
        (VkDescriptorSetLayoutBinding){binding, type, count, VK_SHADER_STAGE_ALL, NULL};
    return true;
}

bool layout_read(layout *to, const wpg_module *module)
{
    *to = (layout){0};
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode == SpvOpVariable &&
            (inst->words[3] == SpvStorageClassUniform || inst->words[3] == SpvStorageClassUniformConstant ||
             inst->words[3] == SpvStorageClassStorageBuffer) &&
            !add_variable(to, module, inst))
            return false;
    }
    return true;
}

void layout_make(VkDescriptorSetLayout sets[LAYOUT_SETS], const vk_program *vk, const layout *of)
{
    for (uint32_t s = 0; s < LAYOUT_SETS; s++) {
        const VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                          VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                      .bindingCount = of->counts[s],
                                                      .pBindings = of->bindings[s]};
        if (vkCreateDescriptorSetLayout(vk->device, &info, NULL, &sets[s]) != VK_SUCCESS)
            exit(VK_EXIT_FAILURE);
    }
}

void layout_drop(const vk_program *vk, VkDescriptorSetLayout sets[LAYOUT_SETS])
{
    for (uint32_t s = 0; s < LAYOUT_SETS; s++)
        vkDestroyDescriptorSetLayout(vk->device, sets[s], NULL);
}

VkShaderStageFlagBits layout_stage(uint32_t model)
{
    switch (model) {
    case SpvExecutionModelVertex:
        return VK_SHADER_STAGE_VERTEX_BIT;
    case SpvExecutionModelTessellationControl:
        return VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
    case SpvExecutionModelTessellationEvaluation:
        return VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    case SpvExecutionModelGeometry:
        return VK_SHADER_STAGE_GEOMETRY_BIT;
    case SpvExecutionModelFragment:
        return VK_SHADER_STAGE_FRAGMENT_BIT;
    case SpvExecutionModelGLCompute:
        return VK_SHADER_STAGE_COMPUTE_BIT;
    default:
        return (VkShaderStageFlagBits)0;
    }
}
