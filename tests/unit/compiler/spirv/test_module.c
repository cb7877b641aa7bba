/* Parsing and emitting: word identity, both byte orders, malformed words each with its own message, and that
 * no words at all bring it down. */
#include <dirent.h>
#include <unistd.h>

#include "tests/unit/compiler/spirv/spirv_test.h"

static void check_identity(test_words words)
{
    wpg_module *module = test_parse(words);
    test_words again = test_emit(module);
    assert_true(test_same(words, again));
    free(again.data);
    wpg_module *copy;
    wpg_error err;
    assert_int_equal(wpg_module_copy(&copy, module, &err), WPG_OK);
    for (uint32_t id = 0; id < module->bound; id++) {
        const wpg_inst *def = wpg_module_def(module, id), *copied = wpg_module_def(copy, id);
        assert_int_equal(def != NULL, copied != NULL);
        if (def)
            assert_true(def != copied && def->opcode == copied->opcode && def->type == copied->type);
    }
    wpg_module_destroy(module); /* the copy is its own */
    again = test_emit(copy);
    assert_true(test_same(words, again));
    free(again.data);
    wpg_module_destroy(copy);
}

static void test_golden_identity(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEST_GOLDENS; i++) {
        test_words words = test_golden(test_goldens[i]);
        wpg_module *module = test_parse(words);
        assert_false(module->has_unknown);
        wpg_module_destroy(module);
        check_identity(words);
        for (size_t k = 0; k < words.count; k++)
            words.data[k] = __builtin_bswap32(words.data[k]);
        wpg_module *swapped = test_parse(words);
        test_words native = test_emit(swapped);
        for (size_t k = 0; k < words.count; k++)
            words.data[k] = __builtin_bswap32(words.data[k]);
        assert_true(test_same(words, native));
        wpg_module_destroy(swapped);
        free(native.data);
        free(words.data);
    }
}

/* Every GLSL shader of the tree that glslangValidator takes as it is, with and without debug information. */
static void test_shaders_identity(void **state)
{
    (void)state;
    char folder[] = "/tmp/wpg-test-XXXXXX", command[4096], out[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(out, sizeof out, "%s/out.spv", folder);
    DIR *dir = opendir(WPG_SOURCE_DIR "/shaders");
    unsigned count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || !strstr(".comp .vert .frag .geom .tesc .tese", dot) || strlen(dot) != 5)
            continue;
        static const char *const flags[] = {"", "-g", "-gVS"};
        for (size_t i = 0; i < 3; i++) {
            (void)snprintf(command, sizeof command,
                           "glslangValidator %s -V --target-env vulkan1.3 -o %s " WPG_SOURCE_DIR
                           "/shaders/%s >/dev/null",
                           flags[i], out, entry->d_name);
            if (system(command))
                continue;
            uint8_t *data;
            size_t size;
            assert_int_equal(wpg_file_read(&data, &size, out, 1 << 24, NULL), WPG_OK);
            check_identity((test_words){(uint32_t *)(void *)data, size / 4});
            free(data);
            count++;
        }
    }
    if (dir)
        (void)closedir(dir);
    (void)unlink(out);
    (void)rmdir(folder);
    if (!count) {
        print_message("no glslangValidator, or no shader that it takes\n");
        skip();
    }
    print_message("%u modules\n", count);
}

/* -- Malformed words ----------------------------------------------------------------------------------- */

#define W(opcode, count) ((uint32_t)(count) << 16 | (uint32_t)(opcode))
#define HEADER(bound)    SpvMagicNumber, 0x00010300, 0, (bound), 0

static void refused(const uint32_t *words, size_t count, wpg_status status, const char *message)
{
    wpg_module *module = NULL;
    wpg_error err = {0};
    wpg_status got = wpg_module_parse(&module, words, count, &err);
    if (got == WPG_OK)
        fail_msg("accepted, wanted: %s", message);
    if (got != status || !strstr(err.message, message))
        fail_msg("got '%s' (status %d, not %d), wanted '%s'", err.message, (int)got, (int)status, message);
    assert_null(module);
}
#define REFUSED(status, message, ...)                                                                        \
    refused((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),     \
            (status), (message))

