/* Exports of a report made by hand: names that would leave a folder, shaders of one file, counts that are
 * absent, costs that do not divide. Counts of real shaders: tests/e2e/export.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "runtime/report/export/export.h"
#include "runtime/report/model/source_names.h"
#include "runtime/report/export/stacks.h"

enum { SHADERS = 3, PIPELINES = 2, FILES = 9 };

static wpg_report_file files[FILES] = {{.name = "../../etc/x y", .text = "1"},
                                       {.name = "/etc/x", .text = "2"},
                                       {.name = "a/b.comp", .text = "3"},
                                       {.name = "a_b.comp", .text = "4"},
                                       {.name = "same.comp", .text = "5"},
                                       {.name = "same.comp", .text = "6"},
                                       {.name = "line\nbreak", .text = NULL},
                                       {.name = "a/b.comp", .text = NULL},
                                       {.name = "made.comp", .text = "7", .generated = true}};

static const wpg_report_line lines_a[] = {{2, 5, 10, 4, 0}, {2, 6, 0, 0, 0}, {7, 9, UINT64_MAX, 1, 0}};
static const wpg_report_line lines_b[] = {{2, 5, 7, 0, 0}, {2, 9, 3, 0, 0}};
static const wpg_report_source_function functions_a[] = {{"main", 2, 5, 10, 4}, {"main", 2, 9, 0, 0}};
static const wpg_report_line_part parts_a[] = {{0, 2, 5, 10, 4, 0, 30, 1},
                                               {0, 2, 6, 10, 4, 0, 30, 1},
                                               {1, 7, 9, 10, 4, 0, 30, 1},
                                               {1, 7, 10, 0, 0, 0, 0, 0}};
static const wpg_report_source_branch branches_a[] = {
    {.file = 2, .line = 5, .has_waves = true, .lanes = {8, 2}, .waves = {3, 4}},
    {.file = 2, .line = 5, .ordinal = 1, .lanes = {0, 0}}};
static const wpg_report_source_branch branches_b[] = {{.file = 2, .line = 5, .lanes = {1, 6}}};

static wpg_report_shader shaders[SHADERS] = {{.hex = "aaaaaaaaaaaaaaaa",
                                              .stage = "comp",
                                              .entry = "main",
                                              .name = "a;b\n",
                                              .has_lanes = true,
                                              .has_waves = true,
                                              .has_module = true,
                                              .lines = lines_a,
                                              .line_count = 3,
                                              .source_functions = functions_a,
                                              .source_function_count = 2,
                                              .line_parts = parts_a,
                                              .line_part_count = 4,
                                              .source_branches = branches_a,
                                              .source_branch_count = 2,
                                              .pipeline_count = 1,
                                              .cost = 100},
                                             {.hex = "bbbbbbbbbbbbbbbb",
                                              .stage = "vert",
                                              .entry = "main",
                                              .name = "b",
                                              .has_lanes = true,
                                              .has_module = true,
                                              .lines = lines_b,
                                              .line_count = 2,
                                              .source_branches = branches_b,
                                              .source_branch_count = 1,
                                              .pipeline_count = 1,
                                              .cost = 50,
                                              .lanes = 7,
                                              .work_lanes = 50},
                                             {.hex = "cccccccccccccccc",
                                              .stage = "frag",
                                              .entry = "main",
                                              .name = "alone",
                                              .has_lanes = true,
                                              .cost = 5}};
static wpg_report_stage stages[] = {{.shader = 0, .work = 100}, {.shader = 1, .work = 50}};
static wpg_report_pipeline pipelines[PIPELINES] = {
    {.hex = "1111111111111111", .name = "both", .stages = stages, .stage_count = 2, .work = 150},
    {.hex = "2222222222222222", .name = "idle", .has_time = true, .gpu_ns = 40}};

static wpg_report make(void)
{
    pipelines[0].gpu_ns = 100;
    wpg_report report = {.path = "dir/ga\xc3\xa4me",
                         .shaders = shaders,
                         .shader_count = SHADERS,
                         .pipelines = pipelines,
                         .pipeline_count = PIPELINES};
    report.files.data = files;
    report.files.count = FILES;
    return report;
}

typedef wpg_status print_function(FILE *out, const wpg_report *report, const wpg_report_export *options);

static char *print(print_function *printer, const wpg_report *report, const wpg_report_export *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(printer(out, report, options), WPG_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* -- Names */

