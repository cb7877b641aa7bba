#include "compiler/analysis/values/word_sites.h"

#include <string.h>

#include "compiler/analysis/values/counted_reads.h"
#include "compiler/analysis/values/word_casts.h"
#include "compiler/analysis/values/word_deciders.h"
#include "compiler/analysis/values/word_vectors.h"
#include "compiler/spirv/builder.h"
#include "runtime/base/vec.h"

/* A variable of class Uniform whose type is a struct decorated Block: read-only (SPIR-V 1.6, 2.16.1; Vulkan
 * 1.3, 15.6.2). An array of such blocks has a descriptor for each, which an index may leave out; of an array
 * of one, which Zink makes, there is none to leave out. */
static bool is_uniform_block(const wpg_module *module, const wpg_inst *variable)
{
    const wpg_inst *pointer = variable ? wpg_module_def(module, variable->type) : NULL;
    if (!pointer || variable->opcode != SpvOpVariable || pointer->opcode != SpvOpTypePointer ||
        pointer->count < 4 || pointer->words[2] != SpvStorageClassUniform)
        return false;
    const wpg_inst *block = wpg_module_def(module, pointer->words[3]);
    uint64_t length;
    uint32_t width;
    if (block && block->opcode == SpvOpTypeArray &&
        wpg_const_value(module, block->words[3], &length, &width) && length == 1)
        block = wpg_module_def(module, block->words[2]);
    return block && block->opcode == SpvOpTypeStruct &&
           wpg_find_decoration(module, block->result, SpvDecorationBlock);
}

enum { MOST_CANDIDATES = 64 }; /* floats that are asked what they are good for */

typedef struct site_list {
    wpg_word_site *items;
    uint32_t count, most;
    bool of_floats;                /* floats, and integers that are cast to floats alone */
    const struct site_list *other; /* whose words are not taken again; NULL */
    const wpg_word_casts *casts;
    uint32_t asked; /* the variable asked about last, and the answer */
    bool is_block;
} site_list;

static bool is_known(const site_list *list, const wpg_word_place *place)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (memcmp(&list->items[i].place, place, sizeof *place) == 0)
            return true;
    return false;
}

static bool is_block(site_list *list, const wpg_module *module, uint32_t variable)
{
    if (list->asked != variable)
        list->is_block = is_uniform_block(module, wpg_module_def(module, variable));
    list->asked = variable;
    return list->is_block;
}

/* The walk through decorations comes last: a module loads the same words again and again. */
static void take(site_list *list, const wpg_module *module, wpg_word_site site)
{
    const bool is_float =
        site.type == WPG_VALUE_FLOAT || wpg_word_is_cast(list->casts, site.load, site.component);
    if (is_float == list->of_floats && list->count < list->most && !is_known(list, &site.place) &&
        !(list->other && is_known(list->other, &site.place)) && is_block(list, module, site.place.variable))
        list->items[list->count++] = site;
}

/* A plain 32-bit number of that kind: another operand of OpTypeFloat names another encoding. */
static bool is_word(const wpg_inst *type)
{
    return type && (type->opcode == SpvOpTypeInt || type->opcode == SpvOpTypeFloat) && type->words[2] == 32 &&
           type->count == (type->opcode == SpvOpTypeInt ? 4 : 3);
}

static void load_sites(site_list *list, const wpg_module *module, wpg_inst *load)
{
    wpg_word_site site = {.load = load, .component = WPG_NO_BLOCK, .type = WPG_VALUE_FLOAT};
    const wpg_inst *type = wpg_module_def(module, load->type);
    const wpg_inst *scalar =
        type && type->opcode == SpvOpTypeVector ? wpg_module_def(module, type->words[2]) : type;
    if (!is_word(scalar) || !wpg_word_place_of(&site.place, module, load))
        return;
    if (scalar->opcode == SpvOpTypeInt)
        site.type = scalar->words[3] ? WPG_VALUE_SINT : WPG_VALUE_UINT;
    if (type == scalar) {
        take(list, module, site);
        return;
    }
    site.place.count++;
    for (uint32_t c = 0; c < type->words[3]; c++) {
        site.place.indices[site.place.count - 1] = site.component = c;
        take(list, module, site);
    }
}

typedef WPG_VEC(wpg_inst *) inst_list;

/* Is it a load through an access chain of a variable of class Uniform? */
static bool reads_uniform(const wpg_module *module, const wpg_inst *load)
{
    const wpg_inst *chain = load->count > 3 ? wpg_module_def(module, load->words[3]) : NULL;
    if (load->opcode != SpvOpLoad || !chain || chain->count < 4 ||
        (chain->opcode != SpvOpAccessChain && chain->opcode != SpvOpInBoundsAccessChain))
        return false;
    const wpg_inst *variable = wpg_module_def(module, chain->words[3]);
    return variable && variable->opcode == SpvOpVariable && variable->words[3] == SpvStorageClassUniform;
}

/* Such loads, and what takes parts out of them. All that follows asks about these: few of many. */
static bool list_reads(inst_list *reads, const wpg_cfg *cfg)
{
    const wpg_module *module = cfg->module;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->rpo == WPG_NO_BLOCK)
            continue;
        for (wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
            const bool extracts =
                inst->opcode == SpvOpCompositeExtract || inst->opcode == SpvOpVectorExtractDynamic;
            const wpg_inst *load = extracts ? wpg_module_def(module, inst->words[3]) : inst;
            if (load && reads_uniform(module, load) &&
                !wpg_vec_push(reads, inst)) /* NOLINT(bugprone-sizeof-expression) */
                return false;
        }
    }
    return true;
}

