/* Shader identity: what must not change the hash, what must, and a list of hashes that shows a change of it.
 */
#include <dirent.h>
#include <unistd.h>

#include "tests/support/assemble.h"
#include "tests/support/effort.h"
#include "tests/unit/compiler/spirv/spirv_test.h"

static wpg_hash128 hash_of(const wpg_module *module, const wpg_stage *stage)
{
    wpg_hash128 hash = {0};
    wpg_error err;
    if (wpg_shader_hash(&hash, module, stage, &err) != WPG_OK)
        fail_msg("%s", err.message);
    return hash;
}

/* The name that the version of identity before this one gives. */
static wpg_hash128 hash_before(test_words words, const wpg_stage *stage)
{
    wpg_hash128 hash = {0};
    wpg_module *module = test_parse(words);
    assert_int_equal(wpg_shader_hash_before(&hash, module, stage, NULL), WPG_OK);
    wpg_module_destroy(module);
    return hash;
}

static wpg_hash128 hash_words(test_words words, const wpg_stage *stage)
{
    wpg_module *module = test_parse(words);
    wpg_hash128 hash = hash_of(module, stage);
    wpg_module_destroy(module);
    return hash;
}

static wpg_hash128 hash_text(const char *text, const wpg_stage *stage)
{
    test_words words = test_assemble(text);
    wpg_hash128 hash = hash_words(words, stage);
    free(words.data);
    return hash;
}

static wpg_stage stage_of_golden(const char *name)
{
    SpvExecutionModel model = !strcmp(name, "shapes") ? SpvExecutionModelFragment
                              : !strcmp(name, "rays") ? SpvExecutionModelAnyHitKHR
                                                      : SpvExecutionModelGLCompute;
    return (wpg_stage){.model = model, .entry = "main"};
}

typedef wpg_hash128 hasher(test_words words, const wpg_stage *stage);

static char *known_hashes(hasher *hash)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < TEST_GOLDENS; i++) {
        test_words words = test_golden(test_goldens[i]);
        wpg_stage stage = stage_of_golden(test_goldens[i]);
        char hex[WPG_HASH_HEX + 1];
        wpg_hash_to_hex(hex, hash(words, &stage));
        (void)fprintf(out, "%s %s\n", hex, test_goldens[i]);
        free(words.data);
    }
    test_words words = test_golden("spec");
    const wpg_spec_value values[] = {{5, 8, 42}, {0, 4, 0}, {3, 1, 0x80}};
    wpg_stage stage = {SpvExecutionModelGLCompute, "other", values, 3};
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, hash(words, &stage));
    (void)fprintf(out, "%s spec other 0=0 3=0x80 5=42\n", hex);
    free(words.data);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* A difference renames every shader. On purpose only, with a new WPG_IDENTITY_VERSION and a new list. */
static void test_golden_hashes(void **state)
{
    (void)state;
    hasher *const hashers[] = {hash_before, hash_words};
    for (int i = 0; i < 2; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, WPG_SOURCE_DIR "/tests/golden/spirv/hashes-%d.txt",
                       WPG_IDENTITY_VERSION - 1 + i);
        char *now = known_hashes(hashers[i]);
        if (i == 1 && getenv("WPG_UPDATE_GOLDEN"))
            assert_int_equal(wpg_file_write_atomic(path, now, strlen(now), NULL), WPG_OK);
        uint8_t *then;
        size_t size;
        assert_int_equal(wpg_file_read(&then, &size, path, 1 << 16, NULL), WPG_OK);
        assert_string_equal(now, (const char *)then);
        free(then);
        free(now);
    }
}

/* Runs spirv-opt with `flags` over words; false if the program is not there. */
static bool optimise(test_words *out, test_words in, const char *flags)
{
    char folder[] = "/tmp/wpg-test-XXXXXX", path[64], to[64], command[256];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/in.spv", folder);
    (void)snprintf(to, sizeof to, "%s/out.spv", folder);
    assert_int_equal(wpg_file_write_atomic(path, in.data, in.count * 4, NULL), WPG_OK);
    (void)snprintf(command, sizeof command, "spirv-opt %s %s -o %s", flags, path, to);
    uint8_t *data = NULL;
    size_t size = 0;
    bool done = system(command) == 0 && wpg_file_read(&data, &size, to, 1 << 24, NULL) == WPG_OK;
    (void)unlink(path);
    (void)unlink(to);
    (void)rmdir(folder);
    *out = (test_words){(uint32_t *)(void *)data, size / 4};
    return done;
}

