/* The median of ratios that were measured in pairs, with an interval.
 *
 * A round measures both ways next to each other, and gives one ratio. Rounds are taken to be independent and
 * alike; nothing is said of the distribution. The number of ratios below the true median is then binomial
 * with 1/2. So the interval from the kth smallest to the kth largest of n ratios holds the median with
 *
 *     1 - 2 * P(B(n, 1/2) < k)
 *
 * The largest k that gives the wanted confidence is taken. Too few rounds for that give the whole range, and
 * the confidence says what that is worth: 0.5 of two rounds, 0.9375 of five, 0.96875 of six.
 *
 * Owns: nothing.
 * Threads: any.
 * Source: David, Nagaraja, "Order Statistics", 3rd ed., 7.1. */
#ifndef WPG_RUNTIME_TUNE_PAIRED_H
#define WPG_RUNTIME_TUNE_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wpg_median {
    double median, low, high;
    double confidence; /* that the interval holds the true median; 0 of one value */
    size_t count;
} wpg_median;

/* Sorts the values. false: there are none. 0 < confidence < 1. */
bool wpg_median_interval(wpg_median *out, double *values, size_t count, double confidence);

/* The value that this share of the values does not exceed, 0 < share <= 1; sorts them. NaN: there are
 * none. */
double wpg_quantile(double *values, size_t count, double share);

#endif
