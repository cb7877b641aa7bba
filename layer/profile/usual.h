/* Usual values of push constants, from a profile's records and a bundle's facts. They need no counts: a
 * pipeline that was left out while counting has them, too. Read once, with the profile; read-only then.
 * Threads: any. */
#ifndef WPG_LAYER_PROFILE_USUAL_H
#define WPG_LAYER_PROFILE_USUAL_H

#include "layer/profile/totals.h"
#include "runtime/profile/profile.h"

/* Usual values of a pipeline's push constants. With sets (sets.count): the words that the usual sets agree on
 * to follow, and what these held together. Without, from older bundles, or where the table of sets ran over:
 * words that hold few values, each by itself. */
enum { WPG_USUAL_VALUES = 4, WPG_USUAL_SETS = 16 };
typedef struct wpg_usual {
    uint64_t words; /* one bit each */
    struct {
        uint32_t count, values[WPG_USUAL_VALUES]; /* the commonest first */
        double share;                             /* of the commonest */
    } word[WPG_PUSH_WORDS];
    wpg_push_sets sets;  /* of `words` alone, the commonest first */
    uint32_t usual_sets; /* so many of the first are usual: each has all `words` */
    double set_share;    /* of the first */
} wpg_usual;

/* Reads the push-constant records of the profile, and the facts if `path` (full) is a bundle. With VARIANTS=0
 * no pipeline has usual values. */
void wpg_usual_load(const char *path, const wpg_profile *profile);
void wpg_usual_unload(void);
size_t wpg_usual_count(void);                        /* pipelines that have some */
const wpg_usual *wpg_usual_of(wpg_hash128 pipeline); /* NULL: none */
/* True if the pipeline ran while the profile was recorded: a record or fact names it, whatever it says. */
bool wpg_usual_knows(wpg_hash128 pipeline);
/* The pipelines with usual values, by number. False: there are no more. */
bool wpg_usual_at(wpg_hash128 *pipeline, size_t number);

#endif
