/* Declarations shared by the files of the divergence analysis.
 *
 *     divergence.c          states, transfer of each instruction, the fixpoint
 *     divergence_memory.c   variables: which are followed exactly, virtual phis for them
 *     divergence_control.c  which branches part the lanes that a phi or a loop's merge brings together
 *
 * Nodes: an id is its own node; from `bound` on come virtual phis. */
#ifndef WPG_COMPILER_ANALYSIS_DIVERGENCE_INTERNAL_H
#define WPG_COMPILER_ANALYSIS_DIVERGENCE_INTERNAL_H

#include "compiler/analysis/values/divergence.h"
#include "compiler/spirv/grammar.h"
#include "compiler/analysis/graph/internal.h"

/* State of a node: a wpg_uniformity in the low bits, and whether it varies. */
typedef uint8_t wpg_state;
enum { WPG_STATE_LEVEL = 7, WPG_STATE_VARIES = 0x80 };
static inline wpg_state wpg_state_join(wpg_state a, wpg_state b)
{
    int level = (a & WPG_STATE_LEVEL) > (b & WPG_STATE_LEVEL) ? a & WPG_STATE_LEVEL : b & WPG_STATE_LEVEL;
    return (wpg_state)(level | ((a | b) & WPG_STATE_VARIES));
}

enum { WPG_NODE_UNDEFINED = 0 }; /* id 0 defines nothing: a variable read before it was written */

typedef struct wpg_phi_operand {
    uint32_t node, predecessor; /* block index */
} wpg_phi_operand;

typedef struct wpg_phi_node {
    uint32_t node, block;
    uint32_t first, count; /* in operands */
    uint32_t next;         /* of the same block; UINT32_MAX at the end */
} wpg_phi_node;

/* How a variable of private memory is used. */
typedef enum wpg_variable_use {
    WPG_VARIABLE_NONE,    /* no such variable */
    WPG_VARIABLE_WHOLE,   /* loaded and stored whole: followed exactly */
    WPG_VARIABLE_PARTS,   /* also through access chains */
    WPG_VARIABLE_ESCAPES, /* its address goes elsewhere */
} wpg_variable_use;

/* What decorations say about an id. */
enum {
    WPG_DECORATED_NON_WRITABLE = 1,
    WPG_DECORATED_VOLATILE = 2, /* or coherent */
    WPG_DECORATED_BLOCK = 4,
    WPG_DECORATED_BUFFER_BLOCK = 8,
    WPG_DECORATED_BUILTIN = 16,
};

struct wpg_divergence {
    const wpg_cfg *cfg;
    const wpg_module *module;
    wpg_arena *arena;
    uint32_t bound, node_count;
    wpg_state *states;  /* [node_count] */
    uint32_t *block_of; /* [node_count] defining block, WPG_NO_BLOCK for module scope and the unknown */
    uint32_t *source;   /* [bound] node that a load of a followed variable reads; WPG_NO_BLOCK for others */

    /* Module scope. */
    uint8_t *decorated;     /* [bound] WPG_DECORATED_* */
    uint32_t *builtin;      /* [bound] */
    uint32_t *non_writable; /* [bound] members of a struct type decorated so */
    bool one_function;
    wpg_operand_list used; /* scratch, while it is computed */

    /* Private memory. */
    uint8_t *use;       /* [bound] wpg_variable_use */
    wpg_state *content; /* [bound] all that is stored to a variable used in parts */
    uint32_t *stores;   /* [bound] stores to the variable; 2: more than one, or one in a loop */

    wpg_phi_node *phis;
    uint32_t phi_count;
    wpg_phi_operand *operands;
    uint32_t *phis_at; /* [blocks] first phi */

    /* Control. */
    bool *closed;         /* [constructs] left by its merge block or for good only */
    bool *wanders;        /* [constructs] left to elsewhere than its merge or the next loop's continue */
    uint32_t *outer_loop; /* [constructs] next loop around it */
    uint32_t *exits_at, *exits; /* blocks that branch out of each loop, in rows */
    wpg_state *temporal; /* [constructs] of loops: branches by which lanes leave in different iterations */
    wpg_state *inside; /* [constructs + 1] branches whose effect ends with the construct; last: never ends */
    struct wpg_control {
        uint32_t first, count; /* in parting */
        bool unknown;          /* too much to look at */
    } * control;               /* [blocks] of blocks with phis */
    uint32_t *parting;         /* block of a branch; or blocks + construct for a loop */
};

/* divergence_memory.c: use, source, phis (OpPhi and virtual ones), node_count. */
bool wpg_divergence_follow(wpg_divergence *d);
/* The variable that a pointer points into, 0 if unknown. */
uint32_t wpg_divergence_root(const wpg_divergence *d, uint32_t pointer);

/* divergence_control.c */
bool wpg_divergence_control(wpg_divergence *d);
/* Notes a branch of block `b` with that state in the constructs around it. True if something changed. */
bool wpg_divergence_branch(wpg_divergence *d, uint32_t b, wpg_state state);
/* The state of the branches that decide whether, and how often, lanes have been in block `b`. */
wpg_state wpg_divergence_reach(const wpg_divergence *d, uint32_t b);
/* The state of the branches that part the lanes which come to block `b` over different edges. */
wpg_state wpg_divergence_parted(const wpg_divergence *d, uint32_t b);

/* The state of a node as seen from a block: temporal divergence is added. */
wpg_state wpg_divergence_seen(const wpg_divergence *d, uint32_t node, uint32_t block);

#endif
