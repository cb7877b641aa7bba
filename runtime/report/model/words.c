/* What the author calls a word of a uniform block (compiler/analysis/values/place_names.h), and an input:
 * "location 1.x" where the module has no names. */
#include <stdio.h>

#include "compiler/analysis/values/input_sites.h"
#include "compiler/analysis/values/place_names.h"
#include "compiler/analysis/values/word_sites.h"
#include "compiler/spirv/builder.h"
#include "runtime/report/model/internal.h"

static const char *name_of(const wpg_module *module, const wpg_word_site *site, wpg_arena *arena)
{
    char name[WPG_PLACE_NAME];
    wpg_place_name(name, module, &site->place);
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

static bool holds_struct(const wpg_module *module, uint32_t variable)
{
    const wpg_inst *type = wpg_module_def(module, wpg_module_def(module, variable)->type);
    return wpg_module_opcode_of(module, type->words[3]) == SpvOpTypeStruct;
}

static const char *input_name(const wpg_module *module, const wpg_input_site *site, wpg_arena *arena)
{
    char name[WPG_PLACE_NAME] = "";
    size_t length = 0;
    const wpg_inst *pointer = wpg_module_def(module, site->load->words[3]);
    const bool direct = pointer->opcode == SpvOpVariable;
    wpg_word_place place = {.variable = pointer->result};
    if (!direct && !wpg_word_place_of(&place, module, site->load))
        return NULL;
    const char *known = variable_name(module, place.variable);
    const wpg_inst *location = wpg_find_decoration(module, place.variable, SpvDecorationLocation);
    const bool block = holds_struct(module, place.variable);
    if (known && *known)
        length = (size_t)snprintf(name, sizeof name, "%s", known);
    else if (location && !block)
        length = (size_t)snprintf(name, sizeof name, "location %u", location->words[3]);
    if (!direct && !wpg_place_path(name, &length, module, &place, block))
        return NULL;
    if (site->component < 4 && length < sizeof name) {
        (void)snprintf(name + length, sizeof name - length, ".%c", "xyzw"[site->component]);
    }
    wpg_place_name_clean(name);
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
