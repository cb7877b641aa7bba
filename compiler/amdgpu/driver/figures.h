/* The figures of the kernel in an AMDGPU ELF. Threads: any. */
#ifndef WPG_COMPILER_AMDGPU_DRIVER_FIGURES_H
#define WPG_COMPILER_AMDGPU_DRIVER_FIGURES_H

#include "compiler/amdgpu/llvm/amdgpu.h"

/* Reads the metadata note (msgpack) and the symbol table. Occupancy comes from the assembly's comments, if
 * there is assembly. WPG_E_FORMAT: no such note. */
wpg_status wpg_figures_read(wpg_amdgpu_figures *figures, const uint8_t *elf, size_t size, const char *kernel,
                            const char *assembly, wpg_error *err);

#endif
