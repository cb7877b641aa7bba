/* Records of who made a profile, so that parts of a fleet can be chosen after merging:
 *
 *     made.<program>.<application>.<device>.<driver>.<wavepgo>#pipelines
 *
 * The one counter adds up the pipelines that were counted so, over all runs: a profile of many runs has a
 * record for each combination. In each part a character outside [A-Za-z0-9_-] is %XX, in upper-case
 * hexadecimal; what is unknown is empty. So composing and parsing are exact inverses. The record's hash is
 * WPG_MADE_RECORD_HASH. Stock llvm-profdata merges the records like others.
 *
 * Owns: nothing.
 * Threads: any. */
#ifndef WPG_RUNTIME_PROFILE_MADE_RECORD_H
#define WPG_RUNTIME_PROFILE_MADE_RECORD_H

#include "runtime/profile/profile.h"

enum {
    WPG_MADE_RECORD_HASH = 1,
    WPG_MADE_PARTS = 5,
    WPG_MADE_TEXT = 97,                                            /* bytes of a part, with its end */
    WPG_MADE_NAME = 32 + WPG_MADE_PARTS * 3 * (WPG_MADE_TEXT - 1), /* of a record's name, with its end */
};

/* In the order of the name. */
typedef enum wpg_made_part {
    WPG_MADE_PROGRAM,     /* the executable's name */
    WPG_MADE_APPLICATION, /* what the program calls itself, and its version (VkApplicationInfo) */
    WPG_MADE_DEVICE,
    WPG_MADE_DRIVER, /* its name and version */
    WPG_MADE_WAVEPGO /* version of this project */
} wpg_made_part;

typedef struct wpg_made {
    char parts[WPG_MADE_PARTS][WPG_MADE_TEXT];
} wpg_made;

/* "program", "application", ...: as options are called. */
const char *wpg_made_part_name(wpg_made_part part);

void wpg_made_record_compose(char name[WPG_MADE_NAME], const wpg_made *made);
/* False: not such a name. */
bool wpg_made_record_parse(wpg_made *made, const char *name);

#endif
