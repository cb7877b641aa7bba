#include "compiler/amdgpu/llvm/lines.h"

#include <stdlib.h>
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
                                         true, "", 0, "", 0); /* for profiling: copies are told */
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

/* One part of a discriminator, and what follows it. Source: LLVM's DebugInfoMetadata.h, "Encoding". */
static unsigned part_of(unsigned encoded)
{
    if (encoded & 1)
        return 0;
    encoded >>= 1;
    return encoded & 0x20 ? ((encoded >> 1) & 0xfe0) | (encoded & 0x1f) : encoded & 0x1f;
}

static unsigned next_part(unsigned encoded)
{
    return encoded & 1 ? encoded >> 1 : encoded >> (encoded & 0x40 ? 14 : 7);
}

/* The C interface does not give a scope's discriminator, but prints it. */
static unsigned copies_of(LLVMContextRef context, LLVMMetadataRef scope)
{
    if (!scope || LLVMGetMetadataKind(scope) != LLVMDILexicalBlockFileMetadataKind)
        return 1;
    char *text = LLVMPrintValueToString(LLVMMetadataAsValue(context, scope));
    const char *at = strstr(text, "discriminator: ");
    unsigned copies =
        at ? part_of(next_part((unsigned)strtoul(at + strlen("discriminator: "), NULL, 10))) : 0;
    LLVMDisposeMessage(text);
    return copies ? copies : 1;
}

bool wpg_lines_of(uint32_t *block, unsigned *copies, LLVMValueRef instruction)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
    unsigned line = location ? LLVMDILocationGetLine(location) : 0;
    if (!line)
        return false;
    *block = line - 1;
    if (copies)
        *copies = copies_of(LLVMGetTypeContext(LLVMTypeOf(instruction)), LLVMDILocationGetScope(location));
    return true;
}
