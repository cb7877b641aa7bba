#include "layer/profile/totals.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/handles.h"
#include "layer/profile/times.h"
#include "runtime/bundle/push_facts.h"

static struct {
    wpg_totals *others;  /* under `making` */
    wpg_handles by_hash; /* low half of the hash -> record */
    _Atomic(wpg_totals *) list;
    pthread_mutex_t making;
} all = {.by_hash = WPG_HANDLES_INIT, .making = PTHREAD_MUTEX_INITIALIZER};

/* -- Words */

void wpg_word_count(wpg_word_values *word, uint32_t value, uint64_t n)
{
    if (n == 0)
        return;
    for (uint32_t i = 0; i < WPG_PUSH_VALUES; i++)
        if (word->values[i] == value && word->counts[i]) {
            word->counts[i] += n;
            return;
        }
    uint32_t rarest = word->turn;
    for (uint32_t step = 1; step < WPG_PUSH_VALUES; step++) {
        uint32_t i = (word->turn + step) % WPG_PUSH_VALUES;
        if (word->counts[i] < word->counts[rarest])
            rarest = i;
    }
    if (word->counts[rarest] > n) {
        word->others += n;
        return;
    }
    word->others += word->counts[rarest];
    word->counts[rarest] = n;
    word->values[rarest] = value;
    word->turn = (rarest + 1) % WPG_PUSH_VALUES;
}

void wpg_words_add(wpg_word_values *into, const wpg_word_values *from, uint64_t push_words)
{
    for (int i = 0; i < WPG_PUSH_WORDS; i++) {
        if (!(push_words >> i & 1))
            continue;
        into[i].others += from[i].others;
        into[i].unpushed += from[i].unpushed;
        for (int j = 0; j < WPG_PUSH_VALUES; j++)
            wpg_word_count(&into[i], from[i].values[j], from[i].counts[j]);
    }
}

uint64_t wpg_words_many_valued(const wpg_word_values *words, uint64_t push_words)
{
    uint64_t many = 0;
    for (uint64_t left = push_words; left; left &= left - 1)
        if (words[__builtin_ctzll(left)].others)
            many |= left & -left;
    return many;
}

/* -- Records */

wpg_totals *wpg_totals_of(wpg_hash128 pipeline)
{
    wpg_totals *totals = wpg_handles_get(&all.by_hash, pipeline.low);
    if (totals)
        return wpg_hash_equal(totals->pipeline, pipeline) ? totals : NULL;
    (void)pthread_mutex_lock(&all.making);
    totals = wpg_handles_get(&all.by_hash, pipeline.low);
    if (!totals && (totals = calloc(1, sizeof *totals))) {
        totals->pipeline = pipeline;
        (void)pthread_mutex_init(&totals->lock, NULL);
        if (wpg_handles_set(&all.by_hash, pipeline.low, totals)) {
            totals->next = atomic_load(&all.list);
            atomic_store(&all.list, totals);
        } else {
            (void)pthread_mutex_destroy(&totals->lock);
            free(totals);
            totals = NULL;
        }
    }
    (void)pthread_mutex_unlock(&all.making);
    return totals;
}

wpg_totals *wpg_totals_others(void)
{
    (void)pthread_mutex_lock(&all.making);
    if (!all.others && (all.others = calloc(1, sizeof *all.others))) {
        (void)pthread_mutex_init(&all.others->lock, NULL);
        all.others->others = true;
        all.others->next = atomic_load(&all.list);
        atomic_store(&all.list, all.others);
    }
    wpg_totals *others = all.others;
    (void)pthread_mutex_unlock(&all.making);
    return others;
}

void wpg_totals_describe(wpg_totals *totals, wpg_facts *fixed)
{
    wpg_writer text = {0};
    (void)pthread_mutex_lock(&totals->lock);
    if (!totals->fixed) {
        wpg_facts_encode(&text, fixed);
        totals->fixed = text.out_of_memory ? NULL : malloc(text.size);
        if (totals->fixed) {
            memcpy(totals->fixed, text.data, text.size);
            totals->fixed_size = text.size;
        }
        totals->changed = true;
    }
    (void)pthread_mutex_unlock(&totals->lock);
    wpg_writer_finish(&text);
    wpg_facts_destroy(fixed);
}

