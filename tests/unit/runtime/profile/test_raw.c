/* Raw profiles: what we write, stock llvm-profdata merges and shows, and we read back. */
#include <zlib.h>

#include "runtime/profile/profile_format.h"
#include "tests/unit/runtime/profile/profile_test.h"

static void tool_takes(int tool_version, wpg_profile_format format)
{
    const char *tool = need_profdata(tool_version);
    wpg_profile *sample = sample_profile();
    const char *raw = scratch_file("a.profraw"), *merged = scratch_file("a.profdata");
    save(raw, sample, format);
    expect_shown(tool, raw, sample);
    char *said = run("'%s' merge -o '%s' '%s'", tool, merged, raw);
    assert_string_equal(said, ""); /* no warning */
    free(said);
    expect_shown(tool, merged, sample);
    wpg_profile *back = load(merged);
    expect_equal(sample, back);
    wpg_profile_destroy(back);
    wpg_profile_destroy(sample);
}

static void raw_8_by_llvm_14(void **state)
{
    (void)state;
    tool_takes(14, WPG_PROFILE_RAW_8);
}

static void raw_10_by_llvm_19(void **state)
{
    (void)state;
    tool_takes(19, WPG_PROFILE_RAW_10);
}

static void raw_10_by_llvm_22(void **state)
{
    (void)state;
    tool_takes(22, WPG_PROFILE_RAW_10);
}

/* The tool adds files up as we do, and reads profiles behind each other in one file. */
static void tools_add_as_we_do(void **state)
{
    (void)state;
    const char *tool = need_profdata(22);
    wpg_profile *sample = sample_profile(), *sum = wpg_profile_create(), *other = wpg_profile_create();
    const uint64_t lanes[] = {1, 2, 3, 4, 5, 6}, more[] = {9};
    must(wpg_profile_add(other, SHADER_A "#lanes", UINT64_C(0x0123456789abcdef), lanes, 6, 1, &err));
    must(wpg_profile_add(other, "another#lanes", 3, more, 1, 1, &err));
    must(wpg_profile_merge(sum, sample, 3, NULL, &err));
    must(wpg_profile_merge(sum, other, 5, NULL, &err));
    const char *a = scratch_file("a.profraw"), *b = scratch_file("b.profraw"),
               *out = scratch_file("ab.profdata");
    save(a, sample, WPG_PROFILE_RAW_10);
    save(b, other, WPG_PROFILE_RAW_10);
    free(run("'%s' merge -o '%s' --weighted-input=3,'%s' --weighted-input=5,'%s'", tool, out, a, b));
    expect_shown(tool, out, sum);

    const char *both = scratch_file("both.profraw");
    free(run("cat '%s' '%s' > '%s'", a, b, both));
    wpg_profile *once = wpg_profile_create();
    must(wpg_profile_merge(once, sample, 1, NULL, &err));
    must(wpg_profile_merge(once, other, 1, NULL, &err));
    expect_shown(tool, both, once);
    wpg_profile *back = load(both);
    expect_equal(once, back);
    wpg_profile_destroy(back);
    wpg_profile_destroy(once);
    wpg_profile_destroy(other);
    wpg_profile_destroy(sum);
    wpg_profile_destroy(sample);
}

static void every_version_round_trips(void **state)
{
    (void)state;
    wpg_profile *sample = sample_profile();
    for (unsigned version = 8; version <= 11; version++) {
        uint8_t *data, *again;
        size_t size, again_size;
        must(wpg_profile_encode(&data, &size, sample, (wpg_profile_format)version, &err));
        assert_int_equal(data[8], version);
        assert_int_equal(data[15], 1); /* the IR flag */
        wpg_profile *back = wpg_profile_create();
        wpg_profile_stats stats = {0};
        must(wpg_profile_read_memory(back, &stats, data, size, &err));
        expect_equal(sample, back);
        assert_int_equal(stats.added, wpg_profile_count(sample));
        must(wpg_profile_encode(&again, &again_size, back, (wpg_profile_format)version, &err));
        assert_int_equal(size, again_size);
        assert_memory_equal(data, again, size);
        free(data);
        free(again);
        wpg_profile_destroy(back);
    }
    wpg_profile_destroy(sample);
}

/* The layout of the versions as LLVM's structures have it (sizeof of ProfileData and Header). */
static void sizes_are_llvms(void **state)
{
    (void)state;
    const size_t data[] = {48, 64, 64, 72}, header[] = {11, 14, 16, 19};
    for (unsigned version = 8; version <= 11; version++) {
        assert_int_equal(wpg_raw_data_size(version), data[version - 8]);
        assert_int_equal(wpg_raw_header_size(version), 8 * header[version - 8]);
    }
}

