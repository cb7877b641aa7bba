/* Fuzzes stale matching: a valid module is the old version, the same after a few edits the new one. Counts
 * made up for the old one are carried over; what comes of them fits the new one's flow, and use mode takes
 * it: what it makes is valid, and the same the second time. A version matches itself wholly. */
#include "compiler/analysis/graph/lane_flow.h"
#include "compiler/analysis/match/match_shader.h"
#include "compiler/instrument/code/instrument.h"
#include "compiler/optimize/ir/optimize.h"
#include "tests/fuzz/common/spirv.h"
#include "tests/support/weights.h"

/* A shader in normal form, described. */
typedef struct version {
    wpg_module *module;
    wpg_stage stage;
    char name[64];
    wpg_shader_forms *forms;
} version;

static bool version_init(version *v, const fuzz_module *input)
{
    *v = (version){0};
    v->module = fuzz_normal_form(&v->stage, v->name, input);
    return v->module && wpg_shader_forms_create(&v->forms, v->module, &v->stage, NULL) == WPG_OK;
}

static void version_finish(version *v)
{
    wpg_shader_forms_destroy(v->forms);
    wpg_module_destroy(v->module);
}

/* The input after one to four edits; false: they make nothing valid of it. */
static bool edited(fuzz_module *out, const fuzz_module *input)
{
    wpg_module *module;
    *out = (fuzz_module){.choices = {0}};
    memcpy(out->choices, input->choices, sizeof out->choices);
    if (wpg_module_parse(&module, input->words, input->count, NULL) != WPG_OK)
        return false;
    fuzz_edit(module, input->choices[2] | (uint32_t)input->choices[3] << 8, 1 + input->choices[1] % 4u);
    bool good = wpg_module_emit(&out->words, &out->count, module, NULL) == WPG_OK;
    wpg_module_destroy(module);
    return good && fuzz_is_valid(out->words, out->count);
}

/* Partners keep their order, and have the selects that they say. */
static void check_match(const wpg_form *from, const wpg_form *to)
{
    wpg_match match;
    wpg_arena arena;
    wpg_arena_init(&arena);
    if (wpg_match_forms(&match, from, to, &arena, NULL) == WPG_OK) {
        uint32_t next = 0, partners = 0;
        for (uint32_t b = 0; b < wpg_form_blocks(to); b++) {
            if (match.block[b] == WPG_NO_BLOCK)
                continue;
            fuzz_check(match.block[b] >= next && match.block[b] < wpg_form_blocks(from), "partners cross");
            next = match.block[b] + 1;
            partners++;
        }
        fuzz_check(partners == match.blocks, "partners are miscounted");
        fuzz_check(match.likeness >= 0 && match.likeness <= 1, "likeness");
        for (uint32_t s = 0; s < wpg_form_selects(to); s++)
            fuzz_check(match.select[s] == UINT32_MAX || match.select[s] < wpg_form_selects(from), "selects");
        if (from == to) {
            fuzz_check(match.blocks == wpg_form_blocks(to), "a function is not its own partner");
            fuzz_check(match.likeness >= 1 || match.likeness <= 0, "a function is unlike itself");
        }
    }
    wpg_arena_finish(&arena);
}

static void check_carried(const wpg_shader_match *match, const version *v)
{
    wpg_inst **functions;
    uint32_t count;
    wpg_arena arena;
    wpg_arena_init(&arena);
    fuzz_check(match->share >= 0 && match->share <= 1, "share");
    fuzz_check(wpg_stage_functions(&functions, &count, v->module, &v->stage, &arena, NULL) == WPG_OK,
               "functions");
    for (uint32_t f = 0; f < match->weights.function_count; f++) {
        const wpg_function_weights *w = &match->weights.functions[f];
        wpg_cfg *cfg;
        bool sound = true;
        fuzz_check(w->ordinal < count, "counts of no function");
        fuzz_check(wpg_cfg_create(&cfg, v->module, functions[w->ordinal], NULL) == WPG_OK, "graph");
        fuzz_check(cfg->count == w->block_count && w->known && w->lanes, "counts of another function");
        uint64_t *lanes = wpg_arena_memdup(&arena, w->lanes, cfg->count * sizeof *lanes);
        bool *known = wpg_arena_memdup(&arena, w->known, cfg->count * sizeof *known);
        fuzz_check(wpg_lane_flow_solve(lanes, known, &sound, NULL, cfg) == WPG_OK && sound,
                   "carried lanes contradict the flow");
        wpg_cfg_destroy(cfg);
    }
    wpg_arena_finish(&arena);
}

