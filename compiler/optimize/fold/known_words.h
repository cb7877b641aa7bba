/* Loads of words of uniform blocks whose values are taken as given. Private to compiler/optimize. Threads: as
 * the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_KNOWN_WORDS_H
#define WPG_COMPILER_OPTIMIZE_FOLD_KNOWN_WORDS_H

#include "compiler/optimize/facts/word_sets.h"
#include "compiler/optimize/fold/load_fold.h"

/* Where a word is read: a load through one access chain, and the component of what it loads (WPG_NO_BLOCK:
 * all of it). */
typedef struct wpg_word_source {
    const wpg_inst *load;
    uint32_t component;
    const wpg_word_place *place; /* NULL: the chain is of constants */
} wpg_word_source;

typedef WPG_VEC(wpg_known_load) wpg_known_loads;

typedef struct wpg_known_words {
    wpg_module *module;
    const wpg_function_profile *profile;
    const wpg_word_set *set;
    wpg_word_source *sources; /* [WPG_MOST_WORD_SITES] by fact: those that are found are added */
    bool folds_floats;        /* vectors of floats may become constants whatever they are */
    bool single;              /* no vectors of several words, and no choices */
    wpg_known_loads loads;    /* whose `words` are facts, one bit each */
} wpg_known_words;

/* Adds the function's loads of the set's words, and what takes a word out of a vector. Also what a loop's
 * counter chooses among them (counted_reads.h), as a choice that the module's arena has; what a loop reads
 * and computes in the one trip that the set gives it; and what is read by an index made of the set. `view` is
 * of the function; NULL: one is made where it is needed. False when memory runs out. Free known->loads. */
bool wpg_known_words_collect(wpg_known_words *known, wpg_inst *function, const wpg_view *view);

/* Loads the word anew before `where` (NULL: at the module's end), as an unsigned number; its id. */
uint32_t wpg_word_load(wpg_module *module, wpg_inst *where, const wpg_word_source *source);

#endif
