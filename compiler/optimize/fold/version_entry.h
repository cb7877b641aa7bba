/* The entry of a stage with versions (versions.c): copies of its body, and the function that chooses among
 * them. Private to compiler/optimize. Threads: one module, one thread. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_VERSION_ENTRY_H
#define WPG_COMPILER_OPTIMIZE_FOLD_VERSION_ENTRY_H

#include "compiler/optimize/fold/known_words.h"

typedef struct wpg_version {
    wpg_word_set set;
    uint64_t tested;   /* the words that decide something: one bit a fact */
    uint32_t function; /* that is right where these words have the set's values */
} wpg_version;

/* A copy of a function behind it, with ids of its own. *copies, [*bound] by id, lives in `arena`: the copy of
 * an id of the function, 0 for others. The copy's id; 0 when memory ran out. */
uint32_t wpg_version_copy(uint32_t **copies, uint32_t *bound, wpg_module *module, const wpg_inst *function,
                          wpg_arena *arena);
/* A new entry function at the module's end, in place of `function`: the first version whose words have their
 * values, else `other`. `sources` by fact. Execution modes and the entry point name it from now on. */
void wpg_version_entry(wpg_module *module, const wpg_inst *function, const wpg_version *versions,
                       uint32_t count, uint32_t other, const wpg_word_source *sources);

#endif
