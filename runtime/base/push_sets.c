#include "runtime/base/push_sets.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/arithmetic.h"
#include "runtime/base/hash.h"

/* -- One set */

static uint32_t words_up_to(uint64_t words)
{
    return words ? 64 - (uint32_t)__builtin_clzll(words) : 0;
}

/* Values outside of `words` are 0. */
static uint64_t key_of(const wpg_push_set *set)
{
    struct {
        uint64_t words;
        uint32_t values[WPG_PUSH_SET_WORDS];
    } content;
    const size_t size = words_up_to(set->words) * sizeof *set->values;
    content.words = set->words;
    memcpy(content.values, set->values, size);
    return wpg_hash64_bytes(&content, sizeof content.words + size);
}

/* `values` may be the set's own. */
static void fill(wpg_push_set *set, uint64_t words, const uint32_t *values)
{
    set->words = words;
    for (uint32_t word = 0; word < WPG_PUSH_SET_WORDS; word++)
        set->values[word] = words >> word & 1 ? values[word] : 0;
    set->key = key_of(set);
}

uint64_t wpg_push_set_key(uint64_t words, const uint32_t values[WPG_PUSH_SET_WORDS])
{
    wpg_push_set set;
    fill(&set, words, values);
    return set.key;
}

/* -- The table */

static bool find(wpg_push_sets *sets, uint64_t key)
{
    if (sets->last < sets->count && sets->sets[sets->last].key == key)
        return true;
    for (uint32_t i = 0; i < sets->count; i++)
        if (sets->sets[i].key == key) {
            sets->last = i;
            return true;
        }
    return false;
}

static bool grow(wpg_push_sets *sets)
{
    const uint32_t room = sets->room ? sets->room * 2 : 1;
    wpg_push_set *grown = realloc(sets->sets, room * sizeof *grown);
    if (!grown)
        return false;
    sets->sets = grown;
    sets->room = room;
    return true;
}

/* In place of the rarest; of equals the one with the larger key goes. */
static void replace(wpg_push_sets *sets, const wpg_push_set *set)
{
    wpg_push_set *rarest = &sets->sets[0];
    for (uint32_t i = 1; i < sets->count; i++) {
        wpg_push_set *at = &sets->sets[i];
        if (at->n < rarest->n || (at->n == rarest->n && at->key > rarest->key))
            rarest = at;
    }
    if (rarest->n > set->n) {
        sets->others = wpg_add_saturating(sets->others, set->n);
        return;
    }
    sets->others = wpg_add_saturating(sets->others, rarest->n);
    *rarest = *set;
}

static void count_set(wpg_push_sets *sets, wpg_push_set *set, uint64_t many_valued)
{
    if (find(sets, set->key)) {
        uint64_t *n = &sets->sets[sets->last].n;
        *n = wpg_add_saturating(*n, set->n);
        return;
    }
    const uint64_t too_many = many_valued & set->words;
    if (sets->count == WPG_PUSH_SETS && too_many) {
        wpg_push_sets_loosen(sets, too_many);
        fill(set, set->words & ~too_many, set->values);
        count_set(sets, set, 0);
        return;
    }
    if (sets->count == WPG_PUSH_SETS)
        replace(sets, set);
    else if (sets->count < sets->room || grow(sets))
        sets->sets[sets->count++] = *set;
    else
        sets->others = wpg_add_saturating(sets->others, set->n);
}

void wpg_push_sets_count(wpg_push_sets *sets, uint64_t words, const uint32_t values[WPG_PUSH_SET_WORDS],
                         uint64_t n, uint64_t many_valued)
{
    wpg_push_set set;
    if (!n)
        return;
    fill(&set, words & ~sets->loose, values);
    set.n = n;
    count_set(sets, &set, many_valued);
}

void wpg_push_sets_loosen(wpg_push_sets *sets, uint64_t words)
{
    const uint32_t count = sets->count;
    if (!(words & ~sets->loose))
        return;
    sets->loose |= words;
    sets->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        wpg_push_set set = sets->sets[i];
        fill(&set, set.words & ~words, set.values);
        count_set(sets, &set, 0);
    }
}

void wpg_push_sets_add(wpg_push_sets *into, const wpg_push_sets *from, uint64_t many_valued)
{
    wpg_push_sets_loosen(into, from->loose);
    into->others = wpg_add_saturating(into->others, from->others);
    for (uint32_t i = 0; i < from->count; i++)
        wpg_push_sets_count(into, from->sets[i].words, from->sets[i].values, from->sets[i].n, many_valued);
}

static int commoner(const void *left, const void *right)
{
    const wpg_push_set *a = left, *b = right;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

void wpg_push_sets_sort(wpg_push_sets *sets)
{
    if (sets->count)
        qsort(sets->sets, sets->count, sizeof *sets->sets, commoner);
}

void wpg_push_sets_clear(wpg_push_sets *sets)
{
    sets->count = 0;
    sets->loose = sets->others = 0;
}

void wpg_push_sets_finish(wpg_push_sets *sets)
{
    free(sets->sets);
    *sets = (wpg_push_sets){0};
}

/* -- What follows from what */

uint64_t wpg_push_sets_listed(const wpg_push_sets *sets)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < sets->count; i++)
        all = wpg_add_saturating(all, sets->sets[i].n);
    return all;
}

/* The words that hold the given values in a set. */
static uint64_t equal_words(const wpg_push_set *set, const uint32_t *values)
{
    uint64_t equal = 0;
    for (uint64_t left = set->words; left; left &= left - 1) {
        const int word = __builtin_ctzll(left);
        if (set->values[word] == values[word])
            equal |= UINT64_C(1) << word;
    }
    return equal;
}

