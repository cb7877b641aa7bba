/* The program's use of each pipeline, as the layer sees it: counts of commands, push-constant values, GPU
 * time. One record for each pipeline hash, for the life of the process. Command buffers hold counts of their
 * own (record.h), which are added here at every submission. So everything is weighted by submissions, not by
 * recordings. Threads: any; each record has a lock, taken once a submission and pipeline. */
#ifndef WPG_LAYER_PROFILE_TOTALS_H
#define WPG_LAYER_PROFILE_TOTALS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/hash.h"
#include "runtime/base/push_sets.h"
#include "runtime/bundle/facts.h"

/* COUNTER(NAME, key of the fact).
 * - "draws": draws of any kind. Each draw of a multi-draw counts, and an indirect draw counts by its draw
 *   count.
 * - "draws-indirect": the draws whose parameters lie in a buffer. A count in a buffer counts as one.
 * - Vertices: vertices times instances of direct draws. Workgroups: of direct dispatches and mesh draws. */
#define WPG_RECORD_COUNTERS(COUNTER)                                                                         \
    COUNTER(SUBMISSIONS, "submissions")                                                                      \
    COUNTER(BINDS, "binds")                                                                                  \
    COUNTER(DRAWS, "draws")                                                                                  \
    COUNTER(DRAWS_INDIRECT, "draws-indirect")                                                                \
    COUNTER(VERTICES, "vertices")                                                                            \
    COUNTER(DISPATCHES, "dispatches")                                                                        \
    COUNTER(DISPATCHES_INDIRECT, "dispatches-indirect")                                                      \
    COUNTER(WORKGROUPS, "workgroups")

typedef enum wpg_record_counter {
#define COUNTER(name, key) WPG_RECORD_##name,
    WPG_RECORD_COUNTERS(COUNTER)
#undef COUNTER
        WPG_RECORD_COUNTER_COUNT
} wpg_record_counter;

/* Pipeline statistics, in the order of their bits (VkQueryPipelineStatisticFlagBits). */
#define WPG_STATISTICS(STATISTIC)                                                                            \
    STATISTIC("input-vertices")                                                                              \
    STATISTIC("input-primitives")                                                                            \
    STATISTIC("vertex-invocations")                                                                          \
    STATISTIC("geometry-invocations")                                                                        \
    STATISTIC("geometry-primitives")                                                                         \
    STATISTIC("clipping-invocations")                                                                        \
    STATISTIC("clipping-primitives")                                                                         \
    STATISTIC("fragment-invocations")                                                                        \
    STATISTIC("control-patches")                                                                             \
    STATISTIC("evaluation-invocations")                                                                      \
    STATISTIC("compute-invocations")
enum { WPG_STATISTIC_COUNT = 11 };

enum {
    WPG_PUSH_WORDS = WPG_PUSH_SET_WORDS, /* 32-bit words of push constants that are followed: 256 bytes */
    WPG_PUSH_VALUES = 8,                 /* values a word, beside the others */
    WPG_TOTALS_NAMES = 32,
};

/* How often one word of push constants held which value when a draw or dispatch ran. */
typedef struct wpg_word_values {
    uint64_t counts[WPG_PUSH_VALUES]; /* 0 = free */
    uint64_t others, unpushed;        /* unpushed: no push since the command buffer began covers the word */
    uint32_t values[WPG_PUSH_VALUES];
    uint32_t turn; /* of equally rare values, the one that gives way is the first from here on */
} wpg_word_values;

/* When the table is full, the rarest value gives way to a value that is at least as common, and counts among
 * the others. Totals stay exact; single counts become lower bounds. */
void wpg_word_count(wpg_word_values *word, uint32_t value, uint64_t n);
/* The words named by push_words; `from` and `into` reach to the last of them. */
void wpg_words_add(wpg_word_values *into, const wpg_word_values *from, uint64_t push_words);
/* Of the words named by push_words, those that had more values than the table holds: sets of words do not
 * follow them when room is short (runtime/base/push_sets.h). */
uint64_t wpg_words_many_valued(const wpg_word_values *words, uint64_t push_words);

typedef struct wpg_totals {
    wpg_hash128 pipeline;
    struct wpg_totals *next; /* in the list of all; set once */
    bool others;             /* of many pipelines */
    pthread_mutex_t lock;    /* guards what follows */
    uint64_t counters[WPG_RECORD_COUNTER_COUNT];
    uint64_t gpu_nanoseconds, gpu_commands;                 /* the commands that were timed */
    uint64_t timed_runs, first_nanoseconds, first_commands; /* of the first run: a driver may compile then */
    bool optimised; /* other words than the program's own run, or may run */
    uint64_t statistics[WPG_STATISTIC_COUNT], statistics_commands;
    wpg_facts *hardware;    /* hardware counters by key, and hardware-commands; NULL until there are any */
    uint64_t push_words;    /* the words that some layout of the pipeline has, one bit each */
    wpg_word_values *words; /* [word_room], up to the last of push_words; NULL until there are any */
    uint32_t word_room;
    wpg_push_sets sets; /* the words together */
    /* Stages and specialisation values, encoded: a fifth of what facts take. NULL if unsaid. */
    uint8_t *fixed;
    size_t fixed_size;
    wpg_facts *names; /* that the program gave; NULL until there are any */
    bool changed;     /* since the facts were last taken */
    uint32_t news;    /* wpg_bundle_write_new: how often it found this record changed */
} wpg_totals;

/* One record for every pipeline of which nobody asks by itself: draws and dispatches are counted there. Its
 * hash is 0, and no call below takes it as one of a pipeline. NULL when memory runs out. */
wpg_totals *wpg_totals_others(void);
/* The pipeline's record, made if it is new; NULL when memory runs out. Lasts until wpg_totals_finish. */
wpg_totals *wpg_totals_of(wpg_hash128 pipeline);
/* Takes over what is known of the pipeline for good; dropped if it is known already. */
void wpg_totals_describe(wpg_totals *totals, wpg_facts *fixed);
/* A name that the program gave, as a property of that key. A record keeps the first WPG_TOTALS_NAMES. */
void wpg_totals_name(wpg_totals *totals, const char *key, const char *name);
/* Adds what a submitted command buffer counted. words NULL: none. */
void wpg_totals_add(wpg_totals *totals, const uint64_t counters[WPG_RECORD_COUNTER_COUNT],
                    const wpg_word_values *words, const wpg_push_sets *sets, uint64_t push_words);

/* Use mode: other words than the program's own run, or may run, for the pipeline. With TIMES alone. */
void wpg_totals_optimised(wpg_hash128 pipeline);

/* GPU time of so many draws and dispatches; statistics of so many. */
void wpg_totals_add_time(wpg_totals *totals, uint64_t nanoseconds, uint64_t commands);
void wpg_totals_add_statistics(wpg_totals *totals, const uint64_t values[WPG_STATISTIC_COUNT],
                               uint64_t commands);

/* Counters of the hardware over so many draws and dispatches: facts by key. */
void wpg_totals_add_hardware(wpg_totals *totals, const char *const *keys, const uint64_t *values,
                             size_t count, uint64_t commands);

/* Calls `visit` for every record, that of the others too, in no certain order. */
void wpg_totals_each(void (*visit)(wpg_totals *totals, void *context), void *context);
/* The record as facts of kind "pipeline", NULL when memory runs out. Clears `changed`. */
wpg_facts *wpg_totals_facts(wpg_totals *totals);
void wpg_totals_finish(void);

#endif