static void counters_are_clamped(void **state)
{
    (void)state;
    wpg_profile *p = wpg_profile_create();
    const uint64_t counters[] = {UINT64_MAX, WPG_PROFILE_COUNTER_CLAMP - 1, WPG_PROFILE_COUNTER_CLAMP + 1};
    const wpg_profile_format formats[] = {WPG_PROFILE_RAW_10, WPG_PROFILE_INDEXED, WPG_PROFILE_TEXT};
    must(wpg_profile_add(p, "x#lanes", 1, counters, 3, 1, &err));
    for (size_t i = 0; i < 3; i++) {
        const char *path = scratch_file("clamp");
        save(path, p, formats[i]);
        wpg_profile *back = load(path);
        const wpg_profile_record *r = wpg_profile_find(back, "x#lanes", 1);
        assert_non_null(r);
        assert_true(r->counters[0] == WPG_PROFILE_COUNTER_CLAMP);
        assert_true(r->counters[1] == WPG_PROFILE_COUNTER_CLAMP - 1);
        assert_true(r->counters[2] == WPG_PROFILE_COUNTER_CLAMP);
        wpg_profile_destroy(back);
        const char *tool = optional_profdata(22);
        if (tool) {
            char *text = run("'%s' show --all-functions --counts '%s'", tool, path);
            assert_null(strstr(text, "warning"));
            free(text);
        }
    }
    wpg_profile_destroy(p);
}

/* Replaces the names section of a raw profile of version 10 by `names`. */
static uint8_t *with_names(size_t *out_size, const uint8_t *data, size_t size, const uint8_t *names,
                           size_t length)
{
    wpg_reader r = wpg_reader_over(data, size);
    wpg_raw_header h;
    wpg_raw_header_read(&h, &r, 10);
    size_t at =
        wpg_raw_header_size(10) + (size_t)h.data_count * wpg_raw_data_size(10) + (size_t)h.counter_count * 8;
    size_t after = (at + (size_t)h.names_size + 7) & ~(size_t)7;
    wpg_writer w = {0};
    h.names_size = length;
    wpg_raw_header_write(&w, &h, 10);
    wpg_write_bytes(&w, data + w.size, at - w.size);
    wpg_write_bytes(&w, names, length);
    wpg_write_align(&w, 8);
    wpg_write_bytes(&w, data + after, size - after);
    *out_size = w.size;
    return w.data;
}

/* Compressed names, as clang writes them, and in two chunks with padding between, as linkers leave them. */
static void compressed_names_are_read(void **state)
{
    (void)state;
    wpg_profile *p = wpg_profile_create();
    const uint64_t one[] = {1}, two[] = {2};
    must(wpg_profile_add(p, "first_function", 1, one, 1, 1, &err));
    must(wpg_profile_add(p, "second_function_second_function", 2, two, 1, 1, &err));
    uint8_t *data, packed[256];
    size_t size;
    must(wpg_profile_encode(&data, &size, p, WPG_PROFILE_RAW_10, &err));
    const char *name = "second_function_second_function";
    uLongf packed_size = sizeof packed;
    assert_int_equal(compress(packed, &packed_size, (const Bytef *)name, strlen(name)), Z_OK);
    wpg_writer names = {0};
    wpg_write_uleb(&names, strlen("first_function"));
    wpg_write_uleb(&names, 0);
    wpg_write_bytes(&names, "first_function", strlen("first_function"));
    wpg_write_align(&names, 32);
    size_t chunk = names.size;
    wpg_write_uleb(&names, strlen(name));
    wpg_write_uleb(&names, packed_size);
    wpg_write_bytes(&names, packed, packed_size);
    size_t new_size;
    uint8_t *changed = with_names(&new_size, data, size, names.data, names.size);
    wpg_profile *back = wpg_profile_create();
    must(wpg_profile_read_memory(back, NULL, changed, new_size, &err));
    expect_equal(p, back);
    const char *tool = optional_profdata(22);
    if (tool) { /* and that is what LLVM makes of them */
        const char *path = scratch_file("packed.profraw");
        write_bytes(path, changed, new_size);
        expect_shown(tool, path, p);
    }
    free(changed);

    /* A size that deflate could never reach is refused before memory is asked for. */
    wpg_writer huge = {0};
    wpg_error err = {0};
    wpg_write_uleb(&huge, UINT64_C(1) << 40);
    wpg_write_bytes(&huge, names.data + chunk + 1, names.size - chunk - 1);
    changed = with_names(&new_size, data, size, huge.data, huge.size);
    assert_int_equal(wpg_profile_read_memory(back, NULL, changed, new_size, &err), WPG_E_FORMAT);
    assert_non_null(strstr(err.message, "claim"));
    free(changed);
    wpg_writer_finish(&huge);
    wpg_writer_finish(&names);
    wpg_profile_destroy(back);
    wpg_profile_destroy(p);
    free(data);
}

