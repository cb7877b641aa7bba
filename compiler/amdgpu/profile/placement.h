/* Which structurised blocks do the work of a block of the normal form: by the probes they hold (probes.h), or
 * by the lines of most of their instructions (lines.h). The translation has either probes or lines.
 *
 * A probe moves and is copied with its block: together the copies run as often as the block did. Lines move
 * with instructions, which LLVM hoists and sinks; LLVM's notes on unrolling tell copies. Each structurised
 * block runs its part of the block that most of it comes from. Threads: one module, one thread. */
#ifndef WPG_COMPILER_AMDGPU_PROFILE_PLACEMENT_H
#define WPG_COMPILER_AMDGPU_PROFILE_PLACEMENT_H

#include "compiler/amdgpu/flow/blocks.h"
#include "compiler/amdgpu/flow/flow_fit.h"

enum { WPG_NO_ORIGIN = UINT32_MAX };

typedef struct wpg_placement {
    wpg_flow_sum *sums; /* the caller fills in sums[i].count: that of block from[i], over parts[i] */
    uint32_t *from;
    unsigned *parts;
    uint32_t sum_count;
    uint32_t *origin; /* [blocks] block of the normal form, the first of several; WPG_NO_ORIGIN */
    uint32_t placed;  /* blocks with an origin */
} wpg_placement;

/* `count`: blocks of the normal form. Arrays live in `arena`. */
wpg_status wpg_place_by_probes(wpg_placement *placement, const wpg_blocks *blocks, uint32_t count,
                               wpg_arena *arena, wpg_error *err);
wpg_status wpg_place_by_lines(wpg_placement *placement, const wpg_blocks *blocks, uint32_t count,
                              wpg_arena *arena, wpg_error *err);

#endif
