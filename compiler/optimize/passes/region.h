/* Regions of loads: the part of a block that depends on one index, and is the same for all lanes once the
 * index is. Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_PASSES_REGION_H
#define WPG_COMPILER_OPTIMIZE_PASSES_REGION_H

#include "compiler/analysis/values/divergence.h"
#include "compiler/optimize/ir/pass.h"

/* The vectors are freed by wpg_region_free. */
typedef struct wpg_region {
    uint32_t block, index;       /* index: the id that lanes agree on */
    wpg_inst *before;            /* the guard goes before this one */
    WPG_VEC(wpg_inst *) members; /* in module order */
    WPG_VEC(bool) seen;          /* of the members: used outside the region */
    WPG_VEC(uint32_t) same;      /* of the members: an earlier one that is the same expression, 0 = none */
    uint32_t loads, words;       /* of memory and images; 32-bit words they give */
} wpg_region;

/* The largest region of `block` under `index`. region->loads is 0 if there is none; *why (static storage)
 * says what stands in the way of the loads that there are. WPG_E_NOMEM only. */
wpg_status wpg_region_find(wpg_region *region, const char **why, const wpg_view *view,
                           const wpg_divergence *divergence, uint32_t block, uint32_t index);
void wpg_region_free(wpg_region *region);

#endif
