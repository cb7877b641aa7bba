/* Who made a profile: programs, devices, drivers (runtime/profile/made_record.h). */
#include "runtime/cli/show/show.h"

#include <inttypes.h>

#include "runtime/base/text.h"
#include "runtime/profile/made_record.h"
#include "runtime/report/text/figures.h"

enum { MOST_LINES = 8 };

void wpg_show_made_text(FILE *out, const wpg_shader_view *view)
{
    for (size_t i = 0; i < view->made_count && i < MOST_LINES; i++) {
        const wpg_profile_record *record = view->made[i];
        wpg_made made;
        if (!wpg_made_record_parse(&made, record->name))
            continue;
        const char *application = made.parts[WPG_MADE_APPLICATION];
        (void)fprintf(out, "made by %s%s%s%s on %s, driver %s, wavepgo %s: %" PRIu64 " pipeline%s\n",
                      made.parts[WPG_MADE_PROGRAM], *application ? " (" : "", application,
                      *application ? ")" : "", made.parts[WPG_MADE_DEVICE], made.parts[WPG_MADE_DRIVER],
                      made.parts[WPG_MADE_WAVEPGO], record->counters[0], wpg_plural(record->counters[0]));
    }
    if (view->made_count > MOST_LINES)
        (void)fprintf(out, "made by %zu more (--json lists all)\n", view->made_count - MOST_LINES);
}

void wpg_show_made_json(FILE *out, const wpg_shader_view *view)
{
    (void)fputs(",\n \"made\": [", out);
    for (size_t i = 0; i < view->made_count; i++) {
        wpg_made made;
        if (!wpg_made_record_parse(&made, view->made[i]->name))
            continue;
        (void)fputs(i ? ",\n  {" : "\n  {", out);
        for (int part = 0; part < WPG_MADE_PARTS; part++) {
            (void)fprintf(out, "\"%s\": ", wpg_made_part_name((wpg_made_part)part));
            wpg_json_string(out, made.parts[part]);
            (void)fputs(", ", out);
        }
        (void)fprintf(out, "\"pipelines\": %" PRIu64 "}", view->made[i]->counters[0]);
    }
    (void)fputc(']', out);
}
