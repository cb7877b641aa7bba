/* Merging is associative and commutative to the bit: whatever the order and the grouping, the same bytes.
 * Intermediate results are text, which keeps every value; in the other formats where no site has more than
 * 255 values. */
#include "tests/unit/runtime/profile/profile_test.h"

enum { INPUTS = 12, ROUNDS = 16, TRIES = 8 };

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

/* Now and then so large that sums clamp and saturate. */
static uint64_t draw_count(void)
{
    switch (draw(12)) {
    case 0:
        return UINT64_MAX - draw(3);
    case 1:
        return WPG_PROFILE_COUNTER_CLAMP - draw(1000);
    case 2:
        return 0;
    default:
        return draw(1000000);
    }
}

/* A few names and hashes, so that records meet; at times with another number of counters. */
static wpg_profile *random_profile(uint32_t values)
{
    wpg_profile *p = wpg_profile_create();
    for (uint32_t left = 1 + draw(8); left; left--) {
        char name[64];
        uint64_t counters[4];
        const uint32_t which = draw(6), hash = draw(2);
        size_t count = 1 + which % 3;
        if (draw(10) == 0)
            count = 1 + draw(4);
        for (size_t i = 0; i < count; i++)
            counters[i] = draw_count();
        (void)snprintf(name, sizeof name, SHADER_A "#k%u", (unsigned)which);
        const wpg_status status = wpg_profile_add(p, name, hash, counters, count, 1, NULL);
        if (status == WPG_E_MISMATCH)
            continue;
        assert_int_equal(status, WPG_OK);
        if (which < 2)
            continue;
        must(wpg_profile_reserve_sites(p, name, hash, draw(4), &err));
        for (uint32_t pairs = draw(2 * values); pairs; pairs--)
            must(wpg_profile_add_value(p, name, hash, draw(3), draw(values), draw_count(), &err));
    }
    return p;
}

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static bytes encode(const wpg_profile *p, wpg_profile_format format)
{
    bytes b;
    must(wpg_profile_encode(&b.data, &b.size, p, format, &err));
    return b;
}

/* Merges inputs[0..count) in groups of random sizes, each group's result through a file of that format. */
static wpg_profile *merge_tree(const bytes *inputs, const uint64_t *weights, size_t count,
                               wpg_profile_format format)
{
    wpg_profile *sum = wpg_profile_create();
    if (count == 1) {
        wpg_profile *one = wpg_profile_create();
        must(wpg_profile_read_memory(one, NULL, inputs->data, inputs->size, &err));
        must(wpg_profile_merge(sum, one, *weights, NULL, &err));
        wpg_profile_destroy(one);
        return sum;
    }
    for (size_t at = 0; at < count;) {
        size_t group = 1 + draw((uint32_t)(count - 1));
        group = group < count - at ? group : count - at;
        wpg_profile *part = merge_tree(inputs + at, weights + at, group, format);
        if (wpg_profile_count(part)) {
            bytes b = encode(part, format);
            wpg_profile *back = wpg_profile_create();
            must(wpg_profile_read_memory(back, NULL, b.data, b.size, &err));
            must(wpg_profile_merge(sum, back, 1, NULL, &err));
            wpg_profile_destroy(back);
            free(b.data);
        }
        wpg_profile_destroy(part);
        at += group;
    }
    return sum;
}

static void shuffle(bytes *inputs, uint64_t *weights)
{
    for (size_t i = INPUTS - 1; i; i--) {
        const size_t j = draw((uint32_t)(i + 1));
        const bytes b = inputs[i];
        const uint64_t w = weights[i];
        inputs[i] = inputs[j];
        weights[i] = weights[j];
        inputs[j] = b;
        weights[j] = w;
    }
}

static void check(wpg_profile_format format, uint32_t values)
{
    static const wpg_profile_format written[] = {WPG_PROFILE_INDEXED, WPG_PROFILE_TEXT, WPG_PROFILE_RAW_8,
                                                 WPG_PROFILE_RAW_10};
    enum { WRITTEN = sizeof written / sizeof *written };
    for (unsigned round = 0; round < ROUNDS; round++) {
        bytes inputs[INPUTS], want[WRITTEN] = {{0}};
        uint64_t weights[INPUTS];
        seed = (uint64_t)round * 1000 + values + (uint64_t)format;
        for (size_t i = 0; i < INPUTS; i++) {
            wpg_profile *p = random_profile(values);
            inputs[i] = encode(p, draw(2) ? WPG_PROFILE_RAW_10 : WPG_PROFILE_TEXT);
            weights[i] = draw(4) ? 1 : 1 + draw(1000);
            wpg_profile_destroy(p);
        }
        for (unsigned turn = 0; turn < TRIES; turn++) {
            wpg_profile *sum = merge_tree(inputs, weights, INPUTS, format);
            for (size_t f = 0; f < WRITTEN; f++) {
                bytes got = encode(sum, written[f]);
                if (!turn) {
                    want[f] = got;
                    continue;
                }
                if (got.size != want[f].size || memcmp(got.data, want[f].data, got.size) != 0)
                    fail_msg("round %u, try %u, intermediate format %d, format %d: other bytes", round, turn,
                             (int)format, (int)written[f]);
                free(got.data);
            }
            wpg_profile_destroy(sum);
            shuffle(inputs, weights);
        }
        for (size_t f = 0; f < WRITTEN; f++)
            free(want[f].data);
        for (size_t i = 0; i < INPUTS; i++)
            free(inputs[i].data);
    }
}

static void text_keeps_all(void **state)
{
    (void)state;
    check(WPG_PROFILE_TEXT, 20);
    check(WPG_PROFILE_TEXT, 600); /* more than a site of the final formats holds */
}

static void others_while_sites_fit(void **state)
{
    (void)state;
    check(WPG_PROFILE_INDEXED, 200);
    check(WPG_PROFILE_RAW_10, 200);
}

/* The record with more counters stays, whichever comes first; its values are its own. */
static void the_widest_stays(void **state)
{
    (void)state;
    const uint64_t counters[] = {1, 2, 3};
    wpg_profile *narrow = wpg_profile_create(), *wide = wpg_profile_create();
    must(wpg_profile_add(narrow, "x", 1, counters, 2, 1, &err));
    must(wpg_profile_add_value(narrow, "x", 1, 0, 7, 5, &err));
    must(wpg_profile_add(wide, "x", 1, counters, 3, 1, &err));
    must(wpg_profile_add_value(wide, "x", 1, 1, 8, 6, &err));
    for (int turn = 0; turn < 2; turn++) {
        wpg_profile *sum = wpg_profile_create();
        wpg_profile_stats stats = {0};
        must(wpg_profile_merge(sum, turn ? wide : narrow, 1, &stats, &err));
        must(wpg_profile_merge(sum, turn ? narrow : wide, 1, &stats, &err));
        assert_int_equal(stats.mismatched, 1);
        expect_equal(wide, sum);
        wpg_profile_destroy(sum);
    }
    wpg_profile_destroy(narrow);
    wpg_profile_destroy(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_keeps_all),
                                       cmocka_unit_test(others_while_sites_fit),
                                       cmocka_unit_test(the_widest_stays)};
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