static void all_loads(site_list *list, const wpg_module *module, const inst_list *reads)
{
    for (size_t i = 0; i < reads->count; i++)
        if (reads->data[i]->opcode == SpvOpLoad)
            load_sites(list, module, reads->data[i]);
}

/* Those of the sites whose bits are set. */
static void append(site_list *list, const site_list *of, uint64_t which)
{
    for (uint32_t i = 0; i < of->count && list->count < list->most; i++)
        if (which >> i & 1)
            list->items[list->count++] = of->items[i];
}

static void take_counted(site_list *list, const wpg_module *module, const wpg_counted_read *read,
                         const wpg_inst *value)
{
    const bool is_signed = wpg_module_def(module, value->type)->words[3] != 0;
    wpg_word_site site = {
        .load = read->load, .type = is_signed ? WPG_VALUE_SINT : WPG_VALUE_UINT, .counted = true};
    if (!is_block(list, module, read->places[0].variable))
        return;
    for (uint32_t i = 0; i < read->count && list->count < list->most; i++) {
        site.place = read->places[i];
        site.component = read->loads_vector ? site.place.indices[site.place.count - 1] : WPG_NO_BLOCK;
        if (!is_known(list, &site.place))
            list->items[list->count++] = site;
    }
}

/* Integers that a loop's counter chooses among, then those of first trips. */
static bool counted_sites(site_list *list, const wpg_cfg *cfg, const inst_list *reads, wpg_arena *arena)
{
    wpg_counters counters = {.module = cfg->module, .function = cfg->function, .arena = arena};
    site_list firsts = {.items = WPG_ARENA_ARRAY(arena, wpg_word_site, WPG_MOST_WORD_SITES),
                        .most = WPG_MOST_WORD_SITES};
    wpg_counted_read read;
    for (size_t i = 0; firsts.items && i < reads->count; i++)
        if (wpg_counted_read_of(&read, &counters, reads->data[i]))
            take_counted(read.first_alone ? &firsts : list, cfg->module, &read, reads->data[i]);
    for (uint32_t i = 0; i < firsts.count && list->count < list->most; i++)
        if (!is_known(list, &firsts.items[i].place))
            list->items[list->count++] = firsts.items[i];
    return !arena->failed;
}

/* Integers for which there was no room, where they decide a branch or an index: an uber-shader reads colours
 * first. */
static wpg_status further_sites(site_list *list, const wpg_cfg *cfg, const inst_list *reads, wpg_arena *arena)
{
    site_list rest = {.items = WPG_ARENA_ARRAY(arena, wpg_word_site, MOST_CANDIDATES),
                      .most = MOST_CANDIDATES,
                      .other = list,
                      .casts = list->casts};
    wpg_word_uses uses;
    if (!rest.items)
        return WPG_E_NOMEM;
    all_loads(&rest, cfg->module, reads);
    WPG_TRY(wpg_word_deciders(&uses, cfg, rest.items, rest.count, arena));
    append(list, &rest, uses.deciding | uses.indexing);
    return WPG_OK;
}

static wpg_status find_sites(wpg_word_site **sites, uint32_t *count, const wpg_cfg *cfg,
                             const inst_list *reads, wpg_arena *arena)
{
    wpg_word_casts casts;
    site_list list = {.items = WPG_ARENA_ARRAY(arena, wpg_word_site, WPG_MOST_WORD_SITES),
                      .most = WPG_MOST_INTEGER_SITES,
                      .casts = &casts};
    site_list floats = {.items = WPG_ARENA_ARRAY(arena, wpg_word_site, MOST_CANDIDATES),
                        .most = MOST_CANDIDATES,
                        .of_floats = true,
                        .other = &list,
                        .casts = &casts};
    wpg_word_uses uses;
    uint64_t vectors;
    if (!list.items || !floats.items || !wpg_word_casts_find(&casts, cfg, arena))
        return WPG_E_NOMEM;
    all_loads(&list, cfg->module, reads);
    const bool had_room = list.count < list.most;
    all_loads(&floats, cfg->module, reads);
    WPG_TRY(wpg_word_deciders(&uses, cfg, floats.items, floats.count, arena));
    WPG_TRY(wpg_word_vectors(&vectors, cfg, floats.items, floats.count, arena));
    list.most = list.count + WPG_MOST_FLOAT_SITES;
    uint64_t taken = uses.deciding | uses.weighing;
    append(&list, &floats, uses.deciding);
    append(&list, &floats, uses.weighing & ~uses.deciding);
    list.most = WPG_MOST_WORD_SITES;
    append(&list, &floats, vectors & ~taken);
    append(&list, &floats, uses.rounding_or_moving & ~vectors & ~taken);
    if (!counted_sites(&list, cfg, reads, arena))
        return WPG_E_NOMEM;
    if (!had_room)
        WPG_TRY(further_sites(&list, cfg, reads, arena));
    *sites = list.items;
    *count = list.count;
    return WPG_OK;
}

wpg_status wpg_word_sites(wpg_word_site **sites, uint32_t *count, const wpg_cfg *cfg, wpg_arena *arena)
{
    inst_list reads = {0};
    const wpg_status status =
        list_reads(&reads, cfg) ? find_sites(sites, count, cfg, &reads, arena) : WPG_E_NOMEM;
    wpg_vec_free(&reads);
    return status;
}
