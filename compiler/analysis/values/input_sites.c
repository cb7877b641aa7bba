#include "compiler/analysis/values/input_sites.h"

#include <string.h>

#include "compiler/spirv/builder.h"

enum { ALL = 15 };

typedef struct finder {
    const wpg_module *module;
    wpg_input_site *sites;
    uint32_t count;
    uint8_t *used; /* [bound] components of a loaded vector that something takes; ALL: used as it is */
} finder;

static bool has(const wpg_module *module, const wpg_word_place *place, SpvDecoration decoration)
{
    if (wpg_find_decoration(module, place->variable, decoration))
        return true;
    const wpg_inst *variable = wpg_module_def(module, place->variable);
    const wpg_inst *pointer = wpg_module_def(module, variable->type);
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpMemberDecorate && inst->count > 3 && inst->words[1] == pointer->words[3] &&
            inst->words[3] == (uint32_t)decoration && place->count && inst->words[2] == place->indices[0])
            return true;
    return false;
}

/* An input that a stage before writes: with a location, of its own or of the member. Inputs by vertex are
 * arrays of what each vertex has. */
static bool is_user_input(const wpg_module *module, const wpg_word_place *place)
{
    const wpg_inst *variable = wpg_module_def(module, place->variable);
    const wpg_inst *pointer = variable && variable->opcode == SpvOpVariable && variable->count > 3
                                  ? wpg_module_def(module, variable->type)
                                  : NULL;
    return pointer && pointer->opcode == SpvOpTypePointer && pointer->count > 3 &&
           variable->words[3] == SpvStorageClassInput && has(module, place, SpvDecorationLocation) &&
           !has(module, place, SpvDecorationBuiltIn) && !has(module, place, SpvDecorationPerVertexKHR);
}

bool wpg_input_place_of(wpg_word_place *place, const wpg_module *module, const wpg_inst *load)
{
    if (wpg_word_place_of(place, module, load))
        return place->count < WPG_WORD_DEPTH;
    *place = (wpg_word_place){0};
    if (load->count < 4 || (load->count > 4 && load->words[4] & SpvMemoryAccessVolatileMask) ||
        wpg_module_opcode_of(module, load->words[3]) != SpvOpVariable)
        return false;
    place->variable = load->words[3];
    return true;
}

static bool is_known(const finder *f, const wpg_word_place *place)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (memcmp(&f->sites[i].place, place, sizeof *place) == 0)
            return true;
    return false;
}

static void take(finder *f, wpg_input_site site)
{
    if (f->count == WPG_MOST_INPUT_SITES || is_known(f, &site.place))
        return;
    site.rounds = site.type == WPG_VALUE_FLOAT && !has(f->module, &site.place, SpvDecorationFlat);
    f->sites[f->count++] = site;
}

/* A plain 32-bit number: another operand of OpTypeFloat names another encoding. */
static bool is_number(const wpg_inst *type)
{
    return type && (type->opcode == SpvOpTypeInt || type->opcode == SpvOpTypeFloat) && type->words[2] == 32 &&
           type->count == (type->opcode == SpvOpTypeInt ? 4 : 3);
}

static void add_load(finder *f, wpg_inst *load)
{
    const wpg_module *m = f->module;
    wpg_input_site site = {.load = load, .component = WPG_NO_BLOCK, .type = WPG_VALUE_FLOAT};
    const wpg_inst *type = wpg_module_def(m, load->type);
    const wpg_inst *scalar =
        type && type->opcode == SpvOpTypeVector ? wpg_module_def(m, type->words[2]) : type;
    if (!is_number(scalar) || !wpg_input_place_of(&site.place, m, load) || !is_user_input(m, &site.place))
        return;
    if (scalar->opcode == SpvOpTypeInt)
        site.type = scalar->words[3] ? WPG_VALUE_SINT : WPG_VALUE_UINT;
    if (type == scalar) {
        take(f, site);
        return;
    }
    site.place.count++;
    for (uint32_t c = 0; c < type->words[3]; c++) {
        site.place.indices[site.place.count - 1] = site.component = c;
        if (f->used[load->result] >> c & 1)
            take(f, site);
    }
}

/* -- Components that are taken out of vectors */

static void use(finder *f, uint32_t id, uint32_t components)
{
    if (id < f->module->bound)
        f->used[id] = (uint8_t)(f->used[id] | components);
}

static void note_shuffle(finder *f, const wpg_inst *inst)
{
    const wpg_inst *first = wpg_module_def(f->module, inst->words[3]);
    const wpg_inst *type = first ? wpg_module_def(f->module, first->type) : NULL;
    const uint32_t width = type && type->opcode == SpvOpTypeVector ? type->words[3] : 0;
    for (unsigned i = 5; i < inst->count; i++)
        if (inst->words[i] < width)
            use(f, inst->words[3], 1u << inst->words[i]);
        else if (inst->words[i] - width < 4)
            use(f, inst->words[4], 1u << (inst->words[i] - width));
}

/* Other words may be literals: then a component too many is asked about. */
static void note_uses(finder *f, const wpg_inst *inst)
{
    if (inst->opcode == SpvOpCompositeExtract && inst->count == 5 && inst->words[4] < 4)
        use(f, inst->words[3], 1u << inst->words[4]);
    else if (inst->opcode == SpvOpVectorShuffle && inst->count > 5)
        note_shuffle(f, inst);
    else
        for (unsigned i = inst->result ? 3 : 1; i < inst->count; i++)
            use(f, inst->words[i], ALL);
}

static void each(finder *f, const wpg_cfg *cfg, bool loads)
{
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->rpo == WPG_NO_BLOCK)
            continue;
        for (wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next)
            if (!loads)
                note_uses(f, inst);
            else if (inst->opcode == SpvOpLoad)
                add_load(f, inst);
        if (!loads)
            note_uses(f, block->terminator);
    }
}

wpg_status wpg_input_sites(wpg_input_site **sites, uint32_t *count, const wpg_cfg *cfg, wpg_arena *arena)
{
    finder f = {.module = cfg->module,
                .sites = WPG_ARENA_ARRAY(arena, wpg_input_site, WPG_MOST_INPUT_SITES),
                .used = WPG_ARENA_ARRAY(arena, uint8_t, cfg->module->bound)};
    if (!f.sites || !f.used)
        return WPG_E_NOMEM;
    each(&f, cfg, false);
    each(&f, cfg, true);
    *sites = f.sites;
    *count = f.count;
    return WPG_OK;
}
