/* Push-constant loads as constants: which words of the block a load reads, and the constant they make.
 * Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_PUSH_VALUES_H
#define WPG_COMPILER_OPTIMIZE_FACTS_PUSH_VALUES_H

#include "compiler/optimize/ir/pass.h"

/* What is known of the push constants, by 32-bit word. */
typedef struct wpg_push_known {
    uint64_t known; /* one bit a word */
    uint32_t words[WPG_PUSH_FOLD_WORDS];
} wpg_push_known;

void wpg_push_known_make(wpg_push_known *known, const wpg_push_value *values, size_t count);

/* True for a load from the push-constant block. */
bool wpg_is_push_load(const wpg_module *module, const wpg_inst *inst);

/* The constant that replaces the load, made in the module. The words it reads are or-ed into *words. 0, with
 * *why (static), if the load reads unknown words, or cannot be followed. */
uint32_t wpg_push_constant_of(uint64_t *words, const char **why, wpg_module *module, const wpg_inst *load,
                              const wpg_push_known *known);

#endif
