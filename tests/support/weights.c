#include "tests/support/weights.h"

#include <stdlib.h>

#include "compiler/analysis/values/sites.h"
#include "compiler/analysis/values/value_sites.h"
#include "compiler/analysis/values/word_sites.h"
#include "compiler/instrument/code/plan.h"

wpg_status test_plan(wpg_counter_map **map, const wpg_module *normal, const wpg_stage *stage, wpg_error *err)
{
    const wpg_instrument_options options = {.target = {.subgroup_basic = true,
                                                       .subgroup_ballot = true,
                                                       .demote_to_helper = true,
                                                       .max_spirv_minor = 6},
                                            .select_sites = true,
                                            .strategy = WPG_STRATEGY_NAIVE};
    wpg_plan plan;
    WPG_TRY(wpg_plan_make(&plan, normal, stage, &options, err));
    *map = plan.map;
    plan.map = NULL;
    wpg_plan_finish(&plan);
    return WPG_OK;
}

/* Lanes of a block: every loop runs `trips` times for every lane that enters. */
static uint64_t lanes_of(const wpg_cfg *cfg, uint32_t block, uint64_t trips)
{
    uint64_t lanes = 8000;
    for (uint32_t c = cfg->blocks[block].construct; c != WPG_NO_BLOCK && lanes < UINT64_C(1) << 50;
         c = cfg->constructs[c].parent)
        if (cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP)
            lanes *= cfg->constructs[c].header == block ? trips + 1 : trips;
    return lanes;
}

/* Of each choice made in a loop, outside others: one way is taken in one trip of each lane, the others share
 * the rest, as where first trips set up. */
static void take_once(uint64_t *counts, const wpg_cfg *cfg, uint64_t trips, bool last)
{
    for (uint32_t b = 0; b < cfg->count && trips > 1; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->heads == WPG_NO_BLOCK || block->rpo == WPG_NO_BLOCK || block->loop == WPG_NO_BLOCK ||
            cfg->constructs[block->heads].kind == WPG_CONSTRUCT_LOOP ||
            cfg->constructs[block->heads].parent != block->loop)
            continue;
        for (uint32_t s = 0; s < block->successor_count; s++) {
            uint32_t way = block->successors[s];
            bool once = s == (last ? block->successor_count - 1 : 0);
            for (uint32_t d = 0; cfg->blocks[way].predecessor_count == 1 && d < cfg->count; d++)
                if (cfg->blocks[d].rpo != WPG_NO_BLOCK && wpg_cfg_dominates(cfg, way, d))
                    counts[d] = counts[d] / trips * (once ? 1 : trips - 1);
        }
    }
}

/* Values of every site: a small one in nearly every wave, a second in the rest. *values is one piece of
 * memory.
 */
static bool make_values(wpg_value_weight **values, uint32_t *count, const wpg_cfg *cfg, uint64_t chosen)
{
    static const uint32_t some[] = {0, 1, 2, 3, 4, 7, 0x3f800000, UINT32_MAX};
    wpg_divergence *divergence;
    wpg_value_site *sites;
    wpg_arena arena;
    wpg_arena_init(&arena);
    *values = NULL;
    *count = 0;
    bool good = wpg_divergence_compute(&divergence, cfg, &arena) == WPG_OK &&
                wpg_value_sites(&sites, count, cfg, divergence, &arena) == WPG_OK;
    if (good && *count) {
        *values = calloc(*count, sizeof **values + 2 * sizeof(wpg_value_share));
        wpg_value_share *shares = *values ? (wpg_value_share *)(void *)(*values + *count) : NULL;
        for (uint32_t i = 0; *values && i < *count; i++, shares += 2) {
            shares[0] = (wpg_value_share){some[(chosen + i) % 8], 990};
            shares[1] = (wpg_value_share){some[(chosen + i + 1) % 8], 10};
            (*values)[i] = (wpg_value_weight){.kind = sites[i].kind,
                                              .type = sites[i].type,
                                              .block = sites[i].block,
                                              .asked = 1000,
                                              .agreed = 1000,
                                              .shares = shares,
                                              .share_count = 2};
        }
        good = *values != NULL;
    }
    wpg_arena_finish(&arena);
    return good;
}

/* A small value of a word; which, depends on `chosen`. */
static uint32_t word_value(bool is_float, uint64_t chosen)
{
    static const uint32_t some[] = {1, 2, 0, 3, 4, 7, 16, 64};
    static const uint32_t floats[] = {0, 0x3f800000, 0xbf800000, 0x3f000000}; /* 0, 1, -1, 1/2 */
    return is_float ? floats[chosen % 4] : some[chosen % 8];
}

enum { VISITS = 3, ASKED = 1000, FIRST_SHARE = 600 };

static bool has_visits(uint64_t chosen)
{
    return chosen >> 5 & 1;
}

/* All floats had one value: vectors of equal words. */
static bool are_equal(uint64_t chosen)
{
    return chosen >> 6 & 1;
}