static void test_equal_under_tools(void **state)
{
    (void)state;
    if (system("spirv-opt --version >/dev/null")) {
        print_message("no spirv-opt\n");
        skip();
    }
    static const char *const flags[] = {"--compact-ids", "--strip-debug", "--strip-debug --compact-ids"};
    unsigned changed = 0;
    for (size_t i = 0; i < TEST_GOLDENS; i++) {
        test_words words = test_golden(test_goldens[i]), other;
        wpg_stage stage = stage_of_golden(test_goldens[i]);
        wpg_hash128 hash = hash_words(words, &stage);
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
            /* spirv-opt 2023.1 crashes when it strips OpenCL.DebugInfo.100. */
            if (k && !strcmp(test_goldens[i], "debug_info"))
                continue;
            assert_true(optimise(&other, words, flags[k]));
            changed += !test_same(words, other);
            if (!wpg_hash_equal(hash, hash_words(other, &stage)))
                fail_msg("%s %s", test_goldens[i], flags[k]);
            free(other.data);
        }
        free(words.data);
    }
    assert_true(changed > TEST_GOLDENS / 2); /* the tool did do something */
}

/* Ids spread out by hand, the header's generator and bound changed, the bytes swapped: the same shader. */
static void test_equal_renumbered(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEST_GOLDENS; i++) {
        test_words words = test_golden(test_goldens[i]);
        wpg_stage stage = stage_of_golden(test_goldens[i]);
        wpg_hash128 hash = hash_words(words, &stage);
        wpg_module *m = test_parse(words);
        test_words spread = test_emit(m);
        uint32_t *at = spread.data + 5;
        WPG_INST_EACH (inst, m) {
            wpg_operand_walk walk = wpg_operands(m, inst);
            wpg_operand operand;
            while (wpg_operand_next(&walk, &operand))
                if (wpg_operand_is_id(&operand))
                    at[operand.at] = 3 * (m->bound - at[operand.at]) + 5;
            at += inst->count;
        }
        spread.data[2] = 0x12345678;
        spread.data[3] = 3 * m->bound + 8;
        wpg_module_destroy(m);
        assert_true(wpg_hash_equal(hash, hash_words(spread, &stage)));
        assert_int_not_equal(memcmp(words.data, spread.data, words.count * 4), 0);
        for (size_t k = 0; k < spread.count; k++)
            spread.data[k] = __builtin_bswap32(spread.data[k]);
        assert_true(wpg_hash_equal(hash, hash_words(spread, &stage)));
        free(spread.data);
        free(words.data);
    }
}

static void add_name(wpg_module *m, uint32_t id)
{
    const uint32_t any = 'a' | 'n' << 8 | 'y' << 16;
    wpg_inst_add(m, wpg_module_section_end(m, WPG_SECTION_DEBUG), SpvOpName, id, any);
}

/* Changing any literal, opcode or id of what remains gives another hash; of what is stripped, the same. */
static void test_distinct(void **state)
{
    (void)state;
    test_words words = test_golden("spec");
    wpg_stage stage = stage_of_golden("spec");
    wpg_module *m = test_parse(words);
    wpg_hash128 hash = hash_of(m, &stage);
    struct {
        SpvOp opcode;
        unsigned n, word;
        uint32_t value;
    } changes[] = {{SpvOpConstant, 1, 3, 2},      {SpvOpSpecConstant, 0, 3, 65}, {SpvOpDecorate, 2, 3, 20},
                   {SpvOpExecutionMode, 0, 3, 8}, {SpvOpTypeInt, 2, 3, 1},       {SpvOpCapability, 1, 1, 40},
                   {SpvOpSpecConstantOp, 2, 5, 0}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        uint32_t *word = &test_find(m, changes[i].opcode, changes[i].n)->words[changes[i].word], old = *word;
        assert_int_not_equal(old, changes[i].value);
        *word = changes[i].value;
        if (wpg_hash_equal(hash, hash_of(m, &stage)))
            fail_msg("change %zu is not seen", i);
        *word = old;
    }
    /* An operand that names another id of the same kind. */
    wpg_inst *store = test_find(m, SpvOpStore, 0), *other = test_find(m, SpvOpStore, 1);
    uint32_t value = store->words[2];
    store->words[2] = other->words[2];
    assert_false(wpg_hash_equal(hash, hash_of(m, &stage)));
    store->words[2] = value;
    m->version = 0x00010500;
    assert_false(wpg_hash_equal(hash, hash_of(m, &stage)));
    m->version = words.data[1];
    m->schema = 1;
    assert_false(wpg_hash_equal(hash, hash_of(m, &stage)));
    m->schema = 0;
    add_name(m, store->words[2]);
    assert_true(wpg_hash_equal(hash, hash_of(m, &stage)));
    wpg_module_destroy(m);
    free(words.data);

    wpg_stage entry = stage, model = stage;
    words = test_golden("spec");
    entry.entry = "other";
    model.model = SpvExecutionModelVertex;
    assert_false(wpg_hash_equal(hash, hash_words(words, &entry)));
    assert_false(wpg_hash_equal(hash, hash_words(words, &model)));
    free(words.data);
}

