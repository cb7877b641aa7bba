/* What the author calls a place in a block: the names of the members on the way to it (OpMemberName), such as
 * "u_metalness" or "params.size.y". Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_PLACE_NAMES_H
#define WPG_COMPILER_ANALYSIS_PLACE_NAMES_H

#include "compiler/analysis/values/word_places.h"

enum { WPG_PLACE_NAME = 96 };

/* Adds ".member", "[2]" and ".x" for the indices into what the variable holds, at *length. `members`: members
 * have names, else numbers. False: a member has no name, or an index leads nowhere. */
bool wpg_place_path(char name[WPG_PLACE_NAME], size_t *length, const wpg_module *module,
                    const wpg_word_place *place, bool members);
/* A word of a block. Where members have no names: "set 0 binding 2 [0][3].x"; without a binding: "%15[0]". */
void wpg_place_name(char name[WPG_PLACE_NAME], const wpg_module *module, const wpg_word_place *place);
/* Control characters become spaces: names come from programs. */
void wpg_place_name_clean(char *name);

#endif
