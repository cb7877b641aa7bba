/* The records of tuned pipelines. Private to tune.c, which owns them, and tune_distance.c. Threads: a record
 * has a lock of its own. */
#ifndef WPG_LAYER_PROFILE_TUNE_RECORDS_H
#define WPG_LAYER_PROFILE_TUNE_RECORDS_H

#include "layer/profile/tune.h"

struct wpg_tuned {
    struct wpg_tuned *next;
    wpg_hash128 subject;
    pthread_mutex_t lock; /* guards what follows */
    wpg_tuning tuning;
    wpg_verdict verdict;
    bool judged; /* by the driver's figures: */
    struct {
        wpg_outcome outcome;
        double ratio;
    } judgements[1 + WPG_VERDICT_CANDIDATES];
    bool changed;
    uint32_t had;                /* samples of the original as this run began */
    uint64_t misses[WPG_MISSES]; /* of this run */
};

/* The newest record, NULL if there is none; others by `next`. Records last until wpg_tune_finish. */
wpg_tuned *wpg_tune_first(void);
/* On a terminal, now and then: how far tuning is. Takes the locks of records. */
void wpg_tune_tell(void);

#endif
