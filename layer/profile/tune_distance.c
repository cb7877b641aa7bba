/* How far tuning is: for the summary, and on a terminal while it runs. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "layer/base/clock.h"
#include "layer/profile/tune_records.h"
#include "runtime/base/descriptor.h"
#include "runtime/base/log.h"

typedef struct distance {
    size_t pipelines, open, unmeasured; /* open: and not static; unmeasured: of these, in this run */
    wpg_tune_progress least;            /* of open ones */
    uint32_t runs;                      /* like this one that the slowest needs to its next look */
    uint64_t misses[WPG_MISSES];
} distance;

/* Under the record's lock. */
static void measure_distance(distance *d, const wpg_tuned *tuned, bool speak)
{
    const wpg_verdict *verdict = &tuned->verdict;
    d->pipelines++;
    if (wpg_verdict_settled(verdict))
        return;
    char hex[WPG_HASH_HEX + 1];
    const wpg_tune_progress at = wpg_tune_progress_of(verdict);
    wpg_hash_to_hex(hex, verdict->pipeline);
    if (speak)
        wpg_log_info("pipeline %s: open, %u of %u samples", hex, at.have, at.need);
    d->open++;
    if (d->open == 1 || at.have < d->least.have)
        d->least = at;
    const uint32_t gained = verdict->alternatives[0].count - tuned->had;
    const uint32_t needed = at.need > at.have ? at.need - at.have : 1;
    const uint32_t runs = gained ? (needed + gained - 1) / gained : 0;
    d->unmeasured += !gained && tuned->had < WPG_VERDICT_SAMPLES;
    d->runs = runs > d->runs ? runs : d->runs;
    for (size_t i = 0; i < WPG_MISSES; i++)
        d->misses[i] += tuned->misses[i];
}

static void measure_all(distance *d, bool speak)
{
    for (wpg_tuned *at = wpg_tune_first(); at; at = at->next) {
        (void)pthread_mutex_lock(&at->lock);
        measure_distance(d, at, speak);
        (void)pthread_mutex_unlock(&at->lock);
    }
}

static void append(char *text, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *fmt, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text + used, size - used, fmt, args);
    va_end(args);
}

void wpg_tune_summary(char *text, size_t size)
{
    static const char *const names[WPG_MISSES] = {
        [WPG_MISS_AGAIN] = "later executions of command buffers that were recorded once",
        [WPG_MISS_SECONDARY] = "binds in secondary command buffers",
        [WPG_MISS_SIMULTANEOUS] = "binds in command buffers for simultaneous use",
        [WPG_MISS_QUEUE] = "binds on queues without timestamps",
        [WPG_MISS_PASS] = "binds in passes with several views or in resumed rendering",
        [WPG_MISS_RUNS] = "binds beyond what is timed in one command buffer"};
    distance d = {0};
    text[0] = '\0';
    measure_all(&d, true);
    if (!d.pipelines)
        return;
    append(text, size, "; tuning: %zu of %zu pipelines decided", d.pipelines - d.open, d.pipelines);
    if (!d.open)
        return;
    append(text, size, ", %zu open (%u of %u samples%s)", d.open, d.least.have, d.least.need,
           d.open > 1 ? ", the one furthest behind" : "");
    if (d.runs)
        append(text, size,
               ": run it with `wavepgo run --tune` again (%u such run%s to the next look at the slowest)",
               d.runs, d.runs == 1 ? "" : "s");
    if (d.unmeasured)
        append(text, size, "; %zu of the open ones gained no sample in this run", d.unmeasured);
    const char *before = "; not measured: ";
    for (size_t i = 0; i < WPG_MISSES; i++)
        if (d.misses[i] && names[i]) {
            append(text, size, "%s%llu %s", before, (unsigned long long)d.misses[i], names[i]);
            before = ", ";
        }
}

/* -- While it runs */

static const uint64_t SECOND = 1000000000, BETWEEN = UINT64_C(5000000000); /* nanoseconds */

/* A terminal, that nobody wants silent. Whoever keeps a log reads the summary there. */
static bool may_tell(void)
{
    static atomic_int terminal = -1;
    const wpg_settings *settings = &wpg_the_process.settings;
    int is = atomic_load(&terminal);
    if (is < 0)
        atomic_store(&terminal, is = isatty(STDERR_FILENO) != 0);
    return is && settings->summary && !(settings->log_file && *settings->log_file);
}

static atomic_uint_least64_t due; /* when the next line is; 0: the clock was not looked at */

/* The first call starts the clock. */
static bool is_due(uint64_t now)
{
    uint64_t start = 0;
    return !atomic_compare_exchange_strong(&due, &start, now + SECOND) && now >= atomic_load(&due);
}

/* True for one thread. */
static bool takes_turn(uint64_t now)
{
    uint64_t at = atomic_load(&due);
    return now >= at && atomic_compare_exchange_strong(&due, &at, now + BETWEEN);
}

void wpg_tune_tell(void)
{
    char text[160];
    distance d = {0};
    const uint64_t now = wpg_now();
    if (!may_tell() || !is_due(now))
        return;
    measure_all(&d, false);
    if (!d.open || !takes_turn(now))
        return;
    const int length = snprintf(
        text, sizeof text, "wavepgo: tuning: %zu of %zu pipelines decided, %zu open (%u of %u samples%s)\n",
        d.pipelines - d.open, d.pipelines, d.open, d.least.have, d.least.need,
        d.open > 1 ? ", the one furthest behind" : "");
    if (length > 0)
        (void)wpg_write_quietly(STDERR_FILENO, text, (size_t)length);
}