static void test_bad_header(void **state)
{
    (void)state;
    REFUSED(WPG_E_FORMAT, "4 words are too few for a SPIR-V header", SpvMagicNumber, 0x00010000, 0, 1);
    REFUSED(WPG_E_FORMAT, "the magic number is 0x464c457f", 0x464c457f, 0x00010000, 0, 1, 0);
    REFUSED(WPG_E_VERSION, "version word 0x00010700", SpvMagicNumber, 0x00010700, 0, 1, 0);
    REFUSED(WPG_E_VERSION, "version word 0x00020000", SpvMagicNumber, 0x00020000, 0, 1, 0);
    REFUSED(WPG_E_VERSION, "version word 0x00010001", SpvMagicNumber, 0x00010001, 0, 1, 0);
    REFUSED(WPG_E_FORMAT, "bound is 0", HEADER(0));
    REFUSED(WPG_E_LIMIT, "bound 4194305 is over", HEADER(WPG_SPIRV_MAX_BOUND + 1u));
    wpg_error err;
    wpg_module *module;
    const uint32_t word = SpvMagicNumber;
    assert_int_equal(wpg_module_parse(&module, &word, WPG_SPIRV_MAX_WORDS + 1u, &err), WPG_E_LIMIT);
}

static void test_bad_instructions(void **state)
{
    (void)state;
    REFUSED(WPG_E_FORMAT, "word 5: an instruction of 0 words", HEADER(4), 0);
    REFUSED(WPG_E_FORMAT, "word 5: an instruction of 3 words, but 2 are left", HEADER(4),
            W(SpvOpCapability, 3), 1);
    REFUSED(WPG_E_FORMAT, "word 5, OpTypeVoid: result id 4 is not below the bound 4", HEADER(4),
            W(SpvOpTypeVoid, 2), 4);
    REFUSED(WPG_E_FORMAT, "word 7, OpTypeBool: id 1 is defined twice", HEADER(4), W(SpvOpTypeVoid, 2), 1,
            W(SpvOpTypeBool, 2), 1);
    REFUSED(WPG_E_FORMAT, "OpTypeVoid: id 0 is not between 1 and the bound 4", HEADER(4), W(SpvOpTypeVoid, 2),
            0);
    REFUSED(WPG_E_FORMAT, "OpTypeVector: id 9 is not between 1 and the bound 4", HEADER(4),
            W(SpvOpTypeVector, 4), 1, 9, 2);
    REFUSED(WPG_E_FORMAT, "OpTypeInt: 3 words are too few", HEADER(4), W(SpvOpTypeInt, 3), 1, 32);
    REFUSED(WPG_E_FORMAT, "OpTypeVoid: 1 words are too few", HEADER(4), W(SpvOpTypeVoid, 1));
    REFUSED(WPG_E_FORMAT, "OpConstant: 4 words are too few", HEADER(4), W(SpvOpTypeInt, 4), 1, 64, 0,
            W(SpvOpConstant, 4), 1, 2, 7);
    REFUSED(WPG_E_FORMAT, "OpName: a string does not end", HEADER(4), W(SpvOpName, 3), 1, 0x61616161);
    REFUSED(WPG_E_FORMAT, "OpMemoryModel: 1 words are too few", HEADER(4), W(SpvOpMemoryModel, 1));
    /* A mask whose parameter is missing: OpStore Aligned, no literal. */
    REFUSED(WPG_E_FORMAT, "OpStore: 4 words are too few", HEADER(8), W(SpvOpTypeVoid, 2), 1,
            W(SpvOpTypeFunction, 3), 2, 1, W(SpvOpFunction, 5), 1, 3, 0, 2, W(SpvOpLabel, 2), 4,
            W(SpvOpStore, 4), 5, 6, 2, W(SpvOpReturn, 1), W(SpvOpFunctionEnd, 1));
}

