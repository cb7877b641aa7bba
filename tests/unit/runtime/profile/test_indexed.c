/* Indexed profiles: ours are read by llvm-profdata 14, 19 and 22 with the same counters and the same summary
 * as their own; theirs, of every version they write, are read by us. */
#include "runtime/profile/profile_format.h"
#include "tests/unit/runtime/profile/profile_test.h"

/* Many records, so that the hash table has several buckets and the summary several steps. */
static wpg_profile *large_profile(void)
{
    wpg_profile *p = sample_profile();
    uint64_t random = 88172645463325252u;
    for (unsigned i = 0; i < 200; i++) {
        char name[64];
        uint64_t counters[12];
        for (unsigned c = 0; c < 12; c++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            counters[c] = random >> (random & 63);
            counters[c] = counters[c] > WPG_PROFILE_COUNTER_CLAMP / 4096 ? 0 : counters[c];
        }
        (void)snprintf(name, sizeof name, "%032x.comp.main#%s", i / 3, i % 3 ? "lanes" : "waves");
        must(wpg_profile_add(p, name, i % 5 + 1, counters, i % 12 + 1, 1, &err));
    }
    return p;
}

static void tool_reads_ours(int version)
{
    const char *tool = need_profdata(version);
    wpg_profile *large = large_profile();
    const char *ours = scratch_file("ours.profdata"), *text = scratch_file("ours.proftext"),
               *theirs = scratch_file("theirs.profdata");
    save(ours, large, WPG_PROFILE_INDEXED);
    expect_shown(tool, ours, large);
    /* Look-up goes by the table of buckets: one name alone is found. */
    char *one = run("'%s' show --function='%s' --counts '%s'", tool, SHADER_B "#values", ours);
    assert_non_null(strstr(one, "Block counts: [12, 34]"));
    free(one);
    /* The summary is what the tool computes itself from the same counters. */
    save(text, large, WPG_PROFILE_TEXT);
    free(run("'%s' merge -o '%s' '%s'", tool, theirs, text));
    char *our_summary = run("'%s' show --detailed-summary '%s'", tool, ours);
    char *their_summary = run("'%s' show --detailed-summary '%s'", tool, theirs);
    assert_non_null(strstr(our_summary, "account for 99.999"));
    assert_string_equal(our_summary, their_summary);
    free(our_summary);
    free(their_summary);
    /* And it merges ours on. */
    free(run("'%s' merge -o '%s' '%s' '%s'", tool, theirs, ours, ours));
    wpg_profile *doubled = wpg_profile_create();
    must(wpg_profile_merge(doubled, large, 2, NULL, &err));
    expect_shown(tool, theirs, doubled);
    wpg_profile_destroy(doubled);
    wpg_profile_destroy(large);
}

static void llvm_14_reads_ours(void **state)
{
    (void)state;
    tool_reads_ours(14);
}

static void llvm_19_reads_ours(void **state)
{
    (void)state;
    tool_reads_ours(19);
}

static void llvm_22_reads_ours(void **state)
{
    (void)state;
    tool_reads_ours(22);
}

static uint64_t version_of(const char *path)
{
    uint8_t *data;
    size_t size;
    must(wpg_file_read(&data, &size, path, 1 << 24, &err));
    uint64_t version = data[8];
    free(data);
    return version;
}

static void we_read_theirs(int version, uint64_t indexed_version)
{
    const char *tool = need_profdata(version);
    wpg_profile *large = large_profile();
    const char *text = scratch_file("t.proftext"), *theirs = scratch_file("t.profdata");
    save(text, large, WPG_PROFILE_TEXT);
    free(run("'%s' merge -o '%s' '%s'", tool, theirs, text));
    assert_int_equal(version_of(theirs), indexed_version);
    wpg_profile *read = load(theirs);
    expect_equal(large, read);
    wpg_profile_destroy(read);
    wpg_profile_destroy(large);
}

static void we_read_llvm_14(void **state)
{
    (void)state;
    we_read_theirs(14, 7);
}

static void we_read_llvm_19(void **state)
{
    (void)state;
    we_read_theirs(19, 12);
}

static void we_read_llvm_22(void **state)
{
    (void)state;
    we_read_theirs(22, 13);
}

