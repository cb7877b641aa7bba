/* Stretches: code that a stage does not need where a condition holds, one piece from a block to a later one
 * with whole constructs between, and how such a piece is put behind a branch. Private to compiler/optimize.
 * Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_PASSES_STRETCH_H
#define WPG_COMPILER_OPTIMIZE_PASSES_STRETCH_H

#include "compiler/optimize/fold/zero_live.h"

/* An operand behind the stretch that the stretch makes. */
typedef struct wpg_stretch_use {
    wpg_inst *user;
    uint16_t operand; /* its word */
} wpg_stretch_use;
typedef WPG_VEC(wpg_stretch_use) wpg_stretch_uses;

typedef struct wpg_stretch {
    uint32_t first, last;       /* blocks */
    wpg_inst *stop;             /* of the last block: what is behind the stretch begins here */
    WPG_VEC(wpg_inst *) dead;   /* of the first block, in order: goes behind the branch */
    WPG_VEC(wpg_inst *) lifted; /* of later blocks: goes before the branch, in this order */
    WPG_VEC(wpg_inst *) after;  /* needed, and made of what is dead: goes behind the stretch, in this order */
    wpg_stretch_uses uses;
    uint8_t *part;            /* [cfg->count] how much of a block it has */
    WPG_VEC(uint32_t) blocks; /* that have an entry in `part`: all that it touches */
    /* Scratch, empty between calls. */
    uint8_t *in;           /* [bound] which of the lists has the id */
    WPG_VEC(uint32_t) ids; /* that have an entry in `in` */
    bool *uses_dead;       /* [cfg->count] */
    double cost, measured; /* weighted instructions of an entering lane; measured: without guesses */
    bool cheap;            /* cost is 0, since the longest stretch costs less than `least` */
} wpg_stretch;

/* Runs of a block, an entering lane. */
typedef struct wpg_stretch_runs {
    double likely, measured;
} wpg_stretch_runs;

/* What a stretch costs. */
typedef struct wpg_stretch_price {
    const wpg_stretch_runs *runs; /* [cfg->count] */
    const wpg_map *behind;        /* labels of blocks behind a branch on the same word */
} wpg_stretch_price;

/* The longest stretch that begins in the block, if it costs `least` or more. stretch->cost is 0: there is
 * none. Tables live in `arena`, and are used again where they are not NULL. False when memory runs out. */
bool wpg_stretch_find(wpg_stretch *stretch, const wpg_zero_live *live, const wpg_stretch_price *price,
                      double least, uint32_t block, wpg_arena *arena);
/* Moves what was found out of `from`, which keeps the scratch for the next one. */
wpg_stretch wpg_stretch_take(wpg_stretch *from);
/* Has it all of the block, as a block of a construct? */
bool wpg_stretch_holds(const wpg_stretch *stretch, uint32_t block);

/* The branch that a stretch is put behind. */
typedef struct wpg_stretch_branch {
    uint32_t (*condition)(wpg_module *module, wpg_inst *where, void *of); /* emits a Boolean before `where` */
    void *of;
    double share;    /* of the waves for which it is true: these run the stretch */
    wpg_map *behind; /* gets the labels of the blocks behind the branch */
    wpg_map *whole;  /* gets their lanes, by label, as they were before the first such branch */
} wpg_stretch_branch;

/* Where the Boolean is false, null stands for what the stretch makes. The view is stale afterwards, but right
 * for other stretches of it that have no block in common, whatever they are behind. WPG_E_NOMEM only. */
wpg_status wpg_stretch_guard(const wpg_stretch *stretch, const wpg_view *view, wpg_function_profile *profile,
                             const wpg_stretch_branch *branch, wpg_error *err);
void wpg_stretch_free(wpg_stretch *stretch);

#endif
