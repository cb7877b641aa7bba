/* Self costs of source lines in callgrind's format, for kcachegrind and callgrind_annotate. An object is a
 * shader, a function is one of the source. Calls were inlined: there is no inclusive cost. A shader without
 * source lines is one function of an unknown file. Source: "Callgrind Format Specification".
 *
 * The format knows no absent cost: where waves were not measured, 0 stands, and `desc` says so. */
#include <inttypes.h>
#include <string.h>

#include "runtime/base/arithmetic.h"
#include "runtime/report/export/export.h"
#include "runtime/report/model/source_names.h"
#include "runtime/report/export/stacks.h"

typedef struct totals {
    uint64_t lanes, waves, work;
} totals;

static void print_cost(FILE *out, totals *all, uint32_t line, const totals *cost)
{
    (void)fprintf(out, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", line, cost->lanes, cost->waves,
                  cost->work);
    all->lanes = wpg_add_saturating(all->lanes, cost->lanes);
    all->waves = wpg_add_saturating(all->waves, cost->waves);
    all->work = wpg_add_saturating(all->work, cost->work);
}

static void print_name(FILE *out, const char *key, const char *name)
{
    (void)fprintf(out, "%s=", key);
    for (; *name; name++)
        (void)fputc((unsigned char)*name < ' ' || *name == 0x7f ? '_' : *name, out);
    (void)fputc('\n', out);
}

static void print_lines(FILE *out, totals *all, const wpg_report_shader *shader,
                        const wpg_source_names *names)
{
    const wpg_report_line_part *before = NULL;
    for (size_t i = 0; i < shader->line_part_count; i++) {
        const wpg_report_line_part *part = &shader->line_parts[i];
        const wpg_report_source_function *function = &shader->source_functions[part->function];
        if (!before || part->function != before->function) {
            const bool known = function->file != WPG_REPORT_NONE;
            print_name(out, "fl", names->files[known ? function->file : part->file].name);
            print_name(out, "fn", function->name);
            before = NULL;
        }
        if ((before ? before->file : function->file) != part->file)
            print_name(out, "fi", names->files[part->file].name);
        const totals cost = {part->lanes, part->waves, part->work_lanes};
        print_cost(out, all, part->line, &cost);
        before = part;
    }
}

static void print_shader(FILE *out, totals *all, const wpg_report_shader *shader,
                         const wpg_source_names *names)
{
    char label[WPG_STACK_TEXT];
    (void)fputc('\n', out);
    print_name(out, "ob", wpg_report_shader_label(label, sizeof label, shader));
    if (shader->line_part_count) {
        print_lines(out, all, shader, names);
        return;
    }
    const totals cost = {shader->lanes, shader->waves, shader->work_lanes};
    (void)fputs("fl=???\n", out);
    print_name(out, "fn", shader->entry);
    print_cost(out, all, 0, &cost);
}

wpg_status wpg_report_callgrind(FILE *out, const wpg_report *report, const wpg_report_export *options)
{
    wpg_source_names names;
    totals all = {0};
    size_t without_waves = 0;
    if (wpg_source_names_make(&names, report, options->sources) != WPG_OK)
        return WPG_E_NOMEM;
    for (size_t i = 0; i < report->shader_count; i++)
        without_waves += !report->shaders[i].has_waves;
    (void)fprintf(out, "# callgrind format\nversion: 1\ncreator: wavepgo %s\npositions: line\n", WPG_VERSION);
    if (without_waves)
        (void)fprintf(out, "desc: Waves: not measured in %zu of %zu shaders, 0 stands there\n", without_waves,
                      report->shader_count);
    (void)fputs("event: Lanes : lanes live in the line's most frequent block\n"
                "event: Waves : waves that ran that block\n"
                "event: Work : SPIR-V instructions of the line times lanes\n"
                "events: Lanes Waves Work\n",
                out);
    for (size_t i = 0; i < report->shader_count; i++)
        print_shader(out, &all, &report->shaders[i], &names);
    (void)fprintf(out, "\ntotals: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", all.lanes, all.waves, all.work);
    wpg_source_names_finish(&names);
    return WPG_OK;
}
