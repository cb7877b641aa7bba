/* See shim_times.h. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "tests/e2e/shim_times.h"

enum { UNBOUND = 4096 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static VkPipeline unbound[UNBOUND]; /* made, and not bound yet; further ones have no line of their bind */
static size_t unbound_count;

static void open_file(void)
{
    const char *path = getenv("SHIM_TIMES");
    file = path ? fopen(path, "ae") : NULL;
    if (file)
        (void)setvbuf(file, NULL, _IOLBF, BUFSIZ);
}

static bool is_on(void)
{
    pthread_once(&once, open_file);
    return file != NULL;
}

uint64_t shim_times_now(void)
{
    struct timespec now;
    if (!is_on())
        return 0;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double seconds(uint64_t nanoseconds)
{
    return (double)nanoseconds * 1e-9;
}

void shim_times_present(unsigned number)
{
    if (is_on())
        fprintf(file, "present %u %.6f\n", number, seconds(shim_times_now()));
}

void shim_times_pipelines(uint64_t begin, uint32_t count, const VkPipeline *pipelines)
{
    char thread[16] = "";
    if (!is_on())
        return;
    const uint64_t end = shim_times_now();
    (void)prctl(PR_GET_NAME, thread);
    for (char *c = thread; *c; c++)
        if (*c == ' ')
            *c = '_';
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < count; i++) {
        if (pipelines[i] == VK_NULL_HANDLE)
            continue;
        fprintf(file, "pipeline %llx %.6f %.6f %s\n", (unsigned long long)pipelines[i], seconds(begin),
                seconds(end), thread);
        if (unbound_count < UNBOUND)
            unbound[unbound_count++] = pipelines[i];
    }
    pthread_mutex_unlock(&lock);
}

void shim_times_bind(VkPipeline pipeline)
{
    if (!is_on())
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < unbound_count; i++)
        if (unbound[i] == pipeline) {
            unbound[i--] = unbound[--unbound_count]; /* a handle that is used again may stand there twice */
            fprintf(file, "bind %llx %.6f\n", (unsigned long long)pipeline, seconds(shim_times_now()));
        }
    pthread_mutex_unlock(&lock);
}