#define FUNCTION W(SpvOpTypeVoid, 2), 1, W(SpvOpTypeFunction, 3), 2, 1, W(SpvOpFunction, 5), 1, 3, 0, 2

static void test_bad_nesting(void **state)
{
    (void)state;
    REFUSED(WPG_E_FORMAT, "OpLabel: outside any function", HEADER(8), W(SpvOpLabel, 2), 1);
    REFUSED(WPG_E_FORMAT, "OpReturn: outside any function", HEADER(8), W(SpvOpReturn, 1));
    REFUSED(WPG_E_FORMAT, "OpFunctionEnd: outside any function", HEADER(8), W(SpvOpFunctionEnd, 1));
    REFUSED(WPG_E_FORMAT, "ends inside a function", HEADER(8), FUNCTION);
    REFUSED(WPG_E_FORMAT, "ends inside a function", HEADER(8), FUNCTION, W(SpvOpLabel, 2), 4,
            W(SpvOpReturn, 1));
    REFUSED(WPG_E_FORMAT, "OpFunctionEnd: the block before it has no terminator", HEADER(8), FUNCTION,
            W(SpvOpLabel, 2), 4, W(SpvOpFunctionEnd, 1));
    REFUSED(WPG_E_FORMAT, "OpLabel: the block before it has no terminator", HEADER(8), FUNCTION,
            W(SpvOpLabel, 2), 4, W(SpvOpLabel, 2), 5, W(SpvOpReturn, 1), W(SpvOpFunctionEnd, 1));
    REFUSED(WPG_E_FORMAT, "OpReturn: in a function but in no block", HEADER(8), FUNCTION, W(SpvOpReturn, 1),
            W(SpvOpFunctionEnd, 1));
    REFUSED(WPG_E_FORMAT, "OpKill: in a function but in no block", HEADER(8), FUNCTION, W(SpvOpLabel, 2), 4,
            W(SpvOpReturn, 1), W(SpvOpKill, 1), W(SpvOpFunctionEnd, 1));
    REFUSED(WPG_E_FORMAT, "OpFunctionParameter: after the function's first block", HEADER(8), FUNCTION,
            W(SpvOpLabel, 2), 4, W(SpvOpFunctionParameter, 3), 1, 5, W(SpvOpReturn, 1),
            W(SpvOpFunctionEnd, 1));
    REFUSED(WPG_E_FORMAT, "OpFunction: the function before it has no OpFunctionEnd", HEADER(8), FUNCTION,
            W(SpvOpFunction, 5), 1, 5, 0, 2);
}

/* What a newer SPIR-V may bring goes through untouched. */
static void test_unknown_passes(void **state)
{
    (void)state;
    static uint32_t words[] = {HEADER(8),
                               W(SpvOpCapability, 2),
                               60000, /* an enumerant we do not know is no trouble */
                               W(7777, 3),
                               0xffffffff,
                               0, /* any words in an unknown instruction */
                               FUNCTION,
                               W(SpvOpLabel, 2),
                               4,
                               W(7778, 1), /* that may have been a terminator */
                               W(SpvOpLabel, 2),
                               5,
                               W(7779, 2),
                               9,
                               W(SpvOpReturn, 1),
                               W(SpvOpFunctionEnd, 1)};
    check_identity((test_words){words, sizeof words / sizeof *words});
    wpg_module *module = test_parse((test_words){words, sizeof words / sizeof *words});
    assert_true(module->has_unknown);
    wpg_module_destroy(module);
    /* Words after the last operand we know: OpTypeFloat has an encoding since SPV_KHR_bfloat16. */
    static uint32_t longer[] = {HEADER(8), W(SpvOpTypeFloat, 4), 1, 16, 0};
    module = test_parse((test_words){longer, sizeof longer / sizeof *longer});
    assert_true(module->has_unknown);
    wpg_module_destroy(module);
}

/* -- Robustness: to be run under AddressSanitizer ------------------------------------------------------ */

