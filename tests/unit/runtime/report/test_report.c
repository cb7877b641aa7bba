/* The report model of a shader whose counts are made by hand: names, lines, edges, idle work, advice. What
 * the page makes of hostile names.
 *
 *     main: b0 (line 10) --if--> b1 (line 12, calls f) --> b2 (line 14, calls f)       f: line 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/analysis/graph/cfg.h"
#include "compiler/normalize/normalize.h"
#include "runtime/base/file.h"
#include "runtime/profile/pipeline_record.h"
#include "runtime/profile/profile_io.h"
#include "runtime/profile/record_name.h"
#include "runtime/report/page/page.h"
#include "tests/support/assemble.h"

enum { LANES = 64, WAVES = 8, THEN_LANES = 16, THEN_WAVES = 6 };

#define SHADER                                                                                               \
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"                                                   \
    "OpEntryPoint GLCompute %%main \"main\" %%id\nOpExecutionMode %%main LocalSize 64 1 1\n"                 \
    "%%file = OpString \"%s\"\nOpSource GLSL 450 %%file \"%s\"\nOpName %%main \"main\"\n"                    \
    "OpDecorate %%id BuiltIn LocalInvocationIndex\nOpDecorate %%out DescriptorSet 0\n"                       \
    "OpDecorate %%out Binding 0\nOpDecorate %%block Block\nOpMemberDecorate %%block 0 Offset 0\n"            \
    "%%void = OpTypeVoid\n%%fn = OpTypeFunction %%void\n%%bool = OpTypeBool\n%%u = OpTypeInt 32 0\n"         \
    "%%n = OpConstant %%u 16\n%%zero = OpConstant %%u 0\n%%in = OpTypePointer Input %%u\n"                   \
    "%%id = OpVariable %%in Input\n%%block = OpTypeStruct %%u\n"                                             \
    "%%buffer = OpTypePointer StorageBuffer %%block\n%%word = OpTypePointer StorageBuffer %%u\n"             \
    "%%out = OpVariable %%buffer StorageBuffer\n"                                                            \
    "%%main = OpFunction %%void None %%fn\n%%b0 = OpLabel\nOpLine %%file 10 1\n%%i = OpLoad %%u %%id\n"      \
    "%%c = OpULessThan %%bool %%i %%n\nOpSelectionMerge %%b2 None\nOpBranchConditional %%c %%b1 %%b2\n"      \
    "%%b1 = OpLabel\nOpLine %%file 12 1\n%%x = OpFunctionCall %%void %%f\nOpBranch %%b2\n"                   \
    "%%b2 = OpLabel\nOpLine %%file 14 1\n%%y = OpFunctionCall %%void %%f\nOpReturn\nOpFunctionEnd\n"         \
    "%%f = OpFunction %%void None %%fn\n%%g0 = OpLabel\nOpLine %%file 3 1\n"                                 \
    "%%p = OpAccessChain %%word %%out %%zero\nOpStore %%p %%n\nOpReturn\nOpFunctionEnd\n"

typedef struct made {
    char folder[64], profile[128], spirv[128];
    wpg_report *report;
} made;

static wpg_status checksum_of(uint64_t *checksum, wpg_hash128 *hash, const uint32_t *words, size_t count)
{
    const wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    wpg_module *module = NULL;
    wpg_cfg *cfg = NULL;
    wpg_error err;
    if (wpg_module_parse(&module, words, count, &err) != WPG_OK ||
        wpg_shader_hash(hash, module, &stage, &err) != WPG_OK ||
        wpg_normalize(module, &stage, NULL, &err) != WPG_OK ||
        wpg_cfg_create(&cfg, module, wpg_next_function(module->first), &err) != WPG_OK)
        fail_msg("%s", err.message);
    assert_int_equal(cfg->count, 3);
    *checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION);
    wpg_cfg_destroy(cfg);
    wpg_module_destroy(module);
    return WPG_OK;
}

static void add(wpg_profile *profile, wpg_hash128 hash, uint64_t checksum, wpg_record_kind kind,
                const uint64_t counters[3])
{
    char entry[] = "main";
    wpg_record_name name = {.shader = hash, .stage = "comp", .entry = entry, .kind = kind};
    char *text = NULL;
    wpg_error err;
    if (wpg_record_name_compose(&text, &name, &err) != WPG_OK ||
        wpg_profile_add(profile, text, checksum, counters, 3, 1, &err) != WPG_OK)
        fail_msg("%s", err.message);
    free(text);
}

/* A profile and the shader beside it, loaded. then_lanes 0: the side never ran. */
static made make(const char *file, const char *source, uint64_t then_lanes)
{
    made m = {.folder = "/tmp/wpg-report-XXXXXX"};
    char text[8192], hex[WPG_HASH_HEX + 1];
    uint32_t *words = NULL;
    size_t count = 0;
    wpg_hash128 hash;
    uint64_t checksum;
    wpg_error err;
    assert_non_null(mkdtemp(m.folder));
    (void)snprintf(text, sizeof text, SHADER, file, source);
    assert_true(assemble_text(&words, &count, text, "spv1.3"));
    (void)checksum_of(&checksum, &hash, words, count);
    wpg_hash_to_hex(hex, hash);
    (void)snprintf(m.spirv, sizeof m.spirv, "%s/%s.spv", m.folder, hex);
    (void)snprintf(m.profile, sizeof m.profile, "%s/one.profdata", m.folder);
    assert_int_equal(wpg_file_write_atomic(m.spirv, words, count * 4, &err), WPG_OK);
    free(words);
    wpg_profile *profile = wpg_profile_create();
    const uint64_t waves = then_lanes ? THEN_WAVES : 0;
    add(profile, hash, checksum, WPG_RECORD_LANES, (const uint64_t[]){LANES, then_lanes, LANES});
    add(profile, hash, checksum, WPG_RECORD_WAVES, (const uint64_t[]){WAVES, waves, WAVES});
    add(profile, hash, checksum, WPG_RECORD_UNIFORM, (const uint64_t[]){WAVES, 0, WAVES});
    assert_int_equal(wpg_profile_write_file(m.profile, profile, WPG_PROFILE_INDEXED, &err), WPG_OK);
    wpg_profile_destroy(profile);
    const char *const places[] = {m.folder};
    const wpg_report_options options = {.path = m.profile, .places = places, .place_count = 1};
    if (wpg_report_load(&m.report, &options, &err) != WPG_OK || wpg_report_advise(m.report, &err) != WPG_OK)
        fail_msg("%s", err.message);
    assert_int_equal(m.report->shader_count, 1);
    return m;
}