static void test_names_in_a_folder(void **state)
{
    (void)state;
    const wpg_report report = make();
    wpg_source_names names;
    assert_int_equal(wpg_source_names_make(&names, &report, "out"), WPG_OK);
    for (size_t i = 0; i < FILES; i++) {
        const char *name = names.files[i].name;
        if (!files[names.files[i].file].text || files[i].generated)
            continue;
        assert_int_equal(strncmp(name, "out/", 4), 0);
        assert_null(strchr(name + 4, '/')); /* one component, hence no way out of the folder */
        assert_int_not_equal(name[4], '.');
        for (size_t k = 0; k < i; k++)
            assert_true(names.files[k].file == names.files[i].file || strcmp(names.files[k].name, name) != 0);
    }
    assert_string_equal(names.files[0].name, "out/_.._.._etc_x_y");
    assert_string_equal(names.files[1].name, "out/etc_x");
    assert_int_equal(strncmp(names.files[2].name, "out/a_b.comp@", 13), 0); /* as a_b.comp would be */
    assert_int_equal(strncmp(names.files[3].name, "out/a_b.comp@", 13), 0);
    assert_int_equal(names.files[7].file, 2); /* without text: the only text of that name */
    assert_string_equal(names.files[8].name, "made.comp");
    wpg_source_names_finish(&names);
}

static void test_names_of_modules(void **state)
{
    (void)state;
    const wpg_report report = make();
    wpg_source_names names;
    assert_int_equal(wpg_source_names_make(&names, &report, NULL), WPG_OK);
    assert_string_equal(names.files[0].name, "../../etc/x y");
    assert_string_equal(names.files[2].name, "a/b.comp");
    assert_string_equal(names.files[7].name, "a/b.comp");
    assert_string_equal(names.files[6].name, "line_break");
    assert_int_equal(strncmp(names.files[4].name, "same.comp@", 10), 0);
    assert_int_equal(strncmp(names.files[5].name, "same.comp@", 10), 0);
    assert_string_not_equal(names.files[4].name, names.files[5].name);
    wpg_source_names_finish(&names);
}

static void test_dots_alone(void **state)
{
    (void)state;
    static const char *const bad[] = {"..", ".", "/", "///", "..\\..\\x", "-rf", "/../.."};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wpg_report_file file = {.name = bad[i], .text = "x"};
        wpg_report report = {0};
        wpg_source_names names;
        report.files.data = &file;
        report.files.count = 1;
        assert_int_equal(wpg_source_names_make(&names, &report, "out"), WPG_OK);
        assert_int_equal(strncmp(names.files[0].name, "out/_", 5), 0);
        assert_null(strpbrk(names.files[0].name + 4, "/\\"));
        wpg_source_names_finish(&names);
    }
}

/* -- Lines */

static void test_lcov_lanes(void **state)
{
    (void)state;
    const wpg_report report = make();
    const wpg_report_export options = {.test = "ga\xc3\xa4 me"};
    char *text = print(wpg_report_lcov, &report, &options);
    assert_string_equal(text, "TN:ga___me\nSF:a/b.comp\n"
                              "FN:5,main\nFNDA:10,main\nFN:9,main:9\nFNDA:0,main:9\nFNF:2\nFNH:1\n"
                              "BRDA:5,0,0,9\nBRDA:5,0,1,8\nBRDA:5,1,0,-\nBRDA:5,1,1,-\nBRF:4\nBRH:2\n"
                              "DA:5,17\nDA:6,0\nDA:9,18446744073709551615\nLF:3\nLH:2\nend_of_record\n");
    free(text);
}

/* The vertex shader has no waves: absent, not zero. A branch without waves is left out. */
static void test_lcov_waves(void **state)
{
    (void)state;
    const wpg_report report = make();
    const wpg_report_export options = {.waves = true};
    char *text = print(wpg_report_lcov, &report, &options);
    assert_string_equal(text, "TN:\nSF:a/b.comp\n"
                              "FN:5,main\nFNDA:4,main\nFN:9,main:9\nFNDA:0,main:9\nFNF:2\nFNH:1\n"
                              "BRDA:5,0,0,3\nBRDA:5,0,1,4\nBRF:2\nBRH:2\n"
                              "DA:5,4\nDA:6,0\nDA:9,1\nLF:3\nLH:2\nend_of_record\n");
    free(text);
}

/* A generated file is no source. */
static void test_lcov_generated(void **state)
{
    (void)state;
    wpg_report report = make();
    const wpg_report_export options = {0};
    shaders[0].is_generated = shaders[1].is_generated = true;
    char *text = print(wpg_report_lcov, &report, &options);
    shaders[0].is_generated = shaders[1].is_generated = false;
    assert_string_equal(text, "");
    free(text);
}

static void test_callgrind(void **state)
{
    (void)state;
    const wpg_report report = make();
    const wpg_report_export options = {0};
    char *text = print(wpg_report_callgrind, &report, &options);
    assert_non_null(strstr(text, "desc: Waves: not measured in 2 of 3 shaders, 0 stands there\n"));
    assert_non_null(strstr(text, "\nob=comp a;b_ aaaaaaaa\nfl=a/b.comp\nfn=main\n5 10 4 30\n6 10 4 30\n"));
    assert_non_null(strstr(text, "\nob=vert b bbbbbbbb\nfl=???\nfn=main\n0 7 0 50\n"));
    assert_non_null(strstr(text, "\ntotals: 37 12 140\n"));
    free(text);
}

