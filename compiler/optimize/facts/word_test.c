/* See word_test.h. */
#include "compiler/optimize/facts/word_test.h"

#include "compiler/optimize/facts/block_layout.h"
#include "compiler/spirv/builder.h"

static bool decoration(uint32_t *value, const wpg_module *module, uint32_t variable, SpvDecoration which)
{
    const wpg_inst *found = wpg_find_decoration(module, variable, which);
    if (!found || found->count < 4)
        return false;
    *value = found->words[3];
    return true;
}

bool wpg_word_test_of(wpg_word_test *test, const wpg_module *module, const wpg_word_place *place)
{
    const wpg_inst *variable = wpg_module_def(module, place->variable);
    const wpg_inst *pointer = variable ? wpg_module_def(module, variable->type) : NULL;
    const char *why;
    uint32_t first = 0;
    *test = (wpg_word_test){0};
    if (!pointer || pointer->opcode != SpvOpTypePointer ||
        !decoration(&test->set, module, place->variable, SpvDecorationDescriptorSet) ||
        !decoration(&test->binding, module, place->variable, SpvDecorationBinding))
        return false;
    wpg_block_place at = {.type = pointer->words[3]};
    const wpg_inst *block = wpg_module_def(module, at.type);
    if (block && block->opcode == SpvOpTypeArray) { /* of descriptors: of one (word_sites.c) */
        at.type = block->words[2];
        first = 1;
        if (!place->count || place->indices[0] != 0)
            return false;
    }
    for (uint32_t i = first; i < place->count; i++)
        if (!wpg_block_element(&at, &why, module, at, place->indices[i]))
            return false;
    test->offset = at.offset;
    return wpg_block_scalar_size(module, at.type) == 4 && at.offset % 4 == 0;
}
