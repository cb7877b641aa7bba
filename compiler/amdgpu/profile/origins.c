#include "compiler/amdgpu/profile/origins.h"

#include <math.h>

#include "compiler/amdgpu/driver/emit.h"
#include "compiler/amdgpu/flow/flow_round.h"
#include "compiler/amdgpu/profile/placement.h"
#include "compiler/amdgpu/profile/verify.h"

typedef struct carrier {
    wpg_amdgpu_counts *counts;
    wpg_origins *origins;
    const wpg_origin_counts *from;
    unsigned wave_size;
    wpg_arena *arena;
    wpg_flow_graph graph;
    wpg_placement placement;
    double *probabilities; /* by edge: of what was fitted last, from which the next sets out */
} carrier;

/* A flow in whole numbers of one kind of counts. */
static wpg_status flow(uint64_t **out, carrier *c, const uint64_t *counts, wpg_error *err)
{
    wpg_placement *p = &c->placement;
    double rest = 0;
    bool from_given = c->probabilities != NULL;
    if (!from_given)
        c->probabilities = WPG_ARENA_ARRAY(c->arena, double, wpg_flow_edge_count(&c->graph));
    *out = WPG_ARENA_ARRAY(c->arena, uint64_t, c->graph.block_count);
    if (!*out || !c->probabilities)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < p->sum_count; i++)
        p->sums[i].count = (double)counts[p->from[i]] / (p->parts[i] ? p->parts[i] : 1);
    WPG_TRY(wpg_flow_fit(c->probabilities, from_given, &rest, &c->graph, (double)counts[0], p->sums,
                         p->sum_count, err));
    c->origins->rest = fmax(c->origins->rest, rest);
    return wpg_flow_round(*out, &c->origins->scale, &c->graph, c->probabilities, counts[0], c->arena, err);
}

/* Of a block's waves the share that the origin had with all lanes. */
static wpg_status find_uniform(carrier *c, wpg_error *err)
{
    wpg_amdgpu_counts *counts = c->counts;
    const wpg_origin_counts *from = c->from;
    if (!from->uniform || !from->waves)
        return WPG_OK;
    counts->uniform = WPG_ARENA_ARRAY(c->arena, uint64_t, counts->block_count);
    if (!counts->uniform)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < counts->block_count; b++) {
        uint32_t origin = c->placement.origin[b];
        uint64_t waves = origin == WPG_NO_ORIGIN ? 0 : from->waves[origin];
        double share = waves ? (double)from->uniform[origin] / (double)waves : 1;
        uint64_t uniform = (uint64_t)((double)counts->waves[b] * share);
        counts->uniform[b] = uniform < counts->waves[b] ? uniform : counts->waves[b];
    }
    return WPG_OK;
}

/* Lanes and waves were fitted apart, and a block with few lanes may have come out with fewer lanes than
 * waves: then all lanes become a little more. false: not by a little. */
static bool reconcile(carrier *c)
{
    enum { FINE = 64, MOST = FINE + FINE / 4 };
    wpg_amdgpu_counts *counts = c->counts;
    uint64_t times = FINE;
    for (uint32_t b = 0; b < counts->block_count; b++) {
        uint64_t waves = counts->waves[b], lanes = counts->lanes[b];
        if (waves > WPG_FLOW_MOST / MOST || lanes > WPG_FLOW_MOST / MOST)
            return false;
        if (lanes < waves && (!lanes || (waves * FINE + lanes - 1) / lanes > MOST))
            return false;
        if (lanes < waves && (waves * FINE + lanes - 1) / lanes > times)
            times = (waves * FINE + lanes - 1) / lanes;
    }
    for (uint32_t b = 0; b < counts->block_count && times > FINE; b++) {
        counts->lanes[b] *= times;
        counts->waves[b] *= FINE;
        if (counts->uniform)
            counts->uniform[b] *= FINE;
    }
    c->origins->scale *= times > FINE ? FINE : 1;
    return true;
}

/* Of counts of this very code nearly all fits. Lines mislead, and are believed longer. */
static wpg_status believe(const carrier *c, wpg_error *err)
{
    if (c->origins->rest <= (c->origins->by_lines ? 0.9 : 0.5))
        return WPG_OK;
    return wpg_fail(err, WPG_E_MISMATCH,
                    "the profile's counts are no flow through this code: %.0f %% of them do not fit",
                    c->origins->rest * 100);
}

static wpg_status find_counts(carrier *c, wpg_error *err)
{
    wpg_amdgpu_counts *counts = c->counts;
    const wpg_origin_counts *from = c->from;
    const uint64_t *waves = from->waves ? from->waves : from->lanes;
    wpg_counts_verdict verdict = {0};
    WPG_TRY(flow(&counts->waves, c, waves, err));
    if (from->waves && from->lanes) {
        double before = c->origins->scale;
        WPG_TRY(flow(&counts->lanes, c, from->lanes, err));
        if (c->origins->scale > before)
            WPG_TRY(flow(&counts->waves, c, waves, err));
    }
    WPG_TRY(believe(c, err));
    WPG_TRY(find_uniform(c, err));
    if (counts->lanes && !reconcile(c))
        counts->lanes = NULL;
    WPG_TRY(wpg_counts_verify(&verdict, &c->graph, counts, c->wave_size, c->arena, err));
    if (verdict.problems)
        counts->lanes = NULL;
    return WPG_OK;
}

