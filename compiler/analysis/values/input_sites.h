/* Input sites: components of a fragment stage's user-defined inputs that it reads by constant indices.
 * Generate mode asks which values they have: an input of one value all through a run need not be an input.
 * The list depends on the normal form alone. So a site's number is its identity. Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_INPUT_SITES_H
#define WPG_COMPILER_ANALYSIS_INPUT_SITES_H

#include "compiler/analysis/values/word_places.h"

enum { WPG_MOST_INPUT_SITES = 64 };

typedef struct wpg_input_site {
    wpg_word_place place; /* of the component */
    wpg_inst *load;       /* the first that reads it: of the input, or by one access chain */
    uint32_t component;   /* of the loaded vector; WPG_NO_BLOCK: the load is of the component itself */
    wpg_value_type type;  /* WPG_VALUE_SINT, _UINT or _FLOAT */
    bool rounds;          /* interpolated: last bits differ between the lanes of a constant, too */
} wpg_input_site;

/* The place that a load reads: of an input, or by one access chain with constant indices. False for any other
 * load. Whether the variable is an input is not looked at. */
bool wpg_input_place_of(wpg_word_place *place, const wpg_module *module, const wpg_inst *load);

/* *sites lives in `arena`, in the order of the first loads. A component of a vector that the function never
 * takes out of it is no site. None in stages other than the fragment stage: the caller knows the stage.
 * WPG_E_NOMEM only. */
wpg_status wpg_input_sites(wpg_input_site **sites, uint32_t *count, const wpg_cfg *cfg, wpg_arena *arena);

#endif