enum { WALKS = 64, LONGEST_WALK = 2048 };

/* Counts of lanes that choose their way by chance, one a wave; so they conserve flow. */
static void walk(const wpg_function_weights *w, const version *v, uint32_t function, uint64_t seed)
{
    uint64_t *lanes = (uint64_t *)(uintptr_t)w->lanes, *waves = (uint64_t *)(uintptr_t)w->waves,
             *uniform = (uint64_t *)(uintptr_t)w->uniform, random = seed * 2654435761u + 88172645463325252u;
    static uint32_t path[LONGEST_WALK];
    wpg_cfg *cfg;
    fuzz_check(wpg_cfg_create(&cfg, v->module, wpg_module_def(v->module, function), NULL) == WPG_OK, "graph");
    memset(lanes, 0, cfg->count * sizeof *lanes);
    for (unsigned lane = 0; lane < WALKS; lane++) {
        uint32_t steps = 0, b = 0;
        while (steps < LONGEST_WALK) {
            path[steps++] = b;
            if (!cfg->blocks[b].successor_count)
                break;
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            b = cfg->blocks[b].successors[(random >> 20) % cfg->blocks[b].successor_count];
        }
        for (uint32_t i = 0; steps < LONGEST_WALK && i < steps; i++)
            lanes[path[i]]++;
    }
    memcpy(waves, lanes, cfg->count * sizeof *lanes);
    memcpy(uniform, lanes, cfg->count * sizeof *lanes);
    wpg_cfg_destroy(cfg);
}

/* Counts of every function of the old version, with weights of selects and values as others make them. */
static wpg_function_weights *counted(uint32_t *count, const version *old, uint64_t seed)
{
    wpg_counter_map *map;
    if (test_plan(&map, old->module, &old->stage, NULL) != WPG_OK)
        return NULL;
    wpg_function_weights *functions = calloc(map->function_count + 1u, sizeof *functions);
    fuzz_check(functions != NULL, "memory");
    for (uint32_t f = 0; f < map->function_count; f++) {
        fuzz_check(test_weights(&functions[f], old->module, &map->functions[f], seed, NULL), "profile");
        walk(&functions[f], old, map->functions[f].function, seed);
    }
    *count = map->function_count;
    wpg_counter_map_destroy(map);
    return functions;
}

static uint32_t *optimised(size_t *count, version *v, const wpg_weights *weights)
{
    wpg_optimize_options options;
    wpg_remarks *remarks = NULL;
    bool changed = false;
    uint32_t *words = NULL;
    wpg_optimize_defaults(&options);
    options.unflatten_cost = 1;
    if (wpg_optimize(&remarks, &changed, &v->module, &v->stage, weights, &options, wpg_ssa_tier, NULL) ==
            WPG_OK &&
        changed)
        fuzz_check(wpg_module_emit(&words, count, v->module, NULL) == WPG_OK, "emit");
    wpg_remarks_destroy(remarks);
    return words;
}

static uint32_t *carried(size_t *count, const fuzz_module *input)
{
    fuzz_module after;
    version old = {0}, new = {0};
    uint32_t *words = NULL, functions = 0;
    wpg_function_weights *made = NULL;
    wpg_shader_match match;
    wpg_arena arena;
    wpg_arena_init(&arena);
    if (edited(&after, input) && version_init(&old, input) && version_init(&new, &after) &&
        (made = counted(&functions, &old, input->choices[1])) != NULL) {
        const wpg_weights counts = {made, functions};
        for (uint32_t f = 0; f < old.forms->count; f++) {
            if (old.forms->functions[f])
                check_match(old.forms->functions[f], old.forms->functions[f]);
            if (old.forms->functions[f] && f < new.forms->count &&new.forms->functions[f])
                check_match(old.forms->functions[f], new.forms->functions[f]);
        }
        if (wpg_match_shader(&match, old.forms, &counts, new.forms, new.module, &new.stage, &arena, NULL) ==
            WPG_OK) {
            check_carried(&match, &new);
            words = optimised(count, &new, &match.weights);
        }
    }
    for (uint32_t f = 0; f < functions; f++)
        test_weights_finish(&made[f]);
    free(made);
    wpg_arena_finish(&arena);
    version_finish(&old);
    version_finish(&new);
    fuzz_module_finish(&after);
    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_check_valid_input(carried, data, size);
    return 0;
}
