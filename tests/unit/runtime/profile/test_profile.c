/* The profile in memory: adding, saturation, order, look-up, merging, value sites, overlap. */
#include "runtime/profile/md5.h"
#include "runtime/profile/profile_format.h"
#include "tests/unit/runtime/profile/profile_test.h"

/* Ours instead of the C library's, to know how much is sorted. A merge sort, for it is fed sorted parts. */
static size_t sorted;

void qsort(void *data, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    size_t half = count / 2;
    uint8_t *left = data, *right = left + half * size, *out, *end = left + count * size;
    if (count < 2)
        return;
    sorted += count;
    qsort(left, half, size, compare);
    qsort(right, count - half, size, compare);
    uint8_t *copy = malloc(half * size);
    assert_non_null(copy);
    memcpy(copy, left, half * size);
    uint8_t *a = copy, *a_end = copy + half * size;
    for (out = left; a < a_end; out += size) {
        bool take = right == end || compare(a, right) <= 0;
        memmove(out, take ? a : right, size);
        a += take ? size : 0;
        right += take ? 0 : size;
    }
    free(copy);
}

/* A folder of one file a pipeline: what is sorted grows with the files, not with their square. */
static void merging_many_is_linear(void **state)
{
    (void)state;
    enum { FILES = 2000, RECORDS = 4 };
    wpg_profile *all = wpg_profile_create();
    sorted = 0;
    for (unsigned file = 0; file < FILES; file++) {
        wpg_profile *one = wpg_profile_create();
        for (unsigned i = 0; i < RECORDS; i++) {
            char name[32];
            const uint64_t counter = file;
            (void)snprintf(name, sizeof name, "%08x.%u", file * 2654435761u, i);
            must(wpg_profile_add(one, name, 1, &counter, 1, 1, &err));
        }
        must(wpg_profile_merge(all, one, 1, NULL, &err));
        wpg_profile_destroy(one);
    }
    assert_int_equal(wpg_profile_count(all), FILES * RECORDS);
    const char *last = "";
    for (size_t i = 0; i < FILES * RECORDS; i++) {
        assert_true(strcmp(last, wpg_profile_at(all, i)->name) < 0);
        last = wpg_profile_at(all, i)->name;
    }
    /* Once, by halves: 13 times 8000. */
    assert_in_range(sorted, FILES * RECORDS, FILES * RECORDS * 20);
    wpg_profile_destroy(all);
}

static void adding_saturates(void **state)
{
    (void)state;
    wpg_profile *p = wpg_profile_create();
    const uint64_t a[] = {1, UINT64_MAX - 1, UINT64_MAX / 2}, b[] = {2, 1, 1};
    must(wpg_profile_add(p, "x", 1, a, 3, 1, &err));
    must(wpg_profile_add(p, "x", 1, b, 3, 3, &err));
    const wpg_profile_record *r = wpg_profile_find(p, "x", 1);
    assert_true(r->counters[0] == 7);
    assert_true(r->counters[1] == UINT64_MAX);
    assert_true(r->counters[2] == UINT64_MAX / 2 + 3);
    must(wpg_profile_add(p, "x", 1, a, 3, 3, &err)); /* the product alone overflows */
    assert_true(r->counters[2] == UINT64_MAX);
    must(wpg_profile_add_value(p, "x", 1, 0, 5, UINT64_MAX, &err));
    must(wpg_profile_add_value(p, "x", 1, 0, 5, 2, &err));
    assert_true(r->sites[0].pairs[0].count == UINT64_MAX);
    wpg_profile_destroy(p);
    wpg_profile_destroy(NULL);
}

