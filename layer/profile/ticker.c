#include "layer/profile/ticker.h"

#include <time.h>

#include "layer/base/clock.h"
#include "layer/base/state.h"
#include "layer/profile/stats.h"
#include "layer/profile/times.h"
#include "runtime/base/log.h"
#include "runtime/base/thread.h"

static struct {
    pthread_mutex_t lock; /* guards all */
    pthread_cond_t wake;
    bool made, running, stop;
    pthread_t thread; /* while running */
    uint64_t began;   /* set before the thread starts */
} ticker = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool wpg_ticker_wanted(void)
{
    return wpg_stats_on() || wpg_times_on();
}

static void act(void)
{
    wpg_stats_write(ticker.began);
    wpg_times_write();
}

static void *run(void *nothing)
{
    struct timespec next;
    (void)nothing;
    (void)clock_gettime(CLOCK_MONOTONIC, &next);
    (void)pthread_mutex_lock(&ticker.lock);
    while (!ticker.stop) {
        next.tv_sec++;
        while (!ticker.stop && pthread_cond_timedwait(&ticker.wake, &ticker.lock, &next) == 0)
            ;
        (void)pthread_mutex_unlock(&ticker.lock);
        act();
        (void)pthread_mutex_lock(&ticker.lock);
    }
    (void)pthread_mutex_unlock(&ticker.lock);
    wpg_stats_close();
    return NULL;
}

/* Under the lock. */
static bool make_condition(void)
{
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    ticker.made = ticker.made || pthread_cond_init(&ticker.wake, &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    return ticker.made;
}

void wpg_ticker_start(void)
{
    if (!wpg_ticker_wanted() || !wpg_process_is_owner())
        return;
    (void)pthread_mutex_lock(&ticker.lock);
    if (!ticker.running && make_condition()) {
        ticker.stop = false;
        ticker.began = wpg_now();
        ticker.running = wpg_thread_start(&ticker.thread, "wavepgo-ticker", run, NULL);
        if (!ticker.running)
            wpg_log_once(WPG_LOG_WARN, "no thread for STATS: nothing is written");
    }
    (void)pthread_mutex_unlock(&ticker.lock);
}

void wpg_ticker_stop(void)
{
    (void)pthread_mutex_lock(&ticker.lock);
    const bool running = ticker.running;
    const pthread_t ending = ticker.thread;
    ticker.running = false;
    ticker.stop = true;
    if (ticker.made)
        (void)pthread_cond_broadcast(&ticker.wake);
    (void)pthread_mutex_unlock(&ticker.lock);
    if (running)
        (void)pthread_join(ending, NULL);
}