static void clear(made *m)
{
    wpg_report_destroy(m->report);
    (void)unlink(m->profile);
    (void)unlink(m->spirv);
    (void)rmdir(m->folder);
}

static const wpg_report_line *line_at(const made *m, uint32_t number)
{
    const wpg_report_shader *shader = &m->report->shaders[0];
    for (size_t i = 0; i < shader->line_count; i++)
        if (shader->lines[i].line == number)
            return &shader->lines[i];
    return NULL;
}

static bool near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

static void test_model(void **state)
{
    (void)state;
    made m = make("shaders/scene.comp", "void main() {}", THEN_LANES);
    const wpg_report_shader *shader = &m.report->shaders[0];
    char place[100];
    assert_true(shader->has_module);
    assert_string_equal(shader->name, "scene.comp");
    assert_int_equal(m.report->files.count, 1);
    assert_string_equal(m.report->files.data[0].text, "void main() {}");
    assert_string_equal(wpg_report_place(place, sizeof place, m.report, shader, 0, 0), "scene.comp:10 if");
    assert_string_equal(wpg_report_place(place, sizeof place, m.report, shader, 0, 9), "block 9");
    /* Line 3 stands in two copies of f. */
    assert_int_equal(shader->line_count, 4);
    assert_int_equal(line_at(&m, 10)->lanes, LANES);
    assert_int_equal(line_at(&m, 12)->lanes, THEN_LANES);
    assert_int_equal(line_at(&m, 12)->waves, THEN_WAVES);
    assert_int_equal(line_at(&m, 14)->lanes, LANES);
    assert_int_equal(line_at(&m, 3)->lanes, THEN_LANES + LANES);
    assert_int_equal(line_at(&m, 3)->waves, THEN_WAVES + WAVES);
    /* Edges by conservation. */
    const wpg_report_function *function = &shader->functions[0];
    assert_int_equal(function->edge_count, 3);
    for (size_t i = 0; i < function->edge_count; i++) {
        const wpg_report_edge *edge = &function->edges[i];
        assert_true(edge->known);
        assert_int_equal(edge->lanes, edge->from == 0 && edge->to == 2 ? LANES - THEN_LANES : THEN_LANES);
    }
    clear(&m);
}

/* Six waves of eight lanes run b1 with 16 lanes: 32 idle in each of its instructions. */
static void test_idle(void **state)
{
    (void)state;
    made m = make("scene.comp", "", THEN_LANES);
    const wpg_report_function *function = &m.report->shaders[0].functions[0];
    assert_int_equal(function->branch_count, 1);
    assert_int_equal(function->branches[0].block, 0);
    assert_true(function->blocks[1].instructions > 0);
    const double idle = function->branches[0].idle, work = (double)m.report->shaders[0].work_lanes;
    assert_true(
        near(idle, (THEN_WAVES * LANES / WAVES - THEN_LANES) * (double)function->blocks[1].instructions));
    assert_int_equal(function->branches[0].never, WPG_REPORT_NONE);
    assert_int_equal(m.report->advice.count, 1);
    assert_int_equal(m.report->advice.data[0].kind, WPG_ADVICE_DIVERGE);
    assert_true(near(m.report->advice.data[0].saving, idle / (work + idle)));
    clear(&m);
    /* A side that no lane took. */
    m = make("scene.comp", "", 0);
    function = &m.report->shaders[0].functions[0];
    assert_int_equal(function->branches[0].never, 1);
    assert_int_equal(function->branches[0].never_instructions, function->blocks[1].instructions);
    clear(&m);
}

