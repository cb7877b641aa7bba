#include "compiler/analysis/graph/pseudo_probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/analysis/graph/normal_form.h"
#include "compiler/spirv/builder.h"
#include "runtime/base/map.h"

enum { PROBE = 1, PROBE_WORDS = 8, CHECKSUM_DIGITS = 16 };

/* -- Inserting ----------------------------------------------------------------------------------------- */

/* Strings are made once for each text. */
typedef struct probe_writer {
    wpg_module *module;
    wpg_inst *strings; /* OpString goes before it: before the names */
    uint32_t set, type;
    wpg_map made; /* hash of a text -> id */
    bool out_of_memory;
} probe_writer;

static uint32_t string_id(probe_writer *w, const char *text)
{
    uint32_t words[32];
    uint64_t key = wpg_hash64_bytes(text, strlen(text)), id;
    if (wpg_map_get(&w->made, key, &id))
        return (uint32_t)id;
    words[0] = wpg_module_fresh_id(w->module);
    size_t count = wpg_string_words(words + 1, text); /* at most 48 characters here */
    wpg_inst_insert(w->module, w->strings, SpvOpString, words, count + 1);
    w->out_of_memory |= !wpg_map_set(&w->made, key, words[0]);
    return words[0];
}

static void put(probe_writer *w, const wpg_pseudo_probe *probe)
{
    char shader[WPG_HASH_HEX + 16], function[48], block[16];
    wpg_inst *where = wpg_module_def(w->module, probe->label);
    if (!where || where->opcode != SpvOpLabel)
        return;
    do
        where = where->next;
    while (where->opcode == SpvOpPhi || where->opcode == SpvOpVariable || where->opcode == SpvOpLine ||
           where->opcode == SpvOpNoLine);
    wpg_hash_to_hex(shader, probe->shader);
    (void)snprintf(shader + WPG_HASH_HEX, sizeof shader - WPG_HASH_HEX, ".%s", probe->stage);
    (void)snprintf(function, sizeof function, "%" PRIu32 " %0*" PRIx64, probe->function, CHECKSUM_DIGITS,
                   probe->checksum);
    (void)snprintf(block, sizeof block, "%" PRIu32, probe->block);
    uint32_t operands[3] = {string_id(w, shader), string_id(w, function), string_id(w, block)};
    wpg_inst_add(w->module, where, SpvOpExtInst, w->type, wpg_module_fresh_id(w->module), w->set, PROBE,
                 operands[0], operands[1], operands[2]);
}

wpg_status wpg_pseudo_probes_put(wpg_module *module, const wpg_pseudo_probe *list, size_t count,
                                 wpg_error *err)
{
    if (!count)
        return WPG_OK;
    if (module->version < 0x00010600)
        wpg_require_extension(module, "SPV_KHR_non_semantic_info");
    probe_writer w = {.module = module,
                      .set = wpg_require_import(module, WPG_PSEUDO_PROBE_SET),
                      .type = wpg_type_void(module),
                      .strings = module->first};
    while (w.strings && wpg_inst_section(w.strings) < WPG_SECTION_DEBUG)
        w.strings = w.strings->next;
    for (size_t i = 0; i < count; i++)
        put(&w, &list[i]);
    wpg_map_free(&w.made);
    return w.out_of_memory || module->arena.failed ? wpg_fail(err, WPG_E_NOMEM, "out of memory for probes")
                                                   : WPG_OK;
}

static wpg_status mark_function(wpg_module *module, wpg_inst *function, wpg_pseudo_probe probe,
                                wpg_error *err)
{
    wpg_cfg *cfg;
    WPG_TRY(wpg_cfg_create(&cfg, module, function, err));
    wpg_pseudo_probe *list = WPG_ARENA_ARRAY(&cfg->arena, wpg_pseudo_probe, cfg->count);
    size_t count = 0;
    probe.checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION);
    for (uint32_t b = 0; list && b < cfg->count; b++) {
        if (cfg->blocks[b].rpo == WPG_NO_BLOCK)
            continue;
        list[count] = probe;
        list[count].block = b;
        list[count++].label = cfg->blocks[b].id;
    }
    wpg_status status = list ? wpg_pseudo_probes_put(module, list, count, err)
                             : wpg_fail(err, WPG_E_NOMEM, "out of memory for probes");
    wpg_cfg_destroy(cfg);
    return status;
}

wpg_status wpg_pseudo_probes_insert(wpg_module *module, const wpg_stage *stage, wpg_hash128 shader,
                                    wpg_error *err)
{
    wpg_inst *entry_point = wpg_find_entry_point(module, stage->model, stage->entry);
    wpg_inst *entry = entry_point ? wpg_module_def(module, entry_point->words[2]) : NULL;
    const char *name = wpg_stage_name(stage->model);
    wpg_pseudo_probe probe = {.shader = shader};
    if (!entry || entry->opcode != SpvOpFunction || !name)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no such entry point");
    (void)snprintf(probe.stage, sizeof probe.stage, "%s", name);
    WPG_TRY(mark_function(module, entry, probe, err));
    for (wpg_inst *f = wpg_first_function(module); f; f = wpg_next_function(f->next)) {
        if (f == entry)
            continue;
        probe.function++;
        WPG_TRY(mark_function(module, f, probe, err));
    }
    return WPG_OK;
}

