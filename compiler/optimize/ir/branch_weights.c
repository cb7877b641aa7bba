#include "compiler/optimize/ir/branch_weights.h"

bool wpg_scale_weights(uint32_t weights[2], uint64_t on_true, uint64_t on_false)
{
    if (!on_true && !on_false)
        return false;
    uint64_t larger = on_true > on_false ? on_true : on_false;
    unsigned shift = 0;
    while (larger >> shift > INT32_MAX)
        shift++;
    weights[0] = (uint32_t)(on_true >> shift);
    weights[1] = (uint32_t)(on_false >> shift);
    for (unsigned i = 0; i < 2; i++)
        if (!weights[i] && (i == 0 ? on_true : on_false))
            weights[i] = 1;
    return true;
}

void wpg_branch_weigh(wpg_module *module, wpg_inst *branch, uint64_t on_true, uint64_t on_false)
{
    uint32_t words[] = {branch->words[1], branch->words[2], branch->words[3], 0, 0};
    if (wpg_scale_weights(words + 3, on_true, on_false))
        wpg_inst_set_operands(module, branch, words, sizeof words / sizeof *words);
}
