#include "layer/api/lifetime.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "compiler/instrument/code/instrument.h"
#include "layer/base/answers.h"
#include "layer/base/api_settings.h"
#include "layer/base/denials.h"
#include "layer/base/frames.h"
#include "layer/base/disk_cache.h"
#include "layer/base/flight_recorder.h"
#include "layer/base/power.h"
#include "layer/base/sampling.h"
#include "layer/base/state.h"
#include "layer/base/summary.h"
#include "layer/base/window.h"
#include "layer/commands/content_record.h"
#include "layer/commands/variant_choice.h"
#include "layer/profile/bundle_files.h"
#include "layer/profile/changed.h"
#include "layer/profile/files.h"
#include "layer/profile/live.h"
#include "layer/profile/ticker.h"
#include "layer/profile/times.h"
#include "layer/profile/tune.h"
#include "layer/profile/use.h"
#include "layer/profile/writer.h"
#include "layer/variants/variants.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"

static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void unload(void);

/* What follows from the settings. */
static void settle(wpg_process *process)
{
    wpg_log_open((wpg_log_level)process->settings.log, process->settings.log_file);
    process->mode = (wpg_mode)process->settings.mode;
    wpg_sampling_set_up(&process->settings);
    if (process->mode == WPG_MODE_GENERATE && !wpg_sampling_takes_process())
        process->mode = WPG_MODE_OFF;
    wpg_error err;
    if (wpg_probes_parse(&process->probes, process->settings.probes, &err) != WPG_OK)
        wpg_log_once(WPG_LOG_WARN, "PROBES: %s", err.message);
    if (process->settings.counter_start &&
        process->probes & (WPG_PROBE_VALUES | WPG_PROBE_WORDS | WPG_PROBE_INPUTS | WPG_PROBE_LOOPS))
        wpg_log_once(WPG_LOG_WARN, "COUNTER_START: values, and least and most trips, are not kept: their "
                                   "memory has to start at zero");
    if (process->mode == WPG_MODE_GENERATE)
        wpg_window_set_up(process->settings.frames, process->settings.trigger, process->folder);
    if (wpg_times_on())
        wpg_frames_keep();
    wpg_disk_cache_setup();
}

static void load(void)
{
    wpg_process *process = &wpg_the_process;
    process->pid = getpid();
    process->mode = WPG_MODE_OFF;
    if (!getcwd(process->folder, sizeof process->folder))
        process->folder[0] = '\0';
    /* A program that runs with raised privileges must not be steered by its caller's environment. */
    process->inert = getauxval(AT_SECURE) != 0;
    if (process->inert)
        return;
    /* What the settings' own loading has to say goes to the log already. */
    wpg_log_open(WPG_LOG_WARN, secure_getenv("WAVEPGO_LOG_FILE"));
    wpg_settings_load(&process->settings);
    settle(process);
    /* quick_exit runs no destructors. Registered in off mode too: an instance may bring another mode. */
    (void)at_quick_exit(unload);
}

void wpg_process_load(void)
{
    (void)pthread_once(&loaded, load);
}

void wpg_process_first_instance(const VkInstanceCreateInfo *info)
{
    static bool seen;
    wpg_process *process = &wpg_the_process;
    (void)pthread_mutex_lock(&process->lock);
    bool first = !seen && !process->inert && wpg_process_is_owner();
    seen = true;
    if (first && wpg_api_settings_apply(&process->settings, info))
        settle(process);
    if (first)
        wpg_log_debug("wavepgo " WPG_VERSION " loaded, pid %ld, mode %s", (long)process->pid,
                      process->mode == WPG_MODE_OFF        ? "off"
                      : process->mode == WPG_MODE_GENERATE ? "generate"
                      : process->mode == WPG_MODE_TUNE     ? "tune"
                                                           : "use");
    if (first && wpg_use_applies())
        wpg_use_load(process->settings.profile_use);
    else if (first && process->mode == WPG_MODE_GENERATE && process->settings.profile_use &&
             *process->settings.profile_use)
        wpg_log_warn(
            "the profile is not applied: every bind is counted, and counted pipelines keep the program's own "
            "shaders. Set SAMPLE_BY=bind or frame, FRAMES or TRIGGER to leave binds uncounted");
    (void)pthread_mutex_unlock(&process->lock);
}

