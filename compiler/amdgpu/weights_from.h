/* Which counts branch weights come from, and what came of it. Plain data, no LLVM. */
#ifndef WPG_COMPILER_AMDGPU_WEIGHTS_FROM_H
#define WPG_COMPILER_AMDGPU_WEIGHTS_FROM_H

#include <stdint.h>

typedef enum wpg_weights_from {
    WPG_WEIGHTS_NONE,
    WPG_WEIGHTS_LANES,
    WPG_WEIGHTS_WAVES,
    WPG_WEIGHTS_FLATTENED,
    WPG_WEIGHTS_KINDS,
} wpg_weights_from;

/* Branches have more than one successor; weighted + never + open are all of them. */
typedef struct wpg_weights_done {
    uint32_t branches, weighted;
    uint32_t flattened; /* of the weighted: with equal weights */
    uint32_t never;     /* never ran: marked unknown */
    uint32_t open;      /* the counts leave an edge open: marked unknown */
    uint32_t selects;   /* marked unknown */
    uint32_t balanced;  /* forward branches where lanes part evenly (below); 0 without lanes */
} wpg_weights_done;

/* A block is divergent where less than this share of its waves came with all the lanes. */
enum { WPG_UNIFORM_PERCENT = 90 };

/* Lanes part evenly at a forward branch into an arm that nothing else leads to, if the arm's waves have at
 * most three quarters of the lanes that the branch's have, and between a quarter and three quarters of all
 * lanes go there. That is what `!unpredictable` is for, and it is told, not attached: structurizecfg drops
 * it, and of LLVM 22's passes before that none reacts to it on AMD's GPUs (the code of 46 shaders is the same
 * with every branch so marked). Short arms of that kind are flattened on SPIR-V (compiler/optimize). */

/* "none", "lanes", "waves", "flattened". Static storage. */
const char *wpg_weights_name(wpg_weights_from from);

#endif
