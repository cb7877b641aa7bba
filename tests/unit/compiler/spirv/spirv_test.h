/* Help for the SPIR-V tests: assembling through SPIRV-Tools, golden sources, comparisons. Everything fails
 * the running test rather than returning an error. */
#ifndef WPG_TESTS_UNIT_COMPILER_SPIRV_TEST_H
#define WPG_TESTS_UNIT_COMPILER_SPIRV_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spirv-tools/libspirv.h>

#include "compiler/normalize/spirv_tools.h"
#include "compiler/spirv/builder.h"
#include "compiler/spirv/debug.h"
#include "compiler/spirv/grammar.h"
#include "compiler/spirv/stage.h"
#include "runtime/base/file.h"

typedef struct test_words {
    uint32_t *data; /* malloc'd */
    size_t count;
} test_words;

static const char *const test_goldens[] = {"shapes", "spec", "rays", "debug_info"};
enum { TEST_GOLDENS = sizeof test_goldens / sizeof *test_goldens };

/* Text ids of digits keep their numbers. */
static inline test_words test_assemble(const char *text)
{
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    if (spvTextToBinaryWithOptions(context, text, strlen(text),
                                   SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS, &binary,
                                   &diagnostic) != SPV_SUCCESS)
        fail_msg("line %zu: %s", diagnostic->position.line + 1, diagnostic->error);
    test_words words = {malloc(binary->wordCount * sizeof(uint32_t)), binary->wordCount};
    assert_non_null(words.data);
    memcpy(words.data, binary->code, binary->wordCount * sizeof(uint32_t));
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return words;
}

static inline test_words test_golden(const char *name)
{
    char path[1024];
    uint8_t *text;
    size_t size;
    wpg_error err;
    (void)snprintf(path, sizeof path, "%s/tests/golden/spirv/%s.spvasm", WPG_SOURCE_DIR, name);
    if (wpg_file_read(&text, &size, path, 1 << 20, &err) != WPG_OK)
        fail_msg("%s", err.message);
    test_words words = test_assemble((const char *)text);
    free(text);
    return words;
}

static inline wpg_module *test_parse(test_words words)
{
    wpg_module *module = NULL;
    wpg_error err;
    if (wpg_module_parse(&module, words.data, words.count, &err) != WPG_OK)
        fail_msg("%s", err.message);
    return module;
}

static inline wpg_module *test_parse_text(const char *text)
{
    test_words words = test_assemble(text);
    wpg_module *module = test_parse(words);
    free(words.data);
    return module;
}

static inline test_words test_emit(const wpg_module *module)
{
    test_words words = {0};
    wpg_error err;
    if (wpg_module_emit(&words.data, &words.count, module, &err) != WPG_OK)
        fail_msg("%s", err.message);
    return words;
}

static inline bool test_same(test_words a, test_words b)
{
    return a.count == b.count && !memcmp(a.data, b.data, a.count * sizeof *a.data);
}

static inline void test_validate(const wpg_module *module)
{
    test_words words = test_emit(module);
    wpg_error err;
    wpg_validate_options options = {.vulkan_minor = 3, .local_size_id = true};
    if (wpg_spirv_validate(words.data, words.count, &options, &err) != WPG_OK)
        fail_msg("%s", err.message);
    free(words.data);
}

/* The n-th instruction (from 0) of that opcode. */
static inline wpg_inst *test_find(const wpg_module *module, SpvOp opcode, unsigned n)
{
    WPG_INST_EACH (inst, module) {
        if (inst->opcode == opcode && !n--)
            return inst;
    }
    fail_msg("no instruction %d", (int)opcode);
    return NULL;
}

#endif
