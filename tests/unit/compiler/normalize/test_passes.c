/* The CFG tier's parts by themselves: specialisation values, what goes with an entry point, what is refused;
 * and the bridge to SPIRV-Tools. */
#include "shader_test.h"

#include "compiler/analysis/graph/cfg.h"
#include "compiler/normalize/internal.h"

static words assemble(const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/case.spvasm", scratch_dir());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
    return compile_file(path);
}

/* -- Specialisation ------------------------------------------------------------------------------------ */

static const char spec_text[] =
    "OpCapability Shader\nOpCapability Int8\nOpCapability Int16\nOpCapability Int64\n"
    "OpCapability Float64\nOpMemoryModel Logical GLSL450\n"
    "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
    "OpDecorate %100 SpecId 0\nOpDecorate %101 SpecId 1\nOpDecorate %102 SpecId 2\n"
    "OpDecorate %103 SpecId 3\nOpDecorate %104 SpecId 4\nOpDecorate %size SpecId 5\n"
    "OpDecorate %wg BuiltIn WorkgroupSize\n"
    "%i8 = OpTypeInt 8 1\n%i16 = OpTypeInt 16 1\n%u64 = OpTypeInt 64 0\n"
    "%f64 = OpTypeFloat 64\n%bool = OpTypeBool\n%u32 = OpTypeInt 32 0\n"
    "%v3 = OpTypeVector %u32 3\n%one = OpConstant %u32 1\n"
    "%100 = OpSpecConstant %i8 -3\n%101 = OpSpecConstant %i16 7\n"
    "%102 = OpSpecConstant %u64 0x123456789a\n%103 = OpSpecConstant %f64 1.5\n"
    "%104 = OpSpecConstantFalse %bool\n%size = OpSpecConstant %u32 8\n"
    "%wg = OpSpecConstantComposite %v3 %size %one %one\n"
    "%len = OpSpecConstantOp %u32 IAdd %size %one\n"
    "%arr = OpTypeArray %u32 %len\n%pa = OpTypePointer Workgroup %arr\n"
    "%mem = OpVariable %pa Workgroup\n"
    "%void = OpTypeVoid\n%f = OpTypeFunction %void\n"
    "%main = OpFunction %void None %f\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n";

static void expect_constant(const wpg_module *module, uint32_t id, uint32_t count, uint32_t low,
                            uint32_t high)
{
    const wpg_inst *inst = wpg_module_def(module, id);
    assert_non_null(inst);
    assert_int_equal(inst->opcode, SpvOpConstant);
    assert_int_equal(inst->count, count);
    assert_int_equal(inst->words[3], low);
    if (count > 4)
        assert_int_equal(inst->words[4], high);
}

static void test_values(void **state)
{
    (void)state;
    words in = assemble(spec_text);
    assert_valid(&in, "spec");
    const wpg_spec_value values[] = {{0, 1, 0x80}, {1, 2, 0xfffe}, {2, 8, UINT64_C(0xffff0000ffff0000)},
                                     {4, 4, 2},    {5, 4, 4},      {9, 4, 77}};
    wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main", .spec = values, .spec_count = 6};
    wpg_normal_info info;
    words out = normal_form(&in, &stage, &info, "spec");
    assert_int_equal(info.constants_frozen, 8);
    wpg_module *module = parse(&out);
    expect_constant(module, 100, 4, 0xffffff80, 0); /* narrow signed: sign-extended */
    expect_constant(module, 101, 4, 0xfffffffe, 0);
    expect_constant(module, 102, 5, 0xffff0000, 0xffff0000);
    expect_constant(module, 103, 5, 0, 0x3ff80000); /* the default */
    assert_int_equal(wpg_module_opcode_of(module, 104), SpvOpConstantTrue);
    uint32_t spec_ids = 0, sizes = 0;
    WPG_INST_EACH (inst, module) {
        spec_ids += inst->opcode == SpvOpDecorate && inst->words[2] == SpvDecorationSpecId;
        if (inst->opcode == SpvOpDecorate && inst->words[2] == SpvDecorationBuiltIn) {
            const wpg_inst *size = wpg_module_def(module, inst->words[1]);
            assert_int_equal(size->opcode, SpvOpConstantComposite);
            expect_constant(module, size->words[3], 4, 4, 0);
            sizes++;
        }
        if (inst->opcode == SpvOpTypeArray)
            expect_constant(module, inst->words[3], 4, 5, 0);
    }
    assert_int_equal(spec_ids, 0);
    assert_int_equal(sizes, 1);
    wpg_module_destroy(module);
    free(out.data);
    free(in.data);
}

/* -- Entry points, refusals ---------------------------------------------------------------------------- */

