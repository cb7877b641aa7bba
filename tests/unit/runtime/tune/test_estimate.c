/* The static verdict's rule, on figures whose answer is plain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "runtime/tune/estimate.h"

static const double once[WPG_MOST_EXECUTABLES] = {1, 1, 1, 1, 1, 1, 1, 1};

static wpg_estimate one(double latency, double throughput, double occupancy)
{
    wpg_estimate made = {.count = 1};
    made.executables[0] = (wpg_executable){.stages = 32,
                                           .wave = 64,
                                           .latency = latency,
                                           .inverse_throughput = throughput,
                                           .occupancy = occupancy,
                                           .code_size = 1000};
    return made;
}

static void expect(const wpg_estimate *a, const wpg_estimate *b, wpg_outcome outcome, double ratio)
{
    double found;
    assert_int_equal(wpg_estimate_compare(&found, a, b, once, 0.1), outcome);
    assert_true(fabs(found - ratio) < 1e-9);
}

/* What bounds a wave is its work where others hide its latency, else its latency. */
static void bounds(void **state)
{
    (void)state;
    wpg_estimate work = one(1000, 500, 16), waits = one(16000, 500, 16), few = one(16000, 500, 4);
    expect(&work, &work, WPG_OUTCOME_UNDECIDED, 1);
    expect(&work, &waits, WPG_OUTCOME_LOSES, 2);
    expect(&waits, &work, WPG_OUTCOME_WINS, 0.5);
    expect(&few, &waits, WPG_OUTCOME_WINS, 0.25); /* more registers free, more waves at once */
}

/* Less than the margin is a tie, on both sides. */
static void margin(void **state)
{
    (void)state;
    wpg_estimate base = one(100, 1000, 16), little = one(100, 901, 16), enough = one(100, 899, 16),
                 worse = one(100, 1099, 16), bad = one(100, 1101, 16);
    expect(&base, &little, WPG_OUTCOME_UNDECIDED, 0.901);
    expect(&base, &enough, WPG_OUTCOME_WINS, 0.899);
    expect(&base, &worse, WPG_OUTCOME_UNDECIDED, 1.099);
    expect(&base, &bad, WPG_OUTCOME_LOSES, 1.101);
}

/* Spilling loses whatever is gained; outgrowing the instruction cache cannot win. */
static void vetoes(void **state)
{
    (void)state;
    wpg_estimate base = one(100, 1000, 16), fast = one(100, 100, 16);
    fast.executables[0].spills = 1;
    expect(&base, &fast, WPG_OUTCOME_LOSES, 0.1);
    base.executables[0].spills = 1;
    expect(&base, &fast, WPG_OUTCOME_WINS, 0.1);
    fast.executables[0].code_size = WPG_CODE_CACHE + 4;
    expect(&base, &fast, WPG_OUTCOME_UNDECIDED, 0.1);
    base.executables[0].code_size = WPG_CODE_CACHE + 4;
    expect(&base, &fast, WPG_OUTCOME_WINS, 0.1);
}

/* Half the lanes, twice the waves. */
static void waves(void **state)
{
    (void)state;
    wpg_estimate base = one(100, 1000, 16), small = one(100, 600, 16);
    small.executables[0].wave = 32;
    expect(&base, &small, WPG_OUTCOME_LOSES, 1.2);
    small.executables[0].inverse_throughput = 400;
    expect(&base, &small, WPG_OUTCOME_WINS, 0.8);
}

/* The profile decides between stages; without one they count alike. */
static void weights(void **state)
{
    (void)state;
    double ratio;
    wpg_estimate base = {.count = 2}, other;
    base.executables[0] = one(100, 1000, 16).executables[0];
    base.executables[1] = one(100, 1000, 16).executables[0];
    base.executables[0].stages = 1;
    base.executables[1].stages = 16;
    other = base;
    other.executables[0].inverse_throughput = 2000;
    other.executables[1].inverse_throughput = 500;
    const double pixels[WPG_MOST_EXECUTABLES] = {1, 99}, vertices[WPG_MOST_EXECUTABLES] = {99, 1},
                 unknown[WPG_MOST_EXECUTABLES] = {0};
    assert_int_equal(wpg_estimate_compare(&ratio, &base, &other, pixels, 0.1), WPG_OUTCOME_WINS);
    assert_int_equal(wpg_estimate_compare(&ratio, &base, &other, vertices, 0.1), WPG_OUTCOME_LOSES);
    assert_int_equal(wpg_estimate_compare(&ratio, &base, &other, unknown, 0.1), WPG_OUTCOME_LOSES);
    assert_true(fabs(ratio - 1.25) < 1e-9);
}

/* What cannot be compared is not decided. */
static void refuses(void **state)
{
    (void)state;
    double ratio;
    wpg_estimate base = one(100, 1000, 16), other = base, none = {0};
    assert_int_equal(wpg_estimate_compare(&ratio, &none, &none, once, 0.1), WPG_OUTCOME_OPEN);
    assert_int_equal(wpg_estimate_compare(&ratio, &base, &none, once, 0.1), WPG_OUTCOME_OPEN);
    other.executables[0].occupancy = 0;
    assert_int_equal(wpg_estimate_compare(&ratio, &base, &other, once, 0.1), WPG_OUTCOME_OPEN);
    other = base;
    other.executables[0].stages = 16;
    assert_int_equal(wpg_estimate_compare(&ratio, &base, &other, once, 0.1), WPG_OUTCOME_OPEN);
}

/* Figures by RADV's names; what is no number is not taken. */
static void names(void **state)
{
    (void)state;
    wpg_executable made = {0};
    wpg_executable_take(&made, "Latency", 700);
    wpg_executable_take(&made, "Inverse Throughput", 20);
    wpg_executable_take(&made, "Pre-Sched VGPRs", 12);
    assert_false(wpg_executable_complete(&made));
    wpg_executable_take(&made, "Subgroups per SIMD", (double)NAN);
    wpg_executable_take(&made, "Subgroups per SIMD", -1);
    assert_false(wpg_executable_complete(&made));
    wpg_executable_take(&made, "Subgroups per SIMD", 8);
    assert_true(wpg_executable_complete(&made));
    wpg_executable_take(&made, "Spilled VGPRs", 2);
    wpg_executable_take(&made, "Scratch size", 16);
    assert_true(made.spills > 17.5 && made.spills < 18.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds),  cmocka_unit_test(margin),
                                       cmocka_unit_test(vetoes),  cmocka_unit_test(waves),
                                       cmocka_unit_test(weights), cmocka_unit_test(refuses),
                                       cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
