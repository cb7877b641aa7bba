/* The listing as one self-contained page: figures, then the listings side by side, warmer where more waves
 * ran. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "runtime/report/text/figures.h"
#include "runtime/cli/isa/isa.h"

static const char style[] =
    ":root{color-scheme:light dark}body{font:14px/1.45 system-ui,sans-serif;margin:1.5rem;max-width:120rem}"
    "h1{font-size:1.3rem;margin:0 0 .2rem}h2{font-size:1.05rem;margin:1.4rem 0 .4rem}p{margin:.2rem 0}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.1rem "
    ".7rem;text-align:right}"
    "th:first-child,td:first-child{text-align:left;padding-left:0}thead th{border-bottom:1px solid #8886}"
    ".sides{display:flex;gap:2rem;align-items:flex-start;flex-wrap:wrap}.side{flex:1 1 "
    "40rem;min-width:0;overflow-x:auto}"
    ".code{font:12px/1.5 ui-monospace,monospace}.code td{padding:0 .6rem;white-space:pre}.code "
    "td:last-child{text-align:left}td.why{text-align:left}"
    ".code .label td{padding-top:.5rem;font-weight:600}.muted{opacity:.65}";

static uint64_t heat_of(const wpg_isa *isa, uint32_t block)
{
    uint64_t count = 0;
    if (!wpg_isa_waves(&count, isa, block))
        (void)wpg_isa_lanes(&count, isa, block);
    return count;
}

static uint64_t most_heat(const wpg_isa *isa)
{
    uint64_t most = 0;
    for (uint32_t b = 0; b < wpg_isa_blocks(isa); b++)
        most = heat_of(isa, b) > most ? heat_of(isa, b) : most;
    return most;
}

/* By the logarithm: between a hot loop and what runs once lie factors of thousands. */
static unsigned percent_of_heat(uint64_t count, uint64_t most)
{
    return most ? (unsigned)(60.0 * log1p((double)count) / log1p((double)most)) : 0;
}