void wpg_totals_name(wpg_totals *totals, const char *key, const char *name)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, totals->pipeline);
    (void)pthread_mutex_lock(&totals->lock);
    if (!totals->names)
        totals->names = wpg_facts_create("pipeline", hex);
    if (totals->names && wpg_facts_size(totals->names) < WPG_TOTALS_NAMES &&
        !wpg_facts_find(totals->names, key))
        totals->changed |= wpg_facts_is(totals->names, key, name, NULL) == WPG_OK;
    (void)pthread_mutex_unlock(&totals->lock);
}

/* For the last of the words. */
static bool make_room(wpg_totals *totals, uint64_t push_words)
{
    const uint32_t need = 64 - (uint32_t)__builtin_clzll(push_words);
    if (need <= totals->word_room)
        return true;
    wpg_word_values *grown = realloc(totals->words, need * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + totals->word_room, 0, (need - totals->word_room) * sizeof *grown);
    totals->words = grown;
    totals->word_room = need;
    return true;
}

void wpg_totals_add(wpg_totals *totals, const uint64_t counters[WPG_RECORD_COUNTER_COUNT],
                    const wpg_word_values *words, const wpg_push_sets *sets, uint64_t push_words)
{
    (void)pthread_mutex_lock(&totals->lock);
    for (int i = 0; i < WPG_RECORD_COUNTER_COUNT; i++)
        totals->counters[i] += counters[i];
    if (words && push_words && make_room(totals, push_words)) {
        totals->push_words |= push_words;
        wpg_words_add(totals->words, words, push_words);
        wpg_push_sets_add(&totals->sets, sets, wpg_words_many_valued(totals->words, push_words));
    }
    totals->changed = true;
    (void)pthread_mutex_unlock(&totals->lock);
}

void wpg_totals_optimised(wpg_hash128 pipeline)
{
    wpg_totals *totals = wpg_times_on() ? wpg_totals_of(pipeline) : NULL;
    if (!totals)
        return;
    (void)pthread_mutex_lock(&totals->lock);
    totals->optimised = true;
    (void)pthread_mutex_unlock(&totals->lock);
}

void wpg_totals_add_time(wpg_totals *totals, uint64_t nanoseconds, uint64_t commands)
{
    (void)pthread_mutex_lock(&totals->lock);
    if (totals->timed_runs++ == 0) {
        totals->first_nanoseconds = nanoseconds;
        totals->first_commands = commands;
    }
    totals->gpu_nanoseconds += nanoseconds;
    totals->gpu_commands += commands;
    totals->changed = true;
    (void)pthread_mutex_unlock(&totals->lock);
}

void wpg_totals_add_statistics(wpg_totals *totals, const uint64_t values[WPG_STATISTIC_COUNT],
                               uint64_t commands)
{
    (void)pthread_mutex_lock(&totals->lock);
    for (int i = 0; i < WPG_STATISTIC_COUNT; i++)
        totals->statistics[i] += values[i];
    totals->statistics_commands += commands;
    totals->changed = true;
    (void)pthread_mutex_unlock(&totals->lock);
}

void wpg_totals_add_hardware(wpg_totals *totals, const char *const *keys, const uint64_t *values,
                             size_t count, uint64_t commands)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, totals->pipeline);
    (void)pthread_mutex_lock(&totals->lock);
    if (!totals->hardware)
        totals->hardware = wpg_facts_create("pipeline", hex);
    bool good =
        totals->hardware && wpg_facts_sum(totals->hardware, "hardware-commands", commands, NULL) == WPG_OK;
    for (size_t i = 0; good && i < count; i++)
        good = wpg_facts_sum(totals->hardware, keys[i], values[i], NULL) == WPG_OK;
    totals->changed = true;
    (void)pthread_mutex_unlock(&totals->lock);
}

void wpg_totals_each(void (*visit)(wpg_totals *totals, void *context), void *context)
{
    for (wpg_totals *totals = atomic_load(&all.list); totals; totals = totals->next)
        visit(totals, context);
}

/* -- Facts */

