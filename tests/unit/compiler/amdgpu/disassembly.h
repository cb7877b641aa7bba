/* A kernel's bytes in a code object, disassembled by LLVM. */
#ifndef WPG_TESTS_DISASSEMBLY_H
#define WPG_TESTS_DISASSEMBLY_H

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "tests/unit/compiler/amdgpu/elf_view.h"

enum { DISASSEMBLED_LINE = 160 };

typedef struct disassembly {
    char (*lines)[DISASSEMBLED_LINE]; /* without leading white space */
    size_t count;
} disassembly;

/* What is no instruction is a line "?". */
static inline void disassemble(disassembly *d, const wpg_amdgpu_code *code, const char *gpu,
                               wpg_amdgpu_abi abi)
{
    const elf_view elf = elf_open(code->elf, code->elf_size);
    Elf64_Sym symbol;
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    const char *features = gpu[3] == '9'           ? ""
                           : code->wave_size == 32 ? "+wavefrontsize32"
                                                   : "+wavefrontsize64";
    const char *triple = abi == WPG_AMDGPU_PAL ? "amdgcn--amdpal" : "amdgcn-amd-amdhsa";
    LLVMDisasmContextRef context = LLVMCreateDisasmCPUFeatures(triple, gpu, features, NULL, 0, NULL, NULL);
    assert_non_null(context);
    (void)LLVMSetDisasmOptions(context, LLVMDisassembler_Option_PrintImmHex);
    assert_true(elf_symbol(&symbol, &elf, SHT_SYMTAB, code->kernel));
    Elf64_Shdr text = elf_section(&elf, symbol.st_shndx);
    uint64_t at = text.sh_offset + symbol.st_value, end = at + symbol.st_size;
    assert_true(end <= elf.size && symbol.st_size > 0);
    *d = (disassembly){.lines = calloc(symbol.st_size / 4 + 1, DISASSEMBLED_LINE)};
    assert_non_null(d->lines);
    while (at < end) {
        char line[DISASSEMBLED_LINE] = "?";
        uint8_t bytes[32] = {0};
        size_t left = end - at < sizeof bytes ? end - at : sizeof bytes;
        memcpy(bytes, elf.bytes + at, left);
        size_t size = LLVMDisasmInstruction(context, bytes, left, at, line, sizeof line);
        (void)snprintf(d->lines[d->count++], DISASSEMBLED_LINE, "%s", line + strspn(line, " \t"));
        at += size ? size : 4;
    }
    LLVMDisasmDispose(context);
}

static inline void disassembly_free(disassembly *d)
{
    free(d->lines);
    *d = (disassembly){0};
}

#endif
