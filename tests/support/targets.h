/* What devices allow, for tests that instrument without one. Threads: any. */
#ifndef WPG_TESTS_SUPPORT_TARGETS_H
#define WPG_TESTS_SUPPORT_TARGETS_H

#include "compiler/instrument/code/instrument.h"

/* All subgroup operations in waves of eight lanes, 64-bit atomics, SPIR-V 1.6. */
static const wpg_instrument_target wpg_target_of_most = {.subgroup_basic = true,
                                                         .subgroup_ballot = true,
                                                         .subgroup_arithmetic = true,
                                                         .subgroup_size = 8,
                                                         .subgroup_most = 8,
                                                         .int64_atomics = true,
                                                         .demote_to_helper = true,
                                                         .max_spirv_minor = 6};

#endif