static void test_entry_points(void **state)
{
    (void)state;
    words in = compile_file(GOLDEN_DIR "other_entry.spvasm");
    wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "other"};
    wpg_normal_info info;
    words out = normal_form(&in, &stage, &info, "other");
    assert_int_equal(info.entry_points_dropped, 1);
    assert_int_equal(info.calls_inlined, 1);
    wpg_module *module = parse(&out);
    wpg_inst *entry = wpg_find_entry_point(module, stage.model, "other");
    assert_non_null(entry);
    assert_null(wpg_find_entry_point(module, stage.model, "main"));
    const wpg_inst *mode = wpg_find_execution_mode(module, entry->words[2], SpvExecutionModeLocalSize);
    assert_non_null(mode);
    assert_int_equal(mode->words[3], 8);
    WPG_INST_EACH (inst, module) { /* nothing speaks of what went */
        if (inst->opcode == SpvOpName || inst->opcode == SpvOpDecorate || inst->opcode == SpvOpExecutionMode)
            assert_non_null(wpg_module_def(module, inst->words[1]));
        for (uint32_t i = 2; inst->opcode == SpvOpGroupDecorate && i < inst->count; i++)
            assert_non_null(wpg_module_def(module, inst->words[i]));
    }
    wpg_module_destroy(module);
    free(out.data);
    free(in.data);
}

static void test_refused(void **state)
{
    (void)state;
    words in = compile_file(GOLDEN_DIR "other_entry.spvasm");
    wpg_error err = {0};
    wpg_module *module = parse(&in);
    wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "none"};
    assert_int_equal(wpg_normalize(module, &stage, NULL, &err), WPG_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "none"));
    stage = (wpg_stage){.model = SpvExecutionModelFragment, .entry = "main"};
    assert_int_equal(wpg_normalize(module, &stage, NULL, &err), WPG_E_NOT_FOUND);
    stage = (wpg_stage){.model = SpvExecutionModelKernel, .entry = "main"};
    assert_int_equal(wpg_normalize(module, &stage, NULL, &err), WPG_E_ARGUMENT);
    wpg_module_destroy(module);
    free(in.data);
}

/* An instruction nobody knows keeps its function whole, and every function it might name. */
static void test_unknown(void **state)
{
    (void)state;
    words in = compile_file(GOLDEN_DIR "early_returns.comp");
    size_t at = 5;
    uint32_t labels = 0;
    while (at < in.count && labels < 3) {
        labels += (in.data[at] & 0xffff) == SpvOpLabel;
        at += in.data[at] >> 16;
    }
    in.data = realloc(in.data, (in.count + 2) * 4);
    memmove(in.data + at + 2, in.data + at, (in.count - at) * 4);
    in.data[at] = 2u << 16 | 0xfff0u;
    in.data[at + 1] = 1;
    in.count += 2;
    wpg_module *module = parse(&in);
    assert_true(module->has_unknown);
    wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    wpg_normal_info info;
    assert_int_equal(wpg_normalize(module, &stage, &info, NULL), WPG_OK);
    assert_non_null(strstr(info.kept_because, "unknown"));
    words out = emit(module);
    assert_true(memmem(out.data, out.count * 4, (const uint32_t[]){2u << 16 | 0xfff0u, 1}, 8) != NULL);
    wpg_module_destroy(module);
    free(out.data);
    free(in.data);
}

/* Functions that double at each level: inlining stops at its limits, and says so. */
static void test_growth(void **state)
{
    (void)state;
    char path[128];
    (void)snprintf(path, sizeof path, "%s/growth.comp", scratch_dir());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
                "uint f0(uint x) { if (x > 3u) return x; return x * 3u; }\n",
                file);
    for (int i = 1; i <= 24; i++)
        (void)fprintf(file, "uint f%d(uint x) { return f%d(x) + f%d(x ^ %du); }\n", i, i - 1, i - 1, i);
    (void)fputs("void main() { b[0] = f24(b[1]); }\n", file);
    (void)fclose(file);
    words in = compile_file(path);
    wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    wpg_normal_info info;
    wpg_module *module = parse(&in);
    assert_int_equal(wpg_normalize(module, &stage, &info, NULL), WPG_OK);
    assert_true(info.calls_inlined > 10);
    assert_true(info.calls_kept > 0);
    assert_non_null(strstr(info.kept_because, "too large"));
    words out = emit(module);
    assert_valid(&out, "growth");
    assert_true(out.count < 1u << 20);
    wpg_module_destroy(module);
    free(out.data);
    free(in.data);
}

/* -- The bridge ---------------------------------------------------------------------------------------- */

