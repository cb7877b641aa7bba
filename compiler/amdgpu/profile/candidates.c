#include "compiler/amdgpu/profile/candidates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/amdgpu/driver/emit.h"
#include "compiler/amdgpu/llvm/profcheck.h"
#include "compiler/amdgpu/profile/weights.h"

typedef struct attempt {
    wpg_amdgpu_use *use;
    wpg_amdgpu_candidate *candidate;
    const wpg_amdgpu_counts *counts;
    wpg_amdgpu_use_options options;
    bool assembly; /* the caller wants it */
} attempt;

/* Before anything is attached: the counts are this function's, and possible. */
static wpg_status verify(attempt *a, const wpg_blocks *blocks, unsigned wave_size, wpg_arena *arena,
                         wpg_error *err)
{
    wpg_counts_verdict *verdict = &a->use->verdict;
    const wpg_flow_graph graph = wpg_flow_of_blocks(blocks);
    if (a->counts->block_count != blocks->count || a->counts->checksum != blocks->checksum)
        return wpg_fail(err, WPG_E_MISMATCH,
                        "the profile is of %u blocks and control flow %015" PRIx64
                        ", the function has %u and %015" PRIx64 ": not applied",
                        a->counts->block_count, a->counts->checksum, blocks->count, blocks->checksum);
    WPG_TRY(wpg_counts_verify(verdict, &graph, a->counts, wave_size, arena, err));
    if (!verdict->problems)
        return WPG_OK;
    const wpg_counts_problem *p = &verdict->first[0];
    return wpg_fail(err, WPG_E_MISMATCH,
                    "impossible counts (%s): block %u has %" PRIu64 ", its bound is %" PRIu64
                    "; %u problems in all: not applied",
                    wpg_counts_rule_name(p->rule), p->block, p->count, p->bound, verdict->problems);
}

static void cap_registers(LLVMValueRef function, unsigned vgprs)
{
    char number[16];
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    (void)snprintf(number, sizeof number, "%u", vgprs);
    LLVMAddAttributeAtIndex(
        function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(context, "amdgpu-num-vgpr", 15, number, (unsigned)strlen(number)));
}

/* The hook after structurising. */
static wpg_status annotate(void *data, LLVMModuleRef module, LLVMValueRef function,
                           const wpg_translation_options *options, wpg_error *err)
{
    attempt *a = data;
    wpg_amdgpu_candidate *c = a->candidate;
    uint32_t unweighted;
    wpg_blocks blocks;
    wpg_arena arena;
    WPG_TRY(wpg_blocks_of(&blocks, function, err));
    wpg_arena_init(&arena);
    wpg_status status = verify(a, &blocks, options->wave_size, &arena, err);
    wpg_arena_finish(&arena);
    wpg_blocks_finish(&blocks);
    WPG_TRY(status);
    if (a->options.vgprs)
        cap_registers(function, a->options.vgprs);
    const uint64_t *measured = c->from == WPG_WEIGHTS_LANES ? a->counts->lanes : a->counts->waves;
    WPG_TRY(wpg_weights_attach(&c->weights, function, a->counts, c->from, a->options.uniform_percent, err));
    if (c->from == WPG_WEIGHTS_NONE)
        return WPG_OK;
    if (wpg_weights_quality(&c->difference, &unweighted, function, measured, NULL) != WPG_OK)
        c->difference = -1;
    return wpg_profcheck(module, NULL, "weights", err);
}

/* Whether `a` is to be preferred to `b`; *by says in what. */
static bool cheaper(const wpg_amdgpu_candidate *a, const wpg_amdgpu_candidate *b, const char **by)
{
    const struct {
        const char *name;
        uint64_t a, b;
    } costs[] = {
        {"scratch traffic", a->score.scratch, b->score.scratch},
        {"occupancy", b->figures.occupancy, a->figures.occupancy},
        {"VGPRs", a->figures.vgprs, b->figures.vgprs},
        {"instructions issued", a->score.executed, b->score.executed},
        {"size of code", a->figures.code_bytes, b->figures.code_bytes},
    };
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (costs[i].a != costs[i].b) {
            *by = costs[i].name;
            return costs[i].a < costs[i].b;
        }
    *by = NULL;
    return false;
}

