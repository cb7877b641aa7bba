/* Analyses that survive from pass to pass. See pass.h. Most passes look at a module and change nothing. The
 * context owns them. Threads: as the module. */
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/pass.h"

static void drop_view(wpg_analyses *of)
{
    wpg_view_destroy(of->view);
    of->view = NULL;
}

static void drop_slices(wpg_analyses *of)
{
    if (of->slices) {
        wpg_id_set_free(&of->slices->exact);
        wpg_id_set_free(&of->slices->helper);
    }
    free(of->slices);
    of->slices = NULL;
}

wpg_status wpg_view_get(wpg_view **view, wpg_context *context, uint32_t function, wpg_error *err)
{
    wpg_analyses *of = &context->analyses;
    const wpg_module *module = context->module;
    if (!of->view || of->view->module != module || of->view_edits != module->edits ||
        of->view->function->result != function || of->view->bound != module->bound) {
        drop_view(of);
        WPG_TRY(wpg_view_create(&of->view, context->module, function, err));
        of->view_edits = module->edits;
    }
    *view = of->view;
    return WPG_OK;
}

static wpg_status get_slices(wpg_slices **slices, wpg_context *context)
{
    wpg_analyses *of = &context->analyses;
    if (!of->slices || of->slices_of != context->module || of->slices_edits != context->module->edits) {
        drop_slices(of);
        of->slices_of = NULL;
        of->slices = calloc(1, sizeof *of->slices);
        if (!of->slices)
            return wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
        WPG_TRY(wpg_exact_slice(&of->slices->exact, context->module, context->err));
        of->slices_of = context->module;
        of->slices_edits = context->module->edits;
    }
    *slices = of->slices;
    return WPG_OK;
}

wpg_status wpg_exact_get(const wpg_id_set **exact, wpg_context *context)
{
    wpg_slices *slices = NULL;
    WPG_TRY(get_slices(&slices, context));
    *exact = &slices->exact;
    return WPG_OK;
}

wpg_status wpg_slices_get(const wpg_slices **out, wpg_context *context)
{
    wpg_slices *slices = NULL;
    WPG_TRY(get_slices(&slices, context));
    if (!slices->helper.bits)
        WPG_TRY(wpg_helper_slice(&slices->helper, context->module, context->err));
    *out = slices;
    return WPG_OK;
}

void wpg_view_adopt(wpg_context *context, wpg_view *view)
{
    drop_view(&context->analyses);
    context->analyses.view = view;
    context->analyses.view_edits = view->module->edits;
}

void wpg_analyses_leave(wpg_context *context, const wpg_module *module)
{
    wpg_analyses *of = &context->analyses;
    if (of->view && of->view->module == module)
        drop_view(of);
    if (of->slices_of == module)
        of->slices_of = NULL;
}

void wpg_analyses_drop(wpg_context *context)
{
    drop_view(&context->analyses);
    context->analyses.slices_of = NULL;
}

void wpg_analyses_finish(wpg_context *context)
{
    drop_view(&context->analyses);
    drop_slices(&context->analyses);
}
