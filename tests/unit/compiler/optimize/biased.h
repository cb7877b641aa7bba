/* Biased synthetic counts that fit the control flow: lanes walk through the graph one by one, nine of ten the
 * same way at each branch, all lanes with the same trips in each loop. A wave's count of a block is the most
 * that one of its lanes has, so arms and headers fit too. Header only. */
#ifndef WPG_TESTS_UNIT_COMPILER_OPTIMIZE_BIASED_H
#define WPG_TESTS_UNIT_COMPILER_OPTIMIZE_BIASED_H

#include "compiler/analysis/values/value_sites.h"
#include "tests/unit/compiler/optimize/use.h"

enum { BIASED_WAVES = 32, BIASED_TRIPS = 8, BIASED_STEPS = 100000 };

/* Is the way to `to` out of the innermost loop around `from`? */
USE bool biased_leaves(const wpg_cfg *cfg, uint32_t from, uint32_t to)
{
    uint32_t loop = cfg->blocks[from].loop;
    return loop != WPG_NO_BLOCK && !wpg_construct_holds(cfg, loop, to);
}

/* The successor a lane takes; `stayed` counts by block how often it stayed in the loop there. With `opening`
 * it takes the first way of a branch of a loop once, then the last way for so many trips. */
USE uint32_t biased_step(const wpg_cfg *cfg, uint32_t b, uint32_t *stayed, uint64_t *state, bool opening)
{
    const wpg_block *block = &cfg->blocks[b];
    uint32_t inside = WPG_NO_BLOCK, outside = WPG_NO_BLOCK;
    for (uint32_t s = 0; s < block->successor_count; s++)
        *(biased_leaves(cfg, b, block->successors[s]) ? &outside : &inside) = block->successors[s];
    if (block->successor_count < 2)
        return block->successors[0];
    if (outside != WPG_NO_BLOCK && inside != WPG_NO_BLOCK) {
        /* A test that each trip runs counts trips; no other way out is taken. */
        uint32_t back = cfg->constructs[block->loop].back_edge; /* none, where no lane can come to it */
        bool test = back != WPG_NO_BLOCK && wpg_cfg_dominates(cfg, b, back);
        if (!test || stayed[b]++ < BIASED_TRIPS)
            return inside;
        stayed[b] = 0;
        return outside;
    }
    if (opening && block->loop != WPG_NO_BLOCK)
        return block->successors[stayed[b]++ % BIASED_TRIPS ? block->successor_count - 1 : 0];
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    uint32_t chance = (uint32_t)(*state >> 33) % 10;
    return block->successors[chance ? 0 : 1 + (uint32_t)(*state >> 40) % (block->successor_count - 1)];
}

/* One lane through the function: false if it does not come to an end. */
USE bool biased_walk(uint64_t *visits, const wpg_cfg *cfg, uint32_t *stayed, uint64_t lane, bool opening)
{
    uint64_t state = lane * 977 + 13;
    uint32_t b = 0;
    memset(stayed, 0, cfg->count * sizeof *stayed);
    for (uint32_t steps = 0; steps < BIASED_STEPS; steps++) {
        visits[b]++;
        if (!cfg->blocks[b].successor_count)
            return true;
        b = biased_step(cfg, b, stayed, &state, opening);
    }
    return false;
}

/* Every value site saw one value. */
USE void biased_values(use_shader *s, const wpg_cfg *cfg, wpg_arena *arena, uint32_t bits)
{
    wpg_divergence *divergence;
    wpg_value_site *sites;
    uint32_t count;
    assert_int_equal(wpg_divergence_compute(&divergence, cfg, arena), WPG_OK);
    assert_int_equal(wpg_value_sites(&sites, &count, cfg, divergence, arena), WPG_OK);
    s->values = calloc(count + 1u, sizeof *s->values);
    s->share = calloc(1, sizeof *s->share);
    *s->share = (wpg_value_share){bits, BIASED_WAVES};
    for (uint32_t i = 0; i < count; i++)
        s->values[i] = (wpg_value_weight){.kind = sites[i].kind,
                                          .type = sites[i].type,
                                          .block = sites[i].block,
                                          .asked = BIASED_WAVES,
                                          .agreed = BIASED_WAVES,
                                          .shares = sites[i].ask & WPG_ASK_VALUES ? s->share : NULL,
                                          .share_count = sites[i].ask & WPG_ASK_VALUES ? 1 : 0};
    s->weights.values = s->values;
    s->weights.value_count = count;
}

/* Adds values to a profile that use_profile has made. */
USE void biased_add_values(use_shader *s, uint32_t bits)
{
    wpg_module *module = NULL;
    wpg_view *view = use_view(&module, s);
    wpg_arena arena;
    wpg_arena_init(&arena);
    biased_values(s, view->cfg, &arena, bits);
    wpg_arena_finish(&arena);
    wpg_view_destroy(view);
    wpg_module_destroy(module);
}

/* Fills the counts of a shader; `bits` is what every value site saw; `opening`: see biased_step. False if a
 * lane does not end. */
USE bool biased_profile_of(use_shader *s, uint32_t bits, bool opening)
{
    use_profile(s); /* arrays, checksum, selects */
    wpg_module *module = NULL;
    wpg_view *view = use_view(&module, s);
    const wpg_cfg *cfg = view->cfg;
    uint64_t *visits = calloc(cfg->count, sizeof *visits), *most = calloc(cfg->count, sizeof *most);
    uint32_t *stayed = calloc(cfg->count, sizeof *stayed);
    bool ends = true;
    memset(s->lanes, 0, cfg->count * sizeof *s->lanes);
    memset(s->waves, 0, cfg->count * sizeof *s->waves);
    memset(s->uniform, 0, cfg->count * sizeof *s->uniform);
    for (uint32_t wave = 0; wave < BIASED_WAVES && ends; wave++) {
        memset(most, 0, cfg->count * sizeof *most);
        for (uint32_t lane = 0; lane < USE_WAVE && ends; lane++) {
            memset(visits, 0, cfg->count * sizeof *visits);
            ends = biased_walk(visits, cfg, stayed, (uint64_t)wave * USE_WAVE + lane, opening);
            for (uint32_t b = 0; b < cfg->count; b++) {
                s->lanes[b] += visits[b];
                most[b] = visits[b] > most[b] ? visits[b] : most[b];
            }
        }
        for (uint32_t b = 0; b < cfg->count; b++)
            s->waves[b] += most[b];
    }
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_select_site *sites;
    uint32_t count;
    assert_int_equal(wpg_select_sites(&sites, &count, cfg, &arena), WPG_OK);
    for (uint32_t i = 0; i < count; i++) { /* nobody needs the true side */
        s->selects[i * 4 + 1] = s->lanes[sites[i].block];
        s->selects[i * 4 + 3] = s->waves[sites[i].block];
    }
    biased_values(s, cfg, &arena, bits);
    wpg_arena_finish(&arena);
    free(visits);
    free(most);
    free(stayed);
    wpg_view_destroy(view);
    wpg_module_destroy(module);
    return ends;
}

USE bool biased_profile(use_shader *s, uint32_t bits)
{
    return biased_profile_of(s, bits, false);
}

#endif
