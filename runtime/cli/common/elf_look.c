/* Reads ELF headers of both widths through one description of the fields' places. Big-endian files are of an
 * unknown family. */
#include "runtime/cli/common/elf_look.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *family_of(unsigned machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86_64";
    case EM_386:
        return "x86";
    case EM_AARCH64:
        return "aarch64";
    case EM_ARM:
        return "arm";
    case EM_RISCV:
        return "riscv64";
    default:
        return "unknown";
    }
}

typedef struct image {
    const uint8_t *bytes;
    size_t size;
    bool wide;
} image;

/* A field of the file; 0 beyond its end. */
static uint64_t field(const image *file, uint64_t at, unsigned width)
{
    uint64_t value = 0;
    if (at > file->size || width > file->size - at)
        return 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)file->bytes[at + i] << (8 * i);
    return value;
}
#define FIELD(file, base, type, name)                                                                        \
    ((file)->wide ? field(file, (base) + offsetof(Elf64_##type, name), sizeof((Elf64_##type *)0)->name)      \
                  : field(file, (base) + offsetof(Elf32_##type, name), sizeof((Elf32_##type *)0)->name))
#define SIZE_OF(file, type) ((file)->wide ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

/* Whether the bytes stand anywhere in the file's string tables: names of needed libraries do. */
static bool has_string(const image *file, const char *text)
{
    return file->size && memmem(file->bytes, file->size, text, strlen(text) + 1) != NULL;
}

/* A list of needed libraries names the loader only if it is linked against; a program that opens it at run
 * time has the name among its own strings. Either counts. */
static void look_at_segments(wpg_elf *elf, const image *file)
{
    uint64_t table = FIELD(file, 0, Ehdr, e_phoff), count = FIELD(file, 0, Ehdr, e_phnum);
    bool dynamic = false, interpreter = false;
    for (uint64_t i = 0; i < count && table < file->size; i++) {
        uint64_t type = FIELD(file, table + i * SIZE_OF(file, Phdr), Phdr, p_type);
        dynamic |= type == PT_DYNAMIC;
        interpreter |= type == PT_INTERP;
    }
    uint64_t kind = FIELD(file, 0, Ehdr, e_type);
    elf->is_static = !interpreter;
    elf->is_library = kind == ET_DYN && dynamic && !interpreter;
    elf->needs_loader = has_string(file, "libvulkan.so.1") || has_string(file, "libvulkan.so");
}

static void look(wpg_elf *elf, const image *file)
{
    if (file->size < sizeof(Elf32_Ehdr) || memcmp(file->bytes, ELFMAG, SELFMAG) != 0)
        return;
    elf->is_elf = true;
    image typed = *file;
    typed.wide = file->bytes[EI_CLASS] == ELFCLASS64;
    if (file->bytes[EI_DATA] != ELFDATA2LSB)
        return;
    elf->family = family_of((unsigned)FIELD(&typed, 0, Ehdr, e_machine));
    look_at_segments(elf, &typed);
}

wpg_status wpg_elf_look(wpg_elf *elf, const char *path, wpg_error *err)
{
    struct stat info;
    wpg_elf found = {.family = "unknown"};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &info) != 0) {
        wpg_status status = wpg_fail(err, errno == ENOENT ? WPG_E_NOT_FOUND : WPG_E_IO, "cannot read %s: %s",
                                     path, strerror(errno));
        if (fd >= 0)
            (void)close(fd);
        return status;
    }
    wpg_status status = WPG_OK;
    if (!S_ISREG(info.st_mode))
        status = wpg_fail(err, WPG_E_IO, "%s is not a regular file", path);
    else if (info.st_size > 0) {
        size_t size = (size_t)info.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED)
            status = wpg_fail(err, WPG_E_IO, "cannot read %s: %s", path, strerror(errno));
        else {
            image file = {bytes, size, false};
            look(&found, &file);
            (void)munmap(bytes, size);
        }
    }
    (void)close(fd);
    if (status == WPG_OK)
        *elf = found;
    return status;
}
