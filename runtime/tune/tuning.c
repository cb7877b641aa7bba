#include "runtime/tune/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/arithmetic.h"
#include "runtime/tune/intervals.h"

const uint32_t wpg_tune_looks[WPG_TUNE_LOOKS] = {16, 32, 64, WPG_VERDICT_SAMPLES};

wpg_tune_progress wpg_tune_candidate_progress(const wpg_verdict *verdict, size_t alternative)
{
    const wpg_candidate *at = &verdict->alternatives[alternative];
    const uint32_t looks = at->looks < WPG_TUNE_LOOKS ? at->looks : WPG_TUNE_LOOKS - 1; /* a file's */
    const uint32_t original = verdict->alternatives[0].count;
    if (alternative == 0 || at->outcome != WPG_OUTCOME_OPEN)
        return (wpg_tune_progress){0};
    return (wpg_tune_progress){at->count < original ? at->count : original, wpg_tune_looks[looks]};
}

wpg_tune_progress wpg_tune_progress_of(const wpg_verdict *verdict)
{
    wpg_tune_progress least = {0};
    for (size_t i = 1; i < verdict->count; i++) {
        wpg_tune_progress at = wpg_tune_candidate_progress(verdict, i);
        if (at.need && (!least.need || at.have < least.have))
            least = at;
    }
    return least;
}

void wpg_tuning_init(wpg_tuning *tuning, wpg_verdict *verdict)
{
    *tuning = (wpg_tuning){.verdict = verdict, .random = verdict->pipeline.low ^ verdict->pipeline.high};
    /* Another order than that of the runs before. */
    for (size_t i = 0; i < verdict->count; i++) {
        wpg_candidate *at = &verdict->alternatives[i];
        tuning->random += at->count;
        /* A file may say anything. */
        if (at->outcome == WPG_OUTCOME_OPEN && at->looks >= WPG_TUNE_LOOKS)
            at->outcome = WPG_OUTCOME_UNDECIDED;
    }
}

static void deal_block(wpg_tuning *tuning)
{
    const wpg_verdict *verdict = tuning->verdict;
    tuning->block_at = tuning->block_size = 0;
    for (size_t i = 0; i < verdict->count; i++)
        if (i == 0 || verdict->alternatives[i].outcome == WPG_OUTCOME_OPEN)
            tuning->block[tuning->block_size++] = (uint8_t)i;
    for (size_t i = tuning->block_size; i > 1; i--) { /* Fisher, Yates */
        size_t j = (size_t)(wpg_next_random(&tuning->random) % i);
        uint8_t swapped = tuning->block[i - 1];
        tuning->block[i - 1] = tuning->block[j];
        tuning->block[j] = swapped;
    }
}

size_t wpg_tuning_choose(wpg_tuning *tuning)
{
    const wpg_verdict *verdict = tuning->verdict;
    if (wpg_verdict_settled(verdict))
        return 0;
    for (;;) {
        if (tuning->block_at >= tuning->block_size)
            deal_block(tuning);
        size_t chosen = tuning->block[tuning->block_at++];
        if (chosen == 0 || verdict->alternatives[chosen].outcome == WPG_OUTCOME_OPEN)
            return chosen;
    }
}

/* -- Comparing */

typedef struct kind {
    uint64_t key;
    double x[WPG_VERDICT_SAMPLES], y[WPG_VERDICT_SAMPLES];
    size_t m, n;
} kind;

typedef enum grain { GRAIN_PUSH, GRAIN_SHAPE, GRAIN_NONE } grain;

static uint64_t key_of(const wpg_sample *sample, grain by)
{
    return by == GRAIN_NONE ? 0 : (uint64_t)sample->shape << 32 | (by == GRAIN_PUSH ? sample->push : 0);
}

static kind *kind_of(kind *kinds, size_t *count, uint64_t key)
{
    for (size_t i = 0; i < *count; i++)
        if (kinds[i].key == key)
            return &kinds[i];
    if (*count == WPG_TUNE_STRATA)
        return NULL;
    kinds[*count].key = key;
    kinds[*count].m = kinds[*count].n = 0;
    return &kinds[(*count)++];
}

