/* Reading ELF64 in tests, asserting that everything lies in the file. */
#ifndef WPG_TESTS_ELF_VIEW_H
#define WPG_TESTS_ELF_VIEW_H

#include <elf.h>

#include "tests/unit/compiler/amdgpu/amdgpu_test.h"

typedef struct elf_view {
    const uint8_t *bytes;
    size_t size;
    Elf64_Ehdr head;
} elf_view;

static inline void elf_take(void *out, const elf_view *elf, uint64_t at, size_t size)
{
    assert_true(at <= elf->size && size <= elf->size - at);
    memcpy(out, elf->bytes + at, size);
}

static inline elf_view elf_open(const uint8_t *bytes, size_t size)
{
    elf_view elf = {.bytes = bytes, .size = size};
    elf_take(&elf.head, &elf, 0, sizeof elf.head);
    assert_memory_equal(elf.head.e_ident, ELFMAG, SELFMAG);
    assert_int_equal(elf.head.e_machine, EM_AMDGPU);
    return elf;
}

static inline Elf64_Shdr elf_section(const elf_view *elf, unsigned index)
{
    Elf64_Shdr s;
    elf_take(&s, elf, elf->head.e_shoff + index * sizeof s, sizeof s);
    assert_true(s.sh_type == SHT_NOBITS ||
                (s.sh_offset <= elf->size && s.sh_size <= elf->size - s.sh_offset));
    return s;
}

/* The first section of that type; sh_type is SHT_NULL if there is none. */
static inline Elf64_Shdr elf_of_type(const elf_view *elf, uint32_t type)
{
    for (unsigned i = 0; i < elf->head.e_shnum; i++)
        if (elf_section(elf, i).sh_type == type)
            return elf_section(elf, i);
    return (Elf64_Shdr){0};
}

static inline const char *elf_text(const elf_view *elf, uint64_t at)
{
    assert_true(at < elf->size && memchr(elf->bytes + at, 0, elf->size - at));
    return (const char *)elf->bytes + at;
}

/* The symbol of that name in the table of that type (SHT_SYMTAB, SHT_DYNSYM). */
static inline bool elf_symbol(Elf64_Sym *symbol, const elf_view *elf, uint32_t table, const char *name)
{
    Elf64_Shdr s = elf_of_type(elf, table);
    Elf64_Shdr strings = elf_section(elf, s.sh_link);
    for (uint64_t at = 0; s.sh_type == table && at < s.sh_size; at += sizeof *symbol) {
        elf_take(symbol, elf, s.sh_offset + at, sizeof *symbol);
        if (strcmp(elf_text(elf, strings.sh_offset + symbol->st_name), name) == 0)
            return true;
    }
    return false;
}

/* The metadata of AMDGPU (NT_AMDGPU_METADATA) in these bytes of notes; NULL: there is none. */
static inline const uint8_t *elf_metadata(size_t *size, const elf_view *elf, uint64_t at, uint64_t bytes)
{
    for (uint64_t end = at + bytes; at < end;) {
        Elf64_Nhdr note;
        elf_take(&note, elf, at, sizeof note);
        uint64_t text = at + sizeof note + ((note.n_namesz + 3) & ~3u);
        if (note.n_type == 32 && strcmp(elf_text(elf, at + sizeof note), "AMDGPU") == 0) {
            *size = note.n_descsz;
            assert_true(text <= elf->size && *size <= elf->size - text);
            return elf->bytes + text;
        }
        at = text + ((note.n_descsz + 3) & ~3u);
    }
    return NULL;
}

#endif
