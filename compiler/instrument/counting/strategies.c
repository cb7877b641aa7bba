/* The list of strategies. */
#include "compiler/instrument/code/strategy.h"

const wpg_strategy *const wpg_strategies[] = {&wpg_strategy_naive, &wpg_strategy_per_lane, NULL};