static wpg_hash128 with_values(const wpg_module *m, const wpg_spec_value *values, size_t count)
{
    wpg_stage stage = {SpvExecutionModelGLCompute, "main", values, count};
    return hash_of(m, &stage);
}
#define WITH(...)                                                                                            \
    with_values(m, (const wpg_spec_value[]){__VA_ARGS__},                                                    \
                sizeof((const wpg_spec_value[]){__VA_ARGS__}) / sizeof(wpg_spec_value))

static void test_spec_values(void **state)
{
    (void)state;
    test_words words = test_golden("spec");
    wpg_module *m = test_parse(words);
    wpg_hash128 none = with_values(m, NULL, 0);
    /* The defaults given explicitly, all of them, in any order and with whatever lies above the type's width.
     */
    assert_true(
        wpg_hash_equal(none, WITH({7, 8, 0x4002000000000000}, {6, 4, 0x3fc00000}, {5, 8, 0x1122334455667788},
                                  {4, 2, 0xfed4}, {3, 1, 0xfd}, {2, 4, 64}, {1, 4, 0}, {0, 4, 1})));
    assert_true(wpg_hash_equal(none, WITH({3, 8, 0xfffffffffffffffd}, {4, 4, 0xfffffed4})));
    /* Ids that the module lacks. */
    assert_true(wpg_hash_equal(none, WITH({99, 4, 7})));
    /* Bools by truth. */
    assert_true(wpg_hash_equal(none, WITH({0, 4, 77})));
    assert_true(wpg_hash_equal(WITH({1, 4, 1}), WITH({1, 4, 0x100})));
    assert_false(wpg_hash_equal(none, WITH({0, 4, 0})));
    /* Values that differ do count, by id and by value, whatever their order; of equal ids the first. */
    wpg_hash128 a = WITH({2, 4, 65}), b = WITH({2, 4, 66}), c = WITH({5, 8, 65});
    assert_false(wpg_hash_equal(none, a));
    assert_false(wpg_hash_equal(a, b));
    assert_false(wpg_hash_equal(a, c));
    assert_true(
        wpg_hash_equal(WITH({2, 4, 65}, {5, 8, 9}), WITH({5, 8, 9}, {2, 4, 65}, {0, 4, 1}, {99, 4, 1})));
    assert_true(wpg_hash_equal(a, WITH({2, 4, 65}, {2, 4, 66})));
    assert_true(wpg_hash_equal(none, WITH({2, 4, 64}, {2, 4, 66})));
    /* The high half of a wide value, the sign of a zero. */
    assert_false(wpg_hash_equal(none, WITH({5, 8, 0x1122334555667788})));
    assert_false(wpg_hash_equal(WITH({6, 4, 0x80000000}), WITH({6, 4, 0})));
    wpg_module_destroy(m);
    free(words.data);
}

#define HEAD                                                                                                 \
    "OpCapability Shader\n%s OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %%main \"main\"\n"        \
    "OpExecutionMode %%main LocalSize 1 1 1\n%s %%void = OpTypeVoid\n%%fn = OpTypeFunction %%void\n%s"       \
    "%%main = OpFunction %%void None %%fn\n%%l = OpLabel\n%s OpReturn\nOpFunctionEnd\n"

