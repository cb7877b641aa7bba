/* The CFG tier, in order. See normalize.h. */
#include "compiler/normalize/internal.h"

wpg_status wpg_normalize(wpg_module *module, const wpg_stage *stage, wpg_normal_info *info, wpg_error *err)
{
    wpg_normal_info local;
    if (!info)
        info = &local;
    *info = (wpg_normal_info){0};
    if (!wpg_stage_name(stage->model) || !stage->entry)
        return wpg_fail(err, WPG_E_ARGUMENT, "no pipeline stage: execution model %d", (int)stage->model);
    WPG_TRY(wpg_strip_debug(module, err));
    WPG_TRY(wpg_drop_entry_points(module, stage, info, err));
    WPG_TRY(wpg_freeze_spec_constants(module, stage, info, err));
    WPG_TRY(wpg_fold_branches(module, info, err));
    /* Folding what was inlined may take away the reason why a call had to stay. */
    for (uint32_t inlined = 0;; inlined = info->calls_inlined) {
        WPG_TRY(wpg_inline_calls(module, info, err));
        if (info->calls_inlined == inlined)
            break;
        WPG_TRY(wpg_fold_branches(module, info, err));
        if (!info->calls_kept)
            break;
    }
    return module->arena.failed ? wpg_fail(err, WPG_E_NOMEM, "out of memory for instructions") : WPG_OK;
}
