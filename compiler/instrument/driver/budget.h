/* What counting may cost the driver's compiler, and the strategy that keeps to it.
 *
 * The time to compile grows faster than the code: on lavapipe about as words x sqrt(blocks), at least
 * (shaders/measured/2026-11-25-budget.md). That, over the same of the normal form, is the cost here. The
 * words are counted, not guessed: a copy of the module is instrumented.
 *
 *     auto --too dear--> auto without paths --too dear--> naive, in half of the budget
 *          --too dear--> lane --too dear--> not counted
 *
 * Where the driver makes coroutines of shaders with barriers, each barrier adds 48 x (blocks + 5 x atomics)
 * to words x sqrt(blocks). The factors fit measured times (shaders/measured/2026-11-27-scopes.md). An atomic
 * operation is a loop over the lanes on these drivers.
 *
 * `lane` counts lanes alone, in a spanning tree's complement of the blocks, without a branch of its own.
 *
 * Small code is never too dear, whatever its shader's size: what a driver does for any shader outweighs it.
 *
 * Within the budget a graphics stage shall not be dearer than by `naive`, where the driver loops over the
 * lanes of a wave:
 *
 *     auto --dearer than naive--> auto without paths, or additive --dearer by a quarter--> naive
 *
 * The price is a line through measured times of 103 modules on lavapipe 25.0.7, in words. The words of the
 * tables of paths count twice (shaders/measured/2026-11-29-auto-naive.md).
 * The choice depends on the words and the options alone. Private to compiler/instrument. Threads: none
 * shared. */
#ifndef WPG_COMPILER_INSTRUMENT_DRIVER_BUDGET_H
#define WPG_COMPILER_INSTRUMENT_DRIVER_BUDGET_H

#include "compiler/instrument/code/instrument.h"

enum {
    WPG_BUDGET_FREE_WORDS = 12288,   /* code up to this length costs little */
    WPG_BUDGET_MOST_WORDS = 1 << 18, /* that counting may add, 1 MiB, whatever the factor */
};

typedef struct wpg_code_size {
    uint32_t words, blocks, atomics;
    uint32_t suspensions; /* barriers, where the driver suspends there; else 0 */
} wpg_code_size;
wpg_code_size wpg_code_size_of(const wpg_module *module, const wpg_instrument_target *target);

/* The square of the cost of `counted` beside `plain`, rounded down. */
uint64_t wpg_budget_cost(wpg_code_size counted, wpg_code_size plain);

/* About what a driver that loops over lanes takes to compile `size`, in words. */
uint64_t wpg_budget_price(wpg_code_size size);

/* Sets strategy and no_paths for a module in normal form, of options with strategy AUTO and a budget.
 * Of what was refused, `why` (of `size`) tells the reason; "" if nothing. WPG_E_UNSUPPORTED: no strategy
 * fits, or the stage cannot be counted at all. */
wpg_status wpg_budget_choose(wpg_instrument_options *options, char *why, size_t size,
                             const wpg_module *module, const wpg_stage *stage, wpg_error *err);

#endif
