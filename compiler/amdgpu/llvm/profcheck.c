#include "compiler/amdgpu/llvm/profcheck.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Transforms/PassBuilder.h>

typedef struct complaints {
    unsigned count;
    char first[96];
} complaints;

static void diagnosed(LLVMDiagnosticInfoRef info, void *data)
{
    complaints *c = data;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || c->count++)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    (void)snprintf(c->first, sizeof c->first, "%s", text);
    LLVMDisposeMessage(text);
}

/* With the context's diagnostics going to `c` meanwhile, for LLVM's own handler ends the process. */
static wpg_status run(complaints *c, LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes,
                      wpg_error *err)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMDiagnosticHandler handler = LLVMContextGetDiagnosticHandler(context);
    void *handler_data = LLVMContextGetDiagnosticContext(context);
    LLVMContextSetDiagnosticHandler(context, diagnosed, c);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    LLVMContextSetDiagnosticHandler(context, handler, handler_data);
    if (!error)
        return WPG_OK;
    char *text = LLVMGetErrorMessage(error);
    wpg_status status = wpg_fail(err, WPG_E_MISMATCH, "LLVM: %s: %s", passes, text);
    LLVMDisposeErrorMessage(text);
    return status;
}

wpg_status wpg_profcheck(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *after,
                         wpg_error *err)
{
    complaints c = {0};
    WPG_TRY(run(&c, module, machine, "prof-verify", err));
    if (c.count)
        return wpg_fail(err, WPG_E_MISMATCH, "after %s: %s (%u in all)", after, c.first, c.count);
    return WPG_OK;
}

/* Counts branches and selects, and marks those without a profile. */
static void mark(wpg_profcheck_phase *phase, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    unsigned prof = LLVMGetMDKindIDInContext(context, "prof", 4);
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(context, "unknown", 7),
                               LLVMMDStringInContext2(context, phase->pass, strlen(phase->pass))};
    LLVMValueRef unknown = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, 2));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            bool select = LLVMGetInstructionOpcode(i) == LLVMSelect;
            if (!select && !(LLVMIsATerminatorInst(i) && LLVMGetNumSuccessors(i) > 1))
                continue;
            bool bare = !LLVMGetMetadata(i, prof);
            *(select ? &phase->selects : &phase->branches) += 1;
            *(select ? &phase->selects_bare : &phase->branches_bare) += bare;
            if (bare)
                LLVMSetMetadata(i, prof, unknown);
        }
}

wpg_status wpg_profcheck_run(wpg_profcheck_phases *phases, LLVMModuleRef module, LLVMValueRef function,
                             LLVMTargetMachineRef machine, const char *pipeline, wpg_error *err)
{
    complaints c = {0};
    phases->count = 0;
    WPG_TRY(run(&c, module, machine, "prof-inject", err));
    WPG_TRY(wpg_profcheck(module, machine, "prof-inject", err));
    for (const char *at = pipeline; *at && phases->count < WPG_PROFCHECK_PHASES; at += *at == ',') {
        char passes[80];
        size_t length = strcspn(at, ",");
        wpg_profcheck_phase *phase = &phases->phase[phases->count];
        *phase = (wpg_profcheck_phase){0};
        (void)snprintf(phase->pass, sizeof phase->pass, "%.*s", (int)length, at);
        (void)snprintf(passes, sizeof passes, "function(%s)", phase->pass);
        WPG_TRY(run(&c, module, machine, passes, err));
        mark(phase, function);
        WPG_TRY(wpg_profcheck(module, machine, phase->pass, err));
        phases->count++;
        at += length;
    }
    return WPG_OK;
}