static wpg_hash128 hash_parts(const char *imports, const char *debug, const char *types, const char *body)
{
    char text[2048];
    wpg_stage stage = {SpvExecutionModelGLCompute, "main", NULL, 0};
    assert_in_range(snprintf(text, sizeof text, HEAD, imports, debug, types, body), 1, (int)sizeof text - 1);
    return hash_text(text, &stage);
}

/* glslang 15 writes it where debug information names what is declared later. Debian 12's assembler does not
 * know the instruction, so its opcode is put in afterwards. */
static void test_forward_references(void **state)
{
    (void)state;
    char text[2048];
    const wpg_stage stage = {SpvExecutionModelGLCompute, "main", NULL, 0};
    (void)snprintf(text, sizeof text, HEAD,
                   "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                   "OpExtension \"SPV_KHR_relaxed_extended_instruction\"\n"
                   "%r = OpExtInstImport \"NonSemantic.Anything\"\n",
                   "", "%g = OpExtInst %void %r 3 %later\n", "%later = OpExtInst %void %r 1\n");
    test_words words = test_assemble(text);
    size_t changed = 0;
    for (size_t i = 5; i < words.count; i += words.data[i] >> 16)
        if (words.data[i] == (6u << 16 | SpvOpExtInst)) {
            words.data[i] = 6u << 16 | WPG_OP_EXT_INST_WITH_FORWARD_REFS;
            changed++;
        }
    assert_int_equal(changed, 1);
    wpg_module *module = test_parse(words);
    assert_false(module->has_unknown);
    wpg_module_destroy(module);
    assert_true(wpg_hash_equal(hash_parts("", "", "", ""), hash_words(words, &stage)));
    free(words.data);
}

static void test_stripped(void **state)
{
    (void)state;
    wpg_hash128 plain = hash_parts("", "", "", "");
    assert_true(
        wpg_hash_equal(plain, hash_parts("",
                                         "%f = OpString \"f\"\nOpSource GLSL 450 %f\nOpName %l \"l\"\n"
                                         "OpModuleProcessed \"x\"\n",
                                         "OpLine %f 1 1\n", "OpLine %f 2 2\nOpNoLine\n")));
    assert_true(wpg_hash_equal(plain, hash_parts("OpExtension \"SPV_KHR_non_semantic_info\"\n"
                                                 "%r = OpExtInstImport \"NonSemantic.Anything\"\n",
                                                 "%f = OpString \"f\"\n", "%g = OpExtInst %void %r 3 %f\n",
                                                 "%x = OpExtInst %void %r 1 %f\n")));
    /* What may change code stays in. */
    assert_false(wpg_hash_equal(plain, hash_parts("%r = OpExtInstImport \"GLSL.std.450\"\n", "", "", "")));
    assert_false(wpg_hash_equal(plain, hash_parts("OpExtension \"SPV_KHR_multiview\"\n", "", "", "")));
    assert_false(wpg_hash_equal(plain, hash_parts("", "", "", "OpNop\n")));
    /* A declaration without a user may not. */
    assert_true(wpg_hash_equal(plain, hash_parts("", "", "%u = OpTypeInt 32 0\n", "")));
    static const char variable[] = "%v = OpVariable %p Function\n";
    assert_false(wpg_hash_equal(
        hash_parts("", "", "%u = OpTypeInt 32 0\n%p = OpTypePointer Function %u\n", variable),
        hash_parts("", "", "%u = OpTypeInt 32 1\n%p = OpTypePointer Function %u\n", variable)));
}

