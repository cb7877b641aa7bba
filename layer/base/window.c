#include "layer/base/window.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "layer/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/config/pattern.h"
#include "runtime/config/values.h"

static const uint64_t look_every = UINT64_C(100000000); /* ns between looks for the file */

static struct {
    bool frames, trigger; /* which settings there are */
    uint64_t first, last;
    char path[4096];
    atomic_uint_fast64_t frame;  /* the one that runs, from 1 */
    atomic_uint_fast64_t looked; /* when the file was looked for last, by wpg_now */
    atomic_bool there;           /* the file */
    atomic_bool open, counted;
} window = {.frame = 1};

/* Whether both conditions hold; says so where that changed. */
static void judge(void)
{
    uint64_t frame = atomic_load_explicit(&window.frame, memory_order_relaxed);
    bool open = (!window.frames || (frame >= window.first && frame <= window.last)) &&
                (!window.trigger || atomic_load_explicit(&window.there, memory_order_relaxed));
    if (atomic_exchange_explicit(&window.open, open, memory_order_relaxed) != open && wpg_window_exists())
        wpg_log_info("frame %llu: counting %s", (unsigned long long)frame, open ? "starts" : "stops");
}

static void look(uint64_t now)
{
    atomic_store_explicit(&window.looked, now, memory_order_relaxed);
    atomic_store_explicit(&window.there, access(window.path, F_OK) == 0, memory_order_relaxed);
}

void wpg_window_set_up(const char *frames, const char *trigger, const char *folder)
{
    char expanded[2048];
    wpg_error err;
    window.frames = window.trigger = false;
    if (*frames) {
        window.frames = wpg_frames_parse(&window.first, &window.last, frames);
        if (!window.frames)
            wpg_log_once(WPG_LOG_WARN,
                         "setting ignored: FRAMES: '%s' is no range of frames, such as 100-200, from 1",
                         frames);
    }
    if (*trigger) {
        int length = -1;
        if (wpg_pattern_expand(expanded, sizeof expanded, trigger, NULL, &err) == WPG_OK)
            length = snprintf(window.path, sizeof window.path, "%s%s%s", *expanded == '/' ? "" : folder,
                              *expanded == '/' ? "" : "/", expanded);
        window.trigger = length > 0 && (size_t)length < sizeof window.path;
        if (!window.trigger)
            wpg_log_once(WPG_LOG_WARN, "setting ignored: TRIGGER: the file name is too long");
        else
            look(wpg_now());
    }
    judge();
}

bool wpg_window_exists(void)
{
    return window.frames || window.trigger;
}

bool wpg_window_open(void)
{
    return atomic_load_explicit(&window.open, memory_order_relaxed);
}

void wpg_window_counted(void)
{
    if (!atomic_load_explicit(&window.counted, memory_order_relaxed))
        atomic_store_explicit(&window.counted, true, memory_order_relaxed);
}

void wpg_window_frame(void)
{
    if (!wpg_window_exists())
        return;
    (void)atomic_fetch_add_explicit(&window.frame, 1, memory_order_relaxed);
    judge();
}

void wpg_window_poll(void)
{
    if (!window.trigger)
        return;
    uint64_t now = wpg_now();
    if (now - atomic_load_explicit(&window.looked, memory_order_relaxed) < look_every)
        return;
    look(now);
    judge();
}

void wpg_window_finish(void)
{
    uint64_t frame = atomic_load(&window.frame);
    if (!wpg_window_exists() || atomic_load(&window.counted))
        return;
    if (window.frames && frame == 1)
        wpg_log_warn("FRAMES: nothing was counted: the program presented nothing, all of it was frame 1");
    else if (window.frames && frame <= window.first)
        wpg_log_warn("FRAMES: nothing was counted: the program ended in frame %llu",
                     (unsigned long long)frame);
    else
        wpg_log_warn("nothing was counted: no command buffer was recorded while counting was on (programs "
                     "that record once and submit often are counted without FRAMES and TRIGGER)");
}