static void bad_records_are_refused(void **state)
{
    (void)state;
    wpg_profile *p = wpg_profile_create();
    const uint64_t one[] = {1, 2};
    const char *names[] = {"", "#x", ":x", "a\1b", "a\nb", "a\rb", "a\tb", " a", "a ", "a\177"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_false(wpg_profile_name_is_valid(names[i]));
        assert_int_equal(wpg_profile_add(p, names[i], 1, one, 1, 1, NULL), WPG_E_ARGUMENT);
    }
    char *longest = malloc(WPG_PROFILE_MAX_NAME + 2);
    memset(longest, 'n', WPG_PROFILE_MAX_NAME + 1);
    longest[WPG_PROFILE_MAX_NAME + 1] = '\0';
    assert_false(wpg_profile_name_is_valid(longest));
    longest[WPG_PROFILE_MAX_NAME] = '\0';
    assert_true(wpg_profile_name_is_valid(longest));
    free(longest);
    assert_true(wpg_profile_name_is_valid("a#b:c d%\xc3\xa4"));

    assert_int_equal(wpg_profile_add(p, "x", 1, one, 0, 1, NULL), WPG_E_ARGUMENT);
    assert_int_equal(wpg_profile_add(p, "x", 1, one, 1, 0, NULL), WPG_E_ARGUMENT);
    for (unsigned bit = 60; bit < 64; bit++)
        assert_int_equal(wpg_profile_add(p, "x", UINT64_C(1) << bit, one, 1, 1, NULL), WPG_E_ARGUMENT);
    assert_int_equal(wpg_profile_add(p, "x", 1, one, WPG_PROFILE_MAX_COUNTERS + 1, 1, NULL), WPG_E_LIMIT);
    assert_int_equal(wpg_profile_add_value(p, "x", 1, 0, 1, 1, NULL), WPG_E_NOT_FOUND);
    assert_int_equal(wpg_profile_count(p), 0);

    wpg_error err = {0};
    assert_int_equal(wpg_profile_add(p, "x", 1, one, 2, 1, &err), WPG_OK);
    assert_int_equal(wpg_profile_add(p, "x", 1, one, 1, 1, &err), WPG_E_MISMATCH);
    assert_string_equal(err.message, "x has 2 counters, not 1");
    assert_int_equal(wpg_profile_add_value(p, "x", 1, WPG_PROFILE_MAX_SITES, 1, 1, NULL), WPG_E_LIMIT);
    assert_int_equal(wpg_profile_add_value(p, "x", 1, SIZE_MAX, 1, 1, NULL), WPG_E_LIMIT);
    assert_int_equal(wpg_profile_add_value(p, "x", 1, WPG_PROFILE_MAX_SITES - 1, 1, 1, &err), WPG_OK);
    assert_int_equal(wpg_profile_find(p, "x", 1)->site_count, WPG_PROFILE_MAX_SITES);
    assert_int_equal(wpg_profile_merge(p, p, 1, NULL, NULL), WPG_E_ARGUMENT);
    wpg_profile_destroy(p);
}

/* Random insertion order; the records come sorted and each is found. */
static void records_come_in_order(void **state)
{
    (void)state;
    enum { SHADERS = 300, KINDS = 3 };
    wpg_profile *p = wpg_profile_create();
    char name[32];
    static const char *const kinds[KINDS] = {"lanes", "uniform", "waves"};
    for (unsigned i = 0; i < SHADERS * KINDS; i++) {
        unsigned n = (i * 617) % (SHADERS * KINDS); /* 617 is prime: each once */
        const uint64_t value[] = {n};
        (void)snprintf(name, sizeof name, "%04u.comp#%s", n / KINDS, kinds[n % KINDS]);
        must(wpg_profile_add(p, name, 10 - n / KINDS % 2, value, 1, 1, &err));
        if (n % KINDS == 1) /* a second hash of the same name */
            must(wpg_profile_add(p, name, 1, value, 1, 1, &err));
    }
    assert_int_equal(wpg_profile_count(p), SHADERS * (KINDS + 1));
    assert_null(wpg_profile_at(p, SHADERS * (KINDS + 1)));
    for (size_t i = 1; i < wpg_profile_count(p); i++) {
        const wpg_profile_record *a = wpg_profile_at(p, i - 1), *b = wpg_profile_at(p, i);
        int order = strcmp(a->name, b->name);
        assert_true(order < 0 || (order == 0 && a->func_hash < b->func_hash));
    }
    for (unsigned n = 0; n < SHADERS * KINDS; n++) {
        (void)snprintf(name, sizeof name, "%04u.comp#%s", n / KINDS, kinds[n % KINDS]);
        const wpg_profile_record *r = wpg_profile_find(p, name, 10 - n / KINDS % 2);
        assert_non_null(r);
        assert_true(r->counters[0] == n);
        assert_null(wpg_profile_find(p, name, 2));
    }
    wpg_profile_destroy(p);
}

