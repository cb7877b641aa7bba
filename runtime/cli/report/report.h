/* What `report` and `advise` share. */
#ifndef WPG_RUNTIME_CLI_REPORT_REPORT_H
#define WPG_RUNTIME_CLI_REPORT_REPORT_H

#include <stdio.h>

#include "runtime/base/vec.h"
#include "runtime/report/model/model.h"

/* Options of both commands. */
typedef struct wpg_report_job {
    const char *command, *out;      /* out NULL: none was named */
    const char *estimate, *compare; /* files of those commands' JSON; NULL */
    const char *skip_passes;        /* letters that use mode leaves out; NULL: none */
    const char *only;               /* advise: part of the name or hash of a shader or pipeline; NULL: all */
    bool json, without_use_mode;
    size_t top;
    WPG_VEC(const char *) paths; /* the profile, then places of modules */
} wpg_report_job;

/* Parses; 0, or the exit code after a complaint. */
int wpg_report_parse(wpg_report_job *job, int argc, char **argv);
/* Loads the report, asks use mode, advises. NULL after a complaint. */
wpg_report *wpg_report_open(const wpg_report_job *job);
/* Writes what `print` prints to the job's file, or to standard output. Returns the exit code. */
int wpg_report_write(const wpg_report_job *job, void (*print)(FILE *out, const wpg_report *report),
                     const wpg_report *report);

#endif
