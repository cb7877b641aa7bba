/* Every file of tests/golden/normalize: compiled, normalised, and held against the expectations in its first
 * line (`expect: key=value ...`): counters of wpg_normal_info, functions and blocks of the normal form, part
 * of the reason why a call stays, part of an error message. `run` runs it on the software driver before and
 * after, and after the SSA tier. All outputs are valid, deterministic and their own normal form. */
#include <dirent.h>

#include "compute.h"

static compute device;
static bool has_device;

typedef struct expectation {
    char keys[16][32], values[16][64];
    int count;
    bool run;
    wpg_spec_value spec[8];
    size_t spec_count;
} expectation;

static void read_spec(expectation *e, const char *text)
{
    unsigned id, size;
    unsigned long long bits;
    int used;
    while (sscanf(text, "%u:%u:%llu%n", &id, &size, &bits, &used) == 3 && e->spec_count < 8) {
        e->spec[e->spec_count++] = (wpg_spec_value){id, size, bits};
        text += used + (text[used] == ',');
    }
}

static expectation read_expectation(const char *path)
{
    expectation e = {0};
    char line[512];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    (void)fclose(file);
    char *at = strstr(line, "expect:");
    if (!at)
        fail_msg("%s: no expectations", path);
    for (char *word = strtok(at + 7, " \n"); word && e.count < 16; word = strtok(NULL, " \n")) {
        char *equals = strchr(word, '=');
        if (!equals) {
            e.run |= !strcmp(word, "run");
            continue;
        }
        *equals = 0;
        if (!strcmp(word, "spec"))
            read_spec(&e, equals + 1);
        (void)snprintf(e.keys[e.count], sizeof e.keys[0], "%s", word);
        (void)snprintf(e.values[e.count++], sizeof e.values[0], "%s", equals + 1);
    }
    return e;
}

static const char *expected(const expectation *e, const char *key)
{
    for (int i = 0; i < e->count; i++)
        if (!strcmp(e->keys[i], key))
            return e->values[i];
    return NULL;
}

static void check_number(const expectation *e, const char *key, uint32_t got, const char *name)
{
    const char *want = expected(e, key);
    if (want && strtoul(want, NULL, 10) != got)
        fail_msg("%s: %s is %u, not %s", name, key, got, want);
}

static void check_same(const words *a, const words *b, const wpg_stage *stage, const char *name,
                       const char *what)
{
    uint32_t want[COMPUTE_WORDS], got[COMPUTE_WORDS];
    compute_run(&device, want, a, stage, COMPUTE_WORDS / 64);
    compute_run(&device, got, b, stage, COMPUTE_WORDS / 64);
    for (uint32_t i = 0; i < COMPUTE_WORDS; i++)
        if (want[i] != got[i])
            fail_msg("%s, %s: invocation %u gives %08x, not %08x", name, what, i, got[i], want[i]);
}

static SpvExecutionModel model_of(const char *name)
{
    return strstr(name, ".frag") ? SpvExecutionModelFragment : SpvExecutionModelGLCompute;
}

static void check_error(const words *in, const wpg_stage *stage, const char *want, const char *name)
{
    wpg_error err = {0};
    wpg_module *module = parse(in);
    assert_int_equal(wpg_normalize(module, stage, NULL, &err), WPG_E_FORMAT);
    if (!strstr(err.message, want))
        fail_msg("%s: \"%s\" does not say \"%s\"", name, err.message, want);
    wpg_module_destroy(module);
}

static void check_file(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, GOLDEN_DIR "%s", name);
    expectation e = read_expectation(path);
    words in = compile_file(path);
    wpg_stage stage = {.model = model_of(name), .entry = "main", .spec = e.spec, .spec_count = e.spec_count};
    if (expected(&e, "error")) {
        check_error(&in, &stage, expected(&e, "error"), name);
        free(in.data);
        return;
    }
    assert_valid(&in, name);
    wpg_normal_info info, again;
    words out = normal_form(&in, &stage, &info, name), second = normal_form(&in, &stage, &again, name);
    assert_int_equal(out.count, second.count);
    assert_memory_equal(out.data, second.data, out.count * 4);
    check_number(&e, "dropped", info.entry_points_dropped, name);
    check_number(&e, "frozen", info.constants_frozen, name);
    check_number(&e, "inlined", info.calls_inlined, name);
    check_number(&e, "kept", info.calls_kept, name);
    check_number(&e, "folded", info.branches_folded, name);
    check_number(&e, "removed", info.blocks_removed, name);
    check_number(&e, "functions", count_of(&out, SpvOpFunction), name);
    check_number(&e, "blocks", count_of(&out, SpvOpLabel), name);
    check_number(&e, "kept", count_of(&out, SpvOpFunctionCall), name);
    check_number(&e, "switches", count_of(&out, SpvOpSwitch), name);
    check_number(&e, "spec-ops", count_of(&out, SpvOpSpecConstantOp), name);
    check_number(&e, "lines", count_of(&out, SpvOpLine), name);
    check_number(&e, "decorations", count_of(&out, SpvOpDecorate), name);
    const char *because = expected(&e, "because");
    if (because && !strstr(info.kept_because, because))
        fail_msg("%s: kept because \"%s\"", name, info.kept_because);
    words ssa = {0};
    wpg_error err = {0};
    if (wpg_ssa_tier(&ssa.data, &ssa.count, out.data, out.count, &err))
        fail_msg("%s: %s", name, err.message);
    assert_valid(&ssa, name);
    if (e.run && has_device) {
        check_same(&in, &out, &stage, name, "normal form");
        check_same(&in, &ssa, &stage, name, "SSA tier");
    }
    free(ssa.data);
    free(second.data);
    free(out.data);
    free(in.data);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void test_files(void **state)
{
    (void)state;
    struct dirent **entries;
    int count = scandir(GOLDEN_DIR, &entries, NULL, by_name), files = 0;
    assert_true(count > 2);
    has_device = compute_open(&device);
    if (!has_device)
        print_message("no device: nothing is run\n");
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            check_file(entries[i]->d_name);
            files++;
        }
        free(entries[i]);
    }
    free(entries);
    print_message("%d files\n", files);
    assert_true(files >= 10);
    compute_close(&device);
    remove_scratch();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
