#define _GNU_SOURCE
#include "shaders/real/program.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

uint32_t bench_environment_number(const char *name, uint32_t otherwise, uint32_t most)
{
    const char *text = getenv(name);
    const unsigned long n = text ? strtoul(text, NULL, 10) : otherwise;
    return n < 1 ? 1 : n < most ? (uint32_t)n : most;
}

static bool clock_is(const char *name)
{
    const char *clock = getenv("CLOCK");
    return clock && strcmp(clock, name) == 0;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(clock_is("wall") ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void bench_clock_start(bench_clock *c)
{
    c->began_ns = now_ns();
}

wpg_status bench_clock_add(double *us, const bench_clock *c, const bench_device *dev, wpg_error *err)
{
    double ms;
    if (!clock_is("gpu")) {
        *us += (double)(now_ns() - c->began_ns) / 1e3;
        return WPG_OK;
    }
    if (!dev->queries)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "CLOCK=gpu: this device has no timestamps");
    WPG_TRY(bench_timer_read(&ms, dev, err));
    *us += ms * 1e3;
    return WPG_OK;
}
