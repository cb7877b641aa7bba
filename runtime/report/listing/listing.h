/* SPIR-V for people: one instruction a line, in the words of the grammar table, names of OpName where there
 * are any, small constants by value. For reading; no assembler takes it back.
 *
 * Owns: wpg_listing owns its names, until wpg_listing_finish; texts are borrowed from the module.
 * Threads: any, once made. */
#ifndef WPG_RUNTIME_REPORT_LISTING_LISTING_H
#define WPG_RUNTIME_REPORT_LISTING_LISTING_H

#include <stdio.h>

#include "compiler/spirv/module.h"

typedef struct wpg_listing {
    const wpg_module *module;
    const char **names; /* by id: OpName, NULL where there is none */
} wpg_listing;

/* WPG_E_NOMEM only. */
wpg_status wpg_listing_init(wpg_listing *listing, const wpg_module *module, wpg_error *err);
void wpg_listing_finish(wpg_listing *listing);

/* "%70 = OpIMul uint %69 3". Lines, labels and variables have a text, too. */
void wpg_listing_print(FILE *out, const wpg_listing *listing, const wpg_inst *inst);

#endif
