/* Where a word of a uniform block lies for a host program: descriptor set, binding and byte. Private to
 * compiler/optimize. Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_WORD_TEST_H
#define WPG_COMPILER_OPTIMIZE_FACTS_WORD_TEST_H

#include "compiler/optimize/ir/pass.h"

/* *test is filled but for its bits. False: the layout cannot be followed. */
bool wpg_word_test_of(wpg_word_test *test, const wpg_module *module, const wpg_word_place *place);

#endif
