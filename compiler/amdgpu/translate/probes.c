#include "compiler/amdgpu/translate/probes.h"

#include <stddef.h>

#include <llvm-c/Core.h>

static const char name[] = "llvm.pseudoprobe";

bool wpg_probe_insert(LLVMModuleRef llvm, LLVMBuilderRef builder, uint32_t block)
{
    LLVMContextRef context = LLVMGetModuleContext(llvm);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context), i32 = LLVMInt32TypeInContext(context);
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    if (!id)
        return false;
    /* Function, probe (from 1), attributes, and the share of the count that it has: all of it. */
    LLVMValueRef arguments[] = {LLVMConstInt(i64, 1, false), LLVMConstInt(i64, block + UINT64_C(1), false),
                                LLVMConstInt(i32, 0, false), LLVMConstAllOnes(i64)};
    LLVMBuildCall2(builder, LLVMIntrinsicGetType(context, id, NULL, 0),
                   LLVMGetIntrinsicDeclaration(llvm, id, NULL, 0), arguments, 4, "");
    return true;
}

bool wpg_probe_of(uint32_t *block, LLVMValueRef instruction)
{
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    if (!callee || !LLVMIsAFunction(callee) ||
        LLVMGetIntrinsicID(callee) != LLVMLookupIntrinsicID(name, sizeof name - 1))
        return false;
    LLVMValueRef index = LLVMGetOperand(instruction, 1);
    if (!LLVMIsAConstantInt(index))
        return false;
    *block = (uint32_t)(LLVMConstIntGetZExtValue(index) - 1);
    return true;
}
