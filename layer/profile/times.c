#include "layer/profile/times.h"

#include <stdio.h>
#include <string.h>

#include "layer/base/frames.h"
#include "layer/base/place.h"
#include "layer/base/summary.h"
#include "layer/profile/totals.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/config/pattern.h"
#include "runtime/tune/times.h"

static struct {
    pthread_mutex_t lock; /* guards the device */
    char device[256];
    uint32_t driver, version;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool wpg_times_on(void)
{
    const wpg_settings *settings = &wpg_the_process.settings;
    return wpg_the_process.mode == WPG_MODE_USE && settings->times && *settings->times;
}

void wpg_times_device(const wpg_device *device)
{
    (void)pthread_mutex_lock(&known.lock);
    if (!known.device[0]) {
        (void)snprintf(known.device, sizeof known.device, "%s", device->key.name);
        known.driver = device->key.driver;
        known.version = device->key.version;
    }
    (void)pthread_mutex_unlock(&known.lock);
}

static void add_frame(uint64_t nanoseconds, void *context)
{
    wpg_times *times = context;
    (void)wpg_vec_push(&times->frames, nanoseconds);
}

static void add_pipeline(wpg_totals *totals, void *context)
{
    wpg_times *times = context;
    (void)pthread_mutex_lock(&totals->lock);
    const wpg_times_pipeline one = {.hash = totals->pipeline,
                                    .changed = totals->optimised,
                                    .runs = totals->timed_runs,
                                    .commands = totals->gpu_commands,
                                    .nanoseconds = totals->gpu_nanoseconds,
                                    .first_commands = totals->first_commands,
                                    .first_nanoseconds = totals->first_nanoseconds};
    (void)pthread_mutex_unlock(&totals->lock);
    if (one.commands)
        (void)wpg_vec_push(&times->pipelines, one);
}

static void gather(wpg_times *times)
{
    const wpg_summary_counts counts = wpg_summary_count();
    times->pid = (uint64_t)wpg_the_process.pid;
    times->made = counts.pipelines;
    times->changed = counts.changed;
    times->presents = wpg_frames_presented();
    wpg_executable_name(times->program, sizeof times->program);
    (void)pthread_mutex_lock(&known.lock);
    memcpy(times->device, known.device, sizeof times->device);
    times->driver = known.driver;
    times->version = known.version;
    (void)pthread_mutex_unlock(&known.lock);
    wpg_frames_each(add_frame, times);
    wpg_totals_each(add_pipeline, times);
}

void wpg_times_write(void)
{
    char path[WPG_PLACE];
    wpg_times times = {0};
    wpg_writer out = {0};
    wpg_error err;
    if (!wpg_times_on() || !wpg_place(path, "TIMES", wpg_the_process.settings.times))
        return;
    gather(&times);
    wpg_times_encode(&out, &times);
    wpg_status status = out.out_of_memory ? wpg_fail(&err, WPG_E_NOMEM, "out of memory")
                                          : wpg_file_replace(path, out.data, out.size, &err);
    if (status != WPG_OK)
        wpg_log_once(WPG_LOG_WARN, "TIMES: %s", err.message);
    wpg_writer_finish(&out);
    wpg_times_finish(&times);
}
