/* wavepgo compare: what use mode buys an unmodified program, by whole runs with and without the profile.
 *
 *     options --compare.c--> rounds: run.c, off and use by turns --> times of the layer, processor time
 *                                                     |
 *                 measure.c: one run's figures <------+
 *                 ratios.c: ratio of each round --> medians with intervals
 *                 print.c: table, CSV;  result.c: JSON, beside the profile
 *
 * The fair baseline. Off runs are under the layer, too, which then only times: the same hooks and timestamps,
 * the program's own pipelines. So a ratio is what the changed pipelines save, less the time to rewrite them.
 * What following and timing commands costs is on both sides. `--bare` has off runs without the layer's hooks
 * (mode off), and use runs without timestamps: wall and processor time alone, the layer's whole cost in them.
 *
 * First compilations. A run of each side goes before the first round and is not measured: it fills the caches
 * of driver and layer. Of the others the first frames are left out, and the first run of each pipeline on the
 * GPU. Wall and processor time are of whole runs, the program's start in them.
 *
 * Rounds are off-use and use-off by turns (ABBA), so that a drift of clocks meets both sides alike.
 *
 * Threads: one. */
#ifndef WPG_RUNTIME_CLI_COMPARE_COMPARE_H
#define WPG_RUNTIME_CLI_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"
#include "runtime/report/model/model.h"
#include "runtime/tune/paired.h"
#include "runtime/tune/times.h"

typedef enum wpg_side { WPG_SIDE_OFF, WPG_SIDE_USE, WPG_SIDES } wpg_side;
const char *wpg_side_name(wpg_side side); /* "off", "use" */

/* What is compared of whole runs. */
typedef enum wpg_figure {
    WPG_FIGURE_WALL,      /* seconds */
    WPG_FIGURE_PROCESSOR, /* seconds, with all children; of stopped runs: a frame */
    WPG_FIGURE_FRAME,     /* seconds between presents, the median */
    WPG_FIGURE_FRAME_99,  /* the same, the 99th percentile */
    WPG_FIGURE_GPU,       /* seconds of all pipelines that both sides timed, at the off run's commands */
    WPG_FIGURES
} wpg_figure;
const char *wpg_figure_key(wpg_figure figure);   /* "frame-median" */
const char *wpg_figure_title(wpg_figure figure); /* "frame time, median" */

typedef struct wpg_compare_options {
    const char *profile, *result; /* result: -o; NULL: none */
    char *const *program;         /* with its arguments; NULL at the end */
    int rounds;
    double duration; /* seconds after which the program is stopped; 0: it ends by itself */
    bool json, csv, bare, output;
} wpg_compare_options;

/* -- run.c */

/* How a run ended. */
typedef struct wpg_run {
    double wall, processor; /* seconds */
    bool stopped;           /* by us, after the duration */
    bool interrupted;       /* by the user */
    bool failed;            /* `why` says it: the exit code or the signal */
    char why[160];
} wpg_run;

/* Blocks the signals that stop a comparison; the runs look for them. Once. */
void wpg_run_prepare(void);
/* Runs the program once with the environment as it is; `log` is a file for its standard error, NULL: ours. */
void wpg_run_program(wpg_run *run, const wpg_compare_options *options, const char *log);

/* -- measure.c */

/* What one run showed. */
typedef struct wpg_measured {
    double figures[WPG_FIGURES]; /* NAN: not measured; GPU: its own commands */
    wpg_times times;             /* of its processes, put together */
    size_t processes;            /* that made a device under the layer */
} wpg_measured;

/* Reads and removes the files that the layer left in the folder. */
wpg_status wpg_measure(wpg_measured *measured, const wpg_run *run, const char *folder, wpg_error *err);
void wpg_measured_finish(wpg_measured *measured);
/* The times of a pipeline; NULL: it was not timed. */
const wpg_times_pipeline *wpg_measured_find(const wpg_measured *measured, wpg_hash128 pipeline);

/* -- ratios.c */

