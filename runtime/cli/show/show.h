/* Printers of `wavepgo show` over a shader view: text tables in show_text.c, JSON in show_json.c, the use log
 * in use_log.c. */
#ifndef WPG_RUNTIME_CLI_SHOW_SHOW_H
#define WPG_RUNTIME_CLI_SHOW_SHOW_H

#include <stdio.h>

#include "runtime/profile/shader_view.h"

typedef struct wpg_show_options {
    bool json, blocks, values;
    size_t top;                      /* rows a table at the most; 0 = all */
    const struct wpg_bundle *bundle; /* its facts are printed too; NULL if it is none */
} wpg_show_options;

void wpg_show_text(FILE *out, const char *title, const wpg_shader_view *view,
                   const wpg_show_options *options);
void wpg_show_json(FILE *out, const char *title, const wpg_shader_view *view,
                   const wpg_show_options *options);
/* The facts of a bundle (show_facts.c): the program's use of each pipeline as text; all facts as one member
 * of a JSON object. */
void wpg_show_facts_text(FILE *out, const struct wpg_bundle *bundle, size_t top);
void wpg_show_facts_json(FILE *out, const struct wpg_bundle *bundle);
/* Verdicts of a bundle (show_verdicts.c). */
void wpg_show_verdicts_text(FILE *out, const struct wpg_bundle *bundle);
/* Results of probes (show_probes.c): tables; members of a JSON object, each with a comma before it. `bundle`
 * has the least and most trips of loops; may be NULL. */
void wpg_show_probes_text(FILE *out, const wpg_shader_counts *shader, const struct wpg_bundle *bundle);
void wpg_show_probes_json(FILE *out, const wpg_shader_counts *shader, const struct wpg_bundle *bundle);
/* Value sites of a shader function (show_values.c): a table; of one record, one JSON value. */
void wpg_show_values_text(FILE *out, const wpg_shader_counts *shader);
void wpg_show_values_json(FILE *out, const wpg_profile_record *record);
/* Prints the JSON lines use mode wrote as text; 0 or an exit code. */
int wpg_show_use_log(FILE *out, const char *path);

#endif
