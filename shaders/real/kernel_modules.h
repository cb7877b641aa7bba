/* SPIR-V modules of llama.cpp's Vulkan backend, as they lie in its library, and their push constants by hand.
 * Threads: no shared state. */
#ifndef WPG_SHADERS_REAL_KERNEL_MODULES_H
#define WPG_SHADERS_REAL_KERNEL_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

typedef struct kernel_module {
    uint32_t *words; /* owned: free() */
    size_t count;
} kernel_module;

/* Where modules are: an ELF file that has them under the symbols KERNEL_data, or a folder of KERNEL.spv. */
typedef struct kernel_library {
    const char *path;
    char *bytes; /* owned: free(); NULL: a folder */
    size_t size;
} kernel_library;
wpg_status kernel_library_open(kernel_library *from, const char *path, wpg_error *err);
wpg_status kernel_module_find(kernel_module *m, const kernel_library *from, const char *kernel,
                              wpg_error *err);
/* One bit a binding. */
uint32_t kernel_module_bindings(const kernel_module *m);
/* Replaces the loads of push constants by the values of `push`, words by offset. */
wpg_status kernel_module_freeze(kernel_module *m, const uint32_t *push, wpg_error *err);

#endif
