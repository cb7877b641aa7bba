/* A module's debug information for people: names, files, lines. Strings are borrowed from the module. Lists
 * live in the caller's arena. Threads: as module.h. Source: SPIR-V 1.6, 3.42.2 (debug instructions),
 * OpLine. */
#ifndef WPG_COMPILER_SPIRV_DEBUG_H
#define WPG_COMPILER_SPIRV_DEBUG_H

#include "compiler/spirv/module.h"

typedef struct wpg_source_line {
    const char *file; /* NULL if the OpString is missing */
    uint32_t line, column;
} wpg_source_line;

/* Can an instruction have a line? An OpLine names an OpString. */
bool wpg_may_have_lines(const wpg_module *module);

/* The line of an instruction: the nearest OpLine before the instruction, in the same block, with no OpNoLine
 * between. False if there is none. */
bool wpg_line_of(wpg_source_line *line, const wpg_module *module, const wpg_inst *inst);

/* The files named by OpSource and OpLine, each once, in order of first mention. WPG_E_NOMEM only. */
wpg_status wpg_module_source_files(const char *const **files, size_t *count, const wpg_module *module,
                                   wpg_arena *arena);

/* True if `matches` says so of a string in the module's debug section: names and source file names. Empty
 * strings are passed over. */
bool wpg_module_debug_string(const wpg_module *module, bool (*matches)(const char *text, void *context),
                             void *context);

/* True for a line, OpNop or instruction of a set of remarks: such an instruction cannot change code. */
bool wpg_is_remark(const wpg_module *module, const wpg_inst *inst);
/* True for the import of an extended set that holds nothing but remarks: SPV_KHR_non_semantic_info reserves a
 * prefix, two sets of debug information are older. `import` may be NULL or another instruction. */
bool wpg_is_remark_set(const wpg_inst *import);

#endif
