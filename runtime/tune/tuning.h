/* One pipeline's tuning: which alternative runs next, and what the measured times say.
 *
 *     choose --> the program's work runs with that alternative --> add its time --> decide at a look --> ...
 *
 * The alternatives are the original and its candidates. They run in blocks: a block is a random order of the
 * original and of every open candidate, seeded by the pipeline's hash. So a drift of clocks or scenes meets
 * all alike. Each choice is one randomised trial and gives at most one sample. Under the hypothesis of no
 * difference, the labels could have been dealt out otherwise: the test's error rate rests on that alone.
 *
 * A candidate is looked at when it and the original have 16, 32, 64 and 128 samples. At every look, each side
 * of a candidate's interval has the probability
 *
 *     (1 - confidence) / (2 * looks * candidates)
 *
 * This is Bonferroni's bound: it assumes nothing on how the looks depend on each other. With the stated
 * confidence, no verdict about the pipeline is wrong, and no candidate that is not faster wins. A candidate
 * wins where its interval lies wholly below 1 - margin. It loses where the interval lies wholly above that,
 * and gets no more runs. After the last look it is undecided.
 *
 * Samples are compared between executions with equal shape and push constants. Where there are more than
 * WPG_TUNE_STRATA such kinds, executions of equal shape are compared; with too many shapes, all. How
 * executions are grouped never depends on their times.
 *
 * Owns: nothing; the verdict is borrowed.
 * Threads: one tuning, one thread at a time.
 * Source: Wassmer, Brannath, "Group Sequential and Confirmatory Adaptive Designs in Clinical Trials", 2016,
 * 1. */
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