static void merging_adds_and_counts(void **state)
{
    (void)state;
    wpg_profile *a = sample_profile(), *b = sample_profile(), *sum = wpg_profile_create();
    const uint64_t two[] = {1, 2};
    wpg_profile_stats stats = {0};
    must(wpg_profile_add(b, "new#lanes", 1, two, 2, 1, &err));
    must(wpg_profile_add(a, "odd#lanes", 1, two, 2, 1, &err));
    must(wpg_profile_add(b, "odd#lanes", 1, two, 1, 1, &err));
    must(wpg_profile_add_value(b, SHADER_B "#values", 42, 0, 17, 4, &err));
    must(wpg_profile_add_value(b, SHADER_B "#values", 42, 5, 1, 1, &err)); /* more sites than a has */
    size_t before = wpg_profile_count(a);
    must(wpg_profile_merge(sum, a, 1, &stats, &err));
    assert_int_equal(stats.added, before);
    must(wpg_profile_merge(sum, b, 10, &stats, &err));
    assert_int_equal(stats.added, before + 1);
    assert_int_equal(stats.merged, before - 1);
    assert_int_equal(stats.mismatched, 1);
    assert_int_equal(wpg_profile_count(sum), before + 1);
    for (size_t i = 0; i < before; i++) {
        const wpg_profile_record *r = wpg_profile_at(a, i);
        const wpg_profile_record *s = wpg_profile_find(sum, r->name, r->func_hash);
        for (size_t c = 0; c < r->counter_count; c++)
            assert_true(s->counters[c] == r->counters[c] * (strcmp(r->name, "odd#lanes") == 0 ? 1 : 11));
    }
    const wpg_profile_record *v = wpg_profile_find(sum, SHADER_B "#values", 42);
    assert_int_equal(v->site_count, 6);
    const wpg_profile_value want[] = {{0, 55}, {16, 99}, {17, 40}, {UINT64_MAX - 2, 33}};
    assert_int_equal(v->sites[0].count, 4);
    assert_memory_equal(v->sites[0].pairs, want, sizeof want);
    assert_int_equal(v->sites[1].count, 0);
    assert_true(v->sites[2].pairs[0].count == 1100);
    assert_true(v->sites[5].pairs[0].count == 10);
    wpg_profile_destroy(sum);
    wpg_profile_destroy(b);
    wpg_profile_destroy(a);
}

/* Whatever the order of adding, the bytes written are the same. */
static void order_does_not_show(void **state)
{
    (void)state;
    wpg_profile *a = sample_profile(), *b = wpg_profile_create();
    for (size_t i = wpg_profile_count(a); i-- > 0;) {
        const wpg_profile_record *r = wpg_profile_at(a, i);
        must(wpg_profile_add(b, r->name, r->func_hash, r->counters, r->counter_count, 1, &err));
        must(wpg_profile_reserve_sites(b, r->name, r->func_hash, r->site_count, &err));
        for (size_t s = r->site_count; s-- > 0;)
            for (size_t v = r->sites[s].count; v-- > 0;)
                must(wpg_profile_add_value(b, r->name, r->func_hash, s, r->sites[s].pairs[v].value,
                                           r->sites[s].pairs[v].count, &err));
    }
    expect_equal(a, b);
    const wpg_profile_format formats[] = {WPG_PROFILE_RAW_8,  WPG_PROFILE_RAW_9,   WPG_PROFILE_RAW_10,
                                          WPG_PROFILE_RAW_11, WPG_PROFILE_INDEXED, WPG_PROFILE_TEXT};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        uint8_t *x, *y;
        size_t x_size, y_size;
        must(wpg_profile_encode(&x, &x_size, a, formats[i], &err));
        must(wpg_profile_encode(&y, &y_size, b, formats[i], &err));
        assert_int_equal(x_size, y_size);
        assert_memory_equal(x, y, x_size);
        free(x);
        free(y);
    }
    uint8_t *data;
    size_t size;
    assert_int_equal(wpg_profile_encode(&data, &size, a, (wpg_profile_format)7, NULL), WPG_E_ARGUMENT);
    wpg_profile_destroy(a);
    wpg_profile_destroy(b);
}

