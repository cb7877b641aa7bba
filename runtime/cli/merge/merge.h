/* Merging for the commands that write profiles: `merge`, and `export` for the formats of profiles. Owns: the
 * lists of options are the caller's. Threads: one. */
#ifndef WPG_RUNTIME_CLI_MERGE_MERGE_H
#define WPG_RUNTIME_CLI_MERGE_MERGE_H

#include <stdbool.h>

#include "runtime/base/vec.h"
#include "runtime/cli/merge/merge_cspgo.h"
#include "runtime/profile/made_record.h"
#include "runtime/profile/profile_io.h"

typedef struct wpg_merge_input {
    const char *path;
    uint64_t weight;
    bool list; /* a file that names inputs, a line each */
} wpg_merge_input;

typedef struct wpg_merge_options {
    const char *command; /* who complains */
    const char *out;     /* - is standard output */
    wpg_profile_format format;
    bool quiet, keep_going;
    bool allow_empty;                   /* text: no counts are no failure */
    bool bundle, plain, cspgo;          /* what is written: asked for by --format, else by the name of OUT */
    bool resume;                        /* keep a checkpoint beside OUT, and go on from it */
    double resume_seconds;              /* least time between two checkpoints */
    const char *select[WPG_MADE_PARTS]; /* globs over who made a profile; NULL: all */
    wpg_cspgo_unit unit;
    WPG_VEC(wpg_merge_input) inputs;
    WPG_VEC(const char *) shaders; /* folders that may hold SPIR-V: --shaders, then the inputs */
} wpg_merge_options;

/* Sets what a format's name says; false: no format of a file is called so. */
bool wpg_merge_parse_format(wpg_merge_options *options, const char *name);
/* "waves" or "lanes" */
bool wpg_merge_parse_unit(wpg_cspgo_unit *unit, const char *name);

/* "N,FILE": where the text begins with a number and a comma; else a file of weight 1. False: weight 0 or too
 * large. */
bool wpg_merge_parse_weighted(wpg_merge_input *input, const char *text);

/* Reads all inputs and writes OUT. Returns the exit code; complains itself. */
int wpg_merge_files(wpg_merge_options *options);

#endif