/* false: there are too many kinds at this grain. */
static bool sort_into(kind *kinds, size_t *count, const wpg_candidate *original,
                      const wpg_candidate *candidate, uint32_t most, grain by)
{
    *count = 0;
    for (int side = 0; side < 2; side++) {
        const wpg_candidate *from = side ? candidate : original;
        for (uint32_t i = 0; i < from->count && i < most; i++) {
            kind *into = kind_of(kinds, count, key_of(&from->samples[i], by));
            double value = log((double)from->samples[i].nanoseconds + 1);
            if (!into)
                return false;
            if (side)
                into->y[into->n++] = value;
            else
                into->x[into->m++] = value;
        }
    }
    return true;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The time that both together spent there, without what the tails add: the labels play no part in it. */
static double time_of(const kind *k)
{
    double all[2 * WPG_VERDICT_SAMPLES];
    size_t count = k->m + k->n;
    memcpy(all, k->x, k->m * sizeof *all);
    memcpy(all + k->m, k->y, k->n * sizeof *all);
    qsort(all, count, sizeof *all, ascending);
    return exp(all[count / 2]) * (double)count;
}

static bool compare(wpg_ratio *ratio, const wpg_candidate *original, const wpg_candidate *candidate,
                    uint32_t most, double tail)
{
    wpg_stratum strata[WPG_TUNE_STRATA];
    size_t count = 0;
    kind *kinds = malloc(WPG_TUNE_STRATA * sizeof *kinds);
    if (!kinds)
        return false;
    for (grain by = GRAIN_PUSH; by <= GRAIN_NONE; by++)
        if (sort_into(kinds, &count, original, candidate, most, by))
            break;
    for (size_t i = 0; i < count; i++)
        strata[i] = (wpg_stratum){kinds[i].x, kinds[i].y, kinds[i].m, kinds[i].n, time_of(&kinds[i])};
    bool good = wpg_ratio_interval(ratio, strata, count, tail);
    free(kinds);
    return good;
}

/* -- Deciding */

static bool look(wpg_tuning *tuning, wpg_candidate *candidate)
{
    wpg_verdict *verdict = tuning->verdict;
    const wpg_candidate *original = &verdict->alternatives[0];
    uint32_t at = wpg_tune_looks[candidate->looks];
    double tail = (1 - verdict->confidence) /
                  (2.0 * (double)WPG_TUNE_LOOKS * (verdict->count > 1 ? (double)(verdict->count - 1) : 1));
    wpg_ratio ratio;
    if (!(tail > 1e-12))
        tail = 1e-12;
    candidate->looks++;
    bool compared = compare(&ratio, original, candidate, at, tail);
    if (compared) {
        candidate->ratio = fmin(ratio.ratio, 1e6);
        candidate->low = fmin(ratio.low, 1e6);
        candidate->high = fmin(ratio.high, 1e6);
        if (candidate->high < 1 - verdict->margin)
            candidate->outcome = WPG_OUTCOME_WINS;
        else if (candidate->low > 1 - verdict->margin)
            candidate->outcome = WPG_OUTCOME_LOSES;
    }
    if (candidate->outcome == WPG_OUTCOME_OPEN && candidate->looks == WPG_TUNE_LOOKS)
        candidate->outcome = WPG_OUTCOME_UNDECIDED;
    return candidate->outcome != WPG_OUTCOME_OPEN;
}

bool wpg_tuning_add(wpg_tuning *tuning, size_t alternative, wpg_sample sample)
{
    wpg_verdict *verdict = tuning->verdict;
    bool decided = false;
    if (alternative >= verdict->count)
        return false;
    wpg_candidate *into = &verdict->alternatives[alternative];
    if (into->count >= WPG_VERDICT_SAMPLES || (alternative && into->outcome != WPG_OUTCOME_OPEN))
        return false;
    into->samples[into->count++] = sample;
    for (size_t i = 1; i < verdict->count; i++) {
        wpg_candidate *candidate = &verdict->alternatives[i];
        while (candidate->outcome == WPG_OUTCOME_OPEN && candidate->looks < WPG_TUNE_LOOKS &&
               candidate->count >= wpg_tune_looks[candidate->looks] &&
               verdict->alternatives[0].count >= wpg_tune_looks[candidate->looks])
            decided |= look(tuning, candidate);
    }
    return decided;
}
