/* Fuzzes instrumenting with everything on: a valid module, mutated so that it mostly stays valid, is
 * normalised and instrumented with any probes, strategy, sampling and target, or refused. What comes out is
 * valid, the same the second time, and a counter map whose words can be read from any memory. The last bytes
 * of the input choose the options; spirv-val is the judge on both sides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/instrument/instrument.h"
#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { CHOICES = 4, LARGEST = 1 << 16 };

static void check(bool holds, const char *what, const char *more)
{
    if (holds)
        return;
    (void)fprintf(stderr, "probes: %s%s%s\n", what, *more ? ": " : "", more);
    abort();
}

static bool find_stage(wpg_stage *stage, char name[64], const wpg_module *module)
{
    WPG_INST_EACH (inst, module) {
        const char *text =
            inst->opcode == SpvOpEntryPoint && inst->count > 3 ? wpg_inst_string(inst, 3) : NULL;
        if (!text || strlen(text) > 63 || !wpg_stage_name((SpvExecutionModel)inst->words[1]))
            continue;
        memcpy(name, text, strlen(text) + 1);
        *stage = (wpg_stage){.model = (SpvExecutionModel)inst->words[1], .entry = name};
        return true;
    }
    return false;
}

static wpg_instrument_options options_of(const uint8_t choices[CHOICES])
{
    static const uint32_t samples[] = {1, 3, 16, 65536};
    bool waves = !(choices[1] & 1) || choices[1] & 2;
    return (wpg_instrument_options){
        .target = {.subgroup_basic = waves,
                   .subgroup_ballot = waves,
                   .subgroup_arithmetic = !(choices[1] & 4),
                   .subgroup_size = choices[1] & 8 ? 0 : 32,
                   .int64_atomics = choices[1] & 16,
                   .demote_to_helper = choices[1] & 32,
                   .early_tests = choices[1] & 64,
                   .memory_model_device_scope = choices[1] & 128,
                   .max_spirv_minor = choices[2] & 128 ? 0 : 6},
        .directory_entry = 0x1000,
        .first_counter = choices[3],
        .select_sites = choices[2] & 1,
        .strategy = (wpg_strategy_choice)(choices[2] >> 1 & 7) % (WPG_STRATEGY_LANE + 1),
        .probes = (choices[0] ^ WPG_PROBES_ALL) & (WPG_PROBES_ALL | WPG_PROBE_EVERY),
        .sample = samples[choices[2] >> 4 & 3],
        .sample_seed = choices[3],
        .high_start = choices[2] & 64};
}

/* Every word and value of every probe, from memory that is too short, too. */
static void read_all(const wpg_counter_map *map)
{
    enum { MOST = 4096 };
    static uint64_t values[MOST];
    for (size_t i = 0; i < MOST; i++)
        values[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t have = 0; have <= MOST; have += MOST / 2)
        for (uint32_t f = 0; f < map->function_count; f++)
            for (uint32_t t = 0; t < map->functions[f].table_count; t++) {
                const wpg_probe_table *table = &map->functions[f].tables[t];
                wpg_value_count pairs[WPG_VALUES_ENTRIES + 1];
                uint64_t extremes[2];
                for (uint32_t w = 0; w < table->word_count; w++)
                    (void)wpg_probe_value(map, &map->functions[f], table, w, values, have);
                for (uint32_t s = 0; s < table->site_count; s++)
                    if (wpg_probe_pairs(pairs, &table->sites[s], values, have) <= WPG_VALUES_ENTRIES + 1)
                        (void)wpg_probe_extremes(extremes, &table->sites[s], values, have);
                for (uint32_t r = 0; r < table->range_count; r++)
                    (void)wpg_probe_range_value(extremes, &table->ranges[r], values, have);
            }
}

