/* The kinds of counts that branch weights come from, and the outcome. Plain data, no LLVM. */
#ifndef WPG_COMPILER_AMDGPU_PROFILE_WEIGHTS_FROM_H
#define WPG_COMPILER_AMDGPU_PROFILE_WEIGHTS_FROM_H

#include <stdbool.h>
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
 * lanes go there. (Short arms of that kind are flattened on SPIR-V, too: compiler/optimize.) */
static inline bool wpg_parts_evenly(uint64_t waves, uint64_t lanes, uint64_t arm_waves, uint64_t arm_lanes)
{
    double all = (double)lanes, arm = (double)arm_lanes;
    return waves && arm_waves && arm / (double)arm_waves <= all / (double)waves * 0.75 && arm >= all * 0.25 &&
           arm <= all * 0.75;
}

/* "none", "lanes", "waves", "flattened". Static storage. */
const char *wpg_weights_name(wpg_weights_from from);

#endif
