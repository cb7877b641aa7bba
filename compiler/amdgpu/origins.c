#include "compiler/amdgpu/origins.h"

#include <math.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/amdgpu/blocks.h"
#include "compiler/amdgpu/emit.h"
#include "compiler/amdgpu/flow_round.h"
#include "compiler/amdgpu/lines.h"
#include "compiler/amdgpu/verify.h"

enum { NO_ORIGIN = UINT32_MAX };

typedef struct placer {
    wpg_blocks blocks;
    wpg_flow_graph graph;
    uint32_t *origin;      /* [block_count] of the normal form; NO_ORIGIN */
    unsigned *copies;      /* [block_count] of how many of that origin it is one */
    double *probabilities; /* by edge, as the next two */
    bool *settled;
    bool *back;      /* it goes back to a loop's header */
    uint32_t *order; /* blocks that are reached, in reverse post-order */
    uint32_t order_count;
    double *most; /* [block_count] as often it runs at most, by the counts at hand */
} placer;

/* -- Where blocks come from */

/* Most of its instructions; the earlier block of equals. *copies: of how many it is one. */
static uint32_t origin_of(unsigned *copies, LLVMBasicBlockRef block, uint32_t *votes, uint32_t count)
{
    uint32_t best = NO_ORIGIN, from;
    *copies = 1;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i) && wpg_lines_of(&from, NULL, i) && from < count)
            votes[from]++;
    for (from = 0; from < count; from++) {
        if (votes[from] && (best == NO_ORIGIN || votes[from] > votes[best]))
            best = from;
    }
    memset(votes, 0, count * sizeof *votes);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && best != NO_ORIGIN;
         i = LLVMGetNextInstruction(i)) {
        unsigned told;
        if (!LLVMIsAPHINode(i) && wpg_lines_of(&from, &told, i) && from == best && told > *copies)
            *copies = told;
    }
    return best;
}

/* Those to a block that a depth-first walk is still in; the order of that walk. false when memory runs out.
 */
static bool find_back_edges(placer *p, wpg_arena *arena)
{
    enum { NEW, OPEN, DONE };
    uint32_t *stack = WPG_ARENA_ARRAY(arena, uint32_t, p->blocks.count), depth = 0;
    uint32_t *next = WPG_ARENA_ARRAY(arena, uint32_t, p->blocks.count);
    uint8_t *state = WPG_ARENA_ARRAY(arena, uint8_t, p->blocks.count);
    p->order = WPG_ARENA_ARRAY(arena, uint32_t, p->blocks.count);
    if (!stack || !next || !state || !p->back || !p->order)
        return false;
    for (stack[depth++] = 0; depth;) {
        uint32_t b = stack[depth - 1];
        if (state[b] == NEW) {
            state[b] = OPEN;
            next[b] = p->blocks.first[b];
        }
        if (next[b] == p->blocks.first[b + 1]) {
            state[b] = DONE;
            p->order[p->blocks.count - ++p->order_count] = b;
            depth--;
            continue;
        }
        uint32_t edge = next[b]++, to = p->blocks.to[edge];
        p->back[edge] = state[to] == OPEN;
        if (state[to] == NEW)
            stack[depth++] = to;
    }
    p->order += p->blocks.count - p->order_count;
    return true;
}

static wpg_status place(placer *p, wpg_origins *origins, uint32_t count, wpg_arena *arena, wpg_error *err)
{
    uint32_t *votes = WPG_ARENA_ARRAY(arena, uint32_t, count), edges = p->blocks.first[p->blocks.count];
    p->origin = WPG_ARENA_ARRAY(arena, uint32_t, p->blocks.count);
    p->copies = WPG_ARENA_ARRAY(arena, unsigned, p->blocks.count);
    p->probabilities = WPG_ARENA_ARRAY(arena, double, edges);
    p->settled = WPG_ARENA_ARRAY(arena, bool, edges);
    p->back = WPG_ARENA_ARRAY(arena, bool, edges);
    p->most = WPG_ARENA_ARRAY(arena, double, p->blocks.count);
    if (!votes || !p->origin || !p->copies || !p->probabilities || !p->settled || !p->most ||
        !find_back_edges(p, arena))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < p->blocks.count; b++) {
        p->origin[b] = origin_of(&p->copies[b], p->blocks.blocks[b], votes, count);
        if (b == 0)
            p->origin[b] = 0;
        origins->placed += p->origin[b] != NO_ORIGIN;
    }
    return WPG_OK;
}

/* -- Probabilities */

