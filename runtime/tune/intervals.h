/* How much faster one of two pipelines is, from timings of both, with a confidence interval.
 *
 * Samples are compared within strata: executions of the same work. A candidate's log times are taken to be
 * the original's, moved by one shift in all strata. D is the differences log y - log x of all pairs of a
 * stratum; w is the stratum's share of the time; m and n are its numbers of samples.
 *
 *     T(d) = sum over strata of w * (share of D that is at most d)
 *
 * At the true shift T has the mean 1/2 and, whatever the distribution of the times, this variance:
 *
 *     sigma^2 = sum of w^2 (m + n + 1) / (12 m n)
 *
 * The estimate is where T passes 1/2. The interval is where T passes 1/2 -+ z sigma. For one stratum this is
 * the Hodges-Lehmann estimate with Moses' interval from the Mann-Whitney statistic. Over strata it is van
 * Elteren's combination of them.
 *
 * Ranks decide, so the interval holds under heavy tails too. The statistic is bounded: in the tails used here
 * the normal approximation errs on the safe side, and so do ties.
 *
 * Owns: nothing.
 * Threads: any; one set of strata, one thread at a time.
 * Sources: Hodges, Lehmann, "Estimates of Location Based on Rank Tests", Ann. Math. Stat. 34, 1963;
 * Hollander, Wolfe, Chicken, "Nonparametric Statistical Methods", 3rd ed., 4.1-4.3; van Elteren, "On the
 * combination of independent two-sample tests of Wilcoxon", Bull. Int. Stat. Inst. 37, 1960. */
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
