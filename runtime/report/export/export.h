/* A report (model.h) in the formats of other programs. Each function writes to a stream and owns nothing. The
 * caller checks the stream for errors. Threads: any. */
#ifndef WPG_RUNTIME_REPORT_EXPORT_EXPORT_H
#define WPG_RUNTIME_REPORT_EXPORT_EXPORT_H

#include <stdio.h>

#include "runtime/report/model/model.h"

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

#endif
