#include "layer/profile/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layer/base/clock.h"
#include "layer/base/frames.h"
#include "layer/base/place.h"
#include "layer/base/state.h"
#include "layer/base/summary.h"
#include "layer/profile/totals.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/config/pattern.h"

typedef struct counts {
    uint64_t when, frames, draws, dispatches;
} counts;

/* The ticker's alone. */
static struct {
    int file; /* -1: not open */
    bool cut; /* the last line was written in part */
    counts last;
} stats = {.file = -1};

bool wpg_stats_on(void)
{
    const wpg_process *process = &wpg_the_process;
    return process->mode != WPG_MODE_OFF && process->settings.stats && *process->settings.stats;
}

static void add_commands(wpg_totals *totals, void *context)
{
    counts *now = context;
    (void)pthread_mutex_lock(&totals->lock);
    now->draws += totals->counters[WPG_RECORD_DRAWS];
    now->dispatches += totals->counters[WPG_RECORD_DISPATCHES];
    (void)pthread_mutex_unlock(&totals->lock);
}

/* For between the quotes of a JSON string: what is not printable ASCII becomes '?'. */
static void quote(char *out, size_t size, const char *text)
{
    size_t at = 0;
    for (; *text && at + 2 < size; text++) {
        if (*text == '"' || *text == '\\')
            out[at++] = '\\';
        out[at++] = *text >= ' ' && *text <= '~' ? *text : '?';
    }
    out[at] = '\0';
}

static int print(char *line, size_t size, const counts *now)
{
    static const char *const modes[] = {[WPG_MODE_OFF] = "off",
                                        [WPG_MODE_GENERATE] = "generate",
                                        [WPG_MODE_USE] = "use",
                                        [WPG_MODE_TUNE] = "tune"};
    const wpg_summary_counts made = wpg_summary_count();
    char name[256], program[256];
    struct timespec clock;
    (void)clock_gettime(CLOCK_REALTIME, &clock);
    wpg_executable_name(name, sizeof name);
    quote(program, sizeof program, name);
    return wpg_format(line, size,
                      "{\"wavepgo-stats\": 1, \"time\": %lld.%03ld, \"seconds\": %.3f, \"pid\": %ld, "
                      "\"program\": \"%s\", \"mode\": \"%s\", \"frames\": %llu, \"draws\": %llu, "
                      "\"dispatches\": %llu, \"frames-total\": %llu, \"pipelines\": %llu, \"changed\": %llu, "
                      "\"passed-through\": %llu}\n",
                      (long long)clock.tv_sec, clock.tv_nsec / 1000000,
                      (double)(now->when - stats.last.when) * 1e-9, (long)wpg_the_process.pid, program,
                      modes[wpg_the_process.mode], (unsigned long long)(now->frames - stats.last.frames),
                      (unsigned long long)(now->draws - stats.last.draws),
                      (unsigned long long)(now->dispatches - stats.last.dispatches),
                      (unsigned long long)now->frames, (unsigned long long)made.pipelines,
                      (unsigned long long)made.changed, (unsigned long long)made.passed);
}

/* false: there is no reader, or no such place. */
static bool open_file(void)
{
    char path[WPG_PLACE];
    if (stats.file >= 0)
        return true;
    if (!wpg_place(path, "STATS", wpg_the_process.settings.stats))
        return false;
    stats.file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (stats.file < 0 && errno != ENXIO) /* ENXIO: a FIFO without a reader */
        wpg_log_once(WPG_LOG_WARN, "STATS: cannot open %s: %s", path, strerror(errno));
    stats.cut = false;
    return stats.file >= 0;
}

void wpg_stats_close(void)
{
    if (stats.file >= 0)
        (void)close(stats.file);
    stats.file = -1;
}

static void put(const char *line, size_t length)
{
    ssize_t written = write(stats.file, line, length);
    if (written == (ssize_t)length) {
        stats.cut = false;
        return;
    }
    if (written > 0)
        stats.cut = true;
    else if (errno == EAGAIN || errno == EINTR)
        return;
    if (written >= 0 || errno != EPIPE)
        wpg_log_once(WPG_LOG_WARN, "STATS: cannot write %s: %s", wpg_the_process.settings.stats,
                     written >= 0 ? "no room" : strerror(errno));
    else
        wpg_stats_close();
}

void wpg_stats_write(uint64_t began)
{
    char line[PIPE_BUF];
    counts now = {.when = wpg_now(), .frames = wpg_frames_presented()};
    if (!wpg_stats_on())
        return;
    wpg_totals_each(add_commands, &now);
    if (stats.last.when == 0)
        stats.last.when = began;
    line[0] = '\n';
    const int length = print(line + 1, sizeof line - 1, &now);
    stats.last = now;
    if (length > 0 && (size_t)length < sizeof line - 1 && open_file())
        put(stats.cut ? line : line + 1, (size_t)length + stats.cut);
}
