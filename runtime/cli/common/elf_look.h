/* Describes an executable or a library by its ELF header. No dynamic linker is asked, and none of the file
 * runs. Files are untrusted: every offset is checked. Source: System V ABI, "Object Files". Threads: no
 * shared state. */
#ifndef WPG_RUNTIME_CLI_COMMON_ELF_LOOK_H
#define WPG_RUNTIME_CLI_COMMON_ELF_LOOK_H

#include <stdbool.h>

#include "runtime/base/error.h"

typedef struct wpg_elf {
    bool is_elf;
    const char *family; /* "x86_64", "x86", "aarch64", ...: static; "unknown" */
    bool is_static;     /* names no dynamic linker: nothing can be loaded into such a program */
    bool is_library;
    bool needs_loader; /* names libvulkan.so.1 as needed */
} wpg_elf;

/* is_elf stays false for a regular file of another kind. Fails for what cannot be read. */
wpg_status wpg_elf_look(wpg_elf *elf, const char *path, wpg_error *err);

#endif
