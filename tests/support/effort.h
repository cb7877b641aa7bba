/* How much of a long test is done: a part of it in the everyday run, all of it at night (tests/run.sh
 * --nightly).
 *
 * Owns nothing; reads WPG_NIGHTLY of the environment. Threads: any.
 *
 * A sanitizer makes code some five times as slow and sees its errors in the first programs as well as in
 * later ones: such builds do a sixth of the everyday amount, four at least. */
#ifndef WPG_TESTS_SUPPORT_EFFORT_H
#define WPG_TESTS_SUPPORT_EFFORT_H

#include <stdbool.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EFFORT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EFFORT_SANITIZED 1
#endif
#endif
#ifndef EFFORT_SANITIZED
#define EFFORT_SANITIZED 0
#endif

static inline bool effort_nightly(void)
{
    const char *set = getenv("WPG_NIGHTLY");
    return set && *set;
}

/* How many of something: `usual` every day (under a sanitizer a sixth of it, but four of 5 to 24, and a third
 * of fewer), `nightly` at night. */
static inline unsigned effort_count(unsigned usual, unsigned nightly)
{
    if (effort_nightly())
        return nightly;
    if (!EFFORT_SANITIZED)
        return usual;
    return usual <= 4 ? (usual + 2) / 3 : usual < 24 ? 4 : usual / 6;
}

/* For a table of all `items` against all `choices`: whether this pair is looked at. Every day each item meets
 * `of` in `choices` (under a sanitizer a third of them), the next item the next ones, so that each choice is
 * met too; at night all. */
static inline bool effort_pair(size_t item, size_t choice, size_t choices, unsigned of)
{
    const unsigned met = EFFORT_SANITIZED ? (of + 2) / 3 : of;
    return effort_nightly() || (choice + choices - item * of % choices) % choices < met;
}

#endif
