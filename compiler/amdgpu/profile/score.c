#include "compiler/amdgpu/profile/score.h"

#include "runtime/base/arithmetic.h"

#include "compiler/amdgpu/llvm/machine.h"

static uint64_t plus(uint64_t sum, uint64_t times, uint64_t n)
{
    return wpg_add_saturating(sum, wpg_multiply_saturating(times, n));
}

/* Of `b`, the sums over edges that leave and that arrive: of their counts where all are known, else of the
 * blocks' at their other ends. Both sides of a block without a count are equal if flow decided them. */
typedef struct sides {
    uint64_t leaving, arriving;
    bool leaving_known, arriving_known;
    bool leaves, arrives; /* there are any */
} sides;

static sides around(const wpg_flow_graph *graph, const wpg_flow_edges *edges, const uint64_t *counts,
                    const bool *known, uint32_t block)
{
    sides s = {.leaving_known = true, .arriving_known = true};
    for (uint32_t b = 0; b < graph->block_count; b++)
        for (uint32_t e = graph->first[b]; e < graph->first[b + 1]; e++) {
            if (b == block) {
                s.leaves = true;
                s.leaving_known &= edges->known[e];
                uint32_t to = graph->targets[e];
                s.leaving = plus(s.leaving,
                                 edges->known[e] ? edges->counts[e]
                                 : known[to]     ? counts[to]
                                                 : UINT64_MAX,
                                 1);
            }
            if (graph->targets[e] == block) {
                s.arrives = true;
                s.arriving_known &= edges->known[e];
                s.arriving = plus(s.arriving,
                                  edges->known[e] ? edges->counts[e]
                                  : known[b]      ? counts[b]
                                                  : UINT64_MAX,
                                  1);
            }
        }
    return s;
}

/* Counts of the machine's blocks, by `known` and flow. */
static wpg_status fill_in(uint64_t *counts, bool *known, wpg_code_score *score, const wpg_flow_graph *graph,
                          wpg_arena *arena, wpg_error *err)
{
    wpg_flow_edges edges;
    WPG_TRY(wpg_flow_derive_some(&edges, graph, counts, known, arena, err));
    score->sound = edges.sound;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        if (known[b])
            continue;
        sides s = around(graph, &edges, counts, known, b);
        if (s.arrives && s.arriving_known) {
            counts[b] = s.arriving;
        } else if (s.leaves && s.leaving_known) {
            counts[b] = s.leaving;
        } else {
            uint64_t a = s.arrives ? s.arriving : UINT64_MAX, l = s.leaves ? s.leaving : UINT64_MAX;
            counts[b] = a < l ? a : l;
            score->guessed++;
        }
        /* Nothing says more than that it is one of the kernel's blocks: as the one before it. */
        if (counts[b] == UINT64_MAX)
            counts[b] = b ? counts[b - 1] : 0;
        known[b] = true; /* for those after it */
    }
    return WPG_OK;
}

static wpg_status score_machine(wpg_code_score *score, const wpg_machine *machine, const uint64_t *waves,
                                uint32_t block_count, wpg_arena *arena, wpg_error *err)
{
    uint32_t n = machine->graph.block_count;
    uint64_t *counts = WPG_ARENA_ARRAY(arena, uint64_t, n);
    bool *known = WPG_ARENA_ARRAY(arena, bool, n);
    if (!counts || !known)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < n; b++) {
        int64_t from = machine->blocks[b].structurised;
        known[b] = from != WPG_MACHINE_FOREIGN;
        if (known[b] && from >= block_count)
            return wpg_fail(err, WPG_E_FORMAT, "the code names block %u of %u", (unsigned)from, block_count);
        counts[b] = known[b] ? waves[from] : 0;
        score->foreign += !known[b];
    }
    WPG_TRY(fill_in(counts, known, score, &machine->graph, arena, err));
    score->blocks = n;
    for (uint32_t b = 0; b < n; b++) {
        const wpg_machine_block *block = &machine->blocks[b];
        score->instructions += block->instructions;
        score->scratch_text += block->scratch;
        score->executed = plus(score->executed, counts[b], block->instructions);
        score->scratch = plus(score->scratch, counts[b], block->scratch);
    }
    return WPG_OK;
}

wpg_status wpg_score_assembly(wpg_code_score *score, const char *assembly, const char *kernel, bool pal,
                              const uint64_t *waves, uint32_t block_count, wpg_error *err)
{
    wpg_machine machine;
    wpg_arena arena;
    *score = (wpg_code_score){0};
    wpg_arena_init(&arena);
    wpg_status status = wpg_machine_read(&machine, assembly, kernel, pal, &arena, err);
    if (status == WPG_OK)
        status = score_machine(score, &machine, waves, block_count, &arena, err);
    wpg_arena_finish(&arena);
    return status;
}
