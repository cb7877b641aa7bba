/* A report (model.h) as one JSON document, and as one HTML page. Each function writes to a stream and owns
 * nothing. The caller checks the stream for errors. Threads: any. */
#ifndef WPG_RUNTIME_REPORT_PAGE_PAGE_H
#define WPG_RUNTIME_REPORT_PAGE_PAGE_H

#include <stdio.h>

#include "runtime/report/model/model.h"

/* One JSON document (json.c has the schema). */
void wpg_report_json(FILE *out, const wpg_report *report);
/* Its pieces: all but details of shaders and files; one shader's details; one file. */
void wpg_report_json_index(FILE *out, const wpg_report *report);
void wpg_report_json_shader(FILE *out, const wpg_report_shader *shader);
void wpg_report_json_file(FILE *out, const wpg_report_file *file);
void wpg_report_json_extra(FILE *out, const wpg_report_extra *extra);

/* One HTML page that needs no network (page.c). */
void wpg_report_page(FILE *out, const wpg_report *report);

#endif
