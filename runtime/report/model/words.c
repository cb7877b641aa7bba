/* What the author calls an input, and a word of a uniform block: the names of the members on the way to it
 * (OpMemberName), such as "u_metalness" or "params.size.y". Where the module has no names:
 * "set 0 binding 2 [0][3].x", "location 1.x". */
#include <stdio.h>

#include "compiler/analysis/values/input_sites.h"
#include "compiler/analysis/values/word_sites.h"
#include "compiler/spirv/builder.h"
#include "runtime/report/model/internal.h"

enum { NAME_SIZE = 96 };

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

static size_t append(char *name, size_t length, const char *part, bool dotted)
{
    if (!part || !*part || length >= NAME_SIZE)
        return length;
    const int more = snprintf(name + length, NAME_SIZE - length, "%s%s", length && dotted ? "." : "", part);
    return more > 0 ? length + (size_t)more : length;
}

/* "set 0 binding 2 " */
static size_t binding_name(char name[NAME_SIZE], const wpg_module *module, uint32_t variable)
{
    const wpg_inst *set = wpg_find_decoration(module, variable, SpvDecorationDescriptorSet),
                   *binding = wpg_find_decoration(module, variable, SpvDecorationBinding);
    if (!set || !binding || set->count < 4 || binding->count < 4)
        return 0;
    return (size_t)snprintf(name, NAME_SIZE, "set %u binding %u ", set->words[3], binding->words[3]);
}

/* False: a member has no name, and the names of members are asked for. */
static bool chain_name(char name[NAME_SIZE], const wpg_module *module, const wpg_inst *chain, bool members,
                       size_t *length)
{
    const wpg_inst *type = pointee(module, chain->words[3]);
    for (uint16_t i = 4; i < chain->count && type; i++) {
        uint64_t index;
        uint32_t width;
        char number[24];
        if (!wpg_const_value(module, chain->words[i], &index, &width))
            return false;
        if (type->opcode == SpvOpTypeStruct) {
            const char *member = members ? member_name(module, type->result, (uint32_t)index) : NULL;
            if ((members && (!member || !*member)) || index + 2 >= type->count)
                return false;
            (void)snprintf(number, sizeof number, "[%llu]", (unsigned long long)index);
            *length = append(name, *length, member ? member : number, member != NULL);
            type = wpg_module_def(module, type->words[index + 2]);
            continue;
        }
        if (type->opcode == SpvOpTypeVector)
            (void)snprintf(number, sizeof number, ".%c", "xyzw"[index & 3]);
        else
            (void)snprintf(number, sizeof number, "[%llu]", (unsigned long long)index);
        *length = append(name, *length, number, false);
        type = type->opcode == SpvOpTypeVector || type->opcode == SpvOpTypeArray ||
                       type->opcode == SpvOpTypeMatrix
                   ? wpg_module_def(module, type->words[2])
                   : NULL;
    }
    return *length > 0;
}

static const char *name_of(const wpg_module *module, const wpg_word_site *site, wpg_arena *arena)
{
    char name[NAME_SIZE] = "", part[8];
    size_t length = 0;
    const wpg_inst *chain = wpg_module_def(module, site->load->words[3]);
    if (!chain || (chain->opcode != SpvOpAccessChain && chain->opcode != SpvOpInBoundsAccessChain) ||
        chain->count < 4)
        return NULL;
    if (!chain_name(name, module, chain, true, &length)) {
        length = binding_name(name, module, chain->words[3]);
        if (!length || !chain_name(name, module, chain, false, &length))
            return NULL;
    }
    if (site->component < 4) {
        (void)snprintf(part, sizeof part, ".%c", "xyzw"[site->component]);
        length = append(name, length, part, false);
    }
    for (char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
    return wpg_arena_strdup(arena, name);
}

wpg_status wpg_report_read_words(wpg_report_function *function, const wpg_cfg *cfg, wpg_arena *arena)
{
    wpg_arena local;
    wpg_word_site *sites;
    uint32_t count;
    if (!function->counts->records[WPG_RECORD_WORDS])
        return WPG_OK;
    wpg_arena_init(&local);
    wpg_status status = wpg_word_sites(&sites, &count, cfg, &local);
    const char **names = status == WPG_OK ? WPG_ARENA_ARRAY(arena, const char *, count) : NULL;
    for (uint32_t i = 0; names && i < count; i++)
        names[i] = name_of(cfg->module, &sites[i], arena);
    wpg_arena_finish(&local);
    if (status != WPG_OK || !names)
        return WPG_E_NOMEM;
    function->word_names = names;
    function->word_count = count;
    return WPG_OK;
}

/* -- Inputs */

static const char *variable_name(const wpg_module *module, uint32_t id)
{
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpName && inst->count > 2 && inst->words[1] == id)
            return wpg_inst_string(inst, 2);
    return NULL;
}

static const char *input_name(const wpg_module *module, const wpg_input_site *site, wpg_arena *arena)
{
    char name[NAME_SIZE] = "", part[8];
    size_t length = 0;
    const wpg_inst *chain = wpg_module_def(module, site->load->words[3]);
    const bool direct = chain->opcode == SpvOpVariable;
    const uint32_t variable = direct ? chain->result : chain->words[3];
    const char *known = variable_name(module, variable);
    const wpg_inst *location = wpg_find_decoration(module, variable, SpvDecorationLocation),
                   *held = pointee(module, variable);
    const bool block = held && held->opcode == SpvOpTypeStruct;
    length = append(name, length, known, false);
    if (!length && location && !block)
        length = (size_t)snprintf(name, sizeof name, "location %u", location->words[3]);
    if (!direct && !chain_name(name, module, chain, block, &length))
        return NULL;
    if (site->component < 4) {
        (void)snprintf(part, sizeof part, ".%c", "xyzw"[site->component]);
        (void)append(name, length, part, false);
    }
    for (char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
    return *name ? wpg_arena_strdup(arena, name) : NULL;
}

wpg_status wpg_report_read_inputs(wpg_report_function *function, const wpg_cfg *cfg, wpg_arena *arena)
{
    wpg_arena local;
    wpg_input_site *sites;
    uint32_t count;
    if (!function->counts->records[WPG_RECORD_INPUTS])
        return WPG_OK;
    wpg_arena_init(&local);
    wpg_status status = wpg_input_sites(&sites, &count, cfg, &local);
    wpg_report_input *inputs = status == WPG_OK ? WPG_ARENA_ARRAY(arena, wpg_report_input, count) : NULL;
    for (uint32_t i = 0; inputs && i < count; i++) {
        const char *name = input_name(cfg->module, &sites[i], arena);
        inputs[i] = (wpg_report_input){.name = name ? name : "one without a name", .rounds = sites[i].rounds};
    }
    wpg_arena_finish(&local);
    if (status != WPG_OK || !inputs)
        return WPG_E_NOMEM;
    function->inputs = inputs;
    function->input_count = count;
    return WPG_OK;
}
