/* See zeros.h. */
#include "tests/corpus/zeros.h"

#include "compiler/spirv/builder.h"

static bool begins_anyhow(const wpg_inst *variable)
{
    const uint32_t storage = variable->words[3];
    return variable->count != 4 || (storage != SpvStorageClassFunction && storage != SpvStorageClassPrivate &&
                                    storage != SpvStorageClassOutput);
}

/* An initialiser has to stand before the variable. */
static uint32_t null_of(wpg_module *module, wpg_inst *variable, uint32_t type)
{
    if (variable->words[3] == SpvStorageClassFunction)
        return wpg_const_null(module, type);
    const uint32_t id = wpg_module_fresh_id(module);
    wpg_inst_add(module, variable, SpvOpConstantNull, type, id);
    return id;
}

bool zeros_begin(uint32_t **to, size_t *to_count, const uint32_t *words, size_t count)
{
    wpg_module *module = NULL;
    bool inside = false;
    if (wpg_module_parse(&module, words, count, NULL) != WPG_OK)
        return false;
    WPG_INST_EACH (i, module) {
        inside |= i->opcode == SpvOpFunction;
        if (i->opcode == SpvOpVariable && !begins_anyhow(i)) {
            const wpg_inst *pointer = wpg_module_def(module, i->type);
            if (!pointer)
                continue;
            const uint32_t operands[4] = {i->type, i->result, i->words[3],
                                          null_of(module, i, pointer->words[3])};
            wpg_inst_set_operands(module, i, operands, 4);
        } else if (i->opcode == SpvOpUndef) {
            const uint32_t operands[3] = {i->type, i->result, inside ? wpg_const_null(module, i->type) : 0};
            wpg_inst_rewrite(module, i, inside ? SpvOpCopyObject : SpvOpConstantNull, operands,
                             inside ? 3 : 2);
        }
    }
    const bool made = wpg_module_emit(to, to_count, module, NULL) == WPG_OK;
    wpg_module_destroy(module);
    return made;
}
