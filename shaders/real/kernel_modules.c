/* See kernel_modules.h. */
#include "shaders/real/kernel_modules.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    OP_CONSTANT = 43,
    OP_CONSTANT_COMPOSITE = 44,
    OP_FUNCTION = 54,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_ACCESS_CHAIN = 65,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_COPY_OBJECT = 83,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    PUSH_CONSTANT = 9,
    ARRAY_STRIDE = 6,
    BINDING = 33,
    OFFSET = 35,
};

/* -- The library */

static char *read_file(size_t *size, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    *size = 0;
    if (file && !fseek(file, 0, SEEK_END)) {
        long length = ftell(file);
        rewind(file);
        bytes = length > 0 ? malloc((size_t)length) : NULL;
        *size = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
    }
    if (file)
        fclose(file);
    return bytes;
}

static size_t offset_of_address(const char *bytes, const Elf64_Ehdr *head, uint64_t address)
{
    const Elf64_Phdr *parts = (const void *)(bytes + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++)
        if (parts[i].p_type == PT_LOAD && address - parts[i].p_vaddr < parts[i].p_filesz)
            return (size_t)(address - parts[i].p_vaddr + parts[i].p_offset);
    return 0;
}

static wpg_status take(kernel_module *m, const void *bytes, size_t size, const char *kernel, wpg_error *err)
{
    m->count = size / 4;
    m->words = malloc(size ? size : 1);
    if (!m->words)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    memcpy(m->words, bytes, m->count * 4);
    if (m->count > 5 && m->words[0] == 0x07230203)
        return WPG_OK;
    return wpg_fail(err, WPG_E_FORMAT, "the kernel '%s' is no SPIR-V module", kernel);
}

static wpg_status find_in_folder(kernel_module *m, const char *folder, const char *kernel, wpg_error *err)
{
    char path[4096];
    size_t size;
    snprintf(path, sizeof path, "%s/%s.spv", folder, kernel);
    char *bytes = read_file(&size, path);
    if (!bytes)
        return wpg_fail(err, WPG_E_IO, "cannot read %s", path);
    wpg_status status = take(m, bytes, size, kernel, err);
    free(bytes);
    return status;
}

wpg_status kernel_library_open(kernel_library *from, const char *path, wpg_error *err)
{
    struct stat about;
    *from = (kernel_library){.path = path};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return WPG_OK;
    from->bytes = read_file(&from->size, path);
    if (!from->bytes)
        return wpg_fail(err, WPG_E_IO, "cannot read %s", path);
    if (from->size < sizeof(Elf64_Ehdr) || memcmp(from->bytes, ELFMAG, SELFMAG))
        return wpg_fail(err, WPG_E_FORMAT, "the library is no ELF file");
    return WPG_OK;
}

wpg_status kernel_module_find(kernel_module *m, const kernel_library *from, const char *kernel,
                              wpg_error *err)
{
    const char *bytes = from->bytes;
    const Elf64_Ehdr *head = (const void *)bytes;
    char wanted[128];
    if (!bytes)
        return find_in_folder(m, from->path, kernel, err);
    snprintf(wanted, sizeof wanted, "%s_data", kernel);
    const Elf64_Shdr *sections = (const void *)(bytes + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_DYNSYM)
            continue;
        const Elf64_Sym *symbols = (const void *)(bytes + sections[i].sh_offset);
        const char *names = bytes + sections[sections[i].sh_link].sh_offset;
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++)
            if (strcmp(names + symbols[k].st_name, wanted) == 0)
                return take(m, bytes + offset_of_address(bytes, head, symbols[k].st_value),
                            symbols[k].st_size, kernel, err);
    }
    return wpg_fail(err, WPG_E_NOT_FOUND, "the library has no kernel '%s'", kernel);
}

/* -- SPIR-V: its bindings, and push constants by hand */

/* The next instruction at `*at`; false at the end. */
static bool next(const uint32_t **inst, const kernel_module *m, size_t *at)
{
    if (*at >= m->count || m->words[*at] >> 16 == 0)
        return false;
    *inst = m->words + *at;
    *at += **inst >> 16;
    return true;
}

static uint32_t op_of(const uint32_t *inst)
{
    return *inst & 0xffff;
}

/* The instruction that defines the type, variable or constant `id`; NULL: none. */
static const uint32_t *definition(const kernel_module *m, uint32_t id)
{
    const uint32_t *inst;
    for (size_t at = 5; next(&inst, m, &at) && op_of(inst) != OP_FUNCTION;) {
        uint32_t op = op_of(inst);
        bool is_type = op >= 19 && op <= 32;
        if ((is_type && inst[1] == id) || (((op >= 41 && op <= 52) || op == OP_VARIABLE) && inst[2] == id))
            return inst;
    }
    return NULL;
}

