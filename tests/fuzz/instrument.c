/* Fuzzes analysis and instrument: whatever the parser takes has a graph or is refused; what is instrumented
 * parses again, twice gives equal words, and what is refused is left as it was. The last byte chooses the
 * target. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/mask.h"
#include "compiler/instrument/instrument.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "instrument: %s\n", what);
    abort();
}

static void analyse(const wpg_module *module)
{
    for (wpg_inst *f = wpg_next_function(module->first); f; f = wpg_next_function(f->next)) {
        wpg_cfg *cfg;
        wpg_mask_classes classes;
        if (wpg_cfg_create(&cfg, module, f, NULL) != WPG_OK)
            continue;
        check(wpg_cfg_checksum(cfg, 1) >> 60 == 0, "checksum of more than 60 bits");
        check(wpg_mask_classes_compute(&classes, cfg, &cfg->arena) == WPG_OK, "classes");
        for (uint32_t b = 0; b < cfg->count; b++) {
            uint32_t class = classes.class_of[b];
            check((class == WPG_NO_BLOCK) == (cfg->blocks[b].rpo == WPG_NO_BLOCK),
                  "class of an unreachable block");
            check(class == WPG_NO_BLOCK || wpg_cfg_dominates(cfg, classes.representative[class], b),
                  "representative does not dominate");
        }
        free(wpg_cfg_to_dot(cfg));
        wpg_cfg_destroy(cfg);
    }
}

static bool find_stage(wpg_stage *stage, const wpg_module *module)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode != SpvOpEntryPoint || inst->count < 4)
            continue;
        *stage = (wpg_stage){.model = (SpvExecutionModel)inst->words[1], .entry = wpg_inst_string(inst, 3)};
        if (stage->entry)
            return true;
    }
    return false;
}

/* Words after instrumenting, malloc'd; NULL if refused. */
static uint32_t *instrumented(size_t *out_count, const uint32_t *words, size_t count, uint8_t choice)
{
    wpg_module *module;
    wpg_stage stage;
    wpg_counter_map *map;
    uint32_t *out = NULL;
    if (wpg_module_parse(&module, words, count, NULL) != WPG_OK)
        return NULL;
    wpg_instrument_options options = {.target = {.subgroup_basic = choice & 1,
                                                 .subgroup_ballot = choice & 1,
                                                 .int64_atomics = choice & 2,
                                                 .demote_to_helper = choice & 4,
                                                 .memory_model_device_scope = choice & 8,
                                                 .maximal_reconvergence = choice & 16,
                                                 .max_spirv_minor = choice & 32 ? 3 : 0},
                                      .directory_entry = 0x1000,
                                      .first_counter = choice,
                                      .select_sites = choice & 64};
    if (find_stage(&stage, module)) {
        wpg_status status = wpg_instrument(&map, module, &stage, &options, NULL);
        if (status == WPG_OK) {
            check(wpg_module_emit(&out, out_count, module, NULL) == WPG_OK, "emit");
            wpg_counter_map_destroy(map);
        } else {
            uint32_t *same;
            size_t same_count;
            check(wpg_module_emit(&same, &same_count, module, NULL) == WPG_OK, "emit of what was refused");
            check(same_count == count && memcmp(same + 1, words + 1, (count - 1) * sizeof *same) == 0,
                  "refused and changed");
            free(same);
        }
    }
    wpg_module_destroy(module);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / sizeof(uint32_t), first_count = 0, second_count = 0;
    if (count < 5 || size > 1 << 20)
        return 0;
    uint32_t *words = malloc(count * sizeof *words);
    check(words != NULL, "memory");
    memcpy(words, data, count * sizeof *words);
    /* Swapped inputs are the parser's business (spirv_parse). */
    wpg_module *module;
    if (words[0] == SpvMagicNumber && wpg_module_parse(&module, words, count, NULL) == WPG_OK) {
        analyse(module);
        wpg_module_destroy(module);
        uint8_t choice = data[size - 1];
        uint32_t *first = instrumented(&first_count, words, count, choice);
        uint32_t *second = instrumented(&second_count, words, count, choice);
        check(!first == !second, "refused once of two times");
        if (first) {
            check(first_count == second_count && memcmp(first, second, first_count * sizeof *first) == 0,
                  "words differ from one time to the next");
            check(wpg_module_parse(&module, first, first_count, NULL) == WPG_OK, "does not parse again");
            wpg_module_destroy(module);
        }
        free(first);
        free(second);
    }
    free(words);
    return 0;
}