/* Words after normalising and instrumenting, malloc'd; NULL if refused. */
static uint32_t *instrumented(size_t *out_count, const uint32_t *words, size_t count,
                              const wpg_instrument_options *options)
{
    wpg_module *module;
    wpg_counter_map *map;
    wpg_stage stage;
    char name[64];
    uint32_t *out = NULL;
    if (wpg_module_parse(&module, words, count, NULL) != WPG_OK)
        return NULL;
    if (find_stage(&stage, name, module) && wpg_normalize(module, &stage, NULL, NULL) == WPG_OK &&
        wpg_instrument(&map, module, &stage, options, NULL) == WPG_OK) {
        check(wpg_module_emit(&out, out_count, module, NULL) == WPG_OK, "emit", "");
        read_all(map);
        wpg_counter_map_destroy(map);
    }
    wpg_module_destroy(module);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const wpg_validate_options allowed = {.vulkan_minor = 3,
                                          .uniform_buffer_standard_layout = true,
                                          .scalar_block_layout = true,
                                          .workgroup_scalar_block_layout = true,
                                          .local_size_id = true};
    size_t count = size > CHOICES ? (size - CHOICES) / sizeof(uint32_t) : 0, first_count = 0,
           second_count = 0;
    if (count < 5 || size > LARGEST)
        return 0;
    uint32_t *words = malloc(count * sizeof *words);
    check(words != NULL, "memory", "");
    memcpy(words, data, count * sizeof *words);
    wpg_instrument_options options = options_of(data + size - CHOICES);
    if (words[0] == SpvMagicNumber && wpg_spirv_validate(words, count, &allowed, NULL) == WPG_OK) {
        wpg_error err = {0};
        uint32_t *first = instrumented(&first_count, words, count, &options);
        uint32_t *second = first ? instrumented(&second_count, words, count, &options) : NULL;
        if (first) {
            check(second && first_count == second_count &&
                      memcmp(first, second, first_count * sizeof *first) == 0,
                  "words differ from one time to the next", "");
            wpg_status status = wpg_spirv_validate(first, first_count, &allowed, &err);
            check(status == WPG_OK, "not valid", err.message);
        }
        free(first);
        free(second);
    }
    free(words);
    return 0;
}

/* -- Mutating: what keeps most modules valid */

static uint32_t random_state;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return below ? (uint32_t)((uint64_t)random_state * below >> 32) : 0;
}

/* Some instruction of a function's body; NULL if none was met. */
static wpg_inst *pick(wpg_module *module)
{
    uint32_t count = 0;
    wpg_inst *picked = NULL;
    bool inside = false;
    WPG_INST_EACH (inst, module) {
        inside |= inst->opcode == SpvOpFunction;
        if ((inside || inst->opcode == SpvOpConstant) && next_random(++count) == 0)
            picked = inst;
    }
    return picked;
}

/* An operand becomes another id of its type, or another block; a constant another number. */
static void change_operand(wpg_module *module, wpg_inst *inst)
{
    if (inst->opcode == SpvOpConstant && inst->count == 4) {
        static const uint32_t numbers[] = {0, 1, 2, 3, 7, 16, 255, 0x7fffffff, 0x80000000u, 0xffffffffu};
        inst->words[3] = numbers[next_random(sizeof numbers / sizeof *numbers)];
        return;
    }
    if (inst->count < 2)
        return;
    uint32_t at = 1 + next_random(inst->count - 1u), id = inst->words[at];
    const wpg_inst *def = wpg_module_def(module, id);
    if (!def || id == inst->result || id == inst->type)
        return;
    for (unsigned tries = 0; tries < 64; tries++) {
        uint32_t other = next_random(module->bound);
        const wpg_inst *as = wpg_module_def(module, other);
        bool same = as && as->type == def->type && (as->type || as->opcode == def->opcode);
        if (same && other != id) {
            inst->words[at] = other;
            return;
        }
    }
}

static void swap_targets(wpg_inst *inst)
{
    if (inst->opcode != SpvOpBranchConditional || inst->count < 4)
        return;
    uint32_t target = inst->words[2];
    inst->words[2] = inst->words[3];
    inst->words[3] = target;
}

/* An instruction that gives no value goes: a store, a barrier, a hint. */
static void drop(wpg_module *module, wpg_inst *inst)
{
    if (inst->opcode == SpvOpStore || inst->opcode == SpvOpControlBarrier)
        wpg_inst_remove(module, inst);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    random_state = seed * 2654435761u + 1;
    if (size <= CHOICES + 20)
        return LLVMFuzzerMutate(data, size, most);
    size_t count = (size - CHOICES) / sizeof(uint32_t), out_count;
    uint8_t choices[CHOICES];
    memcpy(choices, data + size - CHOICES, CHOICES);
    choices[next_random(CHOICES)] = (uint8_t)next_random(256);
    uint32_t *words = malloc(count * sizeof *words), *out = NULL;
    wpg_module *module = NULL;
    check(words != NULL, "memory", "");
    memcpy(words, data, count * sizeof *words);
    if (wpg_module_parse(&module, words, count, NULL) == WPG_OK) {
        for (uint32_t steps = next_random(4); steps; steps--) {
            wpg_inst *inst = pick(module);
            uint32_t how = next_random(8);
            if (inst && how < 6)
                change_operand(module, inst);
            else if (inst && how == 6)
                swap_targets(inst);
            else if (inst)
                drop(module, inst);
        }
        if (wpg_module_emit(&out, &out_count, module, NULL) == WPG_OK &&
            out_count * sizeof *out + CHOICES <= most) {
            memcpy(data, out, out_count * sizeof *out);
            size = out_count * sizeof *out + CHOICES;
        }
    }
    memcpy(data + size - CHOICES, choices, CHOICES);
    wpg_module_destroy(module);
    free(out);
    free(words);
    return size;
}
