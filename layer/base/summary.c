/* The exit summary. */
#include "layer/base/summary.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "layer/base/state.h"
#include "runtime/base/key_set.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"

enum { REASONS = 24, REASON_SIZE = 96 };

static struct {
    atomic_uint_least64_t pipelines, passed, changed, cheaper, ours, drivers, files, replaced, pooled;
    pthread_mutex_t lock;       /* guards all below; taken for a pipeline that passes through or is changed */
    wpg_key_set changed_hashes; /* use: low halves of the hashes */
    wpg_hash128 first_changed[WPG_SUMMARY_KEPT];
    char folder[256]; /* of the files written */
    struct {
        char text[REASON_SIZE];
        uint64_t count;
    } reasons[REASONS]; /* the last one collects what does not fit */
} summary = {.lock = PTHREAD_MUTEX_INITIALIZER};

void wpg_summary_pipeline(const char *why)
{
    atomic_fetch_add(&summary.pipelines, 1);
    if (!why)
        return;
    atomic_fetch_add(&summary.passed, 1);
    char text[REASON_SIZE];
    (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(why, ":"), why);
    (void)pthread_mutex_lock(&summary.lock);
    size_t i = 0;
    while (i < REASONS - 1 && summary.reasons[i].count && strcmp(summary.reasons[i].text, text) != 0)
        i++;
    (void)snprintf(summary.reasons[i].text, REASON_SIZE, "%s", i == REASONS - 1 ? "other reasons" : text);
    summary.reasons[i].count++;
    (void)pthread_mutex_unlock(&summary.lock);
}

void wpg_summary_changed(wpg_hash128 pipeline)
{
    atomic_fetch_add(&summary.changed, 1);
    if (wpg_the_process.mode != WPG_MODE_USE) /* nobody asks for their names */
        return;
    (void)pthread_mutex_lock(&summary.lock);
    const size_t count = summary.changed_hashes.count;
    if (wpg_key_set_add(&summary.changed_hashes, pipeline.low) && count < WPG_SUMMARY_KEPT)
        summary.first_changed[count] = pipeline;
    (void)pthread_mutex_unlock(&summary.lock);
}

void wpg_summary_cheaper(void)
{
    atomic_fetch_add(&summary.cheaper, 1);
}

size_t wpg_summary_changed_pipelines(wpg_hash128 pipelines[WPG_SUMMARY_KEPT])
{
    (void)pthread_mutex_lock(&summary.lock);
    const size_t count = summary.changed_hashes.count;
    memcpy(pipelines, summary.first_changed, sizeof summary.first_changed);
    (void)pthread_mutex_unlock(&summary.lock);
    return count;
}

wpg_summary_counts wpg_summary_count(void)
{
    return (wpg_summary_counts){.pipelines = atomic_load(&summary.pipelines),
                                .changed = atomic_load(&summary.changed),
                                .passed = atomic_load(&summary.passed)};
}

void wpg_summary_time(uint64_t ours, uint64_t drivers)
{
    atomic_fetch_add(&summary.ours, ours);
    atomic_fetch_add(&summary.drivers, drivers);
}

void wpg_summary_file(const char *path, wpg_summary_kind kind)
{
    const char *slash = strrchr(path, '/');
    atomic_fetch_add(&summary.files, 1);
    atomic_fetch_add(&summary.replaced, kind == WPG_SUMMARY_REPLACED);
    atomic_fetch_add(&summary.pooled, kind == WPG_SUMMARY_POOLED);
    (void)pthread_mutex_lock(&summary.lock);
    (void)snprintf(summary.folder, sizeof summary.folder, "%.*s", slash ? (int)(slash - path) : 1,
                   slash ? path : ".");
    (void)pthread_mutex_unlock(&summary.lock);
}

void wpg_summary_print(const char *names, const char *more, uint64_t waiting)
{
    const wpg_settings *settings = &wpg_the_process.settings;
    uint64_t pipelines = atomic_load(&summary.pipelines) + waiting;
    if (!settings->summary || !pipelines)
        return;
    char reasons[640] = "", files[448] = "", earlier[112] = "", unchanged[48] = "", unmade[48] = "",
         cheaper[96] = "";
    uint64_t changed = atomic_load(&summary.changed), passed = atomic_load(&summary.passed);
    if (wpg_the_process.mode == WPG_MODE_USE)
        (void)snprintf(unchanged, sizeof unchanged, " %llu unchanged,",
                       (unsigned long long)(pipelines - waiting - changed - passed));
    if (waiting)
        (void)snprintf(unmade, sizeof unmade, " %llu not made yet,", (unsigned long long)waiting);
    const uint64_t stages = atomic_load(&summary.cheaper);
    if (stages)
        (void)snprintf(cheaper, sizeof cheaper,
                       "; %llu stage%s counted in a cheaper way (BUDGET, COMPILE_LIMIT)",
                       (unsigned long long)stages, wpg_plural(stages));
    size_t at = 0;
    (void)pthread_mutex_lock(&summary.lock);
    for (size_t i = 0; i < REASONS && at < sizeof reasons; i++)
        if (summary.reasons[i].count) {
            int length = snprintf(reasons + at, sizeof reasons - at, "%s%s: %llu", at ? "; " : " (",
                                  summary.reasons[i].text, (unsigned long long)summary.reasons[i].count);
            at += length > 0 ? (size_t)length : 0;
        }
    if (at && at < sizeof reasons - 1)
        (void)snprintf(reasons + at, sizeof reasons - at, ")");
    uint64_t written = atomic_load(&summary.files), replaced = atomic_load(&summary.replaced);
    if (replaced)
        (void)snprintf(earlier, sizeof earlier,
                       " (%llu replaced an earlier run's: %%m in PROFILE_FILE adds runs up)",
                       (unsigned long long)replaced);
    else if (atomic_load(&summary.pooled))
        (void)snprintf(earlier, sizeof earlier, " (runs add up: %%m)");
    if (written)
        (void)snprintf(files, sizeof files, "; %llu file%s in %s%s", (unsigned long long)written,
                       wpg_plural(written), summary.folder, earlier);
    (void)pthread_mutex_unlock(&summary.lock);
    /* The summary is asked for by its own setting, not by the log level. */
    if (!wpg_log_enabled(WPG_LOG_INFO))
        wpg_log_open(WPG_LOG_INFO, settings->log_file);
    wpg_log_info(
        "%llu pipeline%s seen, %llu %s%s,%s%s %llu passed through%s%s%s%s; creation took %.1f ms here, "
        "%.1f ms in "
        "the driver",
        (unsigned long long)pipelines, wpg_plural(pipelines), (unsigned long long)changed,
        wpg_the_process.mode == WPG_MODE_GENERATE ? "instrumented"
        : wpg_the_process.mode == WPG_MODE_TUNE   ? "tuned"
                                                  : "optimised",
        names, unchanged, unmade, (unsigned long long)passed, reasons, cheaper, more, files,
        (double)atomic_load(&summary.ours) * 1e-6, (double)atomic_load(&summary.drivers) * 1e-6);
}

void wpg_summary_finish(void)
{
    wpg_key_set_free(&summary.changed_hashes);
    (void)pthread_mutex_destroy(&summary.lock);
}
