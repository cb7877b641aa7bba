/* Printers of a report (model.h): each writes one document to a stream and keeps nothing. The caller checks
 * the stream for errors. Threads: any. */
#ifndef WPG_RUNTIME_REPORT_PRINTERS_H
#define WPG_RUNTIME_REPORT_PRINTERS_H

#include <stdio.h>

#include "runtime/report/model.h"

/* One JSON document (json.c has the schema). */
void wpg_report_json(FILE *out, const wpg_report *report);
/* Its pieces: all but details of shaders and files; one shader's details; one file. */
void wpg_report_json_index(FILE *out, const wpg_report *report);
void wpg_report_json_shader(FILE *out, const wpg_report_shader *shader);
void wpg_report_json_file(FILE *out, const wpg_report_file *file);
void wpg_report_json_extra(FILE *out, const wpg_report_extra *extra);

/* -- Exports (export_NAME.c). WPG_E_NOMEM only. */

typedef struct wpg_report_export {
    bool waves;          /* lcov: count waves instead of lanes */
    const char *sources; /* lcov: the folder that has the sources' texts; NULL: names as the modules have */
    const char *test;    /* lcov: name of the test; other characters than letters and digits become _ */
} wpg_report_export;

/* Line coverage, as lcov and genhtml read it. Shaders whose counts are not of the unit are left out. */
wpg_status wpg_report_lcov(FILE *out, const wpg_report *report, const wpg_report_export *options);
/* As kcachegrind and callgrind_annotate read it. */
wpg_status wpg_report_callgrind(FILE *out, const wpg_report *report, const wpg_report_export *options);
/* By pipeline, and by source line; GPU time, or work where not every pipeline was timed (stacks.h). */
wpg_status wpg_report_speedscope(FILE *out, const wpg_report *report, const wpg_report_export *options);
wpg_status wpg_report_chrome_trace(FILE *out, const wpg_report *report, const wpg_report_export *options);
wpg_status wpg_report_folded(FILE *out, const wpg_report *report, const wpg_report_export *options);

/* One HTML page that needs no network (page.c). */
void wpg_report_page(FILE *out, const wpg_report *report);

#endif
