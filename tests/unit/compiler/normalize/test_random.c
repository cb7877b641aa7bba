/* Random programs give the same results before and after the CFG tier, on the software driver, with default
 * and with given specialisation values. WPG_TEST_PROGRAMS says how many, WPG_TEST_SEED where to begin. */
#include "compute.h"
#include "generate.h"
#include "tests/support/effort.h"

static compute device;

static const wpg_spec_value given[] = {{0, 4, 5}, {1, 4, 3}, {2, 4, 0}};

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

static void expect_same(const uint32_t *expected, const words *w, const wpg_stage *stage, const char *name)
{
    uint32_t got[COMPUTE_WORDS];
    compute_run(&device, got, w, stage, COMPUTE_WORDS / 64);
    for (uint32_t i = 0; i < COMPUTE_WORDS; i++)
        if (expected[i] != got[i])
            fail_msg("%s: invocation %u gives %08x, not %08x", name, i, got[i], expected[i]);
}

static void compare(const words *before, const wpg_stage *stage, uint64_t seed, const char *what,
                    wpg_normal_info *total)
{
    uint32_t expected[COMPUTE_WORDS];
    wpg_normal_info info;
    wpg_error err = {0};
    char name[64];
    (void)snprintf(name, sizeof name, "program %llu, %s", (unsigned long long)seed, what);
    words after = normal_form(before, stage, &info, name), ssa = {0};
    total->calls_inlined += info.calls_inlined;
    total->calls_kept += info.calls_kept;
    total->branches_folded += info.branches_folded;
    compute_run(&device, expected, before, stage, COMPUTE_WORDS / 64);
    expect_same(expected, &after, stage, name);
    if (wpg_ssa_tier(&ssa.data, &ssa.count, after.data, after.count, &err))
        fail_msg("%s: %s", name, err.message);
    assert_valid(&ssa, name);
    (void)snprintf(name, sizeof name, "program %llu, %s, SSA tier", (unsigned long long)seed, what);
    expect_same(expected, &ssa, stage, name);
    free(ssa.data);
    free(after.data);
}

static void one_program(uint64_t seed, wpg_normal_info *total)
{
    static char text[GENERATED_TEXT];
    char source[128], optimised[128], command[600];
    (void)snprintf(source, sizeof source, "%s/random.comp", scratch_dir());
    (void)snprintf(optimised, sizeof optimised, "%s/optimised.spv", scratch_dir());
    generate(text, seed);
    assert_true(strlen(text) < GENERATED_TEXT - 1);
    write_text(source, text);
    words plain = compile_file(source);
    if (!is_valid(
            &plain)) { /* glslang 12 hoists some short circuits of constants out of reach of their operands */
        print_message("program %llu: the front end gives an invalid module\n", (unsigned long long)seed);
        free(plain.data);
        return;
    }
    wpg_stage stage = {.model = SpvExecutionModelGLCompute, .entry = "main"};
    wpg_stage special = stage;
    special.spec = given;
    special.spec_count = sizeof given / sizeof *given;
    compare(&plain, &stage, seed, "defaults", total);
    compare(&plain, &special, seed, "values given", total);
    /* The shapes optimisers leave: phis, merged blocks, branches to merges without headers of their own. */
    (void)snprintf(command, sizeof command,
                   "spirv-opt --eliminate-local-single-block --eliminate-local-single-store --ssa-rewrite "
                   "--eliminate-dead-code-aggressive --merge-blocks --cfg-cleanup --simplify-instructions "
                   "%s/compiled.spv -o %s",
                   scratch_dir(), optimised);
    assert_true(run_tool(command));
    words shaped = read_words(optimised);
    assert_valid(&shaped, "spirv-opt");
    compare(&shaped, &stage, seed, "optimised", total);
    compare(&shaped, &special, seed, "optimised, values given", total);
    free(shaped.data);
    free(plain.data);
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void test_programs(void **state)
{
    (void)state;
    if (!compute_open(&device)) {
        skip();
        return;
    }
    wpg_normal_info total = {0};
    /* Seeds that found something: a phi over a folded edge, an operation hoisted by the front end. */
    static const uint64_t known[] = {5, 1031, 1082, 2019};
    uint64_t first = number("WPG_TEST_SEED", 1), count = number("WPG_TEST_PROGRAMS", effort_count(4, 40));
    for (uint64_t i = 0; i < count; i++)
        one_program(first + i, &total);
    for (size_t i = 0; i < sizeof known / sizeof *known && !getenv("WPG_TEST_SEED"); i++)
        one_program(known[i], &total);
    print_message("%u calls inlined, %u kept, %u branches folded\n", total.calls_inlined, total.calls_kept,
                  total.branches_folded);
    assert_true(total.calls_inlined > count);
    assert_true(total.branches_folded > count);
    compute_close(&device);
    remove_scratch();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
