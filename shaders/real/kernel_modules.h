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

/* The whole file, malloc'd; NULL if it cannot be read. */
char *kernel_read_file(size_t *size, const char *path);
/* A copy of the module under the symbol KERNEL_data of an ELF file. */
wpg_status kernel_module_find(kernel_module *m, const char *bytes, size_t size, const char *kernel,
                              wpg_error *err);
/* One bit a binding. */
uint32_t kernel_module_bindings(const kernel_module *m);
/* Replaces the loads of push constants by the values of `push`, words by offset. */
wpg_status kernel_module_freeze(kernel_module *m, const uint32_t *push, wpg_error *err);

#endif
