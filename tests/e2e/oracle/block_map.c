/* See block_map.h. */
#include "tests/e2e/oracle/block_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/analysis/values/sites.h"
#include "compiler/normalize/normalize.h"

static void check(wpg_status status, const wpg_error *err, const char *what)
{
    if (status != WPG_OK) {
        fprintf(stderr, "%s: %s\n", what, err->message);
        exit(3);
    }
}

static void need(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "block map: %s\n", what);
        exit(3);
    }
}

static uint32_t find_tag(const wpg_module *module)
{
    WPG_INST_EACH (inst, module) {
        const char *name = inst->opcode == SpvOpName ? wpg_inst_string(inst, 2) : NULL;
        if (name && strcmp(name, "tag") == 0)
            return inst->words[1];
    }
    need(false, "no variable 'tag'");
    return 0;
}

static uint64_t marks_of(const wpg_module *module, const wpg_block *block, uint32_t tag)
{
    uint64_t marks = 0;
    for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next) {
        if (inst->opcode != SpvOpStore || inst->words[1] != tag)
            continue;
        const wpg_inst *value = wpg_module_def(module, inst->words[2]);
        need(value && value->opcode == SpvOpConstant && value->words[3] < SIM_MARKS,
             "a marker is no small constant");
        marks |= UINT64_C(1) << value->words[3];
    }
    return marks;
}

void block_map_make(block_map *map, const uint32_t *words, size_t count, const wpg_stage *stage)
{
    memset(map, 0, sizeof *map);
    wpg_error err = {0};
    wpg_module *module = NULL;
    check(wpg_module_parse(&module, words, count, &err), &err, "parse");
    check(wpg_normalize(module, stage, NULL, &err), &err, "normalise");
    uint32_t tag = find_tag(module), entry = 0, next = 1;
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == SpvOpEntryPoint)
            entry = inst->words[2];
    }
    for (wpg_inst *function = wpg_next_function(module->first); function;
         function = wpg_next_function(wpg_function_end(function))) {
        need(map->function_count < BLOCK_MAP_FUNCTIONS, "too many functions");
        uint32_t f = map->function_count++;
        map->functions[f].ordinal = function->result == entry ? 0 : next++;
        wpg_cfg *cfg = NULL;
        check(wpg_cfg_create(&cfg, module, function, &err), &err, "CFG");
        need(cfg->count <= BLOCK_MAP_BLOCKS, "too many blocks");
        map->functions[f].block_count = cfg->count;
        map->functions[f].checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION);
        wpg_arena arena;
        wpg_arena_init(&arena);
        wpg_select_site *sites;
        check(wpg_select_sites(&sites, &map->functions[f].select_count, cfg, &arena), &err, "select sites");
        wpg_arena_finish(&arena);
        for (uint32_t b = 0; b < cfg->count; b++) {
            const wpg_block *block = &cfg->blocks[b];
            block_map_block *out = &map->functions[f].blocks[b];
            out->marks = marks_of(module, block, tag);
            out->unreachable = block->rpo == WPG_NO_BLOCK;
            out->same_as = UINT32_MAX;
            out->leads_to = block->successor_count == 1 ? block->successors[0] : UINT32_MAX;
            out->targets[0] = out->targets[1] = UINT32_MAX;
            for (unsigned t = 0; block->terminator->opcode == SpvOpBranchConditional && t < 2; t++)
                out->targets[t] = wpg_cfg_find(cfg, block->terminator->words[2 + t]);
            for (const wpg_inst *inst = block->label; inst != block->terminator; inst = inst->next)
                out->calls |= inst->opcode == SpvOpFunctionCall;
            if (block->successor_count == 1 && cfg->blocks[block->successors[0]].predecessor_count == 1)
                out->same_as = block->successors[0];
        }
        wpg_cfg_destroy(cfg);
    }
    wpg_module_destroy(module);
}
