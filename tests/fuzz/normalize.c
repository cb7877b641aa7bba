/* Fuzzes the CFG tier: whatever the parser takes is normalised or refused, twice alike; what comes out parses
 * again. Where spirv-val takes the input, it takes the normal form, and that is its own normal form. The last
 * byte gives specialisation values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/normalize/contexts.h"
#include "compiler/normalize/spirv_tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "normalize: %s\n", what);
    abort();
}

/* The first entry point of a Vulkan stage; its name is copied to `name`. */
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

/* Words of the normal form, malloc'd; NULL if refused. With call paths, which may be refused alone. */
static uint32_t *normalised(size_t *out_count, const uint32_t *words, size_t count, uint8_t choice,
                            bool contexts)
{
    wpg_context_table *table = NULL;
    const wpg_spec_value values[] = {
        {0, 4, choice}, {1, 4, choice & 1}, {2, 8, choice * UINT64_C(0x123456789)}};
    wpg_module *module;
    wpg_stage stage;
    char name[64];
    uint32_t *out = NULL;
    if (wpg_module_parse(&module, words, count, NULL) != WPG_OK)
        return NULL;
    if (find_stage(&stage, name, module)) {
        stage.spec = values;
        stage.spec_count = choice & 3;
        if ((contexts ? wpg_normalize_contexts(&table, module, &stage, NULL, NULL)
                      : wpg_normalize(module, &stage, NULL, NULL)) == WPG_OK)
            check(wpg_module_emit(&out, out_count, module, NULL) == WPG_OK, "emit");
    }
    wpg_context_table_destroy(table);
    wpg_module_destroy(module);
    return out;
}

static void check_form(const uint32_t *words, size_t count, const uint32_t *form, size_t form_count,
                       uint8_t choice)
{
    const wpg_validate_options options = {.vulkan_minor = 3,
                                          .uniform_buffer_standard_layout = true,
                                          .scalar_block_layout = true,
                                          .workgroup_scalar_block_layout = true,
                                          .local_size_id = true};
    wpg_error err = {0};
    size_t again_count = 0;
    uint32_t *again = normalised(&again_count, form, form_count, choice, false);
    check(again != NULL, "the normal form is refused");
    if (wpg_spirv_validate(words, count, &options, NULL) == WPG_OK) {
        bool valid = wpg_spirv_validate(form, form_count, &options, &err) == WPG_OK;
        check(valid, err.message);
        check(again_count == form_count && memcmp(again, form, form_count * sizeof *form) == 0,
              "the normal form has another normal form");
    }
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / sizeof(uint32_t), first_count = 0, second_count = 0;
    if (count < 5 || size > 1 << 16)
        return 0;
    uint32_t *words = malloc(count * sizeof *words);
    check(words != NULL, "memory");
    memcpy(words, data, count * sizeof *words);
    uint8_t choice = data[size - 1];
    if (words[0] == SpvMagicNumber) {
        uint32_t *first = normalised(&first_count, words, count, choice, false);
        uint32_t *second = normalised(&second_count, words, count, choice, true);
        check(first || !second, "refused without call paths only");
        if (first && second)
            check(first_count == second_count && memcmp(first, second, first_count * sizeof *first) == 0,
                  "words differ from one time to the next");
        if (first)
            check_form(words, count, first, first_count, choice);
        free(first);
        free(second);
    }
    free(words);
    return 0;
}
