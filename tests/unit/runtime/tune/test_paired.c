/* Medians of paired ratios: what the interval covers, on samples whose answer is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <cmocka.h>

#include "runtime/tune/paired.h"

static void expect(size_t count, double wanted, double low, double high, double confidence)
{
    double values[64];
    wpg_median found;
    for (size_t i = 0; i < count; i++)
        values[i] = (double)(count - i); /* falls: the function sorts */
    assert_true(wpg_median_interval(&found, values, count, wanted));
    assert_int_equal(found.count, count);
    assert_true(fabs(found.median - ((double)count + 1) / 2) < 1e-12);
    assert_true(fabs(found.low - low) < 1e-12 && fabs(found.high - high) < 1e-12);
    assert_true(fabs(found.confidence - confidence) < 1e-9);
}

/* By the table of the sign test: 1 - 2 P(B(n, 1/2) < k). */
static void intervals(void **state)
{
    (void)state;
    expect(1, 0.95, 1, 1, 0);
    expect(2, 0.95, 1, 2, 0.5);
    expect(5, 0.95, 1, 5, 0.9375);
    expect(6, 0.95, 1, 6, 0.96875);
    expect(8, 0.95, 1, 8, 1 - 2.0 / 256);
    expect(9, 0.95, 2, 8, 1 - 2.0 * 10 / 512);
    expect(20, 0.95, 6, 15, 1 - 2.0 * 21700 / 1048576);
    expect(20, 0.5, 8, 13, 1 - 2.0 * 137980 / 1048576);
}

static void nothing(void **state)
{
    (void)state;
    wpg_median found;
    assert_false(wpg_median_interval(&found, NULL, 0, 0.95));
    assert_int_equal(found.count, 0);
    assert_true(isnan(wpg_quantile(NULL, 0, 0.5)));
}

static void quantiles(void **state)
{
    (void)state;
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = 100 - i;
    assert_true(wpg_quantile(values, 100, 0.5) == 50);
    assert_true(wpg_quantile(values, 100, 0.99) == 99);
    assert_true(wpg_quantile(values, 100, 1) == 100);
    assert_true(wpg_quantile(values, 1, 0.99) == 1);
}

/* Of many samples drawn from a skewed distribution, the interval holds its median as often as is claimed. */
static void coverage(void **state)
{
    (void)state;
    enum { TRIALS = 20000, ROUNDS = 9 };
    uint64_t random = 88172645463325252u;
    int held = 0;
    wpg_median found;
    for (int trial = 0; trial < TRIALS; trial++) {
        double values[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            values[i] = -log(((double)(random >> 11) + 0.5) / 9007199254740992.0); /* median: ln 2 */
        }
        assert_true(wpg_median_interval(&found, values, ROUNDS, 0.95));
        held += found.low <= M_LN2 && M_LN2 <= found.high;
    }
    /* Four standard deviations of the number of trials that hold. */
    assert_true(fabs((double)held / TRIALS - found.confidence) < 4 * sqrt(0.961 * 0.039 / TRIALS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals),
        cmocka_unit_test(nothing),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
