/* Our part of the SSA tier: nothing is left for SPIRV-Tools' passes to do; what it leaves alone; dead code
 * with its control flow. */
#include "tests/unit/compiler/optimize/use.h"

#include <glob.h>

#include "compiler/optimize/passes/localise.h"
#include "compiler/optimize/memory/promote.h"

static wpg_module *parse(const uint32_t *words, size_t count)
{
    wpg_module *module = NULL;
    wpg_error err = {0};
    if (wpg_module_parse(&module, words, count, &err) != WPG_OK)
        fail_msg("parse: %s", err.message);
    return module;
}

static wpg_stage stage_of(const wpg_module *module)
{
    wpg_stage stage = {0};
    WPG_INST_EACH (inst, module)
        if (inst->opcode == SpvOpEntryPoint)
            stage =
                (wpg_stage){.model = (SpvExecutionModel)inst->words[1], .entry = wpg_inst_string(inst, 3)};
    return stage;
}

/* The module after our passes. *left: as wpg_memory_is_left says. */
static wpg_module *promoted(bool *left, const uint32_t *words, size_t count)
{
    wpg_module *module = parse(words, count);
    assert_true(wpg_localise_globals(module));
    assert_true(wpg_split_composites(module));
    wpg_graphs graphs = {0};
    assert_true(wpg_promote_variables(module, &graphs));
    assert_true(wpg_drop_unused(module, &graphs));
    wpg_graphs_finish(&graphs);
    assert_true(wpg_memory_is_left(left, module));
    assert_true(wpg_drop_declarations(module));
    return module;
}

static wpg_hash128 hash_of(const uint32_t *words, size_t count)
{
    wpg_module *module = parse(words, count);
    const wpg_stage stage = stage_of(module);
    wpg_hash128 hash;
    assert_int_equal(wpg_shader_hash(&hash, module, &stage, NULL), WPG_OK);
    wpg_module_destroy(module);
    return hash;
}

/* -- Whole shaders -- */

/* The hook finds nothing to do: the shader's hash, which leaves out ids, is the same after it. True if it was
 * not needed. */
static bool nothing_is_left(const char *name, const uint32_t *words, size_t count)
{
    wpg_error err = {0};
    bool left;
    uint32_t *ours = NULL, *tools = NULL;
    size_t our_count = 0, tool_count = 0;
    wpg_module *module = promoted(&left, words, count);
    assert_int_equal(wpg_module_emit(&ours, &our_count, module, &err), WPG_OK);
    if (wpg_ssa_tier(&tools, &tool_count, ours, our_count, &err) != WPG_OK)
        fail_msg("%s: not valid after our passes: %s", name, err.message);
    const wpg_hash128 a = hash_of(ours, our_count), b = hash_of(tools, tool_count);
    if (!left && (a.low != b.low || a.high != b.high))
        fail_msg("%s: SPIRV-Tools still does something: %zu words, then %zu", name, our_count, tool_count);
    wpg_module_destroy(module);
    free(ours);
    free(tools);
    return !left;
}

static void shaders_of_the_tree(void **state)
{
    (void)state;
    glob_t found;
    unsigned all = 0, done = 0;
    assert_int_equal(glob(WPG_SOURCE_DIR "/shaders/*.[cfv][oer][mar][pgt]", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i], *stage = strrchr(path, '.') + 1;
        char *source = read_text(path);
        uint32_t *words = NULL;
        size_t count = 0;
        assert_non_null(source);
        if (!strstr(source, "#include") && assemble_glsl(&words, &count, source, stage, "vulkan1.1")) {
            wpg_module *module = parse(words, count);
            const wpg_stage at = stage_of(module);
            uint32_t *normal = NULL;
            size_t normal_count = 0;
            assert_int_equal(wpg_normalize(module, &at, NULL, NULL), WPG_OK);
            assert_int_equal(wpg_module_emit(&normal, &normal_count, module, NULL), WPG_OK);
            done += nothing_is_left(path, normal, normal_count);
            all++;
            free(normal);
            wpg_module_destroy(module);
        }
        free(words);
        free(source);
    }
    globfree(&found);
    print_message("shaders: %u, without the hook %u\n", all, done);
    assert_true(all > 10 && done > all / 2);
}

/* -- Small ones -- */

