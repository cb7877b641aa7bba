/* Refuses a module: keeps the first reason, with the instruction. */
#include "compiler/amdgpu/translate/translate_internal.h"

#include <stdarg.h>
#include <stdio.h>

bool wpg_tr_fail(wpg_tr *t, wpg_status status, const char *fmt, ...)
{
    char reason[160];
    va_list arguments;
    if (t->status != WPG_OK)
        return false;
    va_start(arguments, fmt);
    (void)vsnprintf(reason, sizeof reason, fmt, arguments);
    va_end(arguments);
    const wpg_opcode_info *info = t->inst ? wpg_opcode_lookup(t->inst->opcode) : NULL;
    if (!t->inst)
        t->status = wpg_fail(t->err, status, "%s", reason);
    else if (t->inst->result)
        t->status = wpg_fail(t->err, status, "%s %%%u: %s", info ? info->name : "an instruction",
                             t->inst->result, reason);
    else
        t->status = wpg_fail(t->err, status, "%s in block %%%u: %s", info ? info->name : "an instruction",
                             t->block, reason);
    return false;
}

bool wpg_tr_refuse(wpg_tr *t)
{
    return wpg_tr_fail(t, WPG_E_UNSUPPORTED, "is not translated for AMDGPU");
}

bool wpg_tr_malformed(wpg_tr *t)
{
    return wpg_tr_fail(t, WPG_E_FORMAT, "has operands it may not have");
}
