/* Reads the note NT_AMDGPU_METADATA (32, name "AMDGPU"), a msgpack map. HSA keeps the kernel's figures in
 * amdhsa.kernels[0], PAL in amdpal.pipelines[0].hardware_stages.cs. There is one kernel and the keys are
 * unique, so keys are found at any depth. Sources: LLVM 22, AMDGPUUsage, "Code Object V5 Metadata", "Code
 * Object Metadata" (PAL); ELF64. */
#include "compiler/amdgpu/driver/figures.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/amdgpu/llvm/msgpack.h"

/* A section, checked to lie in the file. */
static bool section(const uint8_t *elf, size_t size, unsigned index, Elf64_Shdr *out)
{
    Elf64_Ehdr head;
    if (size < sizeof head)
        return false;
    memcpy(&head, elf, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        index >= head.e_shnum || head.e_shentsize != sizeof *out || head.e_shoff > size ||
        (size - head.e_shoff) / sizeof *out <= index)
        return false;
    memcpy(out, elf + head.e_shoff + index * sizeof *out, sizeof *out);
    return out->sh_type == SHT_NOBITS || (out->sh_offset <= size && out->sh_size <= size - out->sh_offset);
}

/* The metadata note's words. */
static const uint8_t *metadata(const uint8_t *elf, size_t size, size_t *length)
{
    Elf64_Shdr s;
    for (unsigned i = 0; section(elf, size, i, &s); i++) {
        if (s.sh_type != SHT_NOTE)
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= s.sh_size;) {
            Elf64_Nhdr note;
            memcpy(&note, elf + s.sh_offset + at, sizeof note);
            uint64_t name = at + sizeof note, text = name + (((uint64_t)note.n_namesz + 3) & ~UINT64_C(3));
            uint64_t end = text + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
            if (end > s.sh_size)
                break;
            if (note.n_type == 32 && note.n_namesz == 7 &&
                memcmp(elf + s.sh_offset + name, "AMDGPU", 7) == 0) {
                *length = note.n_descsz;
                return elf + s.sh_offset + text;
            }
            at = end;
        }
    }
    return NULL;
}

/* Size of the kernel's symbol. */
static uint32_t code_size(const uint8_t *elf, size_t size, const char *kernel)
{
    Elf64_Shdr s, strings;
    for (unsigned i = 0; section(elf, size, i, &s); i++) {
        if (s.sh_type != SHT_SYMTAB || !section(elf, size, s.sh_link, &strings))
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= s.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, elf + s.sh_offset + at, sizeof symbol);
            if (symbol.st_name >= strings.sh_size || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC)
                continue;
            const char *name = (const char *)elf + strings.sh_offset + symbol.st_name;
            size_t room = (size_t)(strings.sh_size - symbol.st_name);
            if (strnlen(name, room) < room && strcmp(name, kernel) == 0)
                return (uint32_t)symbol.st_size;
        }
    }
    return 0;
}

/* The number behind the last "; NAME: " of the assembly's comments. */
static uint32_t comment(const char *assembly, const char *name)
{
    uint32_t value = 0;
    for (const char *at = assembly; at && (at = strstr(at, name)) != NULL; at++)
        value = (uint32_t)strtoul(at + strlen(name), NULL, 10);
    return value;
}

wpg_status wpg_figures_read(wpg_amdgpu_figures *figures, const uint8_t *elf, size_t size, const char *kernel,
                            const char *assembly, wpg_error *err)
{
    size_t length;
    const uint8_t *note = metadata(elf, size, &length);
    if (!note)
        return wpg_fail(err, WPG_E_FORMAT, "the ELF has no metadata of AMDGPU");
    const struct {
        const char *keys[2]; /* of HSA, of PAL */
        uint32_t *to;
    } wanted[] = {
        {{".vgpr_count", ".vgpr_count"}, &figures->vgprs},
        {{".sgpr_count", ".sgpr_count"}, &figures->sgprs},
        {{".agpr_count", ".agpr_count"}, &figures->agprs},
        {{".vgpr_spill_count", ".vgpr_spill_count"}, &figures->vgpr_spills},
        {{".sgpr_spill_count", ".sgpr_spill_count"}, &figures->sgpr_spills},
        {{".group_segment_fixed_size", ".lds_size"}, &figures->lds_bytes},
        {{".private_segment_fixed_size", ".scratch_memory_size"}, &figures->scratch_bytes},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        uint64_t value = 0;
        if (!wpg_msgpack_find(&value, note, length, wanted[i].keys[0]))
            (void)wpg_msgpack_find(&value, note, length, wanted[i].keys[1]);
        *wanted[i].to = (uint32_t)value;
    }
    figures->code_bytes = code_size(elf, size, kernel);
    figures->occupancy = comment(assembly, "; Occupancy: ");
    return WPG_OK;
}
