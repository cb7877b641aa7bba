/* Usual values of push constants, from a profile's records and a bundle's facts. Read once, with the
 * profile; read-only then. Threads: any. */
#ifndef WPG_LAYER_PROFILE_USUAL_H
#define WPG_LAYER_PROFILE_USUAL_H

#include "layer/profile/totals.h"
#include "runtime/profile/profile.h"

/* Usual values of a pipeline's push constants. */
enum { WPG_USUAL_VALUES = 4 };
typedef struct wpg_usual {
    uint64_t words; /* that hold few values, one bit each */
    struct {
        uint32_t count, values[WPG_USUAL_VALUES]; /* the commonest first */
        double share;                             /* of the commonest */
    } word[WPG_PUSH_WORDS];
} wpg_usual;

/* Reads the push-constant records of the profile, and the facts if `path` (full) is a bundle. */
void wpg_usual_load(const char *path, const wpg_profile *profile);
void wpg_usual_unload(void);
bool wpg_usual_any(void);                            /* some pipeline has some */
const wpg_usual *wpg_usual_of(wpg_hash128 pipeline); /* NULL: none */
/* The pipelines with usual values, by number. False: there are no more. */
bool wpg_usual_at(wpg_hash128 *pipeline, size_t number);

#endif
