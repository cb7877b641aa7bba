/* The passes of the CFG tier in order, and what the normal form guarantees.
 *
 *                       strip_debug.c        debug information in extended instructions goes, lines stay
 *                            |
 *                       drop_entry_points.c  one OpEntryPoint, the functions it reaches
 *                            |
 *                       freeze_spec.c        specialisation constants are constants
 *                            |
 *             +-------> fold_branches.c      branches on constants go (evaluate.c, stored.c),
 *             |              |               unreachable blocks go, blocks stand in structured reverse
 *             |              |               post-order (flow.c)
 *    something|              |
 *      inlined|              v
 *             +-------- inline.c             calls become bodies (inline_returns.c: returns out of loops
 *                            |               become breaks; inline_splice.c: the copy)
 *             nothing (more) |
 *                            v
 *                       normal form:  one entry point; no SpecId; calls only where inline.c says why; no
 *                                     branch on a constant but latches and ifs the structured rules ask for;
 *                                     no unreachable block but { OpUnreachable } merges and
 *                                     { branch to header } continue targets
 *
 * Folding comes first because it leaves less to inline and fewer early returns. Inlining goes one level at a
 * time: constant arguments decide branches of the copies, so that less of what these call is inlined. Both
 * passes repeat. They end, because each turn replaces a call at least, and no function calls itself. A
 * function that nothing changed since it was folded is folded no more.
 *
 * The block id of a profile is the ordinal of the label in its function. Block ids depend on nothing that
 * shader identity ignores: sizes count no line, name or non-semantic instruction, and the graph alone orders
 * the blocks. Normalising a normal form changes nothing. Straight-line blocks are not merged; values and dead
 * instructions are left to the driver. */
#include "compiler/normalize/context_recorder.h"

/* Folds what changed since it was folded last. */
static wpg_status fold_changed(wpg_folder *folder, wpg_inliner *in, wpg_normal_info *info, wpg_error *err)
{
    WPG_TRY(wpg_folder_begin(folder, err));
    wpg_inline_function *f;
    WPG_VEC_EACH (f, &in->functions) {
        if (!f->inst || f->is_folded)
            continue;
        wpg_fold_job job = wpg_inline_fold_job(f);
        WPG_TRY(wpg_folder_run(folder, &job, err));
        WPG_TRY(wpg_inline_folded(in, f, &job, err));
    }
    return wpg_folder_end(folder, info, err);
}

static wpg_status repeat(wpg_folder *folder, wpg_inliner *in, wpg_normal_info *info, wpg_error *err)
{
    for (uint32_t inlined = 0;; inlined = info->calls_inlined) {
        WPG_TRY(fold_changed(folder, in, info, err));
        if (in->recorder && !inlined)
            WPG_TRY(wpg_record_begin(in->recorder, in->module, err));
        if (inlined && !info->calls_kept)
            return WPG_OK;
        WPG_TRY(wpg_inline_calls(in, err));
        if (info->calls_inlined == inlined)
            return WPG_OK;
    }
}

static wpg_status fold_and_inline(wpg_module *module, wpg_context_recorder *recorder, wpg_normal_info *info,
                                  wpg_error *err)
{
    wpg_folder *folder = NULL;
    wpg_inliner in;
    wpg_status status = wpg_inline_begin(&in, module, recorder, info, err);
    if (!status)
        status = wpg_folder_create(&folder, module, err);
    if (!status)
        status = repeat(folder, &in, info, err);
    wpg_folder_destroy(folder);
    wpg_inline_end(&in);
    return status;
}

wpg_status wpg_normalize(wpg_module *module, const wpg_stage *stage, wpg_normal_info *info, wpg_error *err)
{
    return wpg_normalize_recorded(module, stage, NULL, info, err);
}

static wpg_status one_stage(wpg_module *module, const wpg_stage *stage, wpg_normal_info *info, wpg_error *err)
{
    *info = (wpg_normal_info){0};
    if (!wpg_stage_name(stage->model) || !stage->entry)
        return wpg_fail(err, WPG_E_ARGUMENT, "no pipeline stage: execution model %d", (int)stage->model);
    WPG_TRY(wpg_strip_debug(module, err));
    WPG_TRY(wpg_drop_entry_points(module, stage, info, err));
    return wpg_freeze_spec_constants(module, stage, info, err);
}

wpg_status wpg_normalize_source(wpg_module *module, const wpg_stage *stage, wpg_error *err)
{
    wpg_normal_info info;
    WPG_TRY(one_stage(module, stage, &info, err));
    WPG_TRY(wpg_fold_branches(module, &info, err));
    return module->arena.failed ? wpg_fail(err, WPG_E_NOMEM, "out of memory for instructions") : WPG_OK;
}

wpg_status wpg_normalize_recorded(wpg_module *module, const wpg_stage *stage, wpg_context_recorder *recorder,
                                  wpg_normal_info *info, wpg_error *err)
{
    wpg_normal_info local;
    if (!info)
        info = &local;
    WPG_TRY(one_stage(module, stage, info, err));
    WPG_TRY(fold_and_inline(module, recorder, info, err));
    return module->arena.failed ? wpg_fail(err, WPG_E_NOMEM, "out of memory for instructions") : WPG_OK;
}
