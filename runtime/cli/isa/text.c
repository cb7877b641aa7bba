#include <inttypes.h>
#include <string.h>

#include "runtime/report/text/figures.h"
#include "runtime/report/model/model.h"
#include "runtime/cli/isa/isa.h"

static void head(FILE *out, const wpg_isa *isa)
{
    const wpg_amdgpu_code *code = isa->versions[0].code;
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, isa->shader);
    (void)fprintf(out, "%s: comp %s, shader %s\n", isa->options.in, isa->entry, hex);
    (void)fprintf(out, "%s, wave%u, %s, workgroup %" PRIu32 "x%" PRIu32 "x%" PRIu32 "%s\n", isa->options.gpu,
                  code->wave_size, isa->options.abi == WPG_AMDGPU_PAL ? "amdpal" : "amdhsa",
                  code->local_size[0], code->local_size[1], code->local_size[2],
                  isa->guessed_gpu ? " (no AMD GPU here, and none named: an example)" : "");
    if (isa->own)
        (void)fprintf(out, "counts: %s, %" PRIu32 " structurised blocks, by the kernel itself\n",
                      isa->options.profile, isa->structurised.block_count);
    else if (isa->counts)
        (void)fprintf(out, "counts: %s, %" PRIu32 " blocks%s\n", isa->options.profile, isa->block_count,
                      isa->counts->waves ? "" : "; by lanes, waves were not counted");
}

static void code_object(FILE *out, const wpg_isa *isa)
{
    if (!isa->options.out)
        return;
    const wpg_isa_object object = wpg_isa_object_of(isa);
    char digits[28];
    (void)fprintf(out, "wrote %s: %s object, %s bytes, kernel %s\n", isa->options.out,
                  object.shared ? "shared" : "relocatable", wpg_group_digits(digits, object.size),
                  isa->versions[isa->version_count - 1].code->kernel);
}

static void figures(FILE *out, const wpg_isa *isa)
{
    (void)fprintf(out, "\n%-26s", "");
    for (unsigned v = 0; v < isa->version_count; v++)
        (void)fprintf(out, " %10s", isa->versions[v].title);
    for (size_t i = 0; i < wpg_isa_figure_count; i++) {
        (void)fprintf(out, "\n%-26s", wpg_isa_figures[i].name);
        for (unsigned v = 0; v < isa->version_count; v++)
            (void)fprintf(out, " %10" PRIu32, wpg_isa_figure_of(&isa->versions[v], &wpg_isa_figures[i]));
    }
    (void)fputc('\n', out);
}

static void counters(FILE *out, const wpg_isa *isa)
{
    const wpg_counter_table *table = &isa->counters;
    static const char *const kinds[] = {"waves", "lanes", "uniform"};
    const char *between = "\ncounters: ";
    uint32_t in_memory = 0;
    for (uint32_t b = 0; b < table->block_count; b++)
        in_memory += table->how[b] == WPG_COUNTED_IN_MEMORY;
    for (unsigned kind = 0; kind < 3; kind++)
        if (table->has[kind]) {
            (void)fprintf(out, "%s%s", between, kinds[kind]);
            between = ", ";
        }
    (void)fprintf(out, " of %" PRIu32 " blocks, %" PRIu32 " of 64 bits; ", table->block_count, table->count);
    if (isa->options.counting.placement == WPG_PLACE_WAVE)
        (void)fprintf(out, "%" PRIu32 " scalar registers, %" PRIu32 " blocks in memory", table->registers,
                      in_memory);
    else
        (void)fprintf(out, "a lane for itself, before structurising");
    (void)fprintf(out, "; the array's address at byte %" PRIu32 " of the arguments\n",
                  isa->versions[1].code->counters_offset);
}

/* Scratch traffic is of one run of the dispatches that were counted. */
static void candidates(FILE *out, const wpg_isa *isa)
{
    if (isa->options.generate)
        return;
    if (*isa->not_used)
        (void)fprintf(out, "\nnot compiled by the profile: %s\n", isa->not_used);
    if (isa->version_count < 2)
        return;
    (void)fprintf(out, "\n%-12s %14s %16s %6s %6s %10s %7s\n", "weights", "scratch dwords", "instructions",
                  "VGPRs", "SGPRs", "occupancy", "off by");
    for (unsigned i = 0; i < WPG_WEIGHTS_KINDS; i++) {
        const wpg_amdgpu_candidate *c = &isa->use.candidates[i];
        char scratch[28], executed[28], difference[16] = "-";
        if (c->status != WPG_OK) {
            (void)fprintf(out, "%-12s %s\n", wpg_weights_name(c->from), c->why);
            continue;
        }
        if (c->difference >= 0)
            (void)snprintf(difference, sizeof difference, "%.3f", c->difference);
        (void)fprintf(
            out, "%-12s %14s %16s %6" PRIu32 " %6" PRIu32 " %10" PRIu32 " %7s  %s%s\n",
            wpg_weights_name(c->from), wpg_group_digits(scratch, wpg_isa_unscaled(isa, c->score.scratch)),
            wpg_group_digits(executed, wpg_isa_unscaled(isa, c->score.executed)), c->figures.vgprs,
            c->figures.sgprs, c->figures.occupancy, difference, c->chosen ? "chosen: " : "", c->why);
    }
    wpg_isa_weighted_by(out, isa);
    (void)fprintf(out, "; off by: how far the weights' block frequencies are from the counts, 0 to 1\n");
    if (isa->use.candidates[WPG_WEIGHTS_WAVES].marked)
        (void)fprintf(out, "branches where lanes part evenly, marked unpredictable: %" PRIu32 "\n",
                      isa->use.candidates[WPG_WEIGHTS_WAVES].marked);
}

