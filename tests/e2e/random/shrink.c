/* See shrink.h. Constant conditions are folded by the CFG tier's own pass, which keeps phis right. */
#include "tests/e2e/random/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/normalize/normalize.h"
#include "compiler/spirv/builder.h"

/* Applies way `way` to the `n`-th candidate: a branch or switch decided, a store or barrier dropped. Returns
 * the number of ways the candidate has; 0: there is no n-th candidate. */
static unsigned apply(wpg_module *module, unsigned n, unsigned way)
{
    WPG_INST_EACH (inst, module) {
        bool branch = inst->opcode == SpvOpBranchConditional, cases = inst->opcode == SpvOpSwitch;
        bool drop = inst->opcode == SpvOpStore || inst->opcode == SpvOpControlBarrier;
        if ((!branch && !cases && !drop) || n-- > 0)
            continue;
        if (drop) {
            wpg_inst_remove(module, inst);
            return 1;
        }
        if (branch) {
            inst->words[1] = wpg_const_bool(module, way == 0);
            return 2;
        }
        unsigned count = (inst->count - 3u) / 2;
        inst->words[1] = wpg_const_u32(module, way < count ? inst->words[3 + 2 * way] : UINT32_MAX);
        return count + 1;
    }
    return 0;
}

static bool attempt(uint32_t **words, size_t *count, unsigned *ways, unsigned n, unsigned way,
                    shrink_still *still, void *user)
{
    wpg_module *module = NULL;
    wpg_normal_info info = {0};
    uint32_t *smaller = NULL;
    size_t smaller_count = 0;
    if (wpg_module_parse(&module, *words, *count, NULL) != WPG_OK)
        return false;
    *ways = apply(module, n, way);
    bool good = *ways && wpg_fold_branches(module, &info, NULL) == WPG_OK &&
                wpg_module_emit(&smaller, &smaller_count, module, NULL) == WPG_OK;
    wpg_module_destroy(module);
    if (good && still(user, smaller, smaller_count)) {
        free(*words);
        *words = smaller;
        *count = smaller_count;
        return true;
    }
    free(smaller);
    return false;
}

unsigned shrink(uint32_t **words, size_t *count, shrink_still *still, void *user, unsigned tries)
{
    unsigned held = 0;
    for (bool progress = true; progress && tries > 0;) {
        progress = false;
        for (unsigned n = 0, ways = 1; ways > 0 && tries > 0;) {
            bool smaller = false;
            for (unsigned way = 0; !smaller && way < ways && tries > 0; way++, tries--)
                smaller = attempt(words, count, &ways, n, way, still, user);
            held += smaller;
            progress |= smaller;
            n += !smaller;
        }
    }
    return held;
}