static void expect_refused(const uint8_t *data, size_t size, wpg_status status, const char *words)
{
    wpg_error err = {0};
    wpg_profile *p = wpg_profile_create();
    assert_int_equal(wpg_profile_read_memory(p, NULL, data, size, &err), status);
    if (!strstr(err.message, words))
        fail_msg("'%s' does not say '%s'", err.message, words);
    assert_int_equal(wpg_profile_count(p), 0);
    wpg_profile_destroy(p);
}

static void foreign_files_are_named(void **state)
{
    (void)state;
    wpg_profile *sample = sample_profile();
    uint8_t *data, swapped[128];
    size_t size;
    must(wpg_profile_encode(&data, &size, sample, WPG_PROFILE_RAW_10, &err));
    memcpy(swapped, data, sizeof swapped);
    for (size_t i = 0; i < sizeof swapped; i++)
        swapped[i] = data[i ^ 7];
    expect_refused(swapped, sizeof swapped, WPG_E_VERSION, "big-endian");
    data[2] = 'R'; /* byte 2 of 81 72 66 6f 72 70 6c ff is the one before 'f' */
    expect_refused(data, size, WPG_E_FORMAT, "no profile");
    data[2] = 'f';
    data[1] = 'R';
    expect_refused(data, size, WPG_E_UNSUPPORTED, "32-bit");
    data[1] = 'r';
    data[8] = 7;
    expect_refused(data, size, WPG_E_VERSION, "version 7");
    data[8] = 12;
    expect_refused(data, size, WPG_E_VERSION, "version 12");
    data[8] = 10;
    const struct {
        uint8_t flags;
        const char *words;
    } flags[] = {{0x00, "front-end"}, {0x03, "context-sensitive"}, {0x09, "debug"},
                 {0x11, "coverage"},  {0x41, "memory profile"},    {0x81, "temporal"}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        data[15] = flags[i].flags;
        expect_refused(data, size, WPG_E_UNSUPPORTED, flags[i].words);
    }
    data[15] = 1;
    expect_refused(data, size - 1, WPG_E_FORMAT, "truncated");
    expect_refused(data, 4, WPG_E_FORMAT, "no profile");
    expect_refused((const uint8_t *)"\177ELF\2\1\1\0\0\0", 10, WPG_E_FORMAT, "no profile");
    expect_refused((const uint8_t *)"", 0, WPG_E_FORMAT, "empty");
    free(data);
    wpg_profile_destroy(sample);
}

/* A profile of a real program: compressed names, call targets, memory sizes of clang's own instrumentation.
 */
static void clang_program_is_read(void **state)
{
    (void)state;
    const char *source = scratch_file("p.c"), *program = scratch_file("p"), *raw = scratch_file("p.profraw");
    static const char text[] =
        "#include <string.h>\n#include <stdlib.h>\n"
        "static int one(int x) { return x + 1; }\nstatic int two(int x) { return x * 2; }\n"
        "int (*volatile table[2])(int) = {one, two};\nchar to[4096], from[4096];\n"
        "__attribute__((noinline)) int copy(int n) { memcpy(to, from, (size_t)n); return to[0]; }\n"
        "int main(int argc, char **argv) { int s = 0; (void)argv;\n"
        "for (int i = 0; i < 1000; i++) { s = table[i % 3 == 0](s); s += copy(i % 7 * argc); }\n"
        "return s == 12345; }\n";
    write_bytes(source, text, sizeof text - 1);
    const int versions[] = {14, 19, 22};
    const char *tool = NULL;
    for (size_t i = 0; i < 3 && !tool; i++) {
        char command[512];
        (void)snprintf(command, sizeof command,
                       "clang-%d -O2 -fprofile-generate -o '%s' '%s' >/dev/null 2>&1 &&"
                       " LLVM_PROFILE_FILE='%s' '%s'",
                       versions[i], program, source, raw, program);
        tool = find_profdata(versions[i]);
        if (tool && system(command) != 0)
            tool = NULL;
    }
    if (!tool) {
        print_message(
            "SKIPPED: no clang and llvm-profdata of one version that build instrumented programs\n");
        skip();
    }
    wpg_profile *read = load(raw);
    assert_true(wpg_profile_count(read) >= 4);
    expect_shown(tool, raw, read);
    size_t values = 0;
    for (size_t i = 0; i < wpg_profile_count(read); i++)
        for (size_t s = 0; s < wpg_profile_at(read, i)->site_count; s++)
            values += wpg_profile_at(read, i)->sites[s].count;
    assert_true(values >= 5); /* the sizes 0 to 6 */
    wpg_profile_destroy(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_8_by_llvm_14),          cmocka_unit_test(raw_10_by_llvm_19),
        cmocka_unit_test(raw_10_by_llvm_22),         cmocka_unit_test(tools_add_as_we_do),
        cmocka_unit_test(every_version_round_trips), cmocka_unit_test(sizes_are_llvms),
        cmocka_unit_test(counters_are_clamped),      cmocka_unit_test(compressed_names_are_read),
        cmocka_unit_test(foreign_files_are_named),   cmocka_unit_test(clang_program_is_read),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
