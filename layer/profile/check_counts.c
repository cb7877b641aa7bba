#include "layer/profile/check_counts.h"

#include "compiler/optimize/ir/weights_check.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"

enum { MOST_NAMED = 3 };              /* stages that are named, a device */
#define SATURATED (UINT64_C(1) << 56) /* counters are clamped there */

/* One kind's counts, block by block; NULL: not measured, or no memory. `saturated` is set, never cleared. */
static const uint64_t *counts_of(bool *saturated, const wpg_counted *counted, const wpg_counter_map *map,
                                 const uint32_t *indices, uint32_t count, wpg_arena *arena)
{
    size_t have = atomic_load(&counted->slot->count);
    uint64_t *counts = indices ? WPG_ARENA_ARRAY(arena, uint64_t, count) : NULL;
    for (uint32_t b = 0; counts && b < count; b++) {
        counts[b] = wpg_counter_value(map, indices[b], counted->values, have);
        *saturated |= counts[b] >= SATURATED;
    }
    return counts;
}

static void check_function(wpg_weights_findings *findings, const wpg_counted *counted,
                           const wpg_counter_map *map, const wpg_function_counters *function,
                           wpg_arena *arena)
{
    bool saturated = false;
    const uint32_t count = function->block_count;
    const wpg_function_weights weights = {
        .block_count = count,
        .lanes = counts_of(&saturated, counted, map, function->lanes, count, arena),
        .waves = counts_of(&saturated, counted, map, function->waves, count, arena),
        .uniform = counts_of(&saturated, counted, map, function->uniform, count, arena),
    };
    if (function->flow.count && !saturated && !arena->failed)
        (void)wpg_graph_check(findings, &function->flow, &weights, WPG_CHECK_COUNTS, 0, arena);
}

static void say(const wpg_counted *counted, const wpg_counted_stage *stage,
                const wpg_weights_findings *findings)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, counted->shader_only ? stage->shader : counted->pipeline);
    wpg_log_warn("%s %s %s %s: impossible counts: %s%s. The driver runs the counting code of this stage "
                 "wrongly: do not use its profile, and leave it out (PIPELINES='!%s')",
                 counted->shader_only ? "shader" : "pipeline", hex, stage->stage, stage->entry,
                 findings->items[0].text, findings->total > 1 ? ", and more" : "", hex);
}

/* Checks one stage; true if its counts are impossible, which is logged if `names`. */
static bool is_impossible(const wpg_counted *counted, const wpg_counted_stage *stage, bool names)
{
    wpg_weights_findings findings = {0};
    wpg_arena arena;
    wpg_arena_init(&arena);
    for (uint32_t f = 0; f < stage->map->function_count; f++)
        check_function(&findings, counted, stage->map, &stage->map->functions[f], &arena);
    if (findings.items && names)
        say(counted, stage, &findings);
    wpg_arena_finish(&arena);
    return findings.total != 0;
}

void wpg_check_counts(size_t *found, wpg_counted *head)
{
    for (wpg_counted *counted = head; counted; counted = counted->next) {
        bool unpacked = wpg_counted_unpack(counted, NULL) == WPG_OK;
        for (size_t i = 0; unpacked && i < counted->stage_count; i++)
            *found += is_impossible(counted, &counted->stages[i], *found < MOST_NAMED);
        wpg_counted_pack(counted);
    }
}

void wpg_check_counts_done(size_t found)
{
    if (found > MOST_NAMED)
        wpg_log_warn("impossible counts in %zu more stage%s: 'wavepgo verify' lists all", found - MOST_NAMED,
                     wpg_plural(found - MOST_NAMED));
}