typedef struct wpg_round {
    wpg_measured side[WPG_SIDES];
} wpg_round;
typedef WPG_VEC(wpg_round) wpg_rounds;

typedef struct wpg_compared {
    double off, use;  /* medians over the rounds, seconds */
    wpg_median ratio; /* use over off; count 0: not measured */
} wpg_compared;

/* What the rounds say of a pipeline. */
typedef enum wpg_verdict {
    WPG_VERDICT_UNCHANGED, /* the program's own words ran: any ratio is noise */
    WPG_VERDICT_UNTIMED,   /* changed; one side was not timed */
    WPG_VERDICT_FEW,       /* too few rounds for an interval */
    WPG_VERDICT_NOISE,     /* no further from 1 than unchanged pipelines are */
    WPG_VERDICT_SAME,      /* the interval holds 1 */
    WPG_VERDICT_LESS,      /* takes less time */
    WPG_VERDICT_MORE,
    WPG_VERDICTS
} wpg_verdict;
const char *wpg_verdict_key(wpg_verdict verdict); /* "unchanged" */

enum { WPG_COMPARE_NAME = 200 };
typedef struct wpg_compared_pipeline {
    wpg_hash128 hash;
    char hex[WPG_HASH_HEX + 1];
    char name[WPG_COMPARE_NAME]; /* "" where none is known */
    bool changed;
    double share;      /* of the GPU time of all, off */
    wpg_compared time; /* a command */
    wpg_verdict verdict;
} wpg_compared_pipeline;

/* The ratios of pipelines that use mode left alone: how far noise goes. */
typedef struct wpg_noise {
    double low, high;
    size_t count; /* pipelines; 0: none was dear enough to tell */
} wpg_noise;

typedef struct wpg_comparison {
    wpg_compared figures[WPG_FIGURES];
    WPG_VEC(wpg_compared_pipeline) pipelines; /* dearest first */
    wpg_median work; /* commands that the GPU ran, use over off; count 0: not known */
    bool same_work;  /* or not known: else wall and processor time say nothing */
    wpg_noise noise;
    uint64_t changed;    /* pipelines that use mode changed, in the run with the most */
    wpg_figure headline; /* what one line says; WPG_FIGURES: nothing was measured */
} wpg_comparison;

enum {
    WPG_COMPARE_CONFIDENCE = 95, /* percent, where there are rounds enough */
    WPG_COMPARE_ROUNDS = 6,      /* so many are enough: 1 - 2 / 2^6 */
};

/* `report` NULL: hashes for names. */
wpg_status wpg_compare_rounds(wpg_comparison *comparison, const wpg_rounds *rounds, const wpg_report *report,
                              wpg_error *err);
void wpg_comparison_finish(wpg_comparison *comparison);

/* judge.c: fills in noise and verdicts of a comparison whose ratios are known. */
void wpg_compare_judge(wpg_comparison *comparison, const wpg_rounds *rounds);
/* There are rounds enough for an interval. */
bool wpg_compare_tells_interval(const wpg_compared *compared);

/* names.c: `report` NULL: none is known. */
void wpg_compare_name(char name[WPG_COMPARE_NAME], const wpg_report *report, const char *hex);

/* -- print.c, result.c */

/* Everything that is said of a comparison. Borrowed. */
typedef struct wpg_compare_result {
    const wpg_compare_options *options;
    const wpg_rounds *rounds;
    const wpg_comparison *comparison;
    const char *date;         /* UTC, ISO 8601 */
    const char *program;      /* path of the program; "": not found */
    const char *profile_hash; /* hexadecimal; "": not known */
    bool interrupted;
} wpg_compare_result;

void wpg_compare_print_text(FILE *out, const wpg_compare_result *result);
void wpg_compare_print_csv(FILE *out, const wpg_compare_result *result);
/* malloc'd JSON text with a newline at its end; NULL when memory runs out. */
char *wpg_compare_json(const wpg_compare_result *result);

#endif
