/* SPIR-V as text, by SPIRV-Tools. Ownership: the caller frees the text. Threads: any. */
#ifndef WPG_TESTS_SUPPORT_DISASSEMBLE_H
#define WPG_TESTS_SUPPORT_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

/* The module as indented text with friendly names, malloc'd. NULL if SPIRV-Tools cannot read the module. */
char *disassemble(const uint32_t *words, size_t count);

#endif
