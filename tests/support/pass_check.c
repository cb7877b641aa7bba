#include "tests/support/pass_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "compiler/optimize/ir/weights_check.h"

static void add(test_faults *faults, uint32_t block, const char *what)
{
    if (!faults->count++) {
        faults->block = block;
        (void)snprintf(faults->first, sizeof faults->first, "%s", what);
    }
}

static void add_block(test_faults *faults, const wpg_cfg *cfg, uint32_t block, const char *what)
{
    char text[160];
    (void)snprintf(text, sizeof text, "block %" PRIu32 " (%%%" PRIu32 "): %s", block, cfg->blocks[block].id,
                   what);
    add(faults, block, text);
}

/* -- Profile */

/* [cfg->count] each: the profile's counts by block index. */
typedef struct counts {
    uint64_t *lanes, *waves;
    bool *known;
} counts;

static void check_counts(test_faults *faults, const wpg_cfg *cfg, const wpg_function_profile *profile,
                         const counts *to, wpg_arena *arena)
{
    const wpg_function_weights weights = {.block_count = cfg->count,
                                          .lanes = profile->has_lanes ? to->lanes : NULL,
                                          .waves = profile->has_waves ? to->waves : NULL,
                                          .known = to->known};
    wpg_weights_findings findings = {0};
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block_weight *weight = wpg_profile_block(profile, cfg->blocks[b].id);
        to->known[b] = weight && !weight->unknown_by;
        to->lanes[b] = weight ? weight->lanes : 0;
        to->waves[b] = weight ? weight->waves : 0;
        if (!weight && cfg->blocks[b].rpo != WPG_NO_BLOCK)
            add_block(faults, cfg, b, "no pass entered this block in the profile");
    }
    if (wpg_weights_check(&findings, cfg, &weights, WPG_CHECK_COUNTS, 0, arena) != WPG_OK)
        add(faults, 0, "out of memory");
    for (uint32_t i = 0; i < findings.count; i++)
        add(faults, findings.items[i].block, findings.items[i].text);
}

test_faults test_profile_faults(const wpg_context *context, const wpg_function_profile *profile)
{
    test_faults faults = {0};
    wpg_error err = {0};
    wpg_cfg *cfg;
    wpg_arena arena;
    wpg_inst *function = wpg_module_def(context->module, profile->function);
    if (wpg_cfg_create(&cfg, context->module, function, &err) != WPG_OK) {
        add(&faults, 0, err.message);
        return faults;
    }
    wpg_arena_init(&arena);
    const counts to = {.lanes = WPG_ARENA_ARRAY(&arena, uint64_t, cfg->count),
                       .waves = WPG_ARENA_ARRAY(&arena, uint64_t, cfg->count),
                       .known = WPG_ARENA_ARRAY(&arena, bool, cfg->count)};
    if (to.lanes && to.waves && to.known)
        check_counts(&faults, cfg, profile, &to, &arena);
    else
        add(&faults, 0, "out of memory");
    wpg_arena_finish(&arena);
    wpg_cfg_destroy(cfg);
    return faults;
}

/* -- Branches */

static bool is_listed(uint32_t label, const wpg_unknown_branch *unknown, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (unknown[i].label == label && unknown[i].pass && *unknown[i].pass)
            return true;
    return false;
}

test_faults test_branch_faults(const wpg_cfg *cfg, const wpg_unknown_branch *unknown, uint32_t unknown_count)
{
    test_faults faults = {0};
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        const wpg_inst *branch = block->terminator;
        if (branch->opcode != SpvOpBranchConditional || block->rpo == WPG_NO_BLOCK)
            continue;
        if (branch->count < 6) {
            if (!is_listed(block->id, unknown, unknown_count))
                add_block(&faults, cfg, b, "a branch without weights that no pass calls unknown");
        } else if (!branch->words[4] && !branch->words[5]) {
            add_block(&faults, cfg, b, "branch weights 0:0");
        } else if ((uint64_t)branch->words[4] + branch->words[5] > UINT32_MAX) {
            add_block(&faults, cfg, b, "branch weights whose sum does not fit 32 bits");
        }
    }
    return faults;
}