/* In half of the profiles words had three sets of values. */
static bool make_visits(wpg_function_weights *weights, uint64_t chosen)
{
    const uint32_t words = weights->word_count;
    if (!words || !has_visits(chosen))
        return true;
    wpg_word_visit *visits = calloc(VISITS, sizeof *visits + words * sizeof(uint32_t));
    uint32_t *bits = visits ? (uint32_t *)(void *)(visits + VISITS) : NULL;
    for (uint32_t v = 0; visits && v < VISITS; v++, bits += words) {
        for (uint32_t w = 0; w < words; w++) {
            const bool is_float = weights->words[w].type == WPG_VALUE_FLOAT;
            bits[w] =
                word_value(is_float, chosen + (is_float && are_equal(chosen) ? 0 : w) + (w % 3 ? v : 0));
        }
        visits[v] = (wpg_word_visit){v ? (ASKED - FIRST_SHARE) / 2 : FIRST_SHARE, bits};
    }
    weights->visits = visits;
    weights->visit_count = visits ? VISITS : 0;
    return visits != NULL;
}

/* Every word of a uniform block had one value, or that in the first visits. */
static bool make_words(wpg_value_weight **words, uint32_t *count, const wpg_cfg *cfg, uint64_t chosen)
{
    wpg_word_site *sites;
    wpg_arena arena;
    wpg_arena_init(&arena);
    *words = NULL;
    *count = 0;
    bool good = wpg_word_sites(&sites, count, cfg, &arena) == WPG_OK;
    if (good && *count) {
        *words = calloc(*count, sizeof **words + sizeof(wpg_value_share));
        wpg_value_share *shares = *words ? (wpg_value_share *)(void *)(*words + *count) : NULL;
        for (uint32_t i = 0; *words && i < *count; i++) {
            const bool is_float = sites[i].type == WPG_VALUE_FLOAT;
            shares[i] =
                (wpg_value_share){word_value(is_float, chosen + (is_float && are_equal(chosen) ? 0 : i)),
                                  has_visits(chosen) && i % 3 ? FIRST_SHARE : ASKED};
            (*words)[i] = (wpg_value_weight){.kind = WPG_VALUE_WORD,
                                             .type = sites[i].type,
                                             .asked = ASKED,
                                             .agreed = ASKED,
                                             .shares = &shares[i],
                                             .share_count = 1};
        }
        good = *words != NULL;
    }
    wpg_arena_finish(&arena);
    return good;
}

bool test_weights(wpg_function_weights *weights, const wpg_module *normal, const wpg_function_counters *from,
                  uint64_t seed, wpg_error *err)
{
    wpg_cfg *cfg = NULL;
    uint64_t chosen = from->checksum + seed;
    if (wpg_cfg_create(&cfg, normal, wpg_module_def(normal, from->function), err) != WPG_OK)
        return false;
    size_t blocks = cfg->count;
    uint64_t *counts =
        calloc(blocks * 3 + (size_t)from->select_count * WPG_SELECT_COUNTERS + 1, sizeof *counts);
    for (uint32_t b = 0; counts && b < blocks; b++)
        counts[b] = lanes_of(cfg, b, 1 + chosen % 8);
    if (counts && (chosen >> 3 & 1))
        take_once(counts, cfg, 1 + chosen % 8, chosen >> 4 & 1);
    for (uint32_t b = 0; counts && b < blocks; b++) {
        counts[blocks + b] = counts[b] / 8;
        counts[2 * blocks + b] = (chosen >> b % 50 & 1) ? counts[b] / 8 : counts[b] / 80;
    }
    uint64_t *selects = counts ? counts + 3 * blocks : NULL;
    for (uint32_t i = 0; counts && i < from->select_count; i++) {
        uint64_t *site = selects + (size_t)i * WPG_SELECT_COUNTERS;
        site[i % 2 ? WPG_SELECT_LANES_TRUE : WPG_SELECT_LANES_FALSE] = 8000;
        site[i % 2 ? WPG_SELECT_WAVES_TRUE : WPG_SELECT_WAVES_FALSE] = 1000;
    }
    *weights = (wpg_function_weights){.ordinal = from->ordinal,
                                      .checksum = from->checksum,
                                      .block_count = from->block_count,
                                      .lanes = counts,
                                      .waves = counts + blocks,
                                      .uniform = counts + 2 * blocks,
                                      .select_count = from->select_count,
                                      .selects = selects};
    wpg_value_weight *values = NULL, *words = NULL;
    bool good = counts && make_values(&values, &weights->value_count, cfg, chosen) &&
                make_words(&words, &weights->word_count, cfg, chosen);
    weights->values = values;
    weights->words = words;
    good = good && make_visits(weights, chosen);
    if (!good)
        test_weights_finish(weights);
    wpg_cfg_destroy(cfg);
    return good;
}

void test_weights_finish(wpg_function_weights *weights)
{
    free((void *)(uintptr_t)weights->lanes);
    free((void *)(uintptr_t)weights->values);
    free((void *)(uintptr_t)weights->words);
    free((void *)(uintptr_t)weights->visits);
    *weights = (wpg_function_weights){0};
}
