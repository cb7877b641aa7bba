/* Choosing parts of a fleet: profiles by who made them (--program, --driver, ...; made_record.h).
 *
 * A profile is taken whole or not at all: if all who made it match all patterns. One that does not say who
 * made it is not taken.
 *
 * Owns: nothing.
 * Threads: any. */
#ifndef WPG_RUNTIME_CLI_MERGE_SELECT_H
#define WPG_RUNTIME_CLI_MERGE_SELECT_H

#include "runtime/cli/merge/merge.h"

/* True if something is to be chosen. */
bool wpg_merge_chooses(const wpg_merge_options *options);
bool wpg_merge_takes(const wpg_merge_options *options, const wpg_profile *profile);

/* True if argv[*at] is one of the options; *at then stands at its value. */
bool wpg_merge_parse_select(wpg_merge_options *options, int *at, int argc, char **argv);

#endif