/* llvm-profdata overlap prints the same share of edge counters as we compute. */
static void overlap_is_llvms(void **state)
{
    (void)state;
    wpg_profile *a = wpg_profile_create(), *b = wpg_profile_create();
    const uint64_t x[] = {100, 60, 40}, y[] = {10, 1, 9}, z[] = {50};
    must(wpg_profile_add(a, "same", 1, x, 3, 1, &err));
    must(wpg_profile_add(b, "same", 1, y, 3, 1, &err));
    must(wpg_profile_add(a, "first_only", 2, z, 1, 1, &err));
    must(wpg_profile_add(b, "second_only", 2, z, 1, 1, &err));
    wpg_profile_overlap o;
    wpg_profile_measure_overlap(&o, a, b);
    /* totals 250 and 70: min(.4, 10/70) + min(.24, 1/70) + min(.16, 9/70) = 20/70 */
    assert_true(o.whole > 0.28571 && o.whole < 0.28572);
    /* Of what both have, 200 and 20: min(.5, .5) + min(.3, .05) + min(.2, .45) */
    assert_true(o.common > 0.74999 && o.common < 0.75001);
    assert_int_equal(o.shared, 1);
    assert_int_equal(o.only_first, 1);
    assert_int_equal(o.only_second, 1);
    assert_int_equal(o.mismatched, 0);
    const char *tool = optional_profdata(22);
    if (tool) {
        const char *first = scratch_file("a.profdata"), *second = scratch_file("b.profdata");
        save(first, a, WPG_PROFILE_INDEXED);
        save(second, b, WPG_PROFILE_INDEXED);
        char *text = run("'%s' overlap '%s' '%s'", tool, first, second), want[64];
        (void)snprintf(want, sizeof want, "Edge profile overlap: %.3f%%", o.whole * 100);
        if (!strstr(text, want))
            fail_msg("'%s' is not in:\n%s", want, text);
        free(text);
    }
    wpg_profile_measure_overlap(&o, a, a);
    assert_true(o.whole > 0.999999 && o.whole < 1.000001);
    wpg_profile_destroy(b);
    wpg_profile_destroy(a);
}

/* RFC 1321 A.5, and every length around the edges of its padding. */
static void md5_is_rfc_1321(void **state)
{
    (void)state;
    const struct {
        const char *text, *digest;
    } cases[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t digest[WPG_MD5_SIZE];
        char hex[2 * WPG_MD5_SIZE + 1];
        wpg_md5(digest, cases[i].text, strlen(cases[i].text));
        for (size_t b = 0; b < WPG_MD5_SIZE; b++)
            (void)snprintf(hex + 2 * b, 3, "%02x", digest[b]);
        assert_string_equal(hex, cases[i].digest);
    }
    for (size_t length = 50; length < 70; length++) { /* both paddings, against coreutils */
        char text[80];
        uint8_t digest[WPG_MD5_SIZE];
        memset(text, 'x', length);
        text[length] = '\0';
        wpg_md5(digest, text, length);
        char hex[2 * WPG_MD5_SIZE + 1], *said = run("printf %%s %s | md5sum", text);
        for (size_t b = 0; b < WPG_MD5_SIZE; b++)
            (void)snprintf(hex + 2 * b, 3, "%02x", digest[b]);
        assert_memory_equal(said, hex, 2 * WPG_MD5_SIZE);
        free(said);
    }
    assert_true(wpg_profile_name_ref("foo", 3) == UINT64_C(0x5cf8c24cdb18bdac)); /* as LLVM's files have it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_many_is_linear),  cmocka_unit_test(adding_saturates),
        cmocka_unit_test(bad_records_are_refused), cmocka_unit_test(records_come_in_order),
        cmocka_unit_test(merging_adds_and_counts), cmocka_unit_test(order_does_not_show),
        cmocka_unit_test(overlap_is_llvms),        cmocka_unit_test(md5_is_rfc_1321),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
