/* What the files of a report are called in an export. Names come from shaders and are untrusted.
 *
 *     without a folder   the module's name, control characters replaced: "shaders/sky.frag"
 *     with a folder      FOLDER and one component of [A-Za-z0-9._-]: "FOLDER/shaders_sky.frag"; files without
 *                        text, and generated ones, are called as without a folder
 *     two texts          files of one name and other texts end in @ and digits of the text's hash
 *
 * A file without text stands for the only text of its name, if there is only one.
 *
 * Owns: the names, until wpg_source_names_finish. Threads: no shared state. */
#ifndef WPG_RUNTIME_REPORT_MODEL_SOURCE_NAMES_H
#define WPG_RUNTIME_REPORT_MODEL_SOURCE_NAMES_H

#include "runtime/report/model/model.h"

typedef struct wpg_source_name {
    const char *name;
    uint32_t file; /* the first file of that name, by index in report->files */
} wpg_source_name;

typedef struct wpg_source_names {
    wpg_arena arena;
    wpg_source_name *files; /* [report->files.count] */
} wpg_source_names;

/* folder NULL: none. WPG_E_NOMEM only. */
wpg_status wpg_source_names_make(wpg_source_names *names, const wpg_report *report, const char *folder);
void wpg_source_names_finish(wpg_source_names *names);

#endif
