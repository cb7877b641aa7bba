/* What the files that promote variables share (promote.h). Private to them. Owns: a promoter owns its graph,
 * arena and lists; the module is borrowed. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_MEMORY_PROMOTE_INTERNAL_H
#define WPG_COMPILER_OPTIMIZE_MEMORY_PROMOTE_INTERNAL_H

#include "compiler/analysis/graph/cfg.h"
#include "compiler/spirv/grammar.h"

enum { WPG_PROMOTE_NONE = UINT32_MAX };

typedef struct wpg_promote_candidate {
    wpg_inst *variable;
    uint32_t type; /* of the value */
    /* Lists of blocks: indices in wpg_promoter.blocks, WPG_PROMOTE_NONE ends them. */
    uint32_t first_store, first_load;
    uint32_t seen_store, seen_load; /* the block that was noted last + 1 */
    bool relaxed;                   /* RelaxedPrecision */
} wpg_promote_candidate;

typedef struct wpg_promote_listed_block {
    uint32_t block, next;
} wpg_promote_listed_block;

typedef struct wpg_promote_phi {
    uint32_t variable, block, id, next; /* next: of the same block, WPG_PROMOTE_NONE ends the list */
    uint32_t *values;                   /* by predecessor */
} wpg_promote_phi;

typedef struct wpg_promoter {
    wpg_module *module;
    wpg_cfg *cfg;
    wpg_arena arena;
    uint32_t bound;    /* ids of the module as it came */
    uint32_t *number;  /* [bound] of variables and of pointers into them: candidate + 1 */
    uint32_t *becomes; /* ids that become others, 0: none */
    uint32_t capacity; /* of becomes */
    WPG_VEC(wpg_promote_candidate) candidates;
    /* Loads and stores of candidates, and pointers to these; some belong to candidates that were refused. */
    WPG_VEC(wpg_inst *) accesses; /* in module order */
    WPG_VEC(wpg_inst *) pointers;
    uint32_t *first_access; /* [cfg->count + 1] the block's first of `accesses` */
    WPG_VEC(wpg_promote_listed_block) blocks;
    WPG_VEC(wpg_promote_phi) phis;
    uint32_t *phis_of; /* [cfg->count] first phi of the block, or WPG_PROMOTE_NONE */
    wpg_operand_list operands;
} wpg_promoter;

/* The candidate that a load or store goes to; NULL: none. */
wpg_promote_candidate *wpg_promote_accessed(wpg_promoter *p, const wpg_inst *inst);

/* Chooses the phis (promote_phis.c). False when memory runs out. */
bool wpg_promote_place_phis(wpg_promoter *p);

#endif
