/* wavepgo top: what the GPU runs now, from the files that a generate run rewrites at each flush.
 *
 *     bundle --snapshot.c--> work, draws, lanes of each pipeline --+
 *     the snapshot before it --------------------------------------+--> rows --screen.c--> terminal
 *                                                                                 top.c: the loop, keys
 *
 * The layer writes all files, then the bundle's index: an index that did not change has nothing new behind
 * it. Rates are over the time between two such writes, not between two looks.
 *
 * Threads: one. */
#ifndef WPG_RUNTIME_CLI_TOP_TOP_H
#define WPG_RUNTIME_CLI_TOP_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"
#include "runtime/report/model/model.h"

/* -- snapshot.c */

/* One pipeline up to some moment; or a shader that counts under its own hash. */
typedef struct wpg_top_pipeline {
    wpg_hash128 hash;
    char hex[WPG_HASH_HEX + 1];
    double work;                    /* instructions times waves: an order of magnitude */
    uint64_t gpu_ns;                /* 0: not timed */
    uint64_t draws;                 /* and dispatches */
    uint64_t lanes, waves, uniform; /* over all blocks of its shaders that have waves */
    bool has_waves, has_uniform, has_draws;
} wpg_top_pipeline;

typedef struct wpg_top_snapshot {
    double when;                 /* seconds: when the files were written */
    wpg_top_pipeline *pipelines; /* owned */
    size_t count;
    bool timed; /* all that ran have GPU time */
} wpg_top_snapshot;

/* Reads the bundle again and again. Names and instructions come from the shaders' words, which are read anew
 * only where a shader is new. */
typedef struct wpg_top_source {
    const char *path;
    wpg_report *words; /* with modules; NULL: not read yet */
} wpg_top_source;

/* When the files were written last, in seconds; 0: there are none. */
double wpg_top_written(const char *path);
wpg_status wpg_top_read(wpg_top_snapshot *snapshot, wpg_top_source *source, wpg_error *err);
void wpg_top_snapshot_finish(wpg_top_snapshot *snapshot);
void wpg_top_source_finish(wpg_top_source *source);

/* What one line says. */
typedef struct wpg_top_row {
    const char *name, *hex;         /* borrowed; name NULL: none */
    double share;                   /* 0 to 1, of GPU time where all are timed, else of work */
    double draws;                   /* and dispatches: a second, or in all; below 0: not known */
    double lanes_per_wave, uniform; /* below 0: not measured */
} wpg_top_row;

typedef struct wpg_top_rows {
    wpg_top_row *rows; /* owned; only what ran, the largest share first */
    size_t count;
    double seconds; /* that the rows are of; 0: since the run began, and draws are in all */
    bool timed;
} wpg_top_rows;

/* What ran between the two; `before` NULL: since the run began. */
wpg_status wpg_top_compare(wpg_top_rows *rows, const wpg_top_snapshot *before, const wpg_top_snapshot *now,
                           const wpg_top_source *source, wpg_error *err);
void wpg_top_rows_finish(wpg_top_rows *rows);

/* -- screen.c */

/* The table, at most so many rows (0: all) and columns wide. */
void wpg_top_print(FILE *out, const wpg_top_rows *rows, size_t most, size_t width);

/* Takes the terminal: no echo, no line buffer, another screen. Restored by wpg_screen_leave, and at exit.
 * false: standard output is no terminal. */
bool wpg_screen_enter(void);
void wpg_screen_leave(void);
/* Draws the table below the head line. */
void wpg_screen_draw(const char *head, const wpg_top_rows *rows);
/* Waits so long, for a key or the end of the program. true: q, or a signal. */
bool wpg_screen_wait(double seconds);

#endif