/* -- Listing ------------------------------------------------------------------------------------------- */

static const char *string_of(const wpg_module *module, uint32_t id)
{
    const wpg_inst *inst = wpg_module_def(module, id);
    return inst && inst->opcode == SpvOpString ? wpg_inst_string(inst, 2) : NULL;
}

/* Digits of a number below 2^32, no leading zero; where they end, NULL if there are none. */
static const char *read_number(uint32_t *number, const char *text)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && value <= UINT32_MAX; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    *number = (uint32_t)value;
    return at == text || value > UINT32_MAX || (*text == '0' && at != text + 1) ? NULL : at;
}

static bool read_probe(wpg_pseudo_probe *probe, const wpg_module *module, const wpg_inst *inst)
{
    if (inst->count != PROBE_WORDS || inst->words[4] != PROBE)
        return false;
    const char *shader = string_of(module, inst->words[5]), *function = string_of(module, inst->words[6]),
               *block = string_of(module, inst->words[7]);
    if (!shader || !function || !block || !wpg_hash_from_hex(&probe->shader, shader) ||
        shader[WPG_HASH_HEX] != '.' || strlen(shader + WPG_HASH_HEX + 1) >= sizeof probe->stage)
        return false;
    (void)snprintf(probe->stage, sizeof probe->stage, "%s", shader + WPG_HASH_HEX + 1);
    const char *end = read_number(&probe->function, function);
    if (!end || *end != ' ' || strlen(end + 1) != CHECKSUM_DIGITS ||
        strspn(end + 1, "0123456789abcdef") != CHECKSUM_DIGITS ||
        sscanf(end + 1, "%" SCNx64, &probe->checksum) != 1)
        return false;
    end = read_number(&probe->block, block);
    return end && !*end;
}

static bool is_probe_set(const wpg_inst *import)
{
    const char *name = import && import->opcode == SpvOpExtInstImport ? wpg_inst_string(import, 2) : NULL;
    return name && strcmp(name, WPG_PSEUDO_PROBE_SET) == 0;
}

static bool imports_probes(const wpg_module *module)
{
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (is_probe_set(inst))
            return true;
    return false;
}

wpg_status wpg_pseudo_probes_list(wpg_pseudo_probe **list, size_t *count, size_t *malformed,
                                  const wpg_module *module, wpg_arena *arena, wpg_error *err)
{
    size_t most = 0, found = 0, bad = 0;
    wpg_pseudo_probe place = {.in_function = UINT32_MAX};
    *list = NULL;
    for (int pass = 0; pass < 2 && imports_probes(module); pass++) {
        wpg_pseudo_probe *out = pass ? WPG_ARENA_ARRAY(arena, wpg_pseudo_probe, most) : NULL;
        if (pass && !out)
            return wpg_fail(err, WPG_E_NOMEM, "out of memory for probes");
        WPG_INST_EACH (inst, module) {
            if (inst->opcode == SpvOpFunction) {
                place.in_function++;
                place.in_block = UINT32_MAX;
            } else if (inst->opcode == SpvOpLabel) {
                place.in_block++;
                place.label = inst->result;
            }
            if (inst->opcode != SpvOpExtInst || inst->count < 5 ||
                !is_probe_set(wpg_module_def(module, inst->words[3])))
                continue;
            most += !pass;
            if (!pass)
                continue;
            out[found] = place;
            if (place.label && read_probe(&out[found], module, inst))
                found++;
            else
                bad++;
        }
        if (pass)
            *list = out;
        place = (wpg_pseudo_probe){.in_function = UINT32_MAX};
    }
    *count = found;
    if (malformed)
        *malformed = bad;
    return WPG_OK;
}

wpg_status wpg_pseudo_probes_lift(wpg_pseudo_probe **list, size_t *count, wpg_module *module,
                                  wpg_arena *arena, wpg_error *err)
{
    WPG_TRY(wpg_pseudo_probes_list(list, count, NULL, module, arena, err));
    if (!*count)
        return WPG_OK;
    for (wpg_inst *inst = module->last, *prev; inst; inst = prev) {
        prev = inst->prev;
        const wpg_inst *set = inst;
        if (inst->opcode == SpvOpExtInst && inst->count > 4)
            set = wpg_module_def(module, inst->words[3]);
        if (is_probe_set(set))
            wpg_inst_remove(module, inst);
    }
    return WPG_OK;
}
