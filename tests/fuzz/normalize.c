/* Fuzzes the CFG tier: whatever the parser takes is normalised or refused, twice alike; what comes out parses
 * again. Where spirv-val takes the input, it takes the normal form, and that is its own normal form. */
#include "compiler/normalize/contexts.h"
#include "tests/fuzz/common/spirv.h"

static uint32_t *words_of(size_t *count, wpg_module *module)
{
    uint32_t *words = NULL;
    if (module)
        fuzz_check(wpg_module_emit(&words, count, module, NULL) == WPG_OK, "emit");
    wpg_module_destroy(module);
    return words;
}

static uint32_t *normalised(size_t *count, const fuzz_module *input)
{
    wpg_stage stage;
    char name[64];
    return words_of(count, fuzz_normal_form(&stage, name, input));
}

/* With call paths, which may be refused alone. */
static uint32_t *normalised_by_paths(size_t *count, const fuzz_module *input)
{
    wpg_context_table *table = NULL;
    wpg_spec_value values[3];
    wpg_module *module;
    wpg_stage stage;
    char name[64];
    if (wpg_module_parse(&module, input->words, input->count, NULL) != WPG_OK)
        return NULL;
    bool good = fuzz_stage(&stage, name, module);
    stage.spec = values;
    stage.spec_count = fuzz_spec_values(values, input);
    if (!good || wpg_normalize_contexts(&table, module, &stage, NULL, NULL) != WPG_OK) {
        wpg_module_destroy(module);
        module = NULL;
    }
    wpg_context_table_destroy(table);
    return words_of(count, module);
}

static void check_form(const fuzz_module *input, uint32_t *words, size_t count)
{
    fuzz_module form = {.words = words, .count = count};
    memcpy(form.choices, input->choices, sizeof form.choices);
    size_t again_count = 0;
    wpg_module *parsed = NULL;
    fuzz_check(wpg_module_parse(&parsed, words, count, NULL) == WPG_OK, "the normal form does not parse");
    wpg_module_destroy(parsed);
    /* Of an invalid module the form may be one that is refused: a branch to the entry block, say. */
    uint32_t *again = normalised(&again_count, &form);
    if (fuzz_is_valid(input->words, input->count)) {
        fuzz_check(again != NULL, "the normal form is refused");
        fuzz_check_valid(words, count);
        fuzz_check(again_count == count && memcmp(again, words, count * sizeof *words) == 0,
                   "the normal form has another normal form");
    }
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_module input;
    if (!fuzz_module_init(&input, data, size))
        return 0;
    size_t first_count = 0, second_count = 0;
    uint32_t *first = normalised(&first_count, &input), *second = normalised_by_paths(&second_count, &input);
    fuzz_check(first || !second, "refused without call paths only");
    if (first && second)
        fuzz_check_same(first, first_count, second, second_count);
    if (first)
        check_form(&input, first, first_count);
    free(first);
    free(second);
    fuzz_module_finish(&input);
    return 0;
}