/* A hash table of one bucket and our order of items within it: for few names the bytes are LLVM 14's own. */
static void small_file_is_llvms_bytes(void **state)
{
    (void)state;
    const char *tool = need_profdata(14);
    wpg_profile *p = wpg_profile_create();
    const uint64_t counters[] = {5, 7, 100};
    must(wpg_profile_add(p, "only#lanes", 1234, counters, 3, 1, &err));
    must(wpg_profile_add_value(p, "only#lanes", 1234, 1, 64, 3, &err));
    must(wpg_profile_add_value(p, "only#lanes", 1234, 1, 65, 8, &err));
    must(wpg_profile_add_value(p, "only#lanes", 1234, 1, 3, 3, &err));
    const char *text = scratch_file("s.proftext"), *theirs = scratch_file("s.profdata"),
               *ours = scratch_file("o.profdata");
    save(text, p, WPG_PROFILE_TEXT);
    save(ours, p, WPG_PROFILE_INDEXED);
    free(run("'%s' merge -o '%s' '%s'", tool, theirs, text));
    free(run("cmp '%s' '%s'", ours, theirs));
    wpg_profile_destroy(p);
}

static size_t header_size(unsigned version)
{
    const wpg_indexed_header header = {0};
    wpg_writer w = {0};
    wpg_indexed_header_write(&w, &header, version);
    size_t size = w.size;
    wpg_writer_finish(&w);
    return size;
}

/* Versions 4 to 6 differ from 7 in the number alone, 8 to 10 in further header words, which move the table.
 */
static void other_versions_are_read(void **state)
{
    (void)state;
    wpg_profile *sample = sample_profile();
    uint8_t *data;
    size_t size;
    must(wpg_profile_encode(&data, &size, sample, WPG_PROFILE_INDEXED, &err));
    for (unsigned version = 4; version <= 10; version++) {
        size_t old_header = header_size(7), extra = header_size(version) - old_header;
        assert_int_equal(extra, version <= 7 ? 0 : 8 * (version - 7));
        wpg_reader r = wpg_reader_over(data, size);
        wpg_indexed_header header;
        wpg_indexed_header_read(&header, &r, 7);
        header.version = version | WPG_PROFILE_IR_FLAG;
        header.hash_offset += extra;
        wpg_writer w = {0};
        wpg_indexed_header_write(&w, &header, version);
        wpg_write_bytes(&w, data + old_header, size - old_header);
        wpg_profile *back = wpg_profile_create();
        must(wpg_profile_read_memory(back, NULL, w.data, w.size, &err));
        expect_equal(sample, back);
        wpg_profile_destroy(back);
        wpg_writer_finish(&w);
    }
    const unsigned unknown[] = {3, 14};
    for (size_t i = 0; i < 2; i++) {
        wpg_error err = {0};
        wpg_profile *back = wpg_profile_create();
        data[8] = (uint8_t)unknown[i];
        assert_int_equal(wpg_profile_read_memory(back, NULL, data, size, &err), WPG_E_VERSION);
        assert_non_null(strstr(err.message, "indexed profile version"));
        wpg_profile_destroy(back);
    }
    free(data);
    wpg_profile_destroy(sample);
}

/* Version 11 on has bitmap bytes in each record: theirs of LLVM 19 with one header word taken out, and a
 * bitmap. */
static void bitmaps_are_skipped(void **state)
{
    (void)state;
    const char *tool = need_profdata(19);
    static const char text[] =
        ":ir\nwith_bitmap#lanes\n7\n2\n11\n12\n$3\n0x1\n0x2\n255\n\nplain#lanes\n8\n1\n13\n";
    const char *source = scratch_file("b.proftext"), *binary = scratch_file("b.profdata");
    write_bytes(source, text, sizeof text - 1);
    wpg_profile *from_text = load(source);
    assert_int_equal(wpg_profile_count(from_text), 2);
    free(run("'%s' merge -o '%s' '%s'", tool, binary, source));
    wpg_profile *from_binary = load(binary);
    expect_equal(from_text, from_binary);
    wpg_profile_destroy(from_binary);

    uint8_t *data;
    size_t size, words = 8;
    must(wpg_file_read(&data, &size, binary, 1 << 20, &err));
    wpg_reader r = wpg_reader_over(data, size);
    wpg_indexed_header header;
    wpg_indexed_header_read(&header, &r, 12);
    header.version = 11 | WPG_PROFILE_IR_FLAG;
    header.hash_offset -= words;
    wpg_writer w = {0};
    wpg_indexed_header_write(&w, &header, 11);
    wpg_write_bytes(&w, data + w.size + words, size - w.size - words);
    from_binary = wpg_profile_create();
    must(wpg_profile_read_memory(from_binary, NULL, w.data, w.size, &err));
    expect_equal(from_text, from_binary);
    wpg_writer_finish(&w);
    free(data);
    wpg_profile_destroy(from_binary);
    wpg_profile_destroy(from_text);
}

