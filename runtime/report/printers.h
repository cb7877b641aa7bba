/* Printers of a report (model.h): each writes one document to a stream and keeps nothing. The caller checks
 * the stream for errors. Threads: any. */
#ifndef WPG_RUNTIME_REPORT_PRINTERS_H
#define WPG_RUNTIME_REPORT_PRINTERS_H

#include <stdio.h>

#include "runtime/report/model.h"

/* One JSON document (json.c has the schema). */
void wpg_report_json(FILE *out, const wpg_report *report);

#endif
