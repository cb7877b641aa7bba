/* Fuzzes what `wavepgo estimate` does with a module: what it asks of its pipeline is told or refused, and a
 * normal form whose blocks are said to be dead at random is cut and folded, twice alike, to what is valid. */
#include "compiler/analysis/graph/cfg.h"
#include "compiler/optimize/passes/cut_dead.h"
#include "compiler/spirv/builder.h"
#include "compiler/spirv/reflect.h"
#include "tests/fuzz/common/spirv.h"

/* Counts of the entry function by the input's choices: few, half or most of the blocks ran. NULL: no graph.
 */
static uint64_t *counts_of(wpg_function_weights *weights, const wpg_module *module, const wpg_stage *stage,
                           const uint8_t choices[4])
{
    const wpg_inst *entry = wpg_find_entry_point(module, stage->model, stage->entry);
    wpg_inst *function = entry && entry->count > 2 ? wpg_module_def(module, entry->words[2]) : NULL;
    wpg_cfg *cfg = NULL;
    if (!function || wpg_cfg_create(&cfg, module, function, NULL) != WPG_OK)
        return NULL;
    uint64_t *counts = calloc(cfg->count + 1u, sizeof *counts), state = choices[1] + UINT64_C(1);
    fuzz_check(counts != NULL, "memory");
    for (uint32_t b = 0; b < cfg->count; b++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        counts[b] = (state >> 40) % 8 < 2u * (choices[2] % 4u);
    }
    counts[0] = choices[2] % 16 != 0;
    *weights = (wpg_function_weights){.checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION),
                                      .block_count = cfg->count,
                                      .waves = counts};
    wpg_cfg_destroy(cfg);
    return counts;
}

static uint32_t *cut(size_t *count, const fuzz_module *input)
{
    wpg_stage stage;
    char name[64];
    wpg_function_weights function;
    wpg_cut_info info;
    wpg_reflection reflection;
    uint32_t *words = NULL;
    wpg_module *module = fuzz_normal_form(&stage, name, input);
    uint64_t *counts = module ? counts_of(&function, module, &stage, input->choices) : NULL;
    const wpg_weights weights = {&function, 1};
    if (module)
        (void)wpg_reflect(&reflection, module, &stage, NULL);
    if (counts && wpg_cut_dead(&info, module, &stage, &weights, NULL) == WPG_OK) {
        fuzz_check(!info.mismatch && info.dead <= info.blocks, "what was cut");
        if (wpg_fold_branches(module, NULL, NULL) == WPG_OK)
            fuzz_check(wpg_module_emit(&words, count, module, NULL) == WPG_OK, "emit");
    }
    free(counts);
    wpg_module_destroy(module);
    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_check_valid_input(cut, data, size);
    return 0;
}
