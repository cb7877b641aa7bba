/* Links the object that LLVM emits to the shared object that HIP and ROCr load: dynamic symbols (the kernel,
 * its descriptor NAME.kd, __wpg_counters_bounds), segments, and the metadata in a segment of its own.
 *
 * LLVM's linker runs as a program, as clang does for HIP (clang 22, HIPAMD.cpp). lld is no C library, keeps
 * state in globals, and ends the process on unexpected input. It reads its standard input and writes its
 * standard output, which are files without a name: nothing is left behind. AMD's Vulkan drivers take the
 * unlinked object (abi_pal.c).
 *
 * Threads: any. Source: LLVM 22, AMDGPUUsage, "Code Object"; lld, "-o -". */
#ifndef WPG_COMPILER_AMDGPU_LLVM_LINK_H
#define WPG_COMPILER_AMDGPU_LLVM_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

/* Debian's package that has the linker. */
#define WPG_LINKER_PACKAGE "lld-22"

/* *elf is malloc'd. `linker` is the program, looked up in PATH unless it has a slash; NULL: ld.lld-22, else
 * ld.lld. Debug information is left out. WPG_E_NOT_FOUND: no such program. WPG_E_UNSUPPORTED: the linker
 * refused, in its words. WPG_E_FORMAT: its output is no shared object. */
wpg_status wpg_amdgpu_link(uint8_t **elf, size_t *size, const uint8_t *object, size_t object_size,
                           const char *linker, wpg_error *err);

#endif
