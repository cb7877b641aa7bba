/* The CFG tier of normalisation makes the normal form: one module per pipeline stage, in which block identity
 * is fixed.
 *
 *     words --parse--> module --strip debug information--> --drop other entry points-->
 *           --freeze specialisation constants--> --fold constant branches, remove unreachable blocks-->
 *           --inline calls, then fold again, as long as a call went--> normal form
 *
 * The code is our own, never a distribution's optimiser: the block ids and checksums of profiles depend on
 * it. A change that alters the CFG of the output for any input raises WPG_NORMAL_FORM_VERSION. Deterministic.
 * Needs: a parsed module. Gives: the same module, changed in place. Threads: one module, one thread. */
#ifndef WPG_COMPILER_NORMALIZE_NORMALIZE_H
#define WPG_COMPILER_NORMALIZE_NORMALIZE_H

#include "compiler/analysis/graph/normal_form.h"
#include "compiler/spirv/stage.h"

/* What normalisation did, and what it left because it cannot be normalised. */
typedef struct wpg_normal_info {
    uint32_t entry_points_dropped, constants_frozen, calls_inlined, calls_kept, branches_folded,
        blocks_removed;
    uint32_t instructions_inlined; /* copied by inlining, also into functions removed later */
    char kept_because[128];        /* first reason a call was kept; "" if none */
} wpg_normal_info;

/* Normalises in place. After WPG_E_* the module's state is unspecified: destroy the module and pass the
 * original through. WPG_E_NOT_FOUND: no such entry point. `info` may be NULL. */
wpg_status wpg_normalize(wpg_module *module, const wpg_stage *stage, wpg_normal_info *info, wpg_error *err);

/* The module before calls are inlined: its functions are the source functions of contexts.h, in their order,
 * and a block's number there is its ordinal here. Lines of debug information are OpLine. In place, as
 * wpg_normalize. */
wpg_status wpg_normalize_source(wpg_module *module, const wpg_stage *stage, wpg_error *err);

/* The tier's passes, one file each, but inline.c, whose pass is private. wpg_normalize (normalize.c) gives
 * their order. Each pass counts its changes in *info. */
wpg_status wpg_drop_entry_points(wpg_module *module, const wpg_stage *stage, wpg_normal_info *info,
                                 wpg_error *err);
wpg_status wpg_freeze_spec_constants(wpg_module *module, const wpg_stage *stage, wpg_normal_info *info,
                                     wpg_error *err);
wpg_status wpg_fold_branches(wpg_module *module, wpg_normal_info *info, wpg_error *err);

#endif