/* Everything that reads a module, on one that may say anything. */
static void exercise(const uint32_t *data, size_t count)
{
    /* A copy of exactly that size, so that a read past its end is seen. */
    uint32_t *exact = malloc(count * sizeof *exact + 1);
    assert_non_null(exact);
    memcpy(exact, data, count * sizeof *exact);
    wpg_module *module;
    if (wpg_module_parse(&module, exact, count, NULL) == WPG_OK) {
        test_words again = test_emit(module);
        assert_true(test_same(again, (test_words){exact, count}));
        free(again.data);
        wpg_spec_value value = {.constant_id = 2, .size = 4, .bits = 3};
        wpg_stage stage = {SpvExecutionModelFragment, "main", &value, 1};
        wpg_hash128 hash;
        assert_int_equal(wpg_shader_hash(&hash, module, &stage, NULL), WPG_OK);
        wpg_arena arena;
        wpg_arena_init(&arena);
        const char *const *files;
        size_t files_count;
        assert_int_equal(wpg_module_source_files(&files, &files_count, module, &arena), WPG_OK);
        WPG_INST_EACH (inst, module) {
            if (inst->opcode == SpvOpEntryPoint && inst->count > 3 && wpg_inst_string(inst, 3)) {
                wpg_global_variable(module, inst, SpvStorageClassInput, 1);
                break;
            }
        }
        wpg_type_pointer(module, SpvStorageClassPrivate, wpg_type_u32(module));
        wpg_const_scalar(module, 5, 77);
        wpg_decorate(module, 1, SpvDecorationBlock, NULL, 0);
        wpg_arena_finish(&arena);
        wpg_module_destroy(module);
    }
    free(exact);
}

static void test_truncations(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEST_GOLDENS; i++) {
        test_words words = test_golden(test_goldens[i]);
        for (size_t count = 0; count < words.count; count++)
            exercise(words.data, count);
        free(words.data);
    }
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static void test_corruptions(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t i = 0; i < TEST_GOLDENS; i++) {
        test_words words = test_golden(test_goldens[i]);
        uint32_t *bent = malloc(words.count * sizeof *bent);
        assert_non_null(bent);
        for (unsigned round = 0; round < 4000; round++) {
            memcpy(bent, words.data, words.count * sizeof *bent);
            for (unsigned k = 1 + next_random(&seed) % 3; k; k--) {
                uint32_t *word = &bent[1 + next_random(&seed) % (words.count - 1)];
                switch (next_random(&seed) % 4) {
                case 0:
                    *word = next_random(&seed);
                    break;
                case 1:
                    *word ^= 1u << next_random(&seed) % 32;
                    break;
                case 2:
                    *word = words.data[next_random(&seed) % words.count];
                    break;
                default:
                    *word = next_random(&seed) % 80;
                }
            }
            if (bent[3] > 4096)
                bent[3] = words.data[3]; /* large bounds cost time, not coverage */
            exercise(bent, words.count);
        }
        free(bent);
        free(words.data);
    }
}

static void test_large_bound(void **state)
{
    (void)state;
    static uint32_t words[] = {HEADER(WPG_SPIRV_MAX_BOUND), W(SpvOpTypeVoid, 2), 1, W(SpvOpTypeBool, 2),
                               WPG_SPIRV_MAX_BOUND - 1};
    test_words all = {words, sizeof words / sizeof *words};
    wpg_module *module = test_parse(all);
    assert_int_equal(wpg_module_opcode_of(module, WPG_SPIRV_MAX_BOUND - 1), SpvOpTypeBool);
    /* No id is left: said once, at the end. */
    assert_int_equal(wpg_module_fresh_id(module), 0);
    test_words out = {0};
    assert_int_equal(wpg_module_emit(&out.data, &out.count, module, NULL), WPG_E_NOMEM);
    wpg_module_destroy(module);
    wpg_module_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_identity), cmocka_unit_test(test_shaders_identity),
        cmocka_unit_test(test_bad_header),      cmocka_unit_test(test_bad_instructions),
        cmocka_unit_test(test_bad_nesting),     cmocka_unit_test(test_unknown_passes),
        cmocka_unit_test(test_truncations),     cmocka_unit_test(test_corruptions),
        cmocka_unit_test(test_large_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