uint64_t wpg_push_sets_along(const wpg_push_sets *sets, const uint32_t values[WPG_PUSH_SET_WORDS],
                             uint64_t decided, double share)
{
    double with[WPG_PUSH_SET_WORDS] = {0}, all = 0;
    uint64_t along = 0;
    for (uint32_t i = 0; i < sets->count; i++) {
        const wpg_push_set *set = &sets->sets[i];
        const uint64_t equal = equal_words(set, values);
        if (decided & ~equal)
            continue;
        all += (double)set->n;
        for (uint64_t left = equal; left; left &= left - 1)
            with[__builtin_ctzll(left)] += (double)set->n;
    }
    for (int word = 0; all > 0 && word < WPG_PUSH_SET_WORDS; word++)
        if (with[word] > 0 && with[word] >= share * all)
            along |= UINT64_C(1) << word;
    return along;
}

/* -- Words that few sets agree on */

typedef struct narrowing {
    const wpg_push_sets *sets;
    uint64_t words;                                      /* that are left */
    uint64_t columns[WPG_PUSH_SET_WORDS][WPG_PUSH_SETS]; /* by set: what a word adds to the set's hash */
    uint64_t hashes[WPG_PUSH_SETS];                      /* of the words that are left */
    uint32_t values[WPG_PUSH_SET_WORDS];                 /* different ones */
} narrowing;

/* The draws and dispatches of the `few` commonest sets that have all `words`, if sets are told apart by these
 * hashes. */
static double cover(const wpg_push_sets *sets, const uint64_t hashes[WPG_PUSH_SETS], uint64_t words,
                    uint32_t few)
{
    uint64_t keys[WPG_PUSH_SETS];
    double n[WPG_PUSH_SETS], all = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sets->count; i++) {
        uint32_t at = 0;
        if (words & ~sets->sets[i].words)
            continue;
        while (at < count && keys[at] != hashes[i])
            at++;
        if (at == count) {
            keys[count] = hashes[i];
            n[count++] = 0;
        }
        n[at] += (double)sets->sets[i].n;
    }
    for (uint32_t taken = 0; taken < few && taken < count; taken++) {
        uint32_t most = 0;
        for (uint32_t at = 1; at < count; at++)
            if (n[at] > n[most])
                most = at;
        all += n[most];
        n[most] = 0;
    }
    return all;
}

static uint32_t different(const uint64_t *column, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0;
        while (before < i && column[before] != column[i])
            before++;
        found += before == i;
    }
    return found;
}

static void take_word(narrowing *n, uint32_t word)
{
    n->words |= UINT64_C(1) << word;
    for (uint32_t i = 0; i < n->sets->count; i++) {
        const wpg_push_set *set = &n->sets->sets[i];
        if (set->words >> word & 1)
            n->columns[word][i] = wpg_mix64((uint64_t)word << 32 | set->values[word]) | 1;
        n->hashes[i] += n->columns[word][i];
    }
    n->values[word] = different(n->columns[word], n->sets->count);
}

/* Gives up a word. */
static void give_up(narrowing *n, uint32_t few)
{
    uint32_t worst = 0;
    double best = -1;
    for (uint64_t left = n->words; left; left &= left - 1) {
        const uint32_t word = (uint32_t)__builtin_ctzll(left);
        uint64_t without[WPG_PUSH_SETS];
        for (uint32_t i = 0; i < n->sets->count; i++)
            without[i] = n->hashes[i] - n->columns[word][i];
        const double then = cover(n->sets, without, n->words & ~(left & -left), few);
        if (then > best || (then >= best && n->values[word] > n->values[worst])) {
            best = then;
            worst = word;
        }
    }
    for (uint32_t i = 0; i < n->sets->count; i++)
        n->hashes[i] -= n->columns[worst][i];
    n->words &= ~(UINT64_C(1) << worst);
}

/* Words that were pushed before `least` draws and dispatches. */
static void take_words(narrowing *n, double least)
{
    for (uint32_t word = 0; word < WPG_PUSH_SET_WORDS; word++) {
        double pushed = 0;
        for (uint32_t i = 0; i < n->sets->count; i++)
            if (n->sets->sets[i].words >> word & 1)
                pushed += (double)n->sets->sets[i].n;
        if (pushed > 0 && pushed >= least)
            take_word(n, word);
    }
}

/* Sets of these words alone, each with all of them. */
static void restrict_to(wpg_push_sets *sets, uint64_t words)
{
    wpg_push_sets_loosen(sets, ~words);
    const uint32_t count = sets->count;
    sets->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sets->sets[i].words == words)
            sets->sets[sets->count++] = sets->sets[i];
        else
            sets->others = wpg_add_saturating(sets->others, sets->sets[i].n);
    }
}

uint32_t wpg_push_sets_narrow(uint64_t *words, wpg_push_sets *sets, uint32_t few, double share)
{
    narrowing n = {.sets = sets};
    const double least = share * ((double)wpg_push_sets_listed(sets) + (double)sets->others);
    if ((double)wpg_push_sets_listed(sets) < least)
        return 0;
    take_words(&n, least);
    while (n.words && cover(sets, n.hashes, n.words, few) < least)
        give_up(&n, few);
    if (!n.words)
        return 0;
    restrict_to(sets, n.words);
    wpg_push_sets_sort(sets);
    *words = n.words;
    return sets->count < few ? sets->count : few;
}
