#include "runtime/tune/paired.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* P(B(n, 1/2) = k); by logarithms, for n may be large. */
static double binomial(size_t n, size_t k)
{
    return exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) -
               (double)n * M_LN2);
}

/* How many values are cut off on each side, and the confidence of what is left. */
static size_t cut(double *confidence, size_t count, double wanted)
{
    double tail = binomial(count, 0); /* P(B < k + 1) */
    size_t k = 0;
    *confidence = 1 - 2 * tail;
    while (2 * (k + 1) < count) {
        tail += binomial(count, k + 1);
        if (1 - 2 * tail < wanted)
            break;
        *confidence = 1 - 2 * tail;
        k++;
    }
    return k;
}

bool wpg_median_interval(wpg_median *out, double *values, size_t count, double confidence)
{
    *out = (wpg_median){.count = count};
    if (!count)
        return false;
    qsort(values, count, sizeof *values, ascending);
    const size_t k = cut(&out->confidence, count, confidence), middle = count / 2;
    out->median = count % 2 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
    out->low = values[k];
    out->high = values[count - 1 - k];
    if (out->confidence < 0)
        out->confidence = 0;
    return true;
}

double wpg_quantile(double *values, size_t count, double share)
{
    if (!count)
        return NAN;
    qsort(values, count, sizeof *values, ascending);
    size_t rank = (size_t)ceil(share * (double)count);
    rank = rank ? rank : 1;
    return values[(rank < count ? rank : count) - 1];
}