static wpg_status say_words(wpg_facts *facts, const wpg_totals *totals)
{
    char key[24], value[16];
    for (int i = 0; i < WPG_PUSH_WORDS; i++) {
        if (!totals->words || !(totals->push_words >> i & 1))
            continue;
        const wpg_word_values *word = &totals->words[i];
        (void)snprintf(key, sizeof key, "push.%02d", i);
        WPG_TRY(wpg_facts_count(facts, key, "*", word->others, NULL));
        for (int j = 0; j < WPG_PUSH_VALUES; j++) {
            (void)snprintf(value, sizeof value, "0x%08" PRIx32, word->values[j]);
            WPG_TRY(wpg_facts_count(facts, key, value, word->counts[j], NULL));
        }
        (void)snprintf(key, sizeof key, "unpushed.%02d", i);
        if (word->unpushed)
            WPG_TRY(wpg_facts_sum(facts, key, word->unpushed, NULL));
    }
    return wpg_push_facts_say(facts, &totals->sets, NULL);
}

static wpg_status say_measured(wpg_facts *facts, const wpg_totals *totals)
{
    static const char *const names[] = {
#define STATISTIC(name) name,
        WPG_STATISTICS(STATISTIC)
#undef STATISTIC
    };
    _Static_assert(sizeof names / sizeof *names == WPG_STATISTIC_COUNT, "a name each");
    char key[48];
    if (totals->gpu_commands) {
        WPG_TRY(wpg_facts_sum(facts, "gpu-nanoseconds", totals->gpu_nanoseconds, NULL));
        WPG_TRY(wpg_facts_sum(facts, "gpu-commands", totals->gpu_commands, NULL));
        WPG_TRY(wpg_facts_sum(facts, "gpu-first-nanoseconds", totals->first_nanoseconds, NULL));
        WPG_TRY(wpg_facts_sum(facts, "gpu-first-commands", totals->first_commands, NULL));
    }
    if (totals->statistics_commands)
        WPG_TRY(wpg_facts_sum(facts, "statistics-commands", totals->statistics_commands, NULL));
    for (int i = 0; i < WPG_STATISTIC_COUNT; i++)
        if (totals->statistics[i]) {
            (void)snprintf(key, sizeof key, "statistic.%s", names[i]);
            WPG_TRY(wpg_facts_sum(facts, key, totals->statistics[i], NULL));
        }
    return WPG_OK;
}

static wpg_status say_all(wpg_facts *facts, const wpg_totals *totals)
{
    static const char *const keys[] = {
#define COUNTER(name, key) key,
        WPG_RECORD_COUNTERS(COUNTER)
#undef COUNTER
    };
    if (totals->fixed) {
        wpg_facts *fixed;
        WPG_TRY(wpg_facts_decode(&fixed, totals->fixed, totals->fixed_size, NULL));
        wpg_status status = wpg_facts_merge(facts, fixed, 1, NULL, NULL);
        wpg_facts_destroy(fixed);
        WPG_TRY(status);
    }
    if (totals->names)
        WPG_TRY(wpg_facts_merge(facts, totals->names, 1, NULL, NULL));
    WPG_TRY(wpg_facts_sum(facts, "runs", 1, NULL));
    for (int i = 0; i < WPG_RECORD_COUNTER_COUNT; i++)
        if (totals->counters[i])
            WPG_TRY(wpg_facts_sum(facts, keys[i], totals->counters[i], NULL));
    if (totals->hardware)
        WPG_TRY(wpg_facts_merge(facts, totals->hardware, 1, NULL, NULL));
    WPG_TRY(say_measured(facts, totals));
    return say_words(facts, totals);
}

wpg_facts *wpg_totals_facts(wpg_totals *totals)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, totals->pipeline);
    wpg_facts *facts = wpg_facts_create("pipeline", hex);
    if (!facts)
        return NULL;
    (void)pthread_mutex_lock(&totals->lock);
    wpg_status status = say_all(facts, totals);
    totals->changed &= status != WPG_OK;
    (void)pthread_mutex_unlock(&totals->lock);
    if (status == WPG_OK)
        return facts;
    wpg_facts_destroy(facts);
    return NULL;
}

void wpg_totals_finish(void)
{
    wpg_totals *totals = atomic_load(&all.list);
    atomic_store(&all.list, NULL);
    all.others = NULL;
    while (totals) {
        wpg_totals *next = totals->next;
        free(totals->fixed);
        if (totals->hardware)
            wpg_facts_destroy(totals->hardware);
        wpg_facts_destroy(totals->names);
        (void)pthread_mutex_destroy(&totals->lock);
        free(totals->words);
        wpg_push_sets_finish(&totals->sets);
        free(totals);
        totals = next;
    }
    wpg_handles_finish(&all.by_hash);
}