static const char *globals = ""; /* of the shaders that follow */

static char *text_of(bool *left, const char *body)
{
    char source[4096];
    uint32_t *words = NULL, *out = NULL;
    size_t count = 0, out_count = 0;
    (void)snprintf(source, sizeof source,
                   "#version 450\nlayout(local_size_x = 8) in;\n"
                   "layout(std430, binding = 0) buffer B { float data[]; } b;\n"
                   "struct pair { float x; vec2 y; };\n"
                   "%s void main() { uint i = gl_GlobalInvocationID.x; %s }",
                   globals, body);
    assert_true(assemble_glsl(&words, &count, source, "comp", "vulkan1.1"));
    wpg_module *module = promoted(left, words, count);
    assert_int_equal(wpg_module_emit(&out, &out_count, module, NULL), WPG_OK);
    char *text = disassemble(out, out_count);
    wpg_error err = {0};
    const wpg_validate_options valid = {.vulkan_minor = 1};
    if (wpg_spirv_validate(out, out_count, &valid, &err) != WPG_OK)
        fail_msg("invalid: %s\n%s", err.message, text);
    if (!*left)
        (void)nothing_is_left(body, words, count);
    wpg_module_destroy(module);
    free(words);
    free(out);
    return text;
}

static unsigned times(const char *text, const char *word)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        count++;
    return count;
}

/* How often does `word` occur after our passes? Nothing is left for the hook, unless `left`. */
static void expect(const char *body, const char *word, unsigned count, bool left)
{
    bool is_left;
    char *text = text_of(&is_left, body);
    if (times(text, word) != count || is_left != left)
        fail_msg("%s: %s %u times, left %d:\n%s", body, word, times(text, word), is_left, text);
    free(text);
}

static void values_of_variables(void **state)
{
    (void)state;
    expect("float v = b.data[0]; v += 1.0; b.data[i] = v;", "Function\n", 0, false);
    expect("float v = 1.0; if (b.data[i] > 0.0) v = 2.0; b.data[i] = v;", "OpPhi", 1, false);
    expect("float v = 1.0; for (uint k = 0u; k < i; k++) v += b.data[k]; b.data[i] = v;", "OpPhi", 2, false);
    expect("float v; if (b.data[i] > 0.0) v = 2.0; b.data[i] = v;", "OpUndef", 1, false);
    expect("vec4 v = vec4(b.data[0]); v.y = 3.0; b.data[i] = v.y + v.x;", "OpCompositeInsert", 1, false);
    expect("mat2 m = mat2(b.data[0]); m[1][0] = 3.0; b.data[i] = m[1].x;", "OpCompositeInsert", 1, false);
    expect("float v = 1.0; switch (i) { case 0: v = 2.0; case 1: v += 1.0; break; default: v = 4.0; }"
           " uint k = uint(v); switch (k) { case 2: v = 1.0; } b.data[i] = v;",
           "Function\n", 0, false);
}

static void parts_of_composites(void **state)
{
    (void)state;
    expect("pair p; p.x = b.data[0]; p.y = vec2(1.0); b.data[i] = p.x + p.y.x;", "Function\n", 0, false);
    expect("pair p; p.x = b.data[0]; p.y = vec2(1.0); pair q = p; b.data[i] = q.y.y;", "Function\n", 0,
           false);
    expect("pair p[2]; p[0].x = b.data[0]; p[1].y = vec2(1.0); b.data[i] = p[0].x + p[1].y.x;", "Function\n",
           0, false);
    /* By an index of run time it stays, and the hook leaves it alone, too. */
    expect("float p[4]; p[i & 3u] = 1.0; p[0] = 2.0; b.data[i] = p[i & 1u];", "Function\n", 1, false);
}

/* The hook makes values of a variable of the module where one function uses it, and so do we. */
static void variables_of_the_module(void **state)
{
    (void)state;
    globals = "float g;";
    expect("g = b.data[0]; g += 1.0; b.data[i] = g;", "Private\n", 0, false);
    globals = "float g; float next(float x) { g += x; return g; }";
    expect("g = b.data[0]; b.data[i] = next(1.0) + next(2.0);", "Private\n", 1, false);
    globals = "";
}

