/* The names section of a raw profile: reads it, and finds a name by the low half of its MD5.
 *
 * The section is chunks of names joined by \x01, each chunk plain or compressed by zlib. Private to
 * runtime/profile.
 *
 * Owns: the names, until wpg_names_finish.
 * Threads: one thread while names are read; then any.
 * Source: LLVM's readPGOFuncNameStrings. */
#ifndef WPG_RUNTIME_PROFILE_NAMES_H
#define WPG_RUNTIME_PROFILE_NAMES_H

#include "runtime/base/arena.h"
#include "runtime/base/map.h"
#include "runtime/profile/profile_format.h"

typedef struct wpg_names {
    wpg_arena arena;
    wpg_map by_ref; /* MD5 half -> const char * */
} wpg_names;

/* Adds the names of a section; an embedded NUL ends a name. Release with wpg_names_finish also on failure. */
wpg_status wpg_names_read(wpg_names *names, const uint8_t *data, size_t size, wpg_error *err);
/* NULL if there is none. */
const char *wpg_names_find(const wpg_names *names, uint64_t ref);
void wpg_names_finish(wpg_names *names);

#endif
