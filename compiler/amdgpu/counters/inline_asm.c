#include "compiler/amdgpu/counters/inline_asm.h"

#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

static void mark(LLVMContextRef context, LLVMValueRef call, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(context, kind, 0));
}

wpg_status wpg_inline_asm(LLVMBuilderRef builder, wpg_text *text, LLVMValueRef input, const char *clobbers,
                          wpg_error *err)
{
    char constraints[256];
    LLVMContextRef context =
        LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder))));
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
    int length = snprintf(constraints, sizeof constraints, "%s%s", input ? "s," : "", clobbers);
    if (text->failed || !text->data || length < 0 || (size_t)length >= sizeof constraints) {
        wpg_text_finish(text);
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    }
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &i64, input ? 1 : 0, false);
    LLVMValueRef code = LLVMGetInlineAsm(type, text->data, text->size - 1, constraints, (size_t)length, true,
                                         false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef call = LLVMBuildCall2(builder, type, code, &input, input ? 1 : 0, "");
    mark(context, call, "convergent");
    mark(context, call, "nounwind");
    mark(context, call, "noduplicate");
    wpg_text_finish(text);
    return WPG_OK;
}
