/* `wavepgo diff`: what changed between two profiles of a program.
 *
 *     two reports --match.c--> pairs of shaders --changes.c--> changes by weight --print.c--> text, JSON, CSV
 *     two use logs --use_logs.c--> decisions that differ
 *
 * A longer run is no change: costs are shares of each profile's work, counts are divided by the shader's
 * lanes at entry.
 *
 * Owns: wpg_diff owns its pairs and changes; the reports outlive it.
 * Threads: one. */
#ifndef WPG_RUNTIME_CLI_DIFF_DIFF_H
#define WPG_RUNTIME_CLI_DIFF_DIFF_H

#include "runtime/base/vec.h"
#include "runtime/cli/common/output.h"
#include "runtime/report/model/model.h"

/* A shader of both profiles, or of one. */
typedef struct wpg_diff_pair {
    const wpg_report_shader *shaders[2]; /* NULL: that profile has not got it */
    uint32_t ranks[2];                   /* by cost, from 1; 0: not there */
    double shares[2];                    /* of all work */
    bool changed_code;                   /* matched by name: the hashes differ */
    double weight;                       /* of its gravest change */
} wpg_diff_pair;

enum { WPG_DIFF_TEXT = 320 };

/* One thing that changed. */
typedef struct wpg_diff_change {
    uint32_t pair;
    const char *what; /* static: "only", "code", "cost", "work", "lanes", "waves", "lanes/wave", "uniform",
                         "block", "branch", "loop", "use" */
    bool has_block;
    uint32_t function, block; /* of the first profile; of "block", "branch", "loop" */
    double values[2];         /* before, after, as the text says them */
    double weight; /* how much it matters: share of the work that it touches, times how far it went */
    char text[WPG_DIFF_TEXT];
} wpg_diff_change;

typedef struct wpg_diff {
    const wpg_report *reports[2];
    double threshold; /* percent below which a change is none */
    bool raw;         /* counts as they are */
    WPG_VEC(wpg_diff_pair) pairs;
    WPG_VEC(wpg_diff_change) changes;
    bool out_of_memory;
} wpg_diff;

/* Pairs by hash, stage and entry point; what is left by stage and a name that is unique on both sides. */
void wpg_diff_match(wpg_diff *diff);
/* All changes at or above the threshold, the gravest first; pairs are ordered alike. */
void wpg_diff_compare(wpg_diff *diff);
void wpg_diff_add(wpg_diff *diff, wpg_diff_change change);
/* Decisions of use mode that differ, from two use logs. 0, or an exit code (the user was told). */
int wpg_diff_use_logs(wpg_diff *diff, const char *command, const char *const paths[2]);

/* Returns false when memory ran out. */
bool wpg_diff_text(const wpg_terminal *terminal, const wpg_diff *diff, size_t top);
bool wpg_diff_csv(FILE *out, const wpg_diff *diff);
void wpg_diff_json(FILE *out, const wpg_diff *diff);
void wpg_diff_finish(wpg_diff *diff);

/* The name of a pair, with its hash's digits. Returns buffer. */
const char *wpg_diff_name(char *buffer, const wpg_diff_pair *pair);

#endif
