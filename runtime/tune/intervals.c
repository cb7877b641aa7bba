#include "runtime/tune/intervals.h"

#include <math.h>
#include <stdlib.h>

double wpg_normal_quantile(double tail)
{
    double low = -40, high = 40;
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        if (0.5 * erfc(middle * M_SQRT1_2) > tail)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* How many pairs of sorted x and y have y - x <= d. */
static double pairs_up_to(const wpg_stratum *s, double d)
{
    size_t count = 0, below = 0;
    for (size_t i = 0; i < s->m; i++) {
        while (below < s->n && s->y[below] - s->x[i] <= d)
            below++;
        count += below;
    }
    return (double)count;
}

static double statistic(const wpg_stratum *strata, size_t count, double total, double d)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const wpg_stratum *s = &strata[i];
        if (s->m && s->n)
            sum += s->weight / total * pairs_up_to(s, d) / ((double)s->m * (double)s->n);
    }
    return sum;
}

/* The least d with T(d) >= level, from above; the bounds enclose every difference. */
static double passes(const wpg_stratum *strata, size_t count, double total, double level, double low,
                     double high)
{
    for (int i = 0; i < 60 && high - low > 1e-9; i++) {
        double middle = 0.5 * (low + high);
        if (statistic(strata, count, total, middle) >= level)
            high = middle;
        else
            low = middle;
    }
    return high;
}

bool wpg_ratio_interval(wpg_ratio *out, wpg_stratum *strata, size_t count, double tail)
{
    double total = 0, variance = 0, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (strata[i].m && strata[i].n)
            total += strata[i].weight;
    if (!(total > 0))
        return false;
    for (size_t i = 0; i < count; i++) {
        wpg_stratum *s = &strata[i];
        if (!s->m || !s->n)
            continue;
        double m = (double)s->m, n = (double)s->n, share = s->weight / total;
        qsort(s->x, s->m, sizeof *s->x, ascending);
        qsort(s->y, s->n, sizeof *s->y, ascending);
        variance += share * share * (m + n + 1) / (12 * m * n);
        least = fmin(least, s->y[0] - s->x[s->m - 1]);
        most = fmax(most, s->y[s->n - 1] - s->x[0]);
    }
    const double half = wpg_normal_quantile(tail) * sqrt(variance), step = 1e-6;
    out->ratio = exp(passes(strata, count, total, 0.5, least - step, most + step));
    out->low = 0.5 - half > 0 ? exp(passes(strata, count, total, 0.5 - half, least - step, most + step)) : 0;
    /* Beyond the upper level, not at it: outward, as the lower end is. */
    out->high = 0.5 + half < 1
                    ? exp(passes(strata, count, total, 0.5 + half + 1e-12, least - step, most + step))
                    : INFINITY;
    return true;
}
