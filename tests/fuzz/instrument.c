/* Fuzzes analysis and instrument on modules that are not normalised, valid or not: whatever the parser takes
 * has a graph or is refused; what is instrumented parses again, twice gives equal words, and what is refused
 * is left as it was. */
#include "compiler/analysis/graph/mask.h"
#include "compiler/instrument/code/instrument.h"
#include "tests/fuzz/common/spirv.h"

static void analyse(const wpg_module *module)
{
    for (wpg_inst *f = wpg_next_function(module->first); f; f = wpg_next_function(f->next)) {
        wpg_cfg *cfg;
        wpg_mask_classes classes;
        if (wpg_cfg_create(&cfg, module, f, NULL) != WPG_OK)
            continue;
        fuzz_check(wpg_cfg_checksum(cfg, 1) >> 60 == 0, "checksum of more than 60 bits");
        fuzz_check(wpg_mask_classes_compute(&classes, cfg, &cfg->arena) == WPG_OK, "classes");
        for (uint32_t b = 0; b < cfg->count; b++) {
            uint32_t class = classes.class_of[b];
            fuzz_check((class == WPG_NO_BLOCK) == (cfg->blocks[b].rpo == WPG_NO_BLOCK),
                       "class of an unreachable block");
            fuzz_check(class == WPG_NO_BLOCK || wpg_cfg_dominates(cfg, classes.representative[class], b),
                       "representative does not dominate");
        }
        wpg_cfg_destroy(cfg);
    }
}

/* Words after instrumenting, malloc'd; NULL if refused. */
static uint32_t *instrumented(size_t *count, const fuzz_module *input)
{
    uint8_t choice = input->choices[0];
    const wpg_instrument_options options = {.target = {.subgroup_basic = choice & 1,
                                                       .subgroup_ballot = choice & 1,
                                                       .int64_atomics = choice & 2,
                                                       .demote_to_helper = choice & 4,
                                                       .memory_model_device_scope = choice & 8,
                                                       .maximal_reconvergence = choice & 16,
                                                       .max_spirv_minor = choice & 32 ? 3 : 0},
                                            .directory_entry = 0x1000,
                                            .first_counter = choice,
                                            .select_sites = choice & 64};
    wpg_module *module;
    wpg_stage stage;
    wpg_counter_map *map;
    char name[64];
    uint32_t *words = NULL;
    if (wpg_module_parse(&module, input->words, input->count, NULL) != WPG_OK)
        return NULL;
    if (fuzz_stage(&stage, name, module)) {
        wpg_status status = wpg_instrument(&map, module, &stage, &options, NULL);
        fuzz_check(wpg_module_emit(&words, count, module, NULL) == WPG_OK, "emit");
        if (status == WPG_OK) {
            wpg_counter_map_destroy(map);
        } else {
            fuzz_check(*count == input->count &&
                           memcmp(words + 1, input->words + 1, (*count - 1) * sizeof *words) == 0,
                       "refused and changed");
            free(words);
            words = NULL;
        }
    }
    wpg_module_destroy(module);
    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_module input;
    wpg_module *module;
    if (!fuzz_module_init(&input, data, size))
        return 0;
    if (wpg_module_parse(&module, input.words, input.count, NULL) == WPG_OK) {
        analyse(module);
        wpg_module_destroy(module);
        size_t first_count = 0, second_count = 0;
        uint32_t *first = instrumented(&first_count, &input), *second = instrumented(&second_count, &input);
        fuzz_check_same(first, first_count, second, second_count);
        if (first) {
            fuzz_check(wpg_module_parse(&module, first, first_count, NULL) == WPG_OK, "does not parse again");
            wpg_module_destroy(module);
        }
        free(first);
        free(second);
    }
    fuzz_module_finish(&input);
    return 0;
}
