/* See word_sets.h.
 *
 * Visits with the same values of the words that come back are one group at first. Then the two groups are
 * joined whose joint set, the values that both have, loses least: a word's worth times the waves that lose it
 * (agglomerative clustering; Ward 1963). Worth: an integer decides bounds and divisors, a float of 0 takes
 * away what it weighs, another float decides a comparison at most. What a set really saves is for the caller
 * to find out. */
#include "compiler/optimize/facts/word_sets.h"

enum {
    MOST_GROUPS = 64,
    LEAST_RETURN = 16 /* a value comes back if 1 of so many waves saw it */
};

typedef struct group {
    wpg_word_set set;
    uint64_t waves;
    bool joined; /* into another */
} group;

typedef struct grouping {
    const wpg_function_profile *profile;
    uint32_t words; /* facts */
    uint64_t waves; /* of all visits */
    uint32_t count;
    group groups[MOST_GROUPS];
} grouping;

static uint32_t bits_of(const wpg_function_profile *profile, const wpg_word_visit *visit, uint32_t fact)
{
    return visit->bits[profile->words.data[fact].site];
}

bool wpg_word_set_fits(const wpg_word_set *set, uint64_t mask, const wpg_function_profile *profile,
                       const wpg_word_visit *visit)
{
    for (uint32_t f = 0; f < profile->words.count; f++)
        if (mask >> f & 1 && bits_of(profile, visit, f) != set->bits[f])
            return false;
    return true;
}

static bool comes_back(const grouping *g, uint32_t fact, uint32_t bits)
{
    uint64_t waves = 0;
    for (uint32_t v = 0; v < g->profile->visit_count; v++)
        if (bits_of(g->profile, &g->profile->visits[v], fact) == bits)
            waves += g->profile->visits[v].waves;
    return waves >= g->waves / LEAST_RETURN;
}

static bool is_equal(const grouping *g, const wpg_word_set *a, const wpg_word_set *b)
{
    bool equal = a->known == b->known;
    for (uint32_t f = 0; equal && f < g->words; f++)
        equal = !(a->known >> f & 1) || a->bits[f] == b->bits[f];
    return equal;
}

/* What a set loses where it keeps the words of `kept` alone. */
static double loss(const grouping *g, const group *of, uint64_t kept)
{
    double lost = 0;
    for (uint32_t f = 0; f < g->words; f++) {
        if (!((of->set.known & ~kept) >> f & 1))
            continue;
        const uint32_t bits = of->set.bits[f], magnitude = bits & 0x7fffffff;
        lost += !g->profile->words.data[f].is_float ? 2 : !magnitude ? 3 : magnitude == 0x3f800000 ? 1 : 0.25;
    }
    return lost * (double)of->waves;
}

static uint64_t common(const grouping *g, const wpg_word_set *a, const wpg_word_set *b)
{
    uint64_t same = a->known & b->known;
    for (uint32_t f = 0; f < g->words; f++)
        if (same >> f & 1 && a->bits[f] != b->bits[f])
            same &= ~(UINT64_C(1) << f);
    return same;
}

static void add_visit(grouping *g, const wpg_word_visit *visit)
{
    group one = {.waves = visit->waves};
    for (uint32_t f = 0; f < g->words; f++) {
        one.set.bits[f] = bits_of(g->profile, visit, f);
        if (comes_back(g, f, one.set.bits[f]))
            one.set.known |= UINT64_C(1) << f;
    }
    for (uint32_t i = 0; i < g->count; i++)
        if (is_equal(g, &g->groups[i].set, &one.set)) {
            g->groups[i].waves += one.waves;
            return;
        }
    if (g->count < MOST_GROUPS)
        g->groups[g->count++] = one;
}

/* Joins the two groups that lose least. */
static void join(grouping *g)
{
    uint32_t a = 0, b = 0;
    double least = -1;
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t j = i + 1; j < g->count; j++) {
            if (g->groups[i].joined || g->groups[j].joined)
                continue;
            uint64_t kept = common(g, &g->groups[i].set, &g->groups[j].set);
            double lost = loss(g, &g->groups[i], kept) + loss(g, &g->groups[j], kept);
            if (least < 0 || lost < least) {
                least = lost;
                a = i;
                b = j;
            }
        }
    g->groups[a].set.known = common(g, &g->groups[a].set, &g->groups[b].set);
    g->groups[a].waves += g->groups[b].waves;
    g->groups[b].joined = true;
}

static wpg_word_set steady_set(const wpg_function_profile *profile, double value_share, uint32_t words)
{
    wpg_word_set set = {0};
    for (uint32_t f = 0; f < words; f++) {
        set.bits[f] = profile->words.data[f].bits;
        if (wpg_word_fact_share(&profile->words.data[f]) >= value_share)
            set.known |= UINT64_C(1) << f;
    }
    return set;
}

uint32_t wpg_word_sets(wpg_word_set sets[WPG_MOST_SETS], const wpg_function_profile *profile,
                       double value_share)
{
    grouping g = {.profile = profile,
                  .words = profile->words.count < WPG_MOST_WORD_SITES ? (uint32_t)profile->words.count
                                                                      : WPG_MOST_WORD_SITES};
    uint32_t count = 0, left;
    sets[count++] = steady_set(profile, value_share, g.words);
    for (uint32_t v = 0; v < profile->visit_count; v++)
        g.waves += profile->visits[v].waves;
    for (uint32_t v = 0; v < profile->visit_count; v++)
        add_visit(&g, &profile->visits[v]);
    for (left = g.count; left > WPG_MOST_SETS - 1; left--)
        join(&g);
    for (uint32_t i = 0; i < g.count; i++)
        if (!g.groups[i].joined && g.groups[i].set.known && !is_equal(&g, &g.groups[i].set, &sets[0]))
            sets[count++] = g.groups[i].set;
    return count;
}
