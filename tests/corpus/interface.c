/* See interface.h. */
#include "tests/corpus/interface.h"

#include <string.h>

#include "tests/corpus/contents.h"

static uint32_t literal(const wpg_module *module, uint32_t id, SpvDecoration decoration, uint32_t absent)
{
    const wpg_inst *found = wpg_find_decoration(module, id, decoration);
    return found && found->count > 3 ? found->words[3] : absent;
}

static bool add_slot(interface *to, const char **why, const wpg_inst *scalar, uint32_t components,
                     uint32_t location, uint32_t component)
{
    *why = "an interface of other than 32-bit numbers";
    if (!scalar || (scalar->opcode != SpvOpTypeFloat && scalar->opcode != SpvOpTypeInt) ||
        scalar->words[2] != 32)
        return false;
    *why = "an interface of more than 64 vectors";
    if (to->count == INTERFACE_SLOTS)
        return false;
    const interface_kind kind = scalar->opcode == SpvOpTypeFloat ? INTERFACE_FLOAT
                                : scalar->words[3]               ? INTERFACE_INT
                                                                 : INTERFACE_UINT;
    to->slots[to->count++] = (interface_slot){location, component, components, kind};
    return true;
}

static bool add_type(interface *to, const char **why, const wpg_module *module, uint32_t type,
                     uint32_t *location, uint32_t component, unsigned depth)
{
    const wpg_inst *of = wpg_module_def(module, type);
    uint32_t length;
    *why = "an interface of other than 32-bit numbers";
    if (!of || depth > 32)
        return false;
    switch (of->opcode) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return add_slot(to, why, of, 1, (*location)++, component);
    case SpvOpTypeVector:
        return add_slot(to, why, wpg_module_def(module, of->words[2]), of->words[3], (*location)++,
                        component);
    case SpvOpTypeMatrix:
    case SpvOpTypeArray: {
        const wpg_inst *constant = of->opcode == SpvOpTypeArray ? wpg_module_def(module, of->words[3]) : NULL;
        length = of->opcode == SpvOpTypeMatrix     ? of->words[3]
                 : constant && constant->count > 3 ? constant->words[3]
                                                   : 0;
        for (uint32_t i = 0; i < length; i++)
            if (!add_type(to, why, module, of->words[2], location, component, depth + 1))
                return false;
        return true;
    }
    case SpvOpTypeStruct:
        for (uint32_t m = 0; m + 2 < of->count; m++) {
            const wpg_inst *at = contents_member(module, type, m, SpvDecorationLocation),
                           *within = contents_member(module, type, m, SpvDecorationComponent);
            const wpg_inst *built_in = contents_member(module, type, m, SpvDecorationBuiltIn);
            if (built_in) {
                to->place |= built_in->count > 4 && built_in->words[4] == SpvBuiltInPosition;
                continue;
            }
            if (at && at->count > 4)
                *location = at->words[4];
            if (!add_type(to, why, module, of->words[2 + m], location,
                          within && within->count > 4 ? within->words[4] : 0, depth + 1))
                return false;
        }
        return true;
    default:
        return false;
    }
}

/* False: a built-in that the stage beside would have to write. */
static bool add_built_in(interface *to, const char **why, uint32_t built_in, SpvStorageClass storage)
{
    to->place |= storage == SpvStorageClassOutput && built_in == SpvBuiltInPosition;
    *why = "clip distances arrive";
    return storage != SpvStorageClassInput ||
           (built_in != SpvBuiltInClipDistance && built_in != SpvBuiltInCullDistance);
}

bool interface_read(interface *to, const char **why, const wpg_module *module, const wpg_inst *entry,
                    SpvStorageClass storage)
{
    const char *name = wpg_inst_string(entry, 3);
    *to = (interface){0};
    for (size_t i = 3 + (name ? strlen(name) / 4 + 1 : 1); i < entry->count; i++) {
        const wpg_inst *variable = wpg_module_def(module, entry->words[i]),
                       *pointer = variable ? wpg_module_def(module, variable->type) : NULL;
        if (!pointer || variable->opcode != SpvOpVariable || variable->words[3] != (uint32_t)storage)
            continue;
        const uint32_t built_in = literal(module, variable->result, SpvDecorationBuiltIn, UINT32_MAX);
        uint32_t location = literal(module, variable->result, SpvDecorationLocation, 0);
        if (built_in != UINT32_MAX) {
            if (!add_built_in(to, why, built_in, storage))
                return false;
            continue;
        }
        *why = "two sources of a blend";
        if (literal(module, variable->result, SpvDecorationIndex, 0))
            return false;
        *why = "per-vertex inputs";
        if (wpg_find_decoration(module, variable->result, SpvDecorationPerVertexKHR))
            return false;
        if (!add_type(to, why, module, pointer->words[3], &location,
                      literal(module, variable->result, SpvDecorationComponent, 0), 0))
            return false;
    }
    return true;
}
