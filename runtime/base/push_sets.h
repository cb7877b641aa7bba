/* Sets of push-constant words: the words that a draw or dispatch had together, in a bounded table.
 *
 * The layer counts sets while a program runs. Profiles carry them. The optimiser asks which words follow from
 * others. A table holds WPG_PUSH_SETS sets. When a further one comes, words of many values are *loosened* if
 * there are any: no set follows a loose word, and sets that differed in loose words alone become one. Else
 * the rarest set gives way to one that is at least as common, and counts among the others. So totals are
 * exact. While `others` is 0, the counts of sets are exact, too.
 *
 * Owns: wpg_push_sets owns its array, until wpg_push_sets_finish. A zeroed one is empty.
 * Threads: one table, one thread at a time. */
#ifndef WPG_RUNTIME_BASE_PUSH_SETS_H
#define WPG_RUNTIME_BASE_PUSH_SETS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WPG_PUSH_SET_WORDS = 64, /* 256 bytes */
    WPG_PUSH_SETS = 32,
};

typedef struct wpg_push_set {
    uint64_t key;                        /* of words and values; equal on every machine */
    uint64_t n;                          /* draws and dispatches */
    uint64_t words;                      /* that were pushed, one bit each; loose words are left out */
    uint32_t values[WPG_PUSH_SET_WORDS]; /* 0 outside of `words` */
} wpg_push_set;

typedef struct wpg_push_sets {
    wpg_push_set *sets; /* [count], in no certain order */
    uint32_t count, room, last;
    uint64_t loose;  /* words, one bit each */
    uint64_t others; /* draws and dispatches whose set is not listed */
} wpg_push_sets;

/* The key of these words, and values outside of them are ignored. */
uint64_t wpg_push_set_key(uint64_t words, const uint32_t values[WPG_PUSH_SET_WORDS]);

/* Adds n draws and dispatches that had these words. many_valued: words that may be loosened if the table is
 * full. When memory runs out the set counts among the others. */
void wpg_push_sets_count(wpg_push_sets *sets, uint64_t words, const uint32_t values[WPG_PUSH_SET_WORDS],
                         uint64_t n, uint64_t many_valued);
/* Loosens these words, too. */
void wpg_push_sets_loosen(wpg_push_sets *sets, uint64_t words);
void wpg_push_sets_add(wpg_push_sets *into, const wpg_push_sets *from, uint64_t many_valued);
/* The commonest first; of equals the smaller key. */
void wpg_push_sets_sort(wpg_push_sets *sets);
/* Empties the table and keeps its memory. */
void wpg_push_sets_clear(wpg_push_sets *sets);
void wpg_push_sets_finish(wpg_push_sets *sets);

/* Draws and dispatches of all listed sets. */
uint64_t wpg_push_sets_listed(const wpg_push_sets *sets);
/* The words that hold the given value in `share` of the draws and dispatches in which the words of `decided`
 * hold theirs, `decided` included. 0: no listed set has those. */
uint64_t wpg_push_sets_along(const wpg_push_sets *sets, const uint32_t values[WPG_PUSH_SET_WORDS],
                             uint64_t decided, double share);

/* Keeps of the sets only the words that few sets agree on: at most `few` sets, each with all of *words, then
 * make up `share` of all draws and dispatches. Words are given up one by one until that is so: the one
 * without which the few sets are commonest, of equals the one of most values. Returns how many of the sets,
 * the first after sorting, are the few. 0, and the sets as they were, if no word is left. */
uint32_t wpg_push_sets_narrow(uint64_t *words, wpg_push_sets *sets, uint32_t few, double share);

#endif
