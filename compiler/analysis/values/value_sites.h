/* Value sites: values of a function for which a compiler wants to know more than it can prove. Generate mode
 * counts them and readers of the profile look them up. The list depends on the normal form alone. So a site's
 * number is its identity.
 *
 * - Asked about uniformity (how often do all lanes of a wave agree?): values that are not provably uniform.
 * - Asked about values (which are the commonest?): values that could be specialised. These are uniform over a
 *   draw or dispatch and no constant, or loops, switches and conditions depend on them.
 * - A value that is provably uniform and could not be specialised is no site.
 *
 * Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_VALUE_SITES_H
#define WPG_COMPILER_ANALYSIS_VALUE_SITES_H

#include "compiler/analysis/values/divergence.h"

/* These numbers stand in profiles: add at the end. */
typedef enum wpg_value_kind {
    WPG_VALUE_BUFFER_INDEX,     /* index into an array in a buffer */
    WPG_VALUE_DESCRIPTOR_INDEX, /* index into an array of descriptors */
    WPG_VALUE_ADDRESS,          /* 64-bit address that is made a pointer, or a pointer that is loaded */
    WPG_VALUE_LOOP_BOUND,       /* what a loop's exit condition compares with */
    WPG_VALUE_SWITCH,           /* a switch's selector */
    WPG_VALUE_CONDITION,        /* uniform value that a branch depends on */
    WPG_VALUE_ARGUMENT,         /* argument of a call that was not inlined */
    WPG_VALUE_WORD,             /* word of a uniform block (word_sites.h); in a record of its own */
    WPG_VALUE_INPUT,            /* input of a fragment stage (input_sites.h); in a record of its own */
    WPG_VALUE_KINDS
} wpg_value_kind;

typedef enum wpg_value_type {
    WPG_VALUE_BOOL,
    WPG_VALUE_UINT,
    WPG_VALUE_SINT,
    WPG_VALUE_FLOAT, /* by its bits */
    WPG_VALUE_WIDE,  /* 64 bits, integer or pointer: uniformity only */
    WPG_VALUE_TYPES
} wpg_value_type;

enum { WPG_ASK_UNIFORMITY = 1, WPG_ASK_VALUES = 2 };

typedef struct wpg_value_site {
    wpg_value_kind kind;
    wpg_value_type type;
    uint32_t ask;     /* WPG_ASK_* */
    uint32_t value;   /* id */
    uint32_t block;   /* where it is asked */
    wpg_inst *before; /* the instruction before which it is asked; a terminator: at the block's end */
    wpg_inst *reload; /* a load to be made again there, as `value` is not defined yet; NULL mostly */
    const struct wpg_word_place *place; /* that the load is to read there; NULL: what its own chain says */
    uint32_t part;                      /* of a reloaded vector: component + 1; 0: all of it */
    bool rounds;                        /* a float whose last bits say nothing: an interpolated input */
    wpg_inst *use;                      /* the instruction the site is about: for its source line */
} wpg_value_site;

/* Limits for one function: sites asked about uniformity alone, and sites asked about values. The first in
 * module order are taken. */
enum { WPG_MOST_UNIFORMITY_SITES = 32, WPG_MOST_VALUE_SITES = 32 };

/* *sites lives in `arena`; in module order of the places where they are asked. WPG_E_NOMEM only. */
wpg_status wpg_value_sites(wpg_value_site **sites, uint32_t *count, const wpg_cfg *cfg,
                           const wpg_divergence *divergence, wpg_arena *arena);

#endif
