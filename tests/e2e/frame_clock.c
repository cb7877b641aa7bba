/* A preloaded clock for the tests: what the program itself reads (not its libraries, nor the driver) moves on
 * by 10 milliseconds a reading, so that a program that animates by the clock draws the same frames in every
 * run, however long they take:
 *
 *     LD_PRELOAD=.../libwavepgo_test_frame_clock.so glmark2 ...
 *
 * Any thread may read it.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

enum { START_SECONDS = 1000000000 };

static uintptr_t program_start, program_end;
static atomic_uint readings;

/* The program comes first. */
static int note_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        program_start = info->dlpi_addr + segment->p_vaddr;
        program_end = program_start + segment->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void find_program(void)
{
    dl_iterate_phdr(note_program, NULL);
}

static bool is_program(const void *caller)
{
    return (uintptr_t)caller >= program_start && (uintptr_t)caller < program_end;
}

static struct timespec next_reading(void)
{
    unsigned n = atomic_fetch_add(&readings, 1);
    return (struct timespec){.tv_sec = (time_t)(START_SECONDS + n / 100),
                             .tv_nsec = (long)(n % 100) * 10000000};
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    if (is_program(__builtin_return_address(0))) {
        *now = next_reading();
        return 0;
    }
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, now);
}

__attribute__((visibility("default"))) int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    static int (*real)(struct timeval *restrict, void *restrict);
    if (is_program(__builtin_return_address(0))) {
        struct timespec reading = next_reading();
        *now = (struct timeval){.tv_sec = reading.tv_sec, .tv_usec = reading.tv_nsec / 1000};
        return 0;
    }
    if (!real)
        real = (int (*)(struct timeval *restrict, void *restrict))dlsym(RTLD_NEXT, "gettimeofday");
    return real(now, zone);
}
