/* See place_names.h. */
#include "compiler/analysis/values/place_names.h"

#include <stdio.h>

#include "compiler/spirv/builder.h"

static const char *member_name(const wpg_module *module, uint32_t type, uint32_t member)
{
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpMemberName && inst->count > 3 && inst->words[1] == type &&
            inst->words[2] == member)
            return wpg_inst_string(inst, 3);
    return NULL;
}

/* The type that the pointer's variable points to. */
static const wpg_inst *pointee(const wpg_module *module, uint32_t pointer)
{
    const wpg_inst *def = wpg_module_def(module, pointer);
    const wpg_inst *type = def ? wpg_module_def(module, def->type) : NULL;
    return type && type->opcode == SpvOpTypePointer ? wpg_module_def(module, type->words[3]) : NULL;
}

static void append(char name[WPG_PLACE_NAME], size_t *length, const char *part, bool dotted)
{
    if (*length >= WPG_PLACE_NAME)
        return;
    const int more =
        snprintf(name + *length, WPG_PLACE_NAME - *length, "%s%s", *length && dotted ? "." : "", part);
    *length += more > 0 ? (size_t)more : 0;
}

/* "set 0 binding 2 ", or "%15". */
static size_t variable_name(char name[WPG_PLACE_NAME], const wpg_module *module, uint32_t variable)
{
    const wpg_inst *set = wpg_find_decoration(module, variable, SpvDecorationDescriptorSet),
                   *binding = wpg_find_decoration(module, variable, SpvDecorationBinding);
    if (!set || !binding || set->count < 4 || binding->count < 4)
        return (size_t)snprintf(name, WPG_PLACE_NAME, "%%%u", variable);
    return (size_t)snprintf(name, WPG_PLACE_NAME, "set %u binding %u ", set->words[3], binding->words[3]);
}

bool wpg_place_path(char name[WPG_PLACE_NAME], size_t *length, const wpg_module *module,
                    const wpg_word_place *place, bool members)
{
    const wpg_inst *type = pointee(module, place->variable);
    for (uint32_t i = 0; i < place->count && type; i++) {
        const uint32_t index = place->indices[i];
        char number[24];
        if (type->opcode == SpvOpTypeStruct) {
            const char *member = members ? member_name(module, type->result, index) : NULL;
            if ((members && (!member || !*member)) || index + 2 >= type->count)
                return false;
            (void)snprintf(number, sizeof number, "[%u]", index);
            append(name, length, member ? member : number, member != NULL);
            type = wpg_module_def(module, type->words[index + 2]);
            continue;
        }
        if (type->opcode == SpvOpTypeVector)
            (void)snprintf(number, sizeof number, ".%c", "xyzw"[index & 3]);
        else
            (void)snprintf(number, sizeof number, "[%u]", index);
        append(name, length, number, false);
        type = type->opcode == SpvOpTypeVector || type->opcode == SpvOpTypeArray ||
                       type->opcode == SpvOpTypeMatrix
                   ? wpg_module_def(module, type->words[2])
                   : NULL;
    }
    return *length > 0;
}

void wpg_place_name(char name[WPG_PLACE_NAME], const wpg_module *module, const wpg_word_place *place)
{
    size_t length = 0;
    name[0] = 0;
    if (!wpg_place_path(name, &length, module, place, true)) {
        length = variable_name(name, module, place->variable);
        (void)wpg_place_path(name, &length, module, place, false);
    }
    wpg_place_name_clean(name);
}

void wpg_place_name_clean(char *name)
{
    for (char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
}