static bool known(const placer *p, const uint64_t *counts, uint32_t block, double *count)
{
    if (p->origin[block] == NO_ORIGIN)
        return false;
    *count = (double)counts[p->origin[block]] / p->copies[block];
    *count = *count < p->most[block] ? *count : p->most[block];
    return true;
}

/* A block that heads no loop runs as often as what leads to it at most: what LLVM moved out of a loop says it
 * comes from inside. */
static void bound(placer *p, const uint64_t *counts)
{
    for (uint32_t b = 0; b < p->blocks.count; b++)
        p->most[b] = b == 0 ? (double)counts[0] : 0;
    for (uint32_t i = 0; i < p->order_count; i++) {
        uint32_t b = p->order[i];
        double count = p->most[b];
        (void)known(p, counts, b, &count);
        p->most[b] = count;
        for (uint32_t e = p->blocks.first[b]; e < p->blocks.first[b + 1]; e++)
            p->most[p->blocks.to[e]] = p->back[e]                          ? p->most[p->blocks.to[e]]
                                       : p->blocks.header[p->blocks.to[e]] ? INFINITY
                                                                           : p->most[p->blocks.to[e]] + count;
    }
}

/* Edges into a block: how many come from before it, and at most how often. false: the counts do not tell. */
static bool arriving(const placer *p, const uint64_t *counts, uint32_t block, uint32_t *edges,
                     double *outside)
{
    double target, count;
    bool all_known = known(p, counts, block, &target);
    *edges = 0;
    *outside = 0;
    for (uint32_t b = 0; b < p->blocks.count && all_known; b++)
        for (uint32_t e = p->blocks.first[b]; e < p->blocks.first[b + 1]; e++) {
            if (p->blocks.to[e] != block || p->back[e])
                continue;
            ++*edges;
            all_known &= known(p, counts, b, &count);
            *outside += !all_known ? 0 : count < target ? count : target;
        }
    return all_known;
}

/* What the counts say of one edge; false: nothing. Into an arm go as many as it has; into a loop as many as
 * come to it, if its header has as many; back in it goes what did not come from before. */
static bool probability_of(const placer *p, const uint64_t *counts, uint32_t from, uint32_t edge,
                           double *probability)
{
    double source, target, outside;
    uint32_t edges, to = p->blocks.to[edge];
    if (!arriving(p, counts, to, &edges, &outside) || !known(p, counts, to, &target) || target == 0)
        return known(p, counts, to, &target) && target == 0 && !p->back[edge];
    if (p->back[edge]) {
        *probability = 1 - outside / target;
        return outside > 0; /* trips of a loop that nothing enters: an origin misleads */
    }
    if (edges != 1 || !known(p, counts, from, &source) || source == 0)
        return false;
    *probability = target < source ? target / source : 1;
    return true;
}

/* Trips that go on first, then what the counts tell; the other edges share what is left. */
static void settle(placer *p, const uint64_t *counts, uint32_t block)
{
    const uint32_t first = p->blocks.first[block], end = p->blocks.first[block + 1];
    const double most = 1 - 0x1p-30; /* every loop is left */
    double back = 0, sum = 0;
    uint32_t open = 0, forward = 0;
    for (uint32_t e = first; e < end; e++) {
        double found = 0;
        p->settled[e] = end - first > 1 && probability_of(p, counts, block, e, &found);
        double limit = p->back[e] ? most : 1;
        p->probabilities[e] = found < 0 ? 0 : found > limit ? limit : found;
        if (p->back[e] && !p->settled[e]) /* nothing is known: as often as not */
            p->probabilities[e] = 0.5;
        *(p->back[e] ? &back : &sum) += p->probabilities[e];
        forward += !p->back[e];
        open += !p->back[e] && !p->settled[e];
    }
    const double left = forward ? 1 - (back > most ? most : back) : 0;
    for (uint32_t e = first; e < end; e++) {
        double *p_edge = &p->probabilities[e];
        if (p->back[e])
            *p_edge *= (1 - left) / (back > 0 ? back : 1);
        else if (sum >= left || (!open && sum > 0))
            *p_edge *= left / (sum > 0 ? sum : 1);
        else if (!p->settled[e])
            *p_edge = (left - sum) / open;
        else if (!open)
            *p_edge = left / forward;
    }
}