/* The order of declarations and of annotations says nothing; what an annotation says of which id does. */
static void test_order(void **state)
{
    (void)state;
    static const char code[] = "%v = OpVariable %p Function\n%w = OpVariable %p Function\n"
                               "%a = OpIAdd %u %one %two\nOpStore %v %a\nOpStore %w %two\n";
    static const char types[] = "%u = OpTypeInt 32 0\n%p = OpTypePointer Function %u\n"
                                "%one = OpConstant %u 1\n%two = OpConstant %u 2\n",
                      other[] = "%u = OpTypeInt 32 0\n%two = OpConstant %u 2\n%nine = OpConstant %u 9\n"
                                "%one = OpConstant %u 1\n%p = OpTypePointer Function %u\n";
    wpg_hash128 plain = hash_parts("", "", types, code);
    assert_true(wpg_hash_equal(plain, hash_parts("", "", other, code)));
    wpg_hash128 decorated =
        hash_parts("", "OpDecorate %a RelaxedPrecision\nOpDecorate %v RelaxedPrecision\n", types, code);
    assert_false(wpg_hash_equal(plain, decorated));
    assert_true(wpg_hash_equal(
        decorated,
        hash_parts("", "OpDecorate %v RelaxedPrecision\nOpDecorate %a RelaxedPrecision\n", other, code)));
    assert_false(wpg_hash_equal(
        decorated,
        hash_parts("", "OpDecorate %a RelaxedPrecision\nOpDecorate %w RelaxedPrecision\n", types, code)));
    assert_false(wpg_hash_equal(decorated, hash_parts("", "OpDecorate %a RelaxedPrecision\n", types, code)));
    /* The constant that sets the workgroup's size has no user. */
    static const char size[] = "%u = OpTypeInt 32 0\n%t = OpTypeVector %u 3\n%four = OpConstant %u 4\n"
                               "%eight = OpConstant %u 8\n%g = OpConstantComposite %t %four %four %four\n",
                      size8[] = "%u = OpTypeInt 32 0\n%t = OpTypeVector %u 3\n%four = OpConstant %u 4\n"
                                "%eight = OpConstant %u 8\n%g = OpConstantComposite %t %eight %four %four\n";
    static const char built_in[] = "OpDecorate %g BuiltIn WorkgroupSize\n";
    assert_false(wpg_hash_equal(hash_parts("", built_in, size, ""), hash_parts("", built_in, size8, "")));
    assert_false(wpg_hash_equal(hash_parts("", built_in, size, ""), hash_parts("", "", size, "")));
}

/* Debug information: types and constants that only it uses go, as does what those use; when it asks for one
 * that the code uses too says nothing. */
static void test_debug_information(void **state)
{
    (void)state;
    static const char imports[] = "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                                  "%r = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n",
                      name[] = "%n = OpString \"n\"\n";
    static const char code[] = "%v = OpVariable %p Function\nOpStore %v %one\nOpStore %v %two\n";
    wpg_hash128 plain = hash_parts("", "", "", "");
    assert_true(wpg_hash_equal(
        plain, hash_parts(imports, name,
                          "%u = OpTypeInt 32 0\n%size = OpConstant %u 32\n%line = OpConstant %u 7\n"
                          "%f = OpTypeFloat 32\n%x = OpConstant %f 1\n"
                          "%t = OpExtInst %void %r 2 %n %size %size %size\n%e = OpExtInst %void %r 31 %x\n",
                          "%d = OpExtInst %void %r 103 %n %size %size %size %size\n")));
    /* As they are without debug information; with it, in the order in which debug information needed them. */
    plain = hash_parts("", "",
                       "%u = OpTypeInt 32 0\n%p = OpTypePointer Function %u\n%one = OpConstant %u 1\n"
                       "%two = OpConstant %u 2\n",
                       code);
    static const char early[] = "%u = OpTypeInt 32 0\n%two = OpConstant %u 2\n%size = OpConstant %u 32\n"
                                "%t = OpExtInst %void %r 2 %n %size %two %size\n%one = OpConstant %u 1\n"
                                "%p = OpTypePointer Function %u\n";
    assert_true(wpg_hash_equal(plain, hash_parts(imports, name, early, code)));
    /* The same declarations, other code. */
    assert_false(wpg_hash_equal(plain, hash_parts(imports, name, early,
                                                  "%v = OpVariable %p Function\nOpStore %v %two\n"
                                                  "OpStore %v %one\n")));
}

static const struct {
    const char *ending;
    SpvExecutionModel model;
} glsl_stages[] = {{"comp", SpvExecutionModelGLCompute},
                   {"vert", SpvExecutionModelVertex},
                   {"frag", SpvExecutionModelFragment},
                   {"geom", SpvExecutionModelGeometry},
                   {"tesc", SpvExecutionModelTessellationControl},
                   {"tese", SpvExecutionModelTessellationEvaluation},
                   {"rgen", SpvExecutionModelRayGenerationKHR},
                   {"rchit", SpvExecutionModelClosestHitKHR},
                   {"mesh", SpvExecutionModelMeshEXT},
                   {"task", SpvExecutionModelTaskEXT}};

/* Compiles the file where it lies; false: glslang does not take it, or makes a module that is not valid
 * (12.0.0 with -gVS of some). */
