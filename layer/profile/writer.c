/* The background writer. Once a second it requests a drain, until a counter has risen: then it writes the
 * files for the first time. From then on it acts every half of FLUSH_INTERVAL. The program's next submission
 * carries the drain. The files are written after the drain has finished. */
#include "layer/profile/writer.h"

#include <time.h>

#include "layer/base/first_use.h"
#include "layer/base/state.h"
#include "layer/profile/bundle_files.h"
#include "layer/profile/files.h"
#include "layer/files/hurry.h"
#include "layer/profile/tune.h"
#include "runtime/base/log.h"
#include "runtime/base/thread.h"

/* Seconds between rounds until something was counted. */
#define FIRST_PAUSE 1.0

static pthread_t thread; /* while wpg_hurry.running */

/* Sleeps, unless hurried; false when the thread has to end. Wakes in between for destroyed pipelines. Under
 * the lock. */
static bool sleep_for(double seconds, unsigned mine)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    time_t whole = (time_t)seconds;
    until.tv_sec += whole;
    until.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    while (wpg_hurry.generation == mine && !wpg_hurry.hurried) {
        if (wpg_hurry.retires) {
            wpg_hurry.retires = false;
            (void)pthread_mutex_unlock(&wpg_hurry.lock);
            wpg_files_retire_unused();
            (void)pthread_mutex_lock(&wpg_hurry.lock);
        } else if (pthread_cond_timedwait(&wpg_hurry.wake, &wpg_hurry.lock, &until) != 0)
            break;
    }
    return wpg_hurry.generation == mine;
}

/* Sleeps as sleep_for. A killed program leaves its counts behind (live.h), but not the shaders and facts that
 * wait to be written, nor what compiles as it is killed: these are seen to within a second. */
static bool rest(double seconds, unsigned mine)
{
    for (; seconds > FIRST_PAUSE; seconds -= FIRST_PAUSE) {
        if (!sleep_for(FIRST_PAUSE, mine))
            return false;
        if (wpg_hurry.hurried)
            return true;
        (void)pthread_mutex_unlock(&wpg_hurry.lock);
        wpg_first_use_look();
        wpg_files_write_new();
        (void)pthread_mutex_lock(&wpg_hurry.lock);
    }
    return sleep_for(seconds, mine);
}

/* Whether every drain that was asked for has been submitted and has finished. */
static bool drains_done(void)
{
    bool done = true;
    wpg_process *process = &wpg_the_process;
    (void)pthread_mutex_lock(&process->lock);
    for (wpg_device *device = process->device_list; device; device = device->next_device)
        done &=
            !wpg_counters_drain(device->counters) || wpg_device_drained(device) || atomic_load(&device->lost);
    (void)pthread_mutex_unlock(&process->lock);
    return done;
}

static void want_drains(void)
{
    wpg_process *process = &wpg_the_process;
    (void)pthread_mutex_lock(&process->lock);
    for (wpg_device *device = process->device_list; device; device = device->next_device)
        if (wpg_files_has(device))
            atomic_store(&device->drain_wanted, true);
    (void)pthread_mutex_unlock(&process->lock);
}

static void *run(void *generation)
{
    unsigned mine = (unsigned)(uintptr_t)generation;
    double interval = wpg_the_process.settings.flush_interval / 2, since_written = 0;
    bool counted = false;
    (void)pthread_mutex_lock(&wpg_hurry.lock);
    for (;;) {
        double pause = counted || interval < FIRST_PAUSE ? interval : FIRST_PAUSE;
        if (!rest(pause, mine))
            break;
        bool hurried = wpg_hurry.hurried;
        wpg_hurry.hurried = false;
        (void)pthread_mutex_unlock(&wpg_hurry.lock);
        if (wpg_the_process.mode == WPG_MODE_TUNE) { /* samples are here already */
            wpg_tune_write();
            counted = true;
            (void)pthread_mutex_lock(&wpg_hurry.lock);
            continue;
        }
        wpg_first_use_look();
        if (!hurried)
            want_drains();
        (void)pthread_mutex_lock(&wpg_hurry.lock);
        /* A program that submits nothing has nothing new either; host memory is written as it is. */
        double step = pause < 0.2 ? pause / 4 : 0.05;
        for (double waited = 0; !hurried && !wpg_hurry.hurried && waited < pause / 2 && sleep_for(step, mine);
             waited += step) {
            (void)pthread_mutex_unlock(&wpg_hurry.lock);
            bool done = drains_done();
            (void)pthread_mutex_lock(&wpg_hurry.lock);
            if (done)
                break;
        }
        if (wpg_hurry.generation != mine)
            break;
        (void)pthread_mutex_unlock(&wpg_hurry.lock);
        since_written += pause;
        counted |= wpg_files_read_all();
        if (counted || hurried || since_written >= interval) {
            wpg_files_write_all(false);
            since_written = 0;
        }
        (void)pthread_mutex_lock(&wpg_hurry.lock);
    }
    (void)pthread_mutex_unlock(&wpg_hurry.lock);
    return NULL;
}

void wpg_writer_start(void)
{
    if (!(wpg_the_process.settings.flush_interval > 0))
        return;
    (void)pthread_mutex_lock(&wpg_hurry.lock);
    if (!wpg_hurry.condition_made) {
        pthread_condattr_t attributes;
        (void)pthread_condattr_init(&attributes);
        (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        wpg_hurry.condition_made = pthread_cond_init(&wpg_hurry.wake, &attributes) == 0;
        (void)pthread_condattr_destroy(&attributes);
    }
    if (!wpg_hurry.running && wpg_hurry.condition_made) {
        wpg_hurry.running =
            wpg_thread_start(&thread, "wavepgo-writer", run, (void *)(uintptr_t)wpg_hurry.generation);
        if (!wpg_hurry.running)
            wpg_log_warn("no writer thread: profile files are written at the end only");
    }
    (void)pthread_mutex_unlock(&wpg_hurry.lock);
}

void wpg_writer_stop(void)
{
    (void)pthread_mutex_lock(&wpg_hurry.lock);
    bool running = wpg_hurry.running;
    pthread_t ending = thread;
    wpg_hurry.running = wpg_hurry.hurried = false;
    wpg_hurry.generation++;
    if (wpg_hurry.condition_made)
        (void)pthread_cond_broadcast(&wpg_hurry.wake);
    (void)pthread_mutex_unlock(&wpg_hurry.lock);
    if (running)
        (void)pthread_join(ending, NULL);
}