/* The literal of a decoration of a type, or of a member of one; 0: none. */
static uint32_t decoration(const kernel_module *m, uint32_t type, int member, uint32_t kind)
{
    const uint32_t *inst;
    for (size_t at = 5; next(&inst, m, &at) && op_of(inst) != OP_FUNCTION;) {
        if (member < 0 && op_of(inst) == OP_DECORATE && inst[1] == type && inst[2] == kind)
            return inst[3];
        if (member >= 0 && op_of(inst) == OP_MEMBER_DECORATE && inst[1] == type &&
            inst[2] == (uint32_t)member && inst[3] == kind)
            return inst[4];
    }
    return 0;
}

uint32_t kernel_module_bindings(const kernel_module *m)
{
    const uint32_t *inst;
    uint32_t set = 0;
    for (size_t at = 5; next(&inst, m, &at);)
        if (op_of(inst) == OP_DECORATE && inst[2] == BINDING)
            set |= 1u << inst[3];
    return set;
}

/* Steps from `type` to its part `index`; its offset in bytes is added. 0: no such part. */
static uint32_t part(size_t *offset, const kernel_module *m, uint32_t type, uint32_t index)
{
    const uint32_t *inst = definition(m, type);
    if (op_of(inst) == OP_TYPE_STRUCT) {
        *offset += decoration(m, type, (int)index, OFFSET);
        return inst[2 + index];
    }
    if (op_of(inst) == OP_TYPE_ARRAY) {
        *offset += (size_t)index * decoration(m, type, -1, ARRAY_STRIDE);
        return inst[2];
    }
    return 0;
}

/* Appends the constant of the bytes at `offset` to `made`; returns its id. */
static uint32_t constant(kernel_module *made, uint32_t *bound, const kernel_module *m, const uint32_t *push,
                         uint32_t type, size_t offset)
{
    const uint32_t *inst = definition(m, type);
    uint32_t parts[64], count = 0;
    if (op_of(inst) == OP_TYPE_STRUCT)
        count = (*inst >> 16) - 2;
    else if (op_of(inst) == OP_TYPE_ARRAY)
        count = definition(m, inst[3])[3];
    for (uint32_t i = 0; i < count; i++) {
        size_t at = offset;
        uint32_t of = part(&at, m, type, i);
        parts[i] = constant(made, bound, m, push, of, at);
    }
    uint32_t *to = made->words + made->count;
    uint32_t operands = count ? count : 1;
    to[0] = (3 + operands) << 16 | (count ? OP_CONSTANT_COMPOSITE : OP_CONSTANT);
    to[1] = type;
    to[2] = (*bound)++;
    memcpy(to + 3, count ? parts : push + offset / 4, operands * 4ul);
    made->count += 3 + operands;
    return to[2];
}

/* Each load becomes an OpCopyObject of a constant, of the same length. */
wpg_status kernel_module_freeze(kernel_module *m, const uint32_t *push, wpg_error *err)
{
    uint32_t bound = m->words[3], variable = 0, type = 0, replaced = 0;
    const uint32_t old_bound = bound;
    uint32_t *type_at = calloc(old_bound, sizeof *type_at), *offset_at = calloc(old_bound, sizeof *offset_at);
    kernel_module made = {.words = malloc(m->count * 8 + 4096)};
    const uint32_t *inst;
    size_t functions = 0;
    if (!type_at || !offset_at || !made.words)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (size_t at = 5; next(&inst, m, &at);) {
        if (op_of(inst) == OP_VARIABLE && inst[3] == PUSH_CONSTANT) {
            variable = inst[2];
            type = definition(m, inst[1])[3];
            type_at[variable] = type;
        }
        if (op_of(inst) == OP_FUNCTION && !functions)
            functions = (size_t)(inst - m->words);
        if (op_of(inst) == OP_ACCESS_CHAIN && variable && inst[3] == variable) {
            size_t offset = 0;
            uint32_t at_type = type;
            for (uint32_t i = 4; i < *inst >> 16 && at_type; i++) {
                const uint32_t *index = definition(m, inst[i]);
                at_type = index && op_of(index) == OP_CONSTANT ? part(&offset, m, at_type, index[3]) : 0;
            }
            type_at[inst[2]] = at_type;
            offset_at[inst[2]] = (uint32_t)offset;
        }
        if (op_of(inst) == OP_LOAD && type_at[inst[3]]) {
            uint32_t *load = m->words + (inst - m->words);
            uint32_t value = constant(&made, &bound, m, push, type_at[inst[3]], offset_at[inst[3]]);
            if (*inst >> 16 != 4)
                return wpg_fail(err, WPG_E_FORMAT, "a load of push constants has memory operands");
            load[0] = 4u << 16 | OP_COPY_OBJECT;
            load[3] = value;
            replaced++;
        }
    }
    if (!replaced)
        return wpg_fail(err, WPG_E_FORMAT, "the module loads no push constants");
    m->words = realloc(m->words, (m->count + made.count) * 4);
    if (!m->words)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    memmove(m->words + functions + made.count, m->words + functions, (m->count - functions) * 4);
    memcpy(m->words + functions, made.words, made.count * 4);
    m->count += made.count;
    m->words[3] = bound;
    free(made.words);
    free(type_at);
    free(offset_at);
    return WPG_OK;
}
