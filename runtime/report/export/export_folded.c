/* Folded stacks, one a line, for flamegraph.pl and what else reads that: "outer;inner weight". */
#include <inttypes.h>

#include "runtime/report/export/export.h"
#include "runtime/report/export/stacks.h"

static void print_frame(FILE *out, const char *text)
{
    for (; *text; text++)
        (void)fputc(*text == ';' || (unsigned char)*text < ' ' || *text == 0x7f ? '_' : *text, out);
}

wpg_status wpg_report_folded(FILE *out, const wpg_report *report, const wpg_report_export *options)
{
    wpg_report_stacks stacks;
    char frames[WPG_STACK_FRAMES][WPG_STACK_TEXT];
    (void)options;
    if (wpg_report_stacks_make(&stacks, report) != WPG_OK)
        return WPG_E_NOMEM;
    for (size_t i = 0; i < stacks.count; i++) {
        const size_t count = wpg_report_stack_frames(frames, report, &stacks.data[i]);
        for (size_t k = 0; k < count; k++) {
            if (k)
                (void)fputc(';', out);
            print_frame(out, frames[k]);
        }
        (void)fprintf(out, " %" PRIu64 "\n", stacks.data[i].weight);
    }
    wpg_vec_free(&stacks);
    return WPG_OK;
}
