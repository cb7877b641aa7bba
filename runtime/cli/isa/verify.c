/* Reports the checks of a profile: whether its counts are possible (compiler/amdgpu/profile), what each of
 * LLVM's passes does to weights, LLVM's prof-verify on the weights, and how near the weights' block
 * frequencies are to the counts. */
#include <inttypes.h>

#include "runtime/report/text/figures.h"
#include "runtime/cli/isa/isa.h"

/* The candidate that weights were attached in, as most as there is. */
static const wpg_amdgpu_candidate *weighted(const wpg_isa *isa)
{
    const wpg_amdgpu_candidate *c = &isa->use.candidates[WPG_WEIGHTS_WAVES];
    return isa->version_count == 2 && !isa->options.generate && c->status == WPG_OK ? c : NULL;
}

void wpg_isa_verify_text(FILE *out, const wpg_isa *isa)
{
    const wpg_amdgpu_candidate *c = weighted(isa);
    (void)fprintf(out, "\n%-36s %8s %10s %8s %10s\n", "what passes leave of a profile", "branches",
                  "unweighted", "selects", "unweighted");
    for (uint32_t i = 0; i < isa->phases.count; i++) {
        const wpg_profcheck_phase *p = &isa->phases.phase[i];
        (void)fprintf(out, "%-36s %8" PRIu32 " %10" PRIu32 " %8" PRIu32 " %10" PRIu32 "\n", p->pass,
                      p->branches, p->branches_bare, p->selects, p->selects_bare);
    }
    (void)fprintf(
        out, "(made up by LLVM's prof-inject; after each pass what lost its weights is marked unknown, and "
             "prof-verify is content)\n");
    if (!c)
        return;
    (void)fprintf(out,
                  "counts: possible: waves%s conserve flow over %" PRIu32 " structurised blocks%s\n"
                  "weights: of %" PRIu32 " branches %" PRIu32 " have them, %" PRIu32 " never ran, %" PRIu32
                  " the counts leave open; %" PRIu32 " selects unknown; prof-verify is content\n"
                  "quality: block frequencies by the weights differ from the counts by %.6f\n",
                  isa->structurised.lanes ? " and lanes" : "", isa->structurised.block_count,
                  isa->structurised.uniform ? ", uniform <= waves" : "", c->weights.branches,
                  c->weights.weighted, c->weights.never, c->weights.open, c->weights.selects, c->difference);
}

void wpg_isa_verify_json(FILE *out, const wpg_isa *isa)
{
    const wpg_amdgpu_candidate *c = weighted(isa);
    (void)fputs(",\n\"verify\": {\"phases\": [", out);
    for (uint32_t i = 0; i < isa->phases.count; i++) {
        const wpg_profcheck_phase *p = &isa->phases.phase[i];
        (void)fprintf(out, "%s\n {\"pass\": ", i ? "," : "");
        wpg_json_string(out, p->pass);
        (void)fprintf(out,
                      ", \"branches\": %" PRIu32 ", \"branches_unweighted\": %" PRIu32
                      ", \"selects\": %" PRIu32 ", \"selects_unweighted\": %" PRIu32 "}",
                      p->branches, p->branches_bare, p->selects, p->selects_bare);
    }
    (void)fputs("], \"weights\": ", out);
    if (c)
        (void)fprintf(out,
                      "{\"branches\": %" PRIu32 ", \"weighted\": %" PRIu32 ", \"never\": %" PRIu32
                      ", \"open\": %" PRIu32 ", \"selects\": %" PRIu32 ", \"off_by\": %.6f}}",
                      c->weights.branches, c->weights.weighted, c->weights.never, c->weights.open,
                      c->weights.selects, c->difference);
    else
        (void)fputs("null}", out);
}
