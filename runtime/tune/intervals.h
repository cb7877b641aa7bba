/* How much faster one of two ways is, from timings of both, with a confidence interval.
 *
 * Samples are compared within strata (executions of the same work); a candidate's log times are taken to be
 * the original's, moved by one shift in all strata. With D the differences log y - log x of all pairs of a
 * stratum and w its share of the time, T(d) = sum over strata of w * (share of D that is at most d) has at
 * the true shift the mean 1/2 and, whatever the distribution of the times, the variance sum of w^2 (m + n +
 * 1) / (12 m n). The estimate is where T passes 1/2, the interval where it passes 1/2 -+ z sigma. For one
 * stratum that is the Hodges-Lehmann estimate with Moses' interval from the Mann-Whitney statistic; over
 * strata, van Elteren's combination of them. Sources: Hodges, Lehmann, "Estimates of Location Based on Rank
 * Tests", Ann. Math. Stat. 34, 1963; Hollander, Wolfe, Chicken, "Nonparametric Statistical Methods", 3rd
 * ed., 4.1-4.3; van Elteren, "On the combination of independent two-sample tests of Wilcoxon", Bull. Int.
 * Stat. Inst. 37, 1960.
 *
 * That ranks decide keeps it honest under heavy tails; the normal approximation errs on the safe side in the
 * tails used here (the statistic is bounded), ties too. Threads: no shared state. */
#ifndef WPG_RUNTIME_TUNE_INTERVALS_H
#define WPG_RUNTIME_TUNE_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wpg_stratum {
    double *x, *y; /* logarithms of times: original, candidate; sorted by wpg_ratio_interval */
    size_t m, n;
    double weight; /* share of the time; the shares of the strata given are brought to a sum of 1 */
} wpg_stratum;

typedef struct wpg_ratio {
    double ratio, low, high; /* time of y over time of x; low may be 0, high INFINITY */
} wpg_ratio;

/* Of the strata with samples on both sides; `tail`: the probability on each side of the interval, below 1/2.
 * false: there is no such stratum. */
bool wpg_ratio_interval(wpg_ratio *out, wpg_stratum *strata, size_t count, double tail);

/* z with P(Z > z) = tail for a standard normal Z; 0 < tail < 1. */
double wpg_normal_quantile(double tail);

#endif