/* What no shader profile holds (call targets) is skipped, what does not fit is counted. */
static void foreign_records_are_skipped(void **state)
{
    (void)state;
    const char *tool = need_profdata(22);
    static const char text[] =
        ":ir\ncalls\n7\n1\n11\n1\n0\n1\n2\nplain:5\nother:6\n\nplain\n8\n2\n1\n2\n\nplain\n8\n1\n13\n"
        "\nreserved\n0xf000000000000001\n1\n1\n";
    const char *source = scratch_file("f.proftext"), *binary = scratch_file("f.profdata");
    write_bytes(source, text, sizeof text - 1);
    wpg_profile *p = wpg_profile_create();
    wpg_profile_stats stats = {0};
    must(wpg_profile_read_file(p, &stats, source, &err));
    assert_int_equal(stats.added, 2);
    assert_int_equal(stats.mismatched, 1);
    assert_int_equal(stats.ignored, 1);
    assert_int_equal(wpg_profile_find(p, "calls", 7)->site_count, 0);
    free(run("'%s' merge -failure-mode=all -o '%s' '%s'", tool, binary, source));
    wpg_profile *q = load(binary);
    expect_equal(p, q);
    wpg_profile_destroy(q);
    wpg_profile_destroy(p);
}

/* The more frequent values survive where a site has more than a file can hold, as in LLVM's own writer. */
static void crowded_sites_keep_the_frequent(void **state)
{
    (void)state;
    wpg_profile *p = wpg_profile_create();
    const uint64_t counters[] = {1};
    must(wpg_profile_add(p, "crowd#values", 1, counters, 1, 1, &err));
    for (uint64_t value = 0; value < 300; value++)
        must(wpg_profile_add_value(p, "crowd#values", 1, 0, value, (value * 7) % 300 + 1, &err));
    assert_int_equal(wpg_profile_find(p, "crowd#values", 1)->sites[0].count, 300);
    const char *ours = scratch_file("c.profdata"), *text = scratch_file("c.proftext"),
               *theirs = scratch_file("d.profdata");
    save(ours, p, WPG_PROFILE_INDEXED);
    save(text, p, WPG_PROFILE_TEXT);
    wpg_profile *kept = load(ours);
    const wpg_profile_site *site = &wpg_profile_find(kept, "crowd#values", 1)->sites[0];
    assert_int_equal(site->count, 255);
    for (size_t i = 0; i < site->count; i++) {
        assert_true(site->pairs[i].count > 45);
    }
    wpg_profile *whole = load(text);
    expect_equal(p, whole);
    const char *tool = optional_profdata(22);
    if (tool) {
        free(run("'%s' merge -o '%s' '%s'", tool, theirs, text));
        wpg_profile *read = load(theirs);
        expect_equal(kept, read);
        wpg_profile_destroy(read);
    }
    wpg_profile_destroy(whole);
    wpg_profile_destroy(kept);
    wpg_profile_destroy(p);
}

static void empty_profiles_pass(void **state)
{
    (void)state;
    const wpg_profile_format formats[] = {WPG_PROFILE_RAW_8, WPG_PROFILE_RAW_10, WPG_PROFILE_INDEXED,
                                          WPG_PROFILE_TEXT};
    wpg_profile *empty = wpg_profile_create();
    for (size_t i = 0; i < 4; i++) {
        const char *path = scratch_file("empty");
        save(path, empty, formats[i]);
        wpg_profile *back = load(path);
        assert_int_equal(wpg_profile_count(back), 0);
        wpg_profile_destroy(back);
    }
    wpg_profile_destroy(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(llvm_14_reads_ours),
        cmocka_unit_test(llvm_19_reads_ours),
        cmocka_unit_test(llvm_22_reads_ours),
        cmocka_unit_test(we_read_llvm_14),
        cmocka_unit_test(we_read_llvm_19),
        cmocka_unit_test(we_read_llvm_22),
        cmocka_unit_test(small_file_is_llvms_bytes),
        cmocka_unit_test(other_versions_are_read),
        cmocka_unit_test(bitmaps_are_skipped),
        cmocka_unit_test(foreign_records_are_skipped),
        cmocka_unit_test(crowded_sites_keep_the_frequent),
        cmocka_unit_test(empty_profiles_pass),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