static void figures(FILE *out, const wpg_isa *isa)
{
    (void)fputs("<table><thead><tr><th></th>", out);
    for (unsigned v = 0; v < isa->version_count; v++)
        (void)fprintf(out, "<th>%s</th>", isa->versions[v].title);
    (void)fputs("</tr></thead>\n", out);
    for (size_t i = 0; i < wpg_isa_figure_count; i++) {
        (void)fprintf(out, "<tr><td>%s</td>", wpg_isa_figures[i].name);
        for (unsigned v = 0; v < isa->version_count; v++)
            (void)fprintf(out, "<td>%" PRIu32 "</td>",
                          wpg_isa_figure_of(&isa->versions[v], &wpg_isa_figures[i]));
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</table></section>\n", out);
}

static void notes(FILE *out, const wpg_isa *isa)
{
    (void)fputs("<p class=muted>", out);
    wpg_isa_weighted_by(out, isa);
    (void)fputs("; off by: how far the weights' block frequencies are from the counts, 0 to 1", out);
    if (isa->use.candidates[WPG_WEIGHTS_WAVES].marked)
        (void)fprintf(out, "<br>branches where lanes part evenly, marked unpredictable: %" PRIu32,
                      isa->use.candidates[WPG_WEIGHTS_WAVES].marked);
    (void)fputs("</p>", out);
}

static void candidates(FILE *out, const wpg_isa *isa)
{
    char digits[28];
    if (*isa->not_used) {
        (void)fputs("<p>Not compiled by the profile: ", out);
        wpg_html_text(out, isa->not_used);
        (void)fputs("</p>\n", out);
    }
    if (isa->version_count < 2 || isa->options.generate)
        return;
    (void)fputs("<section><h2>Weights</h2>\n<table><thead><tr><th></th><th>scratch "
                "dwords</th><th>instructions</th><th>VGPRs</th><th>SGPRs</th>"
                "<th>occupancy</th><th>off by</th><th></th></tr></thead>\n",
                out);
    for (unsigned i = 0; i < WPG_WEIGHTS_KINDS; i++) {
        const wpg_amdgpu_candidate *c = &isa->use.candidates[i];
        (void)fprintf(out, "<tr><td>%s%s</td>", wpg_weights_name(c->from), c->chosen ? " &#10003;" : "");
        if (c->status == WPG_OK) {
            (void)fprintf(out, "<td>%s</td>",
                          wpg_group_digits(digits, wpg_isa_unscaled(isa, c->score.scratch)));
            (void)fprintf(out, "<td>%s</td>",
                          wpg_group_digits(digits, wpg_isa_unscaled(isa, c->score.executed)));
            (void)fprintf(out, "<td>%" PRIu32 "</td><td>%" PRIu32 "</td><td>%" PRIu32 "</td>",
                          c->figures.vgprs, c->figures.sgprs, c->figures.occupancy);
        } else {
            (void)fputs("<td></td><td></td><td></td><td></td><td></td>", out);
        }
        if (c->status == WPG_OK && c->difference >= 0)
            (void)fprintf(out, "<td>%.3f</td>", c->difference);
        else
            (void)fputs("<td></td>", out);
        (void)fputs("<td class=why>", out);
        wpg_html_text(out, c->why);
        (void)fputs("</td></tr>\n", out);
    }
    (void)fputs("</table>", out);
    notes(out, isa);
    (void)fputs("</section>\n", out);
}

/* Of a kernel that counts itself. */
static void counters(FILE *out, const wpg_isa *isa)
{
    const wpg_counter_table *table = &isa->counters;
    (void)fprintf(out,
                  "<section><h2>Counters</h2><p>%" PRIu32 " of 64 bits for %" PRIu32 " blocks, in %" PRIu32
                  " scalar registers; their address is at byte %" PRIu32 " of the arguments</p></section>\n",
                  table->count, table->block_count, table->registers, isa->versions[1].code->counters_offset);
}

static void radv(FILE *out, const wpg_isa *isa)
{
    const wpg_estimate_pipeline *pipeline = &isa->radv.pipelines.data[0];
    (void)fputs("<section><h2>", out);
    wpg_html_text(out, isa->radv.device.name);
    (void)fputs("</h2><p class=muted>", out);
    wpg_html_text(out, isa->radv.device.info);
    (void)fputs("</p>\n", out);
    if (!pipeline->results[WPG_ESTIMATE_ORIGINAL].count) {
        (void)fputs("<p>", out);
        wpg_html_text(out, pipeline->problem);
        (void)fputs("</p></section>\n", out);
        return;
    }
    const wpg_estimate_executable *from = &pipeline->results[WPG_ESTIMATE_ORIGINAL].executables[0];
    const wpg_estimate_executable *to = pipeline->results[WPG_ESTIMATE_USE].count
                                            ? &pipeline->results[WPG_ESTIMATE_USE].executables[0]
                                            : NULL;
    (void)fprintf(out, "<table><thead><tr><th></th><th>%s</th>%s</tr></thead>\n", to ? "before" : "code",
                  to ? "<th>after</th>" : "");
    for (size_t i = 0; i < from->count; i++) {
        (void)fputs("<tr><td>", out);
        wpg_html_text(out, from->statistics[i].name);
        (void)fputs("</td><td>", out);
        wpg_html_text(out, from->statistics[i].value);
        for (size_t j = 0; to && j < to->count; j++)
            if (strcmp(to->statistics[j].name, from->statistics[i].name) == 0) {
                (void)fputs("</td><td>", out);
                wpg_html_text(out, to->statistics[j].value);
            }
        (void)fputs("</td></tr>\n", out);
    }
    (void)fputs("</table></section>\n", out);
}

typedef bool (*count_of_block)(uint64_t *count, const wpg_isa *isa, uint32_t block);

static void cell(FILE *out, const wpg_isa *isa, count_of_block ask, bool wanted, uint32_t block)
{
    char digits[28] = "";
    uint64_t count;
    if (wanted && ask(&count, isa, block))
        (void)wpg_group_digits(digits, count);
    (void)fprintf(out, "<td>%s</td>", digits);
}

static void listing(FILE *out, const wpg_isa *isa, const wpg_isa_version *version)
{
    const uint64_t most = most_heat(isa);
    uint32_t last = WPG_ISA_NO_BLOCK;
    (void)fprintf(out,
                  "<div class=side><h2>%s</h2><p class=muted>%" PRIu32 " instructions, %" PRIu32
                  " of known blocks</p><table "
                  "class=code><thead><tr><th>%s</th><th>%s</th><th>block</th><th></th></tr></thead>\n",
                  version->title, version->listing.instructions, wpg_isa_placed(isa, &version->listing),
                  wpg_isa_counted(isa) ? "waves" : "", wpg_isa_counted(isa) ? "lanes" : "");
    for (size_t i = 0; i < version->listing.lines.count; i++) {
        const wpg_isa_line *line = &version->listing.lines.data[i];
        const uint32_t from = wpg_isa_block(isa, line);
        bool first = line->is_code && from != last && from != WPG_ISA_NO_BLOCK;
        (void)fputs(line->is_code ? "<tr" : "<tr class=label", out);
        if (line->is_code && wpg_isa_counted(isa) && from != WPG_ISA_NO_BLOCK)
            (void)fprintf(out, " style=\"background:color-mix(in srgb,#e8590c %u%%,transparent)\"",
                          percent_of_heat(heat_of(isa, from), most));
        (void)fputc('>', out);
        cell(out, isa, wpg_isa_waves, first, from);
        cell(out, isa, wpg_isa_lanes, first, from);
        if (first)
            (void)fprintf(out, "<td>%" PRIu32 "</td><td>", from);
        else
            (void)fputs(line->is_code && from == WPG_ISA_NO_BLOCK && last != from ? "<td>-</td><td>"
                                                                                  : "<td></td><td>",
                        out);
        wpg_html_text(out, line->text);
        (void)fputs("</td></tr>\n", out);
        last = line->is_code ? from : WPG_ISA_NO_BLOCK;
    }
    (void)fputs("</table></div>\n", out);
}

void wpg_isa_html(FILE *out, const wpg_isa *isa)
{
    const wpg_amdgpu_code *code = isa->versions[0].code;
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, isa->shader);
    (void)fputs("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
                "content=\"width=device-width\"><title>",
                out);
    wpg_html_text(out, isa->entry);
    (void)fprintf(out, ", %s</title><style>%s</style>\n<h1>", isa->options.gpu, style);
    wpg_html_text(out, isa->entry);
    (void)fprintf(out,
                  "</h1><p>%s, wave%u, %s, workgroup %" PRIu32 " &times; %" PRIu32 " &times; %" PRIu32
                  "</p><p class=muted>shader %s",
                  isa->options.gpu, code->wave_size, isa->options.abi == WPG_AMDGPU_PAL ? "amdpal" : "amdhsa",
                  code->local_size[0], code->local_size[1], code->local_size[2], hex);
    if (wpg_isa_counted(isa)) {
        (void)fputs(isa->own ? "; counts of structurised blocks, by the kernel itself: " : "; counts of ",
                    out);
        wpg_html_text(out, isa->options.profile);
    }
    if (isa->guessed_gpu)
        (void)fputs("<br>no AMD GPU was here, and none was named: an example", out);
    if (wpg_isa_counted(isa))
        (void)fputs("<br>the warmer an instruction's ground, the more waves ran its block, by the logarithm; "
                    "without ground: not known",
                    out);
    (void)fputs("</p>\n<div class=sides><section><h2>LLVM</h2>\n", out);
    figures(out, isa);
    if (isa->options.generate)
        counters(out, isa);
    else
        candidates(out, isa);
    if (isa->options.radv)
        radv(out, isa);
    (void)fputs("</div>\n<div class=sides>\n", out);
    for (unsigned v = 0; v < isa->version_count; v++)
        listing(out, isa, &isa->versions[v]);
    (void)fputs("</div></html>\n", out);
}
