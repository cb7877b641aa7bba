/* See block_layout.h. */
#include "compiler/optimize/facts/block_layout.h"

#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

enum { MOST_BYTES = 1 << 30 };

/* The literal of a member's decoration; a decoration without one gives 1. */
static bool member_decoration(uint32_t *value, const wpg_module *module, uint32_t type, uint32_t member,
                              SpvDecoration decoration)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode == SpvOpMemberDecorate && inst->count >= 4 && inst->words[1] == type &&
            inst->words[2] == member && inst->words[3] == (uint32_t)decoration) {
            *value = inst->count > 4 ? inst->words[4] : 1;
            return true;
        }
    }
    return false;
}

uint32_t wpg_block_scalar_size(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    if (!def || (def->opcode != SpvOpTypeInt && def->opcode != SpvOpTypeFloat) || def->count < 3 ||
        (def->words[2] != 8 && def->words[2] != 16 && def->words[2] != 32 && def->words[2] != 64))
        return 0;
    return def->words[2] / 8;
}

bool wpg_block_element(wpg_block_place *out, const char **why, const wpg_module *module, wpg_block_place at,
                       uint64_t index)
{
    const wpg_inst *def = wpg_module_def(module, at.type);
    const wpg_inst *decoration;
    uint32_t offset, size;
    uint64_t length, width;
    uint32_t bits;
    *out = at;
    *why = "an index is outside of its composite";
    switch (def ? (SpvOp)def->opcode : SpvOpNop) {
    case SpvOpTypeStruct:
        if (index >= def->count - 2u)
            return false;
        *why = "a member has no offset";
        if (!member_decoration(&offset, module, at.type, (uint32_t)index, SpvDecorationOffset))
            return false;
        out->type = def->words[2 + index];
        out->offset += offset;
        out->stride = 0;
        (void)member_decoration(&out->stride, module, at.type, (uint32_t)index, SpvDecorationMatrixStride);
        out->row_major = member_decoration(&offset, module, at.type, (uint32_t)index, SpvDecorationRowMajor);
        break;
    case SpvOpTypeArray:
        if (!wpg_const_value(module, def->words[3], &length, &bits) || index >= length)
            return false;
        *why = "an array has no stride";
        decoration = wpg_find_decoration(module, at.type, SpvDecorationArrayStride);
        if (!decoration || decoration->count < 4)
            return false;
        width = (uint64_t)decoration->words[3] * index;
        if (width > MOST_BYTES)
            return false;
        out->type = def->words[2];
        out->offset += (uint32_t)width;
        break;
    case SpvOpTypeMatrix: {
        const wpg_inst *column = wpg_module_def(module, def->words[2]);
        if (index >= def->words[3] || !column || column->opcode != SpvOpTypeVector || !at.stride)
            return false;
        out->type = def->words[2];
        size = wpg_block_scalar_size(module, column->words[2]);
        out->offset += (uint32_t)index * (at.row_major ? size : at.stride);
        out->stride = at.row_major ? at.stride : 0;
        out->row_major = false;
        break;
    }
    case SpvOpTypeVector:
        size = wpg_block_scalar_size(module, def->words[2]);
        if (index >= def->words[3] || !size)
            return false;
        out->type = def->words[2];
        out->offset += (uint32_t)index * (at.stride ? at.stride : size);
        out->stride = 0;
        break;
    default:
        *why = "its type is not followed";
        return false;
    }
    *why = "it lies beyond what is followed";
    return out->offset <= MOST_BYTES && out->offset >= at.offset;
}
