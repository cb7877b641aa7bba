/* Removes instruction ranges, functions without a call, and names and decorations of removed ids. Threads:
 * one module, one thread. Source: SPIR-V 1.6, 2.4. */
#include "compiler/normalize/internal.h"
#include "compiler/spirv/debug.h"
#include "compiler/spirv/grammar.h"
#include "runtime/base/vec.h"

#include <stdlib.h>
#include <string.h>

wpg_status wpg_marks_init(wpg_marks *marks, const wpg_module *module, wpg_error *err)
{
    *marks = (wpg_marks){.capacity = module->bound};
    marks->mark = calloc(module->bound, 1);
    return marks->mark ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory for %u ids", module->bound);
}

void wpg_marks_finish(wpg_marks *marks)
{
    free(marks->mark);
    *marks = (wpg_marks){0};
}

void wpg_remove_inst(wpg_module *module, wpg_inst *inst, wpg_marks *gone)
{
    wpg_marks_add(gone, inst->result);
    gone->code += !wpg_is_remark(module, inst);
    wpg_inst_remove(module, inst);
}

void wpg_remove_range(wpg_module *module, wpg_inst *first, wpg_inst *end, wpg_marks *gone)
{
    for (wpg_inst *inst = first, *next; inst && inst != end; inst = next) {
        next = inst->next;
        wpg_remove_inst(module, inst, gone);
    }
}

/* Drops the targets in `gone` of OpGroupDecorate (step 1) or OpGroupMemberDecorate (step 2). */
static wpg_status prune_group(wpg_module *module, wpg_inst *inst, uint32_t step, const wpg_marks *gone,
                              wpg_error *err)
{
    uint32_t kept = 0, total = inst->count - 2u;
    uint32_t *operands = malloc((inst->count) * sizeof *operands);
    if (!operands)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for %u words", inst->count);
    operands[kept++] = inst->words[1];
    for (uint32_t i = 0; i + step <= total; i += step) {
        if (wpg_marks_has(gone, inst->words[2 + i]))
            continue;
        memcpy(operands + kept, inst->words + 2 + i, step * sizeof *operands);
        kept += step;
    }
    if (kept == 1)
        wpg_inst_remove(module, inst);
    else if (kept < inst->count - 1u)
        wpg_inst_set_operands(module, inst, operands, kept);
    free(operands);
    return WPG_OK;
}

wpg_status wpg_remove_annotations(wpg_module *module, const wpg_marks *gone, wpg_error *err)
{
    if (!gone->count)
        return WPG_OK;
    for (wpg_inst *inst = module->first, *next; inst && inst->opcode != SpvOpFunction; inst = next) {
        next = inst->next;
        switch (inst->opcode) {
        case SpvOpName:
        case SpvOpMemberName:
        case SpvOpDecorate:
        case SpvOpDecorateId:
        case SpvOpDecorateString:
        case SpvOpMemberDecorate:
        case SpvOpMemberDecorateString:
        case SpvOpExecutionMode:
        case SpvOpExecutionModeId:
            if (wpg_marks_has(gone, inst->words[1]))
                wpg_inst_remove(module, inst);
            break;
        case SpvOpGroupDecorate:
            WPG_TRY(prune_group(module, inst, 1, gone, err));
            break;
        case SpvOpGroupMemberDecorate:
            WPG_TRY(prune_group(module, inst, 2, gone, err));
            break;
        default:
            break;
        }
    }
    return WPG_OK;
}

typedef struct call_walk {
    const wpg_module *module;
    wpg_marks *reached;
    WPG_VEC(uint32_t) worklist;
} call_walk;

static bool reach_id(call_walk *walk, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(walk->module, id);
    if (!def || def->opcode != SpvOpFunction || wpg_marks_has(walk->reached, id))
        return true;
    wpg_marks_add(walk->reached, id);
    return wpg_vec_push(&walk->worklist, id);
}

/* Core instructions name functions in calls only; those of extensions are looked through. */
static bool reach_from(call_walk *walk, const wpg_inst *inst)
{
    if (inst->opcode == SpvOpFunctionCall)
        return reach_id(walk, inst->words[3]);
    if (inst->opcode < SpvOpTerminateInvocation)
        return true;
    wpg_operand_walk operands = wpg_operands(walk->module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&operands, &operand))
        if (operand.kind == WPG_OPERAND_ID && !reach_id(walk, inst->words[operand.at]))
            return false;
    return true;
}

static wpg_status reach_all(const wpg_module *module, wpg_marks *reached, wpg_error *err)
{
    call_walk walk = {.module = module, .reached = reached};
    bool ok = true;
    for (wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction && ok; inst = inst->next)
        if (inst->opcode == SpvOpEntryPoint)
            ok = reach_id(&walk, inst->words[2]);
    while (ok && walk.worklist.count) {
        const wpg_inst *inst = wpg_module_def(module, wpg_vec_pop(&walk.worklist));
        for (; inst && inst->opcode != SpvOpFunctionEnd && ok; inst = inst->next)
            ok = reach_from(&walk, inst);
    }
    wpg_vec_free(&walk.worklist);
    return ok ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory for functions");
}

wpg_status wpg_remove_dead_functions(wpg_module *module, wpg_marks *gone, wpg_error *err)
{
    if (module->has_unknown)
        return WPG_OK;
    wpg_marks reached;
    WPG_TRY(wpg_marks_init(&reached, module, err));
    wpg_status status = reach_all(module, &reached, err);
    for (wpg_inst *f = wpg_first_function(module), *next; f && !status; f = next) {
        wpg_inst *end = wpg_function_end(f);
        next = wpg_next_function(end);
        if (!wpg_marks_has(&reached, f->result))
            wpg_remove_range(module, f, end ? end->next : NULL, gone);
    }
    wpg_marks_finish(&reached);
    return status;
}