static wpg_status flow(placer *p, uint64_t **out, double *scale, const uint64_t *counts, wpg_arena *arena,
                       wpg_error *err)
{
    bound(p, counts);
    for (uint32_t b = 0; b < p->blocks.count; b++)
        settle(p, counts, b);
    *out = WPG_ARENA_ARRAY(arena, uint64_t, p->blocks.count);
    return *out ? wpg_flow_round(*out, scale, &p->graph, p->probabilities, counts[0], arena, err)
                : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

/* -- Counts */

/* Of a block's waves the share that the origin had with all lanes. */
static wpg_status find_uniform(wpg_amdgpu_counts *counts, const placer *p, const wpg_origin_counts *from,
                               wpg_arena *arena, wpg_error *err)
{
    if (!from->uniform || !from->waves)
        return WPG_OK;
    counts->uniform = WPG_ARENA_ARRAY(arena, uint64_t, counts->block_count);
    if (!counts->uniform)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < counts->block_count; b++) {
        uint32_t origin = p->origin[b];
        uint64_t waves = origin == NO_ORIGIN ? 0 : from->waves[origin];
        double share = waves ? (double)from->uniform[origin] / (double)waves : 1;
        uint64_t uniform = (uint64_t)((double)counts->waves[b] * share);
        counts->uniform[b] = uniform < counts->waves[b] ? uniform : counts->waves[b];
    }
    return WPG_OK;
}

static wpg_status find_counts(wpg_amdgpu_counts *counts, wpg_origins *origins, placer *p,
                              const wpg_origin_counts *from, unsigned wave_size, wpg_arena *arena,
                              wpg_error *err)
{
    const uint64_t *waves = from->waves ? from->waves : from->lanes;
    wpg_counts_verdict verdict = {0};
    WPG_TRY(flow(p, &counts->waves, &origins->scale, waves, arena, err));
    if (from->waves && from->lanes) {
        double before = origins->scale;
        WPG_TRY(flow(p, &counts->lanes, &origins->scale, from->lanes, arena, err));
        if (origins->scale > before)
            WPG_TRY(flow(p, &counts->waves, &origins->scale, waves, arena, err));
    }
    WPG_TRY(find_uniform(counts, p, from, arena, err));
    WPG_TRY(wpg_counts_verify(&verdict, &p->graph, counts, wave_size, arena, err));
    if (verdict.problems)
        counts->lanes = NULL; /* estimated apart from the waves: they need not fit */
    return WPG_OK;
}

wpg_status wpg_origins_counts(wpg_amdgpu_counts *counts, wpg_origins *origins, LLVMValueRef function,
                              const wpg_origin_counts *from, unsigned wave_size, wpg_arena *arena,
                              wpg_error *err)
{
    placer p = {0};
    *counts = (wpg_amdgpu_counts){0};
    *origins = (wpg_origins){.scale = 1};
    if (!from->block_count || !(from->waves ? from->waves : from->lanes)[0])
        return wpg_fail(err, WPG_E_NOT_FOUND, "the profile never saw it run");
    WPG_TRY(wpg_blocks_of(&p.blocks, function, err));
    p.graph = (wpg_flow_graph){p.blocks.count, p.blocks.first, p.blocks.to};
    counts->checksum = p.blocks.checksum;
    counts->block_count = p.blocks.count;
    wpg_status status = place(&p, origins, from->block_count, arena, err);
    if (status == WPG_OK)
        status = find_counts(counts, origins, &p, from, wave_size, arena, err);
    wpg_blocks_finish(&p.blocks);
    return status;
}

/* -- A shader's */

typedef struct carrier {
    wpg_amdgpu_counts *counts;
    wpg_origins *origins;
    const wpg_origin_counts *from;
    wpg_arena *arena;
} carrier;

static wpg_status carry(void *data, LLVMModuleRef llvm, LLVMValueRef function,
                        const wpg_translation_options *options, wpg_error *err)
{
    carrier *c = data;
    (void)llvm;
    return wpg_origins_counts(c->counts, c->origins, function, c->from, options->wave_size, c->arena, err);
}

wpg_status wpg_amdgpu_origin_counts(wpg_amdgpu_counts *counts, wpg_origins *origins, const wpg_module *normal,
                                    const wpg_stage *stage, const wpg_amdgpu_options *options,
                                    const wpg_origin_counts *from, wpg_arena *arena, wpg_error *err)
{
    carrier c = {counts, origins, from, arena};
    wpg_amdgpu_options until = *options;
    wpg_amdgpu_code *code;
    until.until = WPG_AMDGPU_STRUCTURISED;
    until.lines = true;
    until.ir = until.assembly = false;
    WPG_TRY(wpg_amdgpu_compile_hooked(&code, normal, stage, &until, carry, &c, err));
    wpg_amdgpu_code_destroy(code);
    return WPG_OK;
}