wpg_status wpg_origins_counts(wpg_amdgpu_counts *counts, wpg_origins *origins, LLVMValueRef function,
                              const wpg_origin_counts *from, bool by_lines, unsigned wave_size,
                              wpg_arena *arena, wpg_error *err)
{
    wpg_blocks blocks;
    carrier c = {.counts = counts, .origins = origins, .from = from, .wave_size = wave_size, .arena = arena};
    *counts = (wpg_amdgpu_counts){0};
    *origins = (wpg_origins){.by_lines = by_lines, .scale = 1};
    if (!from->block_count || !(from->waves ? from->waves : from->lanes)[0])
        return wpg_fail(err, WPG_E_NOT_FOUND, "the profile never saw the shader run");
    WPG_TRY(wpg_blocks_of(&blocks, function, err));
    c.graph = (wpg_flow_graph){blocks.count, blocks.first, blocks.to};
    counts->checksum = blocks.checksum;
    counts->block_count = blocks.count;
    wpg_status status = (by_lines ? wpg_place_by_lines : wpg_place_by_probes)(&c.placement, &blocks,
                                                                              from->block_count, arena, err);
    origins->placed = c.placement.placed;
    if (status == WPG_OK)
        status = find_counts(&c, err);
    wpg_blocks_finish(&blocks);
    return status;
}

/* -- A shader's */

typedef struct shader_carrier {
    wpg_amdgpu_counts *counts;
    wpg_origins *origins;
    const wpg_origin_counts *from;
    uint64_t checksum; /* of the graph that counts are wanted for */
    bool by_lines, other_graph;
    wpg_arena *arena;
} shader_carrier;

static wpg_status checksum_of(uint64_t *checksum, uint32_t *block_count, LLVMValueRef function,
                              wpg_error *err)
{
    wpg_blocks blocks;
    WPG_TRY(wpg_blocks_of(&blocks, function, err));
    *checksum = blocks.checksum;
    *block_count = blocks.count;
    wpg_blocks_finish(&blocks);
    return WPG_OK;
}

static wpg_status carry(void *data, LLVMModuleRef llvm, LLVMValueRef function,
                        const wpg_translation_options *options, wpg_error *err)
{
    shader_carrier *c = data;
    uint64_t checksum;
    uint32_t block_count;
    (void)llvm;
    WPG_TRY(checksum_of(&checksum, &block_count, function, err));
    c->other_graph = checksum != c->checksum;
    return c->other_graph ? WPG_OK
                          : wpg_origins_counts(c->counts, c->origins, function, c->from, c->by_lines,
                                               options->wave_size, c->arena, err);
}

wpg_status wpg_amdgpu_origin_counts(wpg_amdgpu_counts *counts, wpg_origins *origins, const wpg_module *normal,
                                    const wpg_stage *stage, const wpg_amdgpu_options *options,
                                    const wpg_origin_counts *from, uint64_t checksum, wpg_arena *arena,
                                    wpg_error *err)
{
    shader_carrier c = {
        .counts = counts, .origins = origins, .from = from, .checksum = checksum, .arena = arena};
    wpg_amdgpu_options until = *options;
    wpg_amdgpu_code *code;
    until.until = WPG_AMDGPU_STRUCTURISED;
    until.ir = until.assembly = false;
    for (int lines = 0; lines < 2; lines++) {
        c.by_lines = until.lines = lines;
        until.probes = !lines;
        WPG_TRY(wpg_amdgpu_compile_hooked(&code, normal, stage, &until, carry, &c, err));
        wpg_amdgpu_code_destroy(code);
        if (!c.other_graph)
            return WPG_OK;
    }
    return wpg_fail(err, WPG_E_MISMATCH, "with probes or lines LLVM makes another graph of the shader");
}

static wpg_status look(void *data, LLVMModuleRef llvm, LLVMValueRef function,
                       const wpg_translation_options *options, wpg_error *err)
{
    wpg_amdgpu_graph *graph = data;
    (void)llvm;
    (void)options;
    return checksum_of(&graph->checksum, &graph->block_count, function, err);
}

wpg_status wpg_amdgpu_graph_of(wpg_amdgpu_graph *graph, const wpg_module *normal, const wpg_stage *stage,
                               const wpg_amdgpu_options *options, wpg_error *err)
{
    wpg_amdgpu_options until = *options;
    wpg_amdgpu_code *code;
    until.until = WPG_AMDGPU_STRUCTURISED;
    until.lines = until.probes = until.ir = until.assembly = false;
    WPG_TRY(wpg_amdgpu_compile_hooked(&code, normal, stage, &until, look, graph, err));
    wpg_amdgpu_code_destroy(code);
    return WPG_OK;
}