static void test_find(void **state)
{
    (void)state;
    made m = make("scene.comp", "", THEN_LANES);
    char both[64];
    uint32_t index;
    wpg_error err;
    assert_int_equal(wpg_report_find_shader(&index, m.report, "scene", &err), WPG_OK);
    assert_int_equal(wpg_report_find_shader(&index, m.report, m.report->shaders[0].hex, &err), WPG_OK);
    (void)snprintf(both, sizeof both, "scene %.4s", m.report->shaders[0].hex);
    assert_int_equal(wpg_report_find_shader(&index, m.report, both, &err), WPG_OK);
    assert_int_equal(wpg_report_find_shader(&index, m.report, "scenery", &err), WPG_E_NOT_FOUND);
    assert_int_equal(wpg_report_find_shader(&index, m.report, "", &err), WPG_E_NOT_FOUND);
    clear(&m);
}

/* A page's script ends at the first "</script", wherever it stands; a terminal obeys control characters. */
static void test_hostile(void **state)
{
    (void)state;
    made m = make("x</script><b>\xc3\xa4\x1b[31m",
                  "</script><img src=x onerror=alert(1)> <!-- \xff \xe2\x82\xac", THEN_LANES);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    wpg_report_page(out, m.report);
    assert_int_equal(fclose(out), 0);
    assert_null(strstr(text, "<b>"));
    assert_null(strstr(text, "<img"));
    assert_null(strstr(text, "<!--"));
    assert_null(strchr(text, 0x1b));
    assert_non_null(strstr(text, "\\u00ff \\u20ac")); /* a byte that is no UTF-8; the euro's sign */
    assert_null(strchr(m.report->shaders[0].name, 0x1b));
    free(text);
    clear(&m);
}

/* Two shaders of one block, waves in three and one; a pipeline has the second alone. */
static void test_alone(void **state)
{
    (void)state;
    char folder[] = "/tmp/wpg-report-XXXXXX", path[64], entry[] = "main", *text = NULL;
    wpg_error err;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/two.profdata", folder);
    wpg_profile *profile = wpg_profile_create();
    for (uint64_t i = 1; i <= 2; i++) {
        const uint64_t waves = i == 1 ? 30 : 10;
        wpg_record_name name = {
            .shader = {.low = i, .high = i}, .stage = "comp", .entry = entry, .kind = WPG_RECORD_LANES};
        for (int kind = 0; kind < 2; kind++) {
            name.kind = kind ? WPG_RECORD_WAVES : WPG_RECORD_LANES;
            assert_int_equal(wpg_record_name_compose(&text, &name, &err), WPG_OK);
            assert_int_equal(
                wpg_profile_add(profile, text, 7, (const uint64_t[]){kind ? waves : 8 * waves}, 1, 1, &err),
                WPG_OK);
            free(text);
        }
        const uint64_t used[WPG_PIPELINE_COUNTERS] = {1, 80, 10, 1};
        assert_int_equal(wpg_pipeline_record_compose(&text, (wpg_hash128){9, 9}, &name, &err), WPG_OK);
        if (i == 2)
            assert_int_equal(wpg_profile_add(profile, text, 0, used, WPG_PIPELINE_COUNTERS, 1, &err), WPG_OK);
        free(text);
    }
    assert_int_equal(wpg_profile_write_file(path, profile, WPG_PROFILE_INDEXED, &err), WPG_OK);
    wpg_profile_destroy(profile);
    wpg_report *report = NULL;
    const wpg_report_options options = {.path = path};
    assert_int_equal(wpg_report_load(&report, &options, &err), WPG_OK);
    assert_int_equal(report->pipeline_count, 1);
    assert_int_equal(report->alone_count, 1);
    assert_true(report->alone > 0.749 && report->alone < 0.751);
    assert_true(report->pipelines[0].cost > 0.249 && report->pipelines[0].cost < 0.251);
    wpg_report_destroy(report);
    (void)unlink(path);
    (void)rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_model), cmocka_unit_test(test_idle),
                                       cmocka_unit_test(test_find), cmocka_unit_test(test_hostile),
                                       cmocka_unit_test(test_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
