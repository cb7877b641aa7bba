/* What the fuzzers of SPIR-V share. Their input is a module; what else they choose (a target, specialisation
 * values, a profile) is in the header's generator word, which nothing depends on, so that one set of seeds,
 * plain modules, serves all of them. Threads: none. */
#ifndef WPG_TESTS_FUZZ_SPIRV_H
#define WPG_TESTS_FUZZ_SPIRV_H

#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/spirv/stage.h"
#include "tests/fuzz/common/fuzz.h"

enum { FUZZ_LARGEST_MODULE = 1 << 16 }; /* bytes: larger ones only take longer */

typedef struct fuzz_module {
    uint32_t *words; /* heap, native byte order as given; fuzz_module_finish frees it */
    size_t count;
    uint8_t choices[4];
} fuzz_module;

/* false: too short, too long or swapped (swapped inputs are the parser's business). */
bool fuzz_module_init(fuzz_module *input, const uint8_t *data, size_t size);
void fuzz_module_finish(fuzz_module *input);

/* For spirv-val, with every layout allowed. */
bool fuzz_is_valid(const uint32_t *words, size_t count);
/* Aborts with spirv-val's message unless the words are valid. */
void fuzz_check_valid(const uint32_t *words, size_t count);
/* Both NULL, or both the same words. */
void fuzz_check_same(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count);
/* Aborts unless a rewriter (NULL: it refuses) gives the same words twice, valid ones. */
typedef uint32_t *fuzz_rewriter(size_t *count, const fuzz_module *input);
void fuzz_check_rewriter(fuzz_rewriter *rewrite, const fuzz_module *input);
/* The same of an input that is a valid module; of others nothing is asked. */
void fuzz_check_valid_input(fuzz_rewriter *rewrite, const uint8_t *data, size_t size);

/* The first entry point of a Vulkan stage; its name is copied, so that it outlives the module. */
bool fuzz_stage(wpg_stage *stage, char name[64], const wpg_module *module);

/* The module parsed and normalised under specialisation values of the choices, NULL if it is refused. */
wpg_module *fuzz_normal_form(wpg_stage *stage, char name[64], const fuzz_module *input);
/* The mutator's edits on a parsed module, the same for the same seed; what comes out may be invalid. */
void fuzz_edit(wpg_module *module, uint32_t seed, uint32_t steps);
/* Specialisation values; at most three. */
size_t fuzz_spec_values(wpg_spec_value values[3], const fuzz_module *input);

#endif
