/* Value sites: values of a function that a compiler would like to know more about than it can prove. Generate
 * mode asks about them, and whoever reads the profile finds them again: the list depends on the normal form
 * alone, so that a site's number is its identity.
 *
 * Asked about uniformity: how often do all lanes of a wave agree? - what is not provably uniform.
 * Asked about values: which are the commonest? - what could be specialised: a value that is one for the whole
 * draw or dispatch and yet no constant, and what loops, switches and conditions depend on.
 * What is provably uniform and could not be specialised is no site. Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_VALUE_SITES_H
#define WPG_COMPILER_ANALYSIS_VALUE_SITES_H

#include "compiler/analysis/divergence.h"

/* Numbers of profiles: add at the end. */
typedef enum wpg_value_kind {
    WPG_VALUE_BUFFER_INDEX,     /* index into an array in a buffer */
    WPG_VALUE_DESCRIPTOR_INDEX, /* index into an array of descriptors */
    WPG_VALUE_ADDRESS,          /* 64-bit address that is made a pointer, or a pointer that is loaded */
    WPG_VALUE_LOOP_BOUND,       /* what a loop's exit condition compares with */
    WPG_VALUE_SWITCH,           /* a switch's selector */
    WPG_VALUE_CONDITION,        /* uniform value that a branch depends on */
    WPG_VALUE_ARGUMENT,         /* argument of a call that was not inlined */
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
    wpg_inst *before; /* and before which instruction; a terminator: at the block's end */
    wpg_inst *reload; /* a load to be made again there, as `value` is not defined yet; NULL mostly */
    wpg_inst *use;    /* the instruction the site is about: for its source line */
} wpg_value_site;

/* The most sites of one function of each sort: asked about uniformity alone, asked about values. The first in
 * module order are taken. */
enum { WPG_MOST_UNIFORMITY_SITES = 32, WPG_MOST_VALUE_SITES = 32 };

/* *sites lives in `arena`; in module order of the places where they are asked. WPG_E_NOMEM only. */
wpg_status wpg_value_sites(wpg_value_site **sites, uint32_t *count, const wpg_cfg *cfg,
                           const wpg_divergence *divergence, wpg_arena *arena);

#endif
