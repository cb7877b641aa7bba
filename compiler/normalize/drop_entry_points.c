/* Pass: keeps one entry point. Removes the other OpEntryPoints with their execution modes, the functions that
 * the kept one does not reach, and the names and decorations of removed ids. Types, constants and globals
 * stay: they are valid unused. The interface of the kept entry point is untouched. Needs: a parsed module.
 * Keeps: every id that stays. Source: SPIR-V 1.6, 2.4, 2.16.1. */
#include "compiler/normalize/internal.h"

/* Functions that were entry points and are not the kept one lose their execution modes. */
static void drop_modes(wpg_module *module, const wpg_marks *dropped)
{
    for (wpg_inst *inst = module->first, *next; inst && inst->opcode != SpvOpFunction; inst = next) {
        next = inst->next;
        if ((inst->opcode == SpvOpExecutionMode || inst->opcode == SpvOpExecutionModeId) &&
            wpg_marks_has(dropped, inst->words[1]))
            wpg_inst_remove(module, inst);
    }
}

static wpg_status drop(wpg_module *module, wpg_inst *kept, wpg_marks *dropped, wpg_marks *gone,
                       wpg_normal_info *info, wpg_error *err)
{
    for (wpg_inst *inst = module->first, *next; inst && inst->opcode != SpvOpFunction; inst = next) {
        next = inst->next;
        if (inst->opcode != SpvOpEntryPoint || inst == kept)
            continue;
        if (inst->words[2] != kept->words[2])
            wpg_marks_add(dropped, inst->words[2]);
        wpg_inst_remove(module, inst);
        if (info)
            info->entry_points_dropped++;
    }
    drop_modes(module, dropped);
    WPG_TRY(wpg_remove_dead_functions(module, gone, err));
    return wpg_remove_annotations(module, gone, err);
}

wpg_status wpg_drop_entry_points(wpg_module *module, const wpg_stage *stage, wpg_normal_info *info,
                                 wpg_error *err)
{
    wpg_inst *kept = wpg_find_entry_point(module, stage->model, stage->entry);
    if (!kept)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no entry point \"%s\" of that stage", stage->entry);
    const wpg_inst *function = wpg_module_def(module, kept->words[2]);
    if (!function || function->opcode != SpvOpFunction)
        return wpg_fail(err, WPG_E_FORMAT, "entry point \"%s\" names no function", stage->entry);
    wpg_marks dropped, gone;
    WPG_TRY(wpg_marks_init(&dropped, module, err));
    wpg_status status = wpg_marks_init(&gone, module, err);
    if (!status) {
        status = drop(module, kept, &dropped, &gone, info, err);
        wpg_marks_finish(&gone);
    }
    wpg_marks_finish(&dropped);
    return status;
}
