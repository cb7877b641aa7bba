/* SPIR-V from text at test time, by glslangValidator and spirv-as. Ownership: *words is malloc'd, the caller
 * frees it. A failure prints the tool's output and gives false. Threads: any. */
#ifndef WPG_TESTS_SUPPORT_ASSEMBLE_H
#define WPG_TESTS_SUPPORT_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `stage` as glslangValidator -S takes it ("comp"); `target` as --target-env ("vulkan1.1"). */
bool assemble_glsl(uint32_t **words, size_t *count, const char *source, const char *stage,
                   const char *target);
/* `target` as spirv-as --target-env ("spv1.3"). Ids keep their numbers (--preserve-numeric-ids). */
bool assemble_text(uint32_t **words, size_t *count, const char *text, const char *target);
/* Whole file as a string, malloc'd; NULL if it cannot be read. */
char *read_text(const char *path);

#endif
