/* Tune mode: times the program's own pipelines and our candidates in place, and writes the winners into the
 * bundle (runtime/bundle/verdicts.h). Use mode applies them.
 *
 *     create --> the program's own pipeline, and beside it one for each set of passes that gives other words
 *     bind   --> a block of all of them in random order (runtime/tune); the chosen one is bound
 *     run    --> the stretch of draws or dispatches that follows is timed (record_queries.h)
 *     read   --> one sample; a decided candidate is not bound again
 *     write  --> verdicts/<hash>.facts of the bundle, at each FLUSH_INTERVAL, at the end of a device and of
 *                the program; the next tune run continues from there
 *
 * A bind is one trial and gives one sample at most: of the first run after it and of the command buffer's
 * first execution. Dispatches of a command buffer that may be submitted again are steered instead (steer.h):
 * each submission is a trial. Draws recorded once are measured once. An execution barrier separates
 * dispatches from earlier work. Draws may overlap with other draws, for all alternatives alike.
 *
 * Not measured, and run as the program made them: secondaries; command buffers for simultaneous use or on
 * queues without timestamps; more than WPG_RUNS runs a command buffer; passes with several views; links,
 * library parts, shader objects and ray tracing.
 *
 * Static: if the driver reports costs of pipelines (static_cost.h), original and candidates are built once
 * more for that alone, and judged by the rule of runtime/tune/estimate.h. The verdict stays `static` until a
 * candidate is timed. Without timestamps, or if TUNE_METHOD says so, that is all: no candidate is bound,
 * nothing is timed.
 *
 * Threads: any; a record has a lock of its own. */
#ifndef WPG_LAYER_PROFILE_TUNE_H
#define WPG_LAYER_PROFILE_TUNE_H

#include "layer/base/state.h"
#include "runtime/bundle/verdicts.h"
#include "runtime/tune/estimate.h"
#include "runtime/tune/tuning.h"

typedef struct wpg_tuned wpg_tuned; /* one pipeline on one device; lasts until wpg_tune_finish */

/* Which alternative a bind chose. tuned NULL: none was chosen. */
typedef struct wpg_trial {
    wpg_tuned *tuned;
    size_t alternative;
    bool by_value; /* it is the program's own with variants (variants.h) */
} wpg_trial;

/* A set of passes, and what words it gives. */
typedef struct wpg_tune_set {
    char passes[WPG_VERDICT_PASSES];
    wpg_hash128 words;
} wpg_tune_set;

/* Why an execution of a tuned pipeline gave no sample. */
typedef enum wpg_tune_miss {
    WPG_MISS_NONE,
    WPG_MISS_AGAIN, /* a command buffer submitted again, which was recorded once */
    WPG_MISS_SECONDARY,
    WPG_MISS_SIMULTANEOUS,
    WPG_MISS_QUEUE, /* without timestamps */
    WPG_MISS_PASS,  /* with several views, or rendering that resumes another command buffer's */
    WPG_MISS_RUNS,  /* more runs than are timed in a command buffer */
    WPG_MISSES
} wpg_tune_miss;

/* Fills device->key, the identity of the device. */
void wpg_tune_know_device(wpg_device *device, VkPhysicalDevice physical);

/* True if candidates are timed on the device: by TUNE_METHOD, and if a queue has timestamps. */
bool wpg_tune_times(const wpg_device *device, VkPhysicalDevice physical);

/* Letters of all passes that are not in the set; the SSA form, which others need, stays. */
void wpg_tune_leave_out(char letters[WPG_VERDICT_PASSES], const char *passes);

/* The record of a pipeline with these candidates, begun or continued from the bundle. A record of other
 * candidates is begun anew. NULL when memory runs out. */
wpg_tuned *wpg_tune_pipeline(wpg_device *device, wpg_hash128 pipeline, const wpg_tune_set *sets,
                             size_t count);
/* The candidate's index among the alternatives; 0: it is decided, or not one of them. */
size_t wpg_tune_open(wpg_tuned *tuned, const wpg_tune_set *set);

/* True if the driver's figures would be of use: no candidate was timed yet. */
bool wpg_tune_wants_estimates(wpg_tuned *tuned);
/* Adds the driver's figures of the original and of the candidates of `sets`. waves: of the original's
 * executables, by the profile. */
void wpg_tune_judge(wpg_tuned *tuned, const wpg_estimate *original, const wpg_tune_set *sets,
                    const wpg_estimate *candidates, size_t count, const double waves[WPG_MOST_EXECUTABLES]);

wpg_trial wpg_tune_choose(wpg_tuned *tuned);
void wpg_tune_add(wpg_trial trial, wpg_sample sample);
void wpg_tune_missed(wpg_tuned *tuned, wpg_tune_miss miss);

/* For the summary: the state of all tuned pipelines, and what to do. Logs a line for each open pipeline.
 * "" if nothing was tuned. */
void wpg_tune_summary(char *text, size_t size);

/* Writes what changed. */
void wpg_tune_write(void);
void wpg_tune_finish(void);

/* -- What use mode does with verdicts */

/* Reads the bundle's verdicts of this device into device->verdicts. */
void wpg_tune_load_verdicts(wpg_device *device, const char *bundle);
void wpg_tune_forget_verdicts(wpg_device *device);
typedef struct wpg_tune_win {
    bool is_static; /* by the driver's figures */
    bool base;      /* a set of passes won: */
    wpg_tune_set set;
    double ratio;  /* its time, or its cost, over the original's */
    bool by_value; /* variants won: */
    wpg_hash128 value_words;
    bool open; /* nothing won yet, and a candidate is open, so far: */
    wpg_tune_progress progress;
    size_t lost_count; /* candidates that were decided and did not win: their words */
    wpg_hash128 lost[WPG_VERDICT_CANDIDATES];
    bool values_lost; /* variants are one of them */
} wpg_tune_win;
/* This device's verdict on a pipeline; NULL: none. Neither base nor by_value nor open: nothing won. */
const wpg_tune_win *wpg_tune_winner(wpg_device *device, wpg_hash128 pipeline);

#endif
