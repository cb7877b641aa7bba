/* See word_places.h. */
#include "compiler/analysis/values/word_places.h"

#include "compiler/spirv/builder.h"

/* The chain of a variable that the load goes through; NULL: through another pointer, or it is volatile. */
static const wpg_inst *chain_of(const wpg_module *module, const wpg_inst *load)
{
    if (load->opcode != SpvOpLoad || load->count < 4 ||
        (load->count > 4 && load->words[4] & SpvMemoryAccessVolatileMask))
        return NULL;
    const wpg_inst *pointer = wpg_module_def(module, load->words[3]);
    const bool chains =
        pointer && (pointer->opcode == SpvOpAccessChain || pointer->opcode == SpvOpInBoundsAccessChain);
    return chains && pointer->count >= 4 && pointer->count - 4u < WPG_WORD_DEPTH &&
                   wpg_module_opcode_of(module, pointer->words[3]) == SpvOpVariable
               ? pointer
               : NULL;
}

bool wpg_word_place_of(wpg_word_place *place, const wpg_module *module, const wpg_inst *load)
{
    const wpg_inst *pointer = chain_of(module, load);
    *place = (wpg_word_place){.variable = pointer ? pointer->words[3] : 0};
    for (unsigned i = 4; pointer && i < pointer->count; i++) {
        uint64_t bits;
        uint32_t width;
        if (!wpg_const_value(module, pointer->words[i], &bits, &width) || bits > UINT32_MAX)
            return false;
        place->indices[place->count++] = (uint32_t)bits;
    }
    return pointer;
}

bool wpg_word_place_by(wpg_word_place *place, wpg_int_walk *indices, const wpg_inst *load)
{
    const wpg_inst *pointer = chain_of(indices->module, load);
    *place = (wpg_word_place){.variable = pointer ? pointer->words[3] : 0};
    for (unsigned i = 4; pointer && i < pointer->count; i++)
        if (!wpg_int_value(&place->indices[place->count++], indices, pointer->words[i], 0))
            return false;
    return pointer;
}

uint32_t wpg_word_chain(uint32_t *operands, wpg_module *module, const wpg_word_place *place,
                        bool is_component)
{
    const uint32_t count = place->count - is_component;
    operands[0] = place->variable;
    for (uint32_t i = 0; i < count; i++)
        operands[1 + i] = wpg_const_u32(module, place->indices[i]);
    return 1 + count;
}

const wpg_inst *wpg_word_trace(const wpg_module *m, const wpg_inst *vector, uint32_t c, uint32_t *component)
{
    for (unsigned depth = 0; vector && depth < 16; depth++) {
        const wpg_inst *from = vector->count > 3 ? wpg_module_def(m, vector->words[3]) : NULL;
        const wpg_inst *type = from ? wpg_module_def(m, from->type) : NULL;
        const uint32_t width = type && type->opcode == SpvOpTypeVector ? type->words[3] : 0;
        if (vector->opcode == SpvOpLoad) {
            *component = c;
            return vector;
        }
        if (vector->opcode == SpvOpVectorShuffle && width && c + 5 < vector->count &&
            vector->words[5 + c] != UINT32_MAX) {
            c = vector->words[5 + c];
            vector = c < width ? from : wpg_module_def(m, vector->words[4]);
            c -= c < width ? 0 : width;
        } else if (vector->opcode == SpvOpBitcast && width &&
                   width == wpg_module_def(m, vector->type)->words[3] &&
                   wpg_module_opcode_of(m, vector->type) == SpvOpTypeVector) {
            vector = from;
        } else {
            return NULL;
        }
    }
    return NULL;
}

bool wpg_word_place_of_part(wpg_word_place *place, const wpg_module *module, const wpg_inst *vector,
                            uint32_t c)
{
    uint32_t component;
    const wpg_inst *load = vector ? wpg_word_trace(module, vector, c, &component) : NULL;
    if (!load || !wpg_word_place_of(place, module, load) || place->count >= WPG_WORD_DEPTH)
        return false;
    place->indices[place->count++] = component;
    return true;
}