static void choose(wpg_amdgpu_use *use)
{
    const char *by;
    wpg_amdgpu_candidate *none = &use->candidates[WPG_WEIGHTS_NONE], *best = none;
    static const wpg_weights_from order[] = {WPG_WEIGHTS_WAVES, WPG_WEIGHTS_LANES, WPG_WEIGHTS_FLATTENED};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        wpg_amdgpu_candidate *c = &use->candidates[order[i]];
        if (c->status == WPG_OK && c->figures.occupancy >= none->figures.occupancy && cheaper(c, best, &by))
            best = c;
    }
    best->chosen = true;
    for (unsigned i = 0; i < WPG_WEIGHTS_KINDS; i++) {
        wpg_amdgpu_candidate *c = &use->candidates[i];
        if (c->status != WPG_OK)
            continue; /* says why already */
        if (c->figures.occupancy < none->figures.occupancy)
            (void)snprintf(c->why, sizeof c->why, "fewer waves a SIMD than without a profile");
        else if (c == best && best == none)
            (void)snprintf(c->why, sizeof c->why, "no weights do better");
        else if (c == best && cheaper(c, none, &by))
            (void)snprintf(c->why, sizeof c->why, "less than without a profile: %s", by);
        else if (cheaper(best, c, &by))
            (void)snprintf(c->why, sizeof c->why, "costs more: %s", by);
        else
            (void)snprintf(c->why, sizeof c->why, "as %s", wpg_weights_name(best->from));
    }
}

/* The candidate's code, and its figures in the table. */
static wpg_status make(wpg_amdgpu_code **code, attempt *a, const wpg_module *normal, const wpg_stage *stage,
                       const wpg_amdgpu_options *options, wpg_error *err)
{
    wpg_amdgpu_options with_text = *options;
    wpg_amdgpu_candidate *c = a->candidate;
    with_text.assembly = true;
    with_text.until = WPG_AMDGPU_EMITTED;
    if (c->from == WPG_WEIGHTS_NONE)
        with_text.marks = (wpg_amdgpu_marks){0};
    c->marked = with_text.marks.count;
    wpg_status status = wpg_amdgpu_compile_hooked(code, normal, stage, &with_text, annotate, a, err);
    if (status == WPG_E_MISMATCH && c->marked) { /* LLVM made other blocks of it: the counts come first */
        with_text.marks = (wpg_amdgpu_marks){0};
        c->marked = 0;
        status = wpg_amdgpu_compile_hooked(code, normal, stage, &with_text, annotate, a, err);
    }
    WPG_TRY(status);
    c->figures = (*code)->figures;
    status = wpg_score_assembly(&c->score, (*code)->assembly, (*code)->kernel, options->abi == WPG_AMDGPU_PAL,
                                a->counts->waves, a->counts->block_count, err);
    if (status != WPG_OK) {
        wpg_amdgpu_code_destroy(*code);
        return status;
    }
    if (!a->assembly) {
        free((*code)->assembly);
        (*code)->assembly = NULL;
    }
    return WPG_OK;
}

wpg_status wpg_amdgpu_compile_use(wpg_amdgpu_code **code, wpg_amdgpu_use *use, const wpg_module *normal,
                                  const wpg_stage *stage, const wpg_amdgpu_options *options,
                                  const wpg_amdgpu_counts *counts, const wpg_amdgpu_use_options *use_options,
                                  wpg_error *err)
{
    wpg_amdgpu_code *made[WPG_WEIGHTS_KINDS] = {0};
    attempt a = {.use = use, .counts = counts, .assembly = options->assembly};
    if (use_options)
        a.options = *use_options;
    if (!a.options.uniform_percent)
        a.options.uniform_percent = WPG_UNIFORM_PERCENT;
    *use = (wpg_amdgpu_use){0};
    for (unsigned i = 0; i < WPG_WEIGHTS_KINDS; i++) {
        wpg_error failure = {0};
        wpg_amdgpu_candidate *c = a.candidate = &use->candidates[i];
        c->from = (wpg_weights_from)i;
        c->difference = -1;
        c->status = make(&made[i], &a, normal, stage, options, &failure);
        if (c->status == WPG_OK)
            continue;
        made[i] = NULL;
        (void)snprintf(c->why, sizeof c->why, "%s", failure.message);
        if (i == WPG_WEIGHTS_NONE) {
            if (err)
                *err = failure;
            return c->status;
        }
    }
    choose(use);
    for (unsigned i = 0; i < WPG_WEIGHTS_KINDS; i++) {
        if (use->candidates[i].chosen)
            *code = made[i];
        else
            wpg_amdgpu_code_destroy(made[i]);
    }
    return WPG_OK;
}
