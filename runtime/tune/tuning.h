/* One pipeline's tuning: which alternative runs next, and what its times say.
 *
 *     choose --> the program's work runs with that alternative --> add its time --> decide at a look --> ...
 *
 * Alternatives run in blocks: each block is a random order of the original and of every candidate still open
 * (seeded by the pipeline's hash), so that what drifts (clocks, scenes) meets all alike. Each choice is one
 * randomised trial and gives at most one sample: under "no difference" the labels could have been dealt out
 * otherwise, which is all that the test's error rate rests on.
 *
 * A candidate is looked at when it and the original have 16, 32, 64 and 128 samples. Every look of every
 * candidate uses an interval with (1 - confidence) / (2 * looks * candidates) on each side (Bonferroni, which
 * needs nothing of how the looks hang together): with the stated confidence no verdict about the pipeline is
 * wrong, and no candidate that is not faster wins. It wins where the interval lies wholly below 1 - margin,
 * loses where it lies wholly above that, and gets no more runs then; after the last look it is undecided.
 * Source: Wassmer, Brannath, "Group Sequential and Confirmatory Adaptive Designs in Clinical Trials",
 * 2016, 1.
 *
 * What is compared with what: executions with equal shape and push constants; where there are more than
 * WPG_TUNE_STRATA such kinds, those of equal shape; with too many shapes, all. Neither is decided by times.
 *
 * Threads: one tuning, one thread at a time. */
#ifndef WPG_RUNTIME_TUNE_TUNING_H
#define WPG_RUNTIME_TUNE_TUNING_H

#include "runtime/bundle/verdicts.h"

enum { WPG_TUNE_LOOKS = 4, WPG_TUNE_STRATA = 16 };

typedef struct wpg_tuning {
    wpg_verdict *verdict; /* borrowed: what is known, changed as samples come */
    uint64_t random;
    uint8_t block[1 + WPG_VERDICT_CANDIDATES]; /* the order of the current block */
    uint8_t block_size, block_at;
} wpg_tuning;

/* Samples after which a look is taken. */
extern const uint32_t wpg_tune_looks[WPG_TUNE_LOOKS];

/* How far open candidates are: samples that the one furthest behind and the original both have, and samples
 * that this candidate's next look needs. 0 of 0: no candidate is open. */
typedef struct wpg_tune_progress {
    uint32_t have, need;
} wpg_tune_progress;
wpg_tune_progress wpg_tune_progress_of(const wpg_verdict *verdict);
/* The same of one candidate, by its index. */
wpg_tune_progress wpg_tune_candidate_progress(const wpg_verdict *verdict, size_t alternative);

/* Goes on from what the verdict holds. */
void wpg_tuning_init(wpg_tuning *tuning, wpg_verdict *verdict);
/* Which alternative runs next: an index into the verdict's. 0, the original, once all is decided. */
size_t wpg_tuning_choose(wpg_tuning *tuning);
/* A chosen alternative ran. Samples beyond WPG_VERDICT_SAMPLES, and of what is decided, are dropped. true if
 * a decision fell. */
bool wpg_tuning_add(wpg_tuning *tuning, size_t alternative, wpg_sample sample);

#endif
