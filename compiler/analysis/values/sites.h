/* Sites: instructions that generate mode counts and use mode looks up, besides blocks. Both modes enumerate
 * sites here, over the same normal form. So a site's number is its identity. Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_SITES_H
#define WPG_COMPILER_ANALYSIS_SITES_H

#include "compiler/analysis/graph/cfg.h"

/* A select site: an OpSelect whose condition is a scalar bool and no constant. Numbered in module order of
 * the function. */
typedef struct wpg_select_site {
    wpg_inst *inst;
    uint32_t block; /* block index */
} wpg_select_site;

/* *sites lives in `arena`. Unreachable blocks have none. WPG_E_NOMEM only. */
wpg_status wpg_select_sites(wpg_select_site **sites, uint32_t *count, const wpg_cfg *cfg, wpg_arena *arena);

#endif
