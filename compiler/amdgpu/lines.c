#include "compiler/amdgpu/lines.h"

#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

static void flag(LLVMModuleRef llvm, const char *name, unsigned value)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(llvm));
    LLVMAddModuleFlag(llvm, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(LLVMConstInt(i32, value, false)));
}

void wpg_lines_begin(wpg_lines *lines, LLVMModuleRef llvm, LLVMValueRef function, LLVMBuilderRef builder)
{
    static const char producer[] = "wavepgo", file_name[] = "normal form";
    size_t length;
    const char *kernel = LLVMGetValueName2(function, &length);
    LLVMDIBuilderRef info = LLVMCreateDIBuilder(llvm);
    LLVMMetadataRef file = LLVMDIBuilderCreateFile(info, file_name, sizeof file_name - 1, "", 0);
    (void)LLVMDIBuilderCreateCompileUnit(info, LLVMDWARFSourceLanguageC, file, producer, sizeof producer - 1,
                                         true, "", 0, 0, "", 0, LLVMDWARFEmissionLineTablesOnly, 0, false,
                                         false, "", 0, "", 0);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(info, file, NULL, 0, LLVMDIFlagZero);
    lines->scope = LLVMDIBuilderCreateFunction(info, file, kernel, length, "", 0, file, 1, type, false, true,
                                               1, LLVMDIFlagZero, true);
    LLVMSetSubprogram(function, lines->scope);
    LLVMDIBuilderFinalize(info);
    LLVMDisposeDIBuilder(info);
    flag(llvm, "Debug Info Version", LLVMDebugMetadataVersion());
    lines->context = LLVMGetModuleContext(llvm);
    lines->builder = builder;
    lines->next = 0;
}

void wpg_lines_block(wpg_lines *lines)
{
    LLVMSetCurrentDebugLocation2(lines->builder, LLVMDIBuilderCreateDebugLocation(
                                                     lines->context, ++lines->next, 0, lines->scope, NULL));
}

bool wpg_lines_of(uint32_t *block, LLVMValueRef instruction)
{
    if (!LLVMInstructionGetDebugLoc(instruction))
        return false;
    unsigned line = LLVMDILocationGetLine(LLVMInstructionGetDebugLoc(instruction));
    *block = line - 1;
    return line != 0;
}
