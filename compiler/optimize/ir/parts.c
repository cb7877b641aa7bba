#include "compiler/optimize/ir/parts.h"

uint32_t wpg_part_of(const wpg_module *module, const wpg_inst *extract, uint32_t *left)
{
    uint32_t id = extract->words[3], at = 4;
    for (unsigned steps = 0; at < extract->count && steps < 64; steps++) {
        const wpg_inst *def = wpg_module_def(module, id);
        const wpg_inst *type = def ? wpg_module_def(module, def->type) : NULL;
        bool by_parts = type && (type->opcode != SpvOpTypeVector || type->words[3] + 3u == def->count);
        if (def && def->opcode == SpvOpCompositeConstruct && by_parts &&
            extract->words[at] + 3u < def->count) {
            id = def->words[3 + extract->words[at++]];
        } else if (def && def->opcode == SpvOpCompositeInsert && def->count == 6) {
            bool here = def->words[5] == extract->words[at];
            at += here;
            id = def->words[here ? 3 : 4];
        } else {
            break;
        }
    }
    *left = extract->count - at;
    return id;
}
