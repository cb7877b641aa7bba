/* wavepgo doctor: collects all findings in one JSON document. --json prints the document; the text is made
 * from it. Each part of the examination is a file of its own and adds its object to the document. Nothing
 * outside the process's memory changes but files in a temporary folder. */
#ifndef WPG_RUNTIME_CLI_DOCTOR_DOCTOR_H
#define WPG_RUNTIME_CLI_DOCTOR_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>

#include "runtime/config/settings.h"

typedef struct wpg_doctor {
    json_t *root;             /* owned */
    json_t *problems, *notes; /* arrays in root, of {"what", "do"} */
    wpg_settings settings;
    const char *program; /* NULL = none was given */
    char program_name[256];
    bool found_implicit, found_explicit; /* usable manifests of the layer, where the loader looks */
    bool by_environment;                 /* the environment as it is enables the layer */
} wpg_doctor;

/* Adds a problem that keeps the layer from working, or a note that may surprise. `advice` says what to do,
 * NULL: nothing. Each text is added once. */
void wpg_doctor_problem(wpg_doctor *doctor, const char *advice, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void wpg_doctor_note(wpg_doctor *doctor, const char *advice, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A line of the log without "wavepgo: LEVEL: ". */
const char *wpg_doctor_message(const char *line);
/* {"key": text} into an object. NULL text is null. */
void wpg_doctor_set(json_t *object, const char *key, const char *text);

/* The parts, in the order they run. */
void wpg_doctor_program(wpg_doctor *doctor); /* what PROGRAM is */
void wpg_doctor_manifests(
    wpg_doctor *doctor);                     /* "manifests": every one of the layer, in the loader's order */
void wpg_doctor_enabled(wpg_doctor *doctor); /* "enabled": by what, and what stands against it */
void wpg_doctor_probe(wpg_doctor *doctor);   /* "loader", "order", "devices": an instance of our own */
void wpg_doctor_files(wpg_doctor *doctor);   /* "mode", "files": where they go */

#endif
