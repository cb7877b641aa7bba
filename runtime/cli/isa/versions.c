/* Compiles the versions. Code has lines for the listing; lines change no instruction, and linking removes
 * them. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/amdgpu/profile/unpredictable.h"
#include "runtime/cli/isa/isa.h"

#define FIGURE(name, key, field)                                                                             \
    {                                                                                                        \
        name, key, offsetof(wpg_amdgpu_figures, field)                                                       \
    }
const wpg_isa_figure wpg_isa_figures[] = {
    FIGURE("VGPRs", "vgprs", vgprs),
    FIGURE("SGPRs", "sgprs", sgprs),
    FIGURE("AGPRs", "agprs", agprs),
    FIGURE("waves a SIMD (occupancy)", "occupancy", occupancy),
    FIGURE("VGPRs spilled", "vgpr_spills", vgpr_spills),
    FIGURE("SGPRs spilled", "sgpr_spills", sgpr_spills),
    FIGURE("scratch, bytes a lane", "scratch_bytes", scratch_bytes),
    FIGURE("LDS, bytes a workgroup", "lds_bytes", lds_bytes),
    FIGURE("code, bytes", "code_bytes", code_bytes),
};
const size_t wpg_isa_figure_count = sizeof wpg_isa_figures / sizeof *wpg_isa_figures;

uint32_t wpg_isa_figure_of(const wpg_isa_version *version, const wpg_isa_figure *figure)
{
    uint32_t value;
    memcpy(&value, (const char *)&version->code->figures + figure->offset, sizeof value);
    return value;
}

uint64_t wpg_isa_unscaled(const wpg_isa *isa, uint64_t score)
{
    return isa->origins.scale > 1 ? (uint64_t)((double)score / isa->origins.scale + 0.5) : score;
}

static wpg_amdgpu_options options_of(const wpg_isa *isa)
{
    return (wpg_amdgpu_options){.gpu = isa->options.gpu,
                                .wave_size = isa->options.wave_size,
                                .code_object = isa->options.code_object,
                                .abi = isa->options.abi,
                                .ir = isa->options.ir,
                                .contract = isa->options.contract,
                                .assembly = true,
                                .lines = true};
}

static wpg_status list(wpg_isa_version *version, wpg_error *err)
{
    return wpg_isa_list(&version->listing, version->code->assembly, version->code->kernel, err);
}

static uint64_t *keep(const uint64_t *from, size_t count)
{
    uint64_t *copy = from ? malloc(count * sizeof *copy) : NULL;
    if (copy)
        memcpy(copy, from, count * sizeof *copy);
    return copy;
}

static wpg_origin_counts origin_counts(const wpg_isa *isa)
{
    return (wpg_origin_counts){isa->block_count, isa->counts->waves, isa->counts->lanes,
                               isa->counts->uniform};
}

/* Counts of the structurised blocks: the kernel's own, exact; else those of the normal form, carried over. */
static wpg_status find_counts(wpg_amdgpu_counts *counts, wpg_isa *isa, wpg_arena *arena, wpg_error *err)
{
    const wpg_amdgpu_options options = options_of(isa);
    wpg_amdgpu_graph graph;
    WPG_TRY(wpg_amdgpu_graph_of(&graph, isa->normal, &isa->stage, &options, err));
    isa->own = wpg_isa_own_counts(counts, isa, graph.checksum, graph.block_count, arena);
    if (isa->own)
        return WPG_OK;
    if (!isa->counts || (!isa->counts->waves && !isa->counts->lanes))
        return wpg_fail(err, WPG_E_MISMATCH, "%s",
                        isa->other_form ? "the profile counted another form of this shader: generate anew"
                                        : "neither waves nor lanes were counted");
    const wpg_origin_counts from = origin_counts(isa);
    return wpg_amdgpu_origin_counts(counts, &isa->origins, isa->normal, &isa->stage, &options, &from,
                                    graph.checksum, arena, err);
}

/* The code that the counts make cheapest. */
static wpg_status use_counts(wpg_isa *isa, wpg_arena *arena, wpg_error *err)
{
    wpg_amdgpu_options options = options_of(isa);
    wpg_isa_version *after = &isa->versions[1];
    wpg_amdgpu_counts counts = {0};
    WPG_TRY(find_counts(&counts, isa, arena, err));
    if (isa->counts) {
        const wpg_origin_counts from = origin_counts(isa);
        WPG_TRY(wpg_unpredictable_find(&options.marks, isa->normal, &from, arena, err));
    }
    isa->structurised = (wpg_amdgpu_counts){.checksum = counts.checksum,
                                            .block_count = counts.block_count,
                                            .waves = keep(counts.waves, counts.block_count),
                                            .lanes = keep(counts.lanes, counts.block_count),
                                            .uniform = keep(counts.uniform, counts.block_count)};
    WPG_TRY(wpg_amdgpu_compile_use(&after->code, &isa->use, isa->normal, &isa->stage, &options, &counts, NULL,
                                   err));
    isa->versions[0].title = "before";
    after->title = "after";
    isa->version_count = 2;
    return list(after, err);
}

/* The kernel that counts its own blocks, beside the one that does not. */
static wpg_status generate(wpg_isa *isa, wpg_error *err)
{
    const wpg_amdgpu_options options = options_of(isa);
    wpg_isa_version *counting = &isa->versions[1];
    WPG_TRY(wpg_amdgpu_generate(&counting->code, &isa->counters, isa->normal, &isa->stage, &options,
                                &isa->options.counting, err));
    counting->title = "counting";
    isa->version_count = 2;
    return list(counting, err);
}

wpg_status wpg_isa_compile(wpg_isa *isa, wpg_error *err)
{
    wpg_amdgpu_options options = options_of(isa);
    wpg_isa_version *before = &isa->versions[0];
    wpg_error why;
    wpg_arena arena;
    before->title = "code";
    WPG_TRY(wpg_amdgpu_compile(&before->code, isa->normal, &isa->stage, &options, err));
    isa->version_count = 1;
    WPG_TRY(list(before, err));
    if (isa->options.verify)
        WPG_TRY(wpg_amdgpu_phases(&isa->phases, isa->normal, &isa->stage, &options, err));
    if (isa->options.generate)
        return generate(isa, err);
    if (!isa->options.profile)
        return WPG_OK;
    wpg_arena_init(&arena);
    wpg_status status = use_counts(isa, &arena, &why);
    wpg_arena_finish(&arena);
    if (status == WPG_E_NOMEM || (status == WPG_E_MISMATCH && isa->other_form))
        return wpg_fail(err, status, "%s", why.message);
    if (status != WPG_OK) /* the listing is worth as much without */
        (void)snprintf(isa->not_used, sizeof isa->not_used, "%s", why.message);
    return WPG_OK;
}
