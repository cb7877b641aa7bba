/* What a pass of use mode must leave right: the profile's tables, and the weights of branches. LLVM's
 * profcheck asks the same of LLVM's passes.
 *
 * Ownership: nothing is kept. Threads: no shared state.
 * Source: M. Trofin, "RFC: Profile Information Propagation Unittesting" (LLVM, 2024). */
#ifndef WPG_TESTS_SUPPORT_PASS_CHECK_H
#define WPG_TESTS_SUPPORT_PASS_CHECK_H

#include "compiler/optimize/ir/pass.h"

typedef struct test_faults {
    uint64_t count;
    uint32_t block;  /* of the first fault: index in the cfg */
    char first[256]; /* the first fault in words; "" without one */
} test_faults;

/* Checks a profile's tables against its function as it stands: every reachable block has an entry, and the
 * counts fit (compiler/optimize/ir/weights_check.h). Blocks whose counts a pass called unknown are not
 * checked. A lack of memory is a fault. */
test_faults test_profile_faults(const wpg_context *context, const wpg_function_profile *profile);

/* Checks that each reachable conditional branch carries weights that OpBranchConditional allows (not 0:0, a
 * sum below 2^32), or that `unknown` lists the branch with the name of the pass that could not tell. Source:
 * SPIR-V 1.6, 3.49.17. */
test_faults test_branch_faults(const wpg_cfg *cfg, const wpg_unknown_branch *unknown, uint32_t unknown_count);

#endif