static void test_validator(void **state)
{
    (void)state;
    words in = compile_file(GOLDEN_DIR "early_returns.comp");
    wpg_error err = {0};
    wpg_validate_options options = {.vulkan_minor = 1};
    assert_int_equal(wpg_spirv_validate(in.data, in.count, &options, &err), WPG_OK);
    options.vulkan_minor = 0; /* SPIR-V 1.3 is no Vulkan 1.0 module */
    assert_int_equal(wpg_spirv_validate(in.data, in.count, &options, &err), WPG_E_FORMAT);
    assert_true(strlen(err.message) > 10);
    assert_null(strchr(err.message, '\n'));
    options.vulkan_minor = 3;
    for (size_t cut = 0; cut < in.count; cut += 1 + cut / 8)
        assert_int_not_equal(wpg_spirv_validate(in.data, cut, &options, &err), WPG_OK);
    uint32_t *out;
    size_t count;
    assert_int_equal(wpg_ssa_tier(&out, &count, in.data, 3, &err), WPG_E_FORMAT);
    assert_int_not_equal(wpg_ssa_tier(&out, &count, in.data, in.count - 4, &err), WPG_OK);
    free(in.data);
}

/* The SSA tier is deterministic, leaves no load of what can be a value, and keeps labels and their order. */
static void test_ssa(void **state)
{
    (void)state;
    words in = compile_file(GOLDEN_DIR "calls_everywhere.comp");
    wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    words normal = normal_form(&in, &stage, NULL, "calls");
    words ssa = {0}, again = {0};
    assert_int_equal(wpg_ssa_tier(&ssa.data, &ssa.count, normal.data, normal.count, NULL), WPG_OK);
    void *holes[64]; /* another heap, the same words */
    for (int i = 0; i < 64; i++)
        holes[i] = malloc((size_t)i * 97 + 1);
    assert_int_equal(wpg_ssa_tier(&again.data, &again.count, normal.data, normal.count, NULL), WPG_OK);
    for (int i = 0; i < 64; i++)
        free(holes[i]);
    assert_int_equal(ssa.count, again.count);
    assert_memory_equal(ssa.data, again.data, ssa.count * 4);
    assert_true(count_of(&ssa, SpvOpPhi) > 3);
    assert_true(count_of(&ssa, SpvOpLoad) * 3 < count_of(&normal, SpvOpLoad));
    wpg_module *before = parse(&normal), *after = parse(&ssa);
    wpg_inst *old = before->first;
    WPG_INST_EACH (inst, after) {
        if (inst->opcode != SpvOpLabel)
            continue;
        while (old && (old->opcode != SpvOpLabel || old->result != inst->result))
            old = old->next;
        assert_non_null(old);
    }
    wpg_module_destroy(before);
    wpg_module_destroy(after);
    free(ssa.data);
    free(again.data);
    free(normal.data);
    free(in.data);
}

/* -- Identity ------------------------------------------------------------------------------------------ */

static uint64_t checksum(const words *w)
{
    wpg_module *module = parse(w);
    wpg_cfg *cfg;
    wpg_error err = {0};
    wpg_inst *entry = wpg_find_entry_point(module, SpvExecutionModelGLCompute, "main");
    if (wpg_cfg_create(&cfg, module, wpg_module_def(module, entry->words[2]), &err))
        fail_msg("%s", err.message);
    uint64_t sum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION);
    wpg_cfg_destroy(cfg);
    wpg_module_destroy(module);
    return sum;
}

/* Names and lines change neither hash nor graph. */
static void test_debug_info(void **state)
{
    (void)state;
    static const char *const files[] = {"early_returns.comp", "calls_everywhere.comp", "spec_branches.comp"};
    for (size_t i = 0; i < 3; i++) {
        char command[512], path[128];
        (void)snprintf(path, sizeof path, "%s/debug.spv", scratch_dir());
        (void)snprintf(command, sizeof command,
                       "glslangValidator -g -V --target-env vulkan1.1 " GOLDEN_DIR "%s -o %s", files[i],
                       path);
        assert_true(run_tool(command));
        words lines = read_words(path), plain;
        (void)snprintf(command, sizeof command, GOLDEN_DIR "%s", files[i]);
        plain = compile_file(command);
        wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
        wpg_hash128 a, b;
        wpg_module *one = parse(&lines), *two = parse(&plain);
        assert_int_equal(wpg_shader_hash(&a, one, &stage, NULL), WPG_OK);
        assert_int_equal(wpg_shader_hash(&b, two, &stage, NULL), WPG_OK);
        wpg_module_destroy(one);
        wpg_module_destroy(two);
        assert_true(wpg_hash_equal(a, b));
        words with = normal_form(&lines, &stage, NULL, "lines"),
              without = normal_form(&plain, &stage, NULL, "plain");
        assert_true(count_of(&with, SpvOpLine) > count_of(&lines, SpvOpLine) / 2);
        assert_true(checksum(&with) == checksum(&without));
        free(with.data);
        free(without.data);
        free(lines.data);
        free(plain.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),  cmocka_unit_test(test_entry_points),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_unknown),
                                       cmocka_unit_test(test_growth),  cmocka_unit_test(test_validator),
                                       cmocka_unit_test(test_ssa),     cmocka_unit_test(test_debug_info)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_scratch();
    return failed;
}