static void code_without_effect(void **state)
{
    (void)state;
    expect("float v = 0.0; for (uint k = 0u; k < i; k++) v += b.data[k]; b.data[i] = 1.0;", "OpLoopMerge", 0,
           false);
    expect("float v = 0.0; if (b.data[i] > 0.0) v = 1.0; b.data[i] = 1.0;", "OpSelectionMerge", 0, false);
    /* The break decides how often the loop runs; the branch inside does nothing. */
    expect("float v = 0.0; for (uint k = 0u; k < i; k++) { if (b.data[k] > 1.0) break; float w = v;"
           " if (v > 2.0) w = 3.0; v += 1.0; } b.data[i] = v;",
           "OpSelectionMerge", 1, false);
    expect("if (b.data[i] > 0.0) { if (b.data[1] > 0.0) return; } b.data[i] = 1.0;", "OpSelectionMerge", 2,
           false);
    expect(
        "float v = 0.0; switch (i) { case 0: if (b.data[i] > 1.0) break; v = 1.0; break; default: v = 2.0; }"
        " b.data[i] = v;",
        "OpSelectionMerge", 2, false);
}

/* Of assembly: what the passes must leave. */
static void what_stays(void **state)
{
    (void)state;
    static const char form[] =
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %%1 \"main\"\n"
        "OpExecutionMode %%1 LocalSize 8 1 1\n%s"
        "OpDecorate %%20 Block\nOpMemberDecorate %%20 0 Offset 0\nOpDecorate %%22 DescriptorSet 0\n"
        "OpDecorate %%22 Binding 0\n"
        "%%2 = OpTypeVoid\n%%3 = OpTypeFunction %%2\n%%4 = OpTypeFloat 32\n%%5 = OpConstant %%4 1\n"
        "%%6 = OpTypePointer Function %%4\n%%20 = OpTypeStruct %%4\n%%21 = OpTypePointer StorageBuffer %%20\n"
        "%%22 = OpVariable %%21 StorageBuffer\n%%23 = OpTypePointer StorageBuffer %%4\n"
        "%%24 = OpTypeInt 32 0\n%%25 = OpConstant %%24 0\n"
        "%%1 = OpFunction %%2 None %%3\n%%7 = OpLabel\n%%8 = OpVariable %%6 Function%s\n"
        "%%26 = OpAccessChain %%23 %%22 %%25\n%s%%9 = OpLoad %%4 %%8%s\nOpStore %%26 %%9\nOpReturn\n"
        "OpFunctionEnd\n";
    static const struct {
        const char *decoration, *initializer, *store, *access;
        unsigned variables;
    } cases[] = {
        {"", "", "OpStore %8 %5\n", "", 0},
        {"", " %5", "", "", 0},
        {"OpDecorate %8 RelaxedPrecision\n", "", "OpStore %8 %5\n", "", 0},
        {"", "", "OpStore %8 %5\n", " Volatile", 1},
        {"", "", "OpStore %8 %5 Volatile\n", "", 1},
        {"OpDecorate %8 Restrict\n", "", "OpStore %8 %5\n", "", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        uint32_t *words = NULL;
        size_t count = 0;
        bool left;
        (void)snprintf(text, sizeof text, form, cases[i].decoration, cases[i].initializer, cases[i].store,
                       cases[i].access);
        assert_true(assemble_text(&words, &count, text, "spv1.3"));
        wpg_module *module = promoted(&left, words, count);
        unsigned variables = 0;
        WPG_INST_EACH (inst, module)
            variables += inst->opcode == SpvOpVariable && inst->words[3] == SpvStorageClassFunction;
        if (variables != cases[i].variables || left != (variables > 0))
            fail_msg("case %zu: %u variables, left %d", i, variables, left);
        wpg_module_destroy(module);
        free(words);
    }
}

/* What is live keeps what leads to it: a loop around a loop with an effect, whose counter nobody uses; a
 * selection whose header itself breaks out of what is around it, for a phi. */
static void ways_to_what_stays(void **state)
{
    (void)state;
    static const char form[] =
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %1 \"main\" %2 %3\n"
        "OpExecutionMode %1 OriginUpperLeft\nOpDecorate %2 Location 0\nOpDecorate %3 Location 0\n"
        "OpDecorate %3 Flat\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n"
        "%int = OpTypeInt 32 1\n%uint = OpTypeInt 32 0\n%out = OpTypePointer Output %int\n"
        "%in = OpTypePointer Input %int\n%local = OpTypePointer Function %int\n%2 = OpVariable %out Output\n"
        "%3 = OpVariable %in Input\n%i0 = OpConstant %int 0\n%i1 = OpConstant %int 1\n"
        "%u0 = OpConstant %uint 0\n%no = OpConstantFalse %bool\n%1 = OpFunction %void None %fn\n"
        "%a = OpLabel\n%i = OpVariable %local Function\n%x = OpLoad %int %3\n%c = OpSLessThan %bool %x %i1\n"
        "%s\nOpReturn\nOpFunctionEnd\n";
    static const struct {
        const char *body;
        unsigned blocks;
    } cases[] = {
        {"OpStore %i %i0\nOpBranch %b\n%b = OpLabel\nOpLoopMerge %m %n None\nOpBranch %d\n%d = OpLabel\n"
         "%v = OpLoad %int %i\n%t = OpSLessThan %bool %v %x\nOpBranchConditional %t %e %m\n%e = OpLabel\n"
         "OpBranch %f\n%f = OpLabel\nOpLoopMerge %k %j None\nOpBranch %g\n%g = OpLabel\n"
         "OpStore %2 %i1\nOpBranch %j\n%j = OpLabel\nOpBranchConditional %no %f %k\n%k = OpLabel\n"
         "OpBranch %n\n%n = OpLabel\n%w = OpLoad %int %i\n%y = OpIAdd %int %w %i1\nOpStore %i %y\n"
         "OpBranch %b\n%m = OpLabel",
         10},
        {"OpSelectionMerge %m None\nOpSwitch %u0 %b\n%b = OpLabel\nOpSelectionMerge %d None\n"
         "OpBranchConditional %c %m %d\n%d = OpLabel\nOpBranch %m\n%m = OpLabel\n"
         "%p = OpPhi %int %i0 %b %i1 %d\nOpStore %2 %p",
         4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        uint32_t *words = NULL, *out = NULL;
        size_t count = 0, out_count = 0;
        bool left;
        const char *at = strstr(form, "%s\nOpReturn");
        (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - form), form, cases[i].body, at + 2);
        assert_true(assemble_text(&words, &count, text, "spv1.3"));
        wpg_module *module = promoted(&left, words, count);
        const wpg_validate_options valid = {.vulkan_minor = 1};
        wpg_error err = {0};
        unsigned blocks = 0;
        WPG_INST_EACH (inst, module)
            blocks += inst->opcode == SpvOpLabel;
        assert_int_equal(blocks, cases[i].blocks);
        assert_int_equal(wpg_module_emit(&out, &out_count, module, NULL), WPG_OK);
        if (wpg_spirv_validate(out, out_count, &valid, &err) != WPG_OK)
            fail_msg("case %zu: %s", i, err.message);
        wpg_module_destroy(module);
        free(words);
        free(out);
    }
}

/* The constant that sets the workgroup's size stays, though nothing uses it. */
static void workgroup_size(void **state)
{
    (void)state;
    uint32_t *words;
    size_t count;
    bool left;
    assert_true(assemble_glsl(&words, &count,
                              "#version 450\nlayout(local_size_x_id = 0, local_size_y = 2) in;\n"
                              "layout(std430, binding = 0) buffer B { uint d[]; };\n"
                              "void main() { d[gl_GlobalInvocationID.x] = 1u; }\n",
                              "comp", "vulkan1.1"));
    wpg_module *module = promoted(&left, words, count);
    unsigned sizes = 0;
    WPG_INST_EACH (inst, module)
        sizes += inst->opcode == SpvOpDecorate && inst->count > 3 && inst->words[2] == SpvDecorationBuiltIn &&
                 inst->words[3] == SpvBuiltInWorkgroupSize && wpg_module_def(module, inst->words[1]);
    assert_int_equal(sizes, 1);
    wpg_module_destroy(module);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_variables), cmocka_unit_test(variables_of_the_module),
        cmocka_unit_test(parts_of_composites), cmocka_unit_test(code_without_effect),
        cmocka_unit_test(what_stays),          cmocka_unit_test(ways_to_what_stays),
        cmocka_unit_test(shaders_of_the_tree), cmocka_unit_test(workgroup_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
