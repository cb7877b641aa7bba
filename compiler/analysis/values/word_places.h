/* Places in uniform blocks, and the loads that read them. Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_WORD_PLACES_H
#define WPG_COMPILER_ANALYSIS_WORD_PLACES_H

#include "compiler/analysis/graph/cfg.h"
#include "compiler/analysis/values/int_value.h"
#include "compiler/analysis/values/value_sites.h"
#include "runtime/base/arena.h"

enum { WPG_WORD_DEPTH = 6 };

/* A place in a uniform block: the variable and constant indices. If the load is of a vector, the last index
 * is the component. */
typedef struct wpg_word_place {
    uint32_t variable, count, indices[WPG_WORD_DEPTH];
} wpg_word_place;

typedef struct wpg_word_site {
    wpg_word_place place;
    wpg_inst *load;      /* the first that reads the word, through one access chain of the variable */
    uint32_t component;  /* of the loaded vector; WPG_NO_BLOCK: the load is of the word itself */
    wpg_value_type type; /* as loaded: WPG_VALUE_SINT, _UINT or _FLOAT */
    bool counted;        /* the load reads this word and others, by a loop's counter (counted_reads.h) */
} wpg_word_site;

/* The place that a load reads by one access chain of a variable, with constant indices. False for any other
 * load, and for a volatile one. The variable need not be a uniform block: only wpg_word_sites checks that. */
bool wpg_word_place_of(wpg_word_place *place, const wpg_module *module, const wpg_inst *load);

/* The same with indices that `indices` knows. */
bool wpg_word_place_by(wpg_word_place *place, wpg_int_walk *indices, const wpg_inst *load);

/* Operands of an access chain to the place, whose last index is left out where it is a component. Returns how
 * many; `operands` has room for WPG_WORD_DEPTH + 1. Indices become constants of the module. */
uint32_t wpg_word_chain(uint32_t *operands, wpg_module *module, const wpg_word_place *place,
                        bool is_component);

/* The load that component `c` of the vector comes from, through casts and shuffles, and which of its
 * components it is; NULL: it comes from no load. Tint loads vectors of unsigned numbers and casts them. */
const wpg_inst *wpg_word_trace(const wpg_module *module, const wpg_inst *vector, uint32_t c,
                               uint32_t *component);

/* The place that component `c` of the vector comes from, as by wpg_word_trace. */
bool wpg_word_place_of_part(wpg_word_place *place, const wpg_module *module, const wpg_inst *vector,
                            uint32_t c);

#endif
