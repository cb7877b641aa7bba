#include "tests/fuzz/common/spirv.h"

bool fuzz_module_init(fuzz_module *input, const uint8_t *data, size_t size)
{
    *input = (fuzz_module){.count = size / sizeof(uint32_t)};
    if (input->count < 5 || size > FUZZ_LARGEST_MODULE)
        return false;
    input->words = malloc(input->count * sizeof *input->words);
    fuzz_check(input->words != NULL, "memory");
    memcpy(input->words, data, input->count * sizeof *input->words);
    memcpy(input->choices, &input->words[2], sizeof input->choices);
    if (input->words[0] != SpvMagicNumber) {
        fuzz_module_finish(input);
        return false;
    }
    return true;
}

void fuzz_module_finish(fuzz_module *input)
{
    free(input->words);
    input->words = NULL;
}

static wpg_status validate(const uint32_t *words, size_t count, wpg_error *err)
{
    static const wpg_validate_options allowed = {.vulkan_minor = 3,
                                                 .uniform_buffer_standard_layout = true,
                                                 .scalar_block_layout = true,
                                                 .workgroup_scalar_block_layout = true,
                                                 .local_size_id = true};
    return wpg_spirv_validate(words, count, &allowed, err);
}

bool fuzz_is_valid(const uint32_t *words, size_t count)
{
    return validate(words, count, NULL) == WPG_OK;
}

void fuzz_check_valid(const uint32_t *words, size_t count)
{
    wpg_error err = {0};
    bool valid = validate(words, count, &err) == WPG_OK;
    /* Values that the input gives its specialisation constants may leave a workgroup of no invocations. */
    fuzz_check(valid || strstr(err.message, "product of zero"), err.message);
}

void fuzz_check_same(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count)
{
    fuzz_check(!a == !b, "refused once of two times");
    fuzz_check(!a || (a_count == b_count && memcmp(a, b, a_count * sizeof *a) == 0),
               "words differ from one time to the next");
}

void fuzz_check_rewriter(fuzz_rewriter *rewrite, const fuzz_module *input)
{
    size_t first_count = 0, second_count = 0;
    uint32_t *first = rewrite(&first_count, input), *second = rewrite(&second_count, input);
    fuzz_check_same(first, first_count, second, second_count);
    if (first)
        fuzz_check_valid(first, first_count);
    free(first);
    free(second);
}

void fuzz_check_valid_input(fuzz_rewriter *rewrite, const uint8_t *data, size_t size)
{
    fuzz_module input;
    if (!fuzz_module_init(&input, data, size))
        return;
    if (fuzz_is_valid(input.words, input.count))
        fuzz_check_rewriter(rewrite, &input);
    fuzz_module_finish(&input);
}

bool fuzz_stage(wpg_stage *stage, char name[64], const wpg_module *module)
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

size_t fuzz_spec_values(wpg_spec_value values[3], const fuzz_module *input)
{
    uint8_t choice = input->choices[0];
    values[0] = (wpg_spec_value){0, 4, choice};
    values[1] = (wpg_spec_value){1, 4, choice & 1};
    values[2] = (wpg_spec_value){2, 8, choice * UINT64_C(0x123456789)};
    return choice & 3;
}

wpg_module *fuzz_normal_form(wpg_stage *stage, char name[64], const fuzz_module *input)
{
    wpg_module *module;
    wpg_spec_value values[3];
    if (wpg_module_parse(&module, input->words, input->count, NULL) != WPG_OK)
        return NULL;
    if (fuzz_stage(stage, name, module)) {
        wpg_stage with = *stage;
        with.spec = values;
        with.spec_count = fuzz_spec_values(values, input);
        if (wpg_normalize(module, &with, NULL, NULL) == WPG_OK)
            return module;
    }
    wpg_module_destroy(module);
    return NULL;
}