/* What variants and tuning add to the summary. */
static void print_summary(void)
{
    char more[800] = "", names[200];
    uint64_t built = wpg_variants_built(), used, seen;
    size_t length = 0;
    wpg_variants_choices(&used, &seen);
    if (seen || built)
        length = (size_t)snprintf(
            more, sizeof more, "; %llu variant%s, %llu of %llu draws and dispatches recorded with one",
            (unsigned long long)built, wpg_plural(built), (unsigned long long)used, (unsigned long long)seen);
    const uint64_t contents = wpg_contents_built();
    if (contents)
        length += (size_t)snprintf(
            more + length, sizeof more - length,
            "; %llu pipeline%s for contents of uniform blocks, %llu draws left the choice to "
            "the GPU in %llu comparison%s",
            (unsigned long long)contents, wpg_plural(contents), (unsigned long long)wpg_content_draws(),
            (unsigned long long)wpg_content_comparisons(), wpg_plural(wpg_content_comparisons()));
    const wpg_later_counts later = wpg_later_count();
    if (later.time)
        length += (size_t)wpg_format(
            more + length, sizeof more - length,
            "; %llu made in the background in %.1f ms, %llu binds before had the program's own",
            (unsigned long long)later.made, (double)later.time * 1e-6, (unsigned long long)later.early_binds);
    size_t shaders, counted = wpg_use_counted(&shaders);
    if (counted < shaders)
        length += (size_t)snprintf(more + length, sizeof more - length,
                                   "; the profile has counts of %zu of %zu shaders", counted, shaders);
    if (wpg_the_process.mode == WPG_MODE_TUNE)
        wpg_tune_summary(more + length, sizeof more - length);
    wpg_changed_names(names, sizeof names);
    wpg_summary_print(names, more, later.waiting);
}

static void leave_device(void *device, void *context)
{
    (void)context;
    wpg_variants_leave(device);
}

/* exit() has begun. A driver may end itself by a handler, before destructors run, and unmap what we would
 * read there. The handler that was registered last runs first: ours is registered after the driver's.
 * Handlers that the program registers later still run before ours, and may destroy the device as usual. */
static void leaving(void)
{
    wpg_process *process = &wpg_the_process;
    static atomic_flag begun = ATOMIC_FLAG_INIT;
    if (!process->pid || !wpg_process_is_owner() || atomic_flag_test_and_set(&begun))
        return;
    wpg_writer_stop();
    wpg_ticker_stop();
    wpg_handles_each(&process->devices, leave_device, NULL);
    if (process->mode == WPG_MODE_GENERATE)
        wpg_files_write_all(true);
    atomic_store(&process->left, true);
}

void wpg_process_watch_exit(void)
{
    static atomic_uint registered;
    enum { MOST = 16 }; /* drivers register once or twice, programs make thousands of devices */
    if (atomic_load(&registered) < MOST && atomic_fetch_add(&registered, 1) < MOST)
        (void)atexit(leaving);
}

/* The end of the program. The program may have left devices alive: what is persistently mapped is
 * read, no Vulkan call is made. Other threads may still run our hooks when the program merely ends, so that
 * their records stay unless nothing is alive any more. */
__attribute__((destructor)) static void unload(void)
{
    wpg_process *process = &wpg_the_process;
    if (!process->pid || !wpg_process_is_owner())
        return;
    wpg_writer_stop();
    wpg_ticker_stop();
    wpg_flight_finish();
    if (process->mode == WPG_MODE_GENERATE) {
        wpg_files_write_all(true);
        wpg_live_finish();
        wpg_window_finish();
    }
    if (process->mode == WPG_MODE_TUNE)
        wpg_tune_write();
    if (process->mode != WPG_MODE_OFF) {
        wpg_power_finish();
        if (wpg_use_applies())
            wpg_use_say_unknown(wpg_variants_built() > 0);
        print_summary();
        wpg_answers_keep();
    }
    if (atomic_load(&process->instance_count) == 0) {
        wpg_files_finish();
        wpg_frames_finish();
        wpg_tune_finish();
        wpg_bundle_files_finish();
        wpg_use_unload();
        wpg_answers_finish();
        wpg_denials_finish();
        wpg_flight_unload();
        wpg_summary_finish();
        wpg_handles_finish(&process->instances);
        wpg_handles_finish(&process->devices);
        wpg_log_close();
        wpg_settings_finish(&process->settings);
    }
}
