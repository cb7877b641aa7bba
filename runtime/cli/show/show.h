/* Printers of `wavepgo show` over a report: text tables in show_text.c, CSV in show_csv.c, JSON in
 * show_json.c, the use log in use_log.c. */
#ifndef WPG_RUNTIME_CLI_SHOW_SHOW_H
#define WPG_RUNTIME_CLI_SHOW_SHOW_H

#include <stdio.h>

#include "runtime/cli/common/output.h"
#include "runtime/profile/shader_view.h"
#include "runtime/report/model/model.h"

typedef struct wpg_show_options {
    wpg_output output;
    bool blocks, values, full;           /* full: whole hashes */
    size_t top;                          /* rows a table at the most; 0 = all */
    const struct wpg_bundle *bundle;     /* its facts are printed too; NULL if it is none */
    const wpg_report *report;            /* names, places, order */
    const wpg_report_shader *shader;     /* this one alone; NULL: all */
    const wpg_report_pipeline *pipeline; /* its shaders alone; NULL: all */
} wpg_show_options;

void wpg_show_text(const wpg_terminal *terminal, const wpg_show_options *options);
/* With options->blocks a row a block, else a row a pipeline's stage. False: memory ran out. */
bool wpg_show_csv(FILE *out, const wpg_show_options *options);
void wpg_show_json(FILE *out, const wpg_show_options *options);
/* The facts of a bundle (show_facts.c): the program's use of each pipeline as text; all facts as one member
 * of a JSON object. */
void wpg_show_facts_text(const wpg_terminal *terminal, const wpg_show_options *options);
void wpg_show_facts_json(FILE *out, const struct wpg_bundle *bundle);
/* Who made the profile (show_made.c): a line each; one member of a JSON object, with a comma before it. */
void wpg_show_made_text(FILE *out, const wpg_shader_view *view);
void wpg_show_made_json(FILE *out, const wpg_shader_view *view);
/* Verdicts of a bundle (show_verdicts.c). */
void wpg_show_verdicts_text(FILE *out, const wpg_show_options *options);
/* Results of probes (show_probes.c): tables, with the blocks' places from options->report and the least and
 * most trips of loops from options->bundle; members of a JSON object, each with a comma before it. */
void wpg_show_probes_text(FILE *out, const wpg_shader_counts *shader, const wpg_show_options *options);
void wpg_show_probes_json(FILE *out, const wpg_shader_counts *shader, const struct wpg_bundle *bundle);
/* Value sites of a shader function (show_values.c): a table; of one record, one JSON value. */
void wpg_show_values_text(FILE *out, const wpg_shader_counts *shader);
void wpg_show_values_json(FILE *out, const wpg_profile_record *record);
/* Prints the JSON lines use mode wrote as text; 0 or an exit code. `report` names shaders and places; NULL:
 * hashes and numbers. */
int wpg_show_use_log(FILE *out, const char *path, const wpg_report *report);

/* Whether a shader, or a pipeline, is among what NAME asked for (show_filter.c). */
bool wpg_show_wants(const wpg_show_options *options, const wpg_report_shader *shader);
bool wpg_show_wants_pipeline(const wpg_show_options *options, const wpg_report_pipeline *pipeline);

/* "0af3c2d1", or all digits with options->full. Returns buffer. */
static inline const char *wpg_show_hash(char buffer[WPG_HASH_HEX + 1], const char *hex,
                                        const wpg_show_options *options)
{
    (void)snprintf(buffer, WPG_HASH_HEX + 1, "%.*s", options->full ? WPG_HASH_HEX : 8, hex);
    return buffer;
}

#endif
