/* Loops over an array that their counter indexes, put into a random shader of blocks
 * (tests/unit/compiler/analysis/program_spirv.h). No driver knows a loop's bound; it is at most the array's
 * length. Mesa's NIR unrolls such loops by that length. Same seed, same loops. Threads: any. */
#ifndef WPG_TESTS_E2E_RANDOM_INDEXED_H
#define WPG_TESTS_E2E_RANDOM_INDEXED_H

#include <stdint.h>

#include "compiler/spirv/module.h"

/* Up to two loops; before the words are put into registers (sources.c). */
void random_add_indexed_loops(wpg_module *module, uint64_t seed);

#endif