static bool compile_file(test_words *words, const char *path, const char *options)
{
    char folder[] = "/tmp/wpg-test-XXXXXX", out[64], command[2048];
    uint8_t *data = NULL;
    size_t size = 0;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(out, sizeof out, "%s/out.spv", folder);
    (void)snprintf(command, sizeof command,
                   "glslangValidator -V --target-env vulkan1.2 %s -o %s '%s' >/dev/null 2>&1 && "
                   "spirv-val --target-env vulkan1.2 %s >/dev/null 2>&1",
                   options, out, path, out);
    bool done = system(command) == 0 && wpg_file_read(&data, &size, out, 1 << 24, NULL) == WPG_OK;
    (void)unlink(out);
    (void)rmdir(folder);
    *words = (test_words){(uint32_t *)(void *)data, size / 4};
    return done;
}

/* One file, with and without debug information; false if it cannot be compiled alone. */
static bool check_glsl(const char *folder, const char *name)
{
    char path[1024];
    const char *ending = strrchr(name, '.');
    size_t i = 0, stages = sizeof glsl_stages / sizeof *glsl_stages;
    while (ending && i < stages && strcmp(ending + 1, glsl_stages[i].ending) != 0)
        i++;
    if (!ending || i == stages)
        return false;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const wpg_stage stage = {glsl_stages[i].model, "main", NULL, 0};
    test_words plain = {0}, debug = {0};
    bool compiled = compile_file(&plain, path, "") && compile_file(&debug, path, "-gVS");
    if (compiled && !wpg_hash_equal(hash_words(plain, &stage), hash_words(debug, &stage)))
        fail_msg("%s: another hash with debug information", path);
    free(plain.data);
    free(debug.data);
    return compiled;
}

/* The shaders of this tree, as glslang compiles them with and without debug information. */
static void test_glslang(void **state)
{
    (void)state;
    static const char *const folders[] = {"shaders",
                                          "tests/e2e/shaders",
                                          "tests/e2e/oracle/kernels",
                                          "tests/e2e/oracle/stages",
                                          "tests/golden/instrument",
                                          "tests/golden/normalize"};
    const unsigned stride = effort_nightly() ? 1 : 6;
    unsigned compiled = 0, met = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[512];
        (void)snprintf(folder, sizeof folder, WPG_SOURCE_DIR "/%s", folders[i]);
        DIR *entries = opendir(folder);
        assert_non_null(entries);
        for (struct dirent *entry; (entry = readdir(entries));)
            if (met++ % stride == 0)
                compiled += check_glsl(folder, entry->d_name);
        (void)closedir(entries);
    }
    print_message("%u shaders\n", compiled);
    assert_in_range(compiled, 10, 1000);
}

/* With an unknown instruction ids stay as they are: equal words are equal, others are not, names still drop
 * out. */
static void test_unknown(void **state)
{
    (void)state;
    test_words words = test_golden("spec");
    wpg_stage stage = stage_of_golden("spec");
    wpg_module *m = test_parse(words);
    wpg_inst_add(m, test_find(m, SpvOpStore, 0), (SpvOp)9999, 1, 2, 3);
    test_words with = test_emit(m);
    wpg_module_destroy(m);
    m = test_parse(with);
    assert_true(m->has_unknown);
    wpg_hash128 hash = hash_of(m, &stage);
    add_name(m, 1);
    assert_true(wpg_hash_equal(hash, hash_of(m, &stage)));
    wpg_module_destroy(m);
    assert_false(wpg_hash_equal(hash, hash_words(words, &stage)));
    free(words.data);
    free(with.data);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(wpg_stage_name(SpvExecutionModelVertex), "vert");
    assert_string_equal(wpg_stage_name(SpvExecutionModelMeshEXT), "mesh");
    assert_string_equal(wpg_stage_name(SpvExecutionModelCallableKHR), "rcall");
    assert_null(wpg_stage_name(SpvExecutionModelKernel));
    assert_null(wpg_stage_name((SpvExecutionModel)12345));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_hashes),
        cmocka_unit_test(test_equal_under_tools),
        cmocka_unit_test(test_equal_renumbered),
        cmocka_unit_test(test_distinct),
        cmocka_unit_test(test_spec_values),
        cmocka_unit_test(test_stripped),
        cmocka_unit_test(test_forward_references),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_debug_information),
        cmocka_unit_test(test_glslang),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