/* -- Costs */

static uint64_t sum_of(const wpg_report_stacks *stacks, uint32_t pipeline)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < stacks->count; i++)
        if (stacks->data[i].pipeline == pipeline)
            sum += stacks->data[i].weight;
    return sum;
}

/* 100 ns: two thirds are the first stage's, whose three lines with work are alike. */
static void test_stacks_of_time(void **state)
{
    (void)state;
    wpg_report report = make();
    report.cost_is_time = true;
    wpg_report_stacks stacks;
    assert_int_equal(wpg_report_stacks_make(&stacks, &report), WPG_OK);
    assert_int_equal(stacks.count, 5); /* 3 lines, the shader without parts, the pipeline without work */
    assert_int_equal(sum_of(&stacks, 0), 100);
    assert_int_equal(sum_of(&stacks, 1), 40);
    static const uint64_t weights[] = {22, 23, 22, 33, 40};
    for (size_t i = 0; i < stacks.count; i++)
        assert_int_equal(stacks.data[i].weight, weights[i]);
    assert_int_equal(stacks.data[4].shader, WPG_REPORT_NONE);
    wpg_vec_free(&stacks);
}

static void test_folded_work(void **state)
{
    (void)state;
    const wpg_report report = make();
    char *text = print(wpg_report_folded, &report, NULL);
    assert_string_equal(text, "both 11111111;comp a_b_ aaaaaaaa;main;b.comp:5 33\n"
                              "both 11111111;comp a_b_ aaaaaaaa;main;b.comp:6 34\n"
                              "both 11111111;comp a_b_ aaaaaaaa;main;b.comp:9 33\n"
                              "both 11111111;vert b bbbbbbbb 50\n"
                              "(no pipeline);frag alone cccccccc 5\n");
    free(text);
}

static json_t *parse(char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);
    if (!json)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return json;
}

static void test_speedscope(void **state)
{
    (void)state;
    const wpg_report report = make();
    json_t *json = parse(print(wpg_report_speedscope, &report, NULL)), *profile, *stack, *weight;
    const size_t frames = json_array_size(json_object_get(json_object_get(json, "shared"), "frames"));
    size_t index, at;
    assert_int_equal(json_array_size(json_object_get(json, "profiles")), 2);
    json_array_foreach(json_object_get(json, "profiles"), index, profile)
    {
        json_int_t sum = 0;
        const json_t *samples = json_object_get(profile, "samples"),
                     *weights = json_object_get(profile, "weights");
        assert_int_equal(json_array_size(samples), json_array_size(weights));
        json_array_foreach(weights, at, weight) sum += json_integer_value(weight);
        assert_int_equal(sum, json_integer_value(json_object_get(profile, "endValue")));
        assert_int_equal(sum, 155);
        json_array_foreach(samples, at, stack)
        {
            assert_in_range(json_array_size(stack), 1, index ? WPG_STACK_FRAMES : 1);
            for (size_t k = 0; k < json_array_size(stack); k++)
                assert_in_range(json_integer_value(json_array_get(stack, k)), 0, frames - 1);
        }
    }
    json_decref(json);
}

/* Each row's events lie one after another and inside what they are parts of. */
static void test_chrome_trace(void **state)
{
    (void)state;
    const wpg_report report = make();
    json_t *json = parse(print(wpg_report_chrome_trace, &report, NULL)), *event;
    size_t index, complete = 0;
    double end[4] = {0};
    json_array_foreach(json_object_get(json, "traceEvents"), index, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0)
            continue;
        const char *category = json_string_value(json_object_get(event, "cat"));
        const size_t kind = strcmp(category, "pipeline") != 0 ? strcmp(category, "shader") == 0 ? 2 : 3
                            : json_integer_value(json_object_get(event, "tid")) == 1 ? 0
                                                                                     : 1;
        const double start = json_number_value(json_object_get(event, "ts"));
        assert_true(start >= end[kind] - 1e-9);
        end[kind] = start + json_number_value(json_object_get(event, "dur"));
        assert_true(kind < 2 || end[kind] <= end[kind - 1] + 1e-9);
        complete++;
    }
    assert_int_equal(complete, 2 * 2 + 3 + 3);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_in_a_folder), cmocka_unit_test(test_names_of_modules),
        cmocka_unit_test(test_dots_alone),        cmocka_unit_test(test_lcov_lanes),
        cmocka_unit_test(test_lcov_waves),        cmocka_unit_test(test_lcov_generated),
        cmocka_unit_test(test_callgrind),         cmocka_unit_test(test_stacks_of_time),
        cmocka_unit_test(test_folded_work),       cmocka_unit_test(test_speedscope),
        cmocka_unit_test(test_chrome_trace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