/* RADV's statistics, which are as the driver names them. */
static void radv(FILE *out, const wpg_isa *isa)
{
    const wpg_estimate_pipeline *pipeline = &isa->radv.pipelines.data[0];
    const wpg_estimate_result *given = &pipeline->results[WPG_ESTIMATE_ORIGINAL],
                              *use = &pipeline->results[WPG_ESTIMATE_USE];
    (void)fprintf(out, "\n%s, %s\n", isa->radv.device.name, isa->radv.device.info);
    if (!given->count) {
        (void)fprintf(out, "  %s\n", pipeline->problem);
        return;
    }
    const wpg_estimate_executable *from = &given->executables[0],
                                  *to = use->count ? &use->executables[0] : NULL;
    (void)fprintf(out, "%-26s %12s%s\n", "", to ? "before" : "code",
                  to              ? "        after"
                  : !isa->counts  ? ""
                  : use->same     ? "  use mode changes nothing"
                  : *use->problem ? "  use mode: not possible"
                                  : "");
    for (size_t i = 0; i < from->count; i++) {
        (void)fprintf(out, "%-26s %12s", from->statistics[i].name, from->statistics[i].value);
        for (size_t j = 0; to && j < to->count; j++)
            if (strcmp(to->statistics[j].name, from->statistics[i].name) == 0)
                (void)fprintf(out, " %12s", to->statistics[j].value);
        (void)fputc('\n', out);
    }
}

/* "  ; mandelbrot.comp:12", where the block's line is known; structurised blocks have none. */
static const char *place_of(char *buffer, size_t size, const wpg_isa *isa, uint32_t block)
{
    *buffer = '\0';
    if (!isa->own && isa->places && block < isa->block_count && isa->places[block].line &&
        isa->places[block].file)
        (void)snprintf(buffer, size, "  ; %s:%" PRIu32, wpg_report_base_name(isa->places[block].file),
                       isa->places[block].line);
    return buffer;
}

/* Counts stand at the first of the instructions of a block that follow each other; "-" at the first whose
 * block is not known. */
static void listing(FILE *out, const wpg_isa *isa, const wpg_isa_version *version)
{
    uint32_t last = WPG_ISA_NO_BLOCK;
    (void)fprintf(out, "\n%s: %" PRIu32 " instructions, %" PRIu32 " of known blocks\n", version->title,
                  version->listing.instructions, wpg_isa_placed(isa, &version->listing));
    (void)fprintf(out, "%16s %16s %6s\n", wpg_isa_counted(isa) ? "waves" : "",
                  wpg_isa_counted(isa) ? "lanes" : "", "block");
    for (size_t i = 0; i < version->listing.lines.count; i++) {
        const wpg_isa_line *line = &version->listing.lines.data[i];
        char waves[28] = "", lanes[28] = "", block[16] = "", place[160] = "";
        uint64_t count;
        uint32_t from = wpg_isa_block(isa, line);
        if (line->is_code && from != last && from != WPG_ISA_NO_BLOCK) {
            (void)snprintf(block, sizeof block, "%" PRIu32, from);
            (void)place_of(place, sizeof place, isa, from);
            if (wpg_isa_waves(&count, isa, from))
                (void)wpg_group_digits(waves, count);
            if (wpg_isa_lanes(&count, isa, from))
                (void)wpg_group_digits(lanes, count);
        }
        if (line->is_code && from == WPG_ISA_NO_BLOCK && last != from)
            (void)strcpy(block, "-");
        (void)fprintf(out, "%16s %16s %6s  %s%s%s\n", waves, lanes, block, line->is_code ? "    " : "",
                      line->text, place);
        last = line->is_code ? from : WPG_ISA_NO_BLOCK;
    }
}

void wpg_isa_text(FILE *out, const wpg_isa *isa)
{
    head(out, isa);
    code_object(out, isa);
    figures(out, isa);
    candidates(out, isa);
    if (isa->options.verify)
        wpg_isa_verify_text(out, isa);
    if (isa->options.generate)
        counters(out, isa);
    if (isa->options.radv)
        radv(out, isa);
    for (unsigned v = 0; v < isa->version_count; v++)
        listing(out, isa, &isa->versions[v]);
    for (unsigned v = 0; v < isa->version_count && isa->options.ir; v++)
        (void)fprintf(out, "\n%s, LLVM IR:\n%s", isa->versions[v].title, isa->versions[v].code->ir);
}
