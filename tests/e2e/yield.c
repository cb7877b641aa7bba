/* Preloaded into a program under the layer: whoever gives a lock of the layer back sleeps a little, so that a
 * thread that waits for it goes first. What two steps under one lock would have kept together comes apart.
 * YIELD_COUNT names a file that is there once that happened. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void note(void)
{
    static atomic_bool noted;
    const char *path = getenv("YIELD_COUNT");
    if (!path || atomic_exchange(&noted, true))
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd >= 0 && write(fd, "seen\n", 5) == 5)
        close(fd);
}

__attribute__((visibility("default"))) int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static int (*next)(pthread_mutex_t *);
    Dl_info info;
    if (!next) {
        void *symbol = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
        memcpy(&next, &symbol, sizeof next);
    }
    int result = next(mutex);
    if (dladdr(__builtin_return_address(0), &info) && info.dli_fname &&
        strstr(info.dli_fname, "libVkLayer_wavepgo")) {
        const struct timespec pause = {.tv_nsec = 2000000};
        note();
        (void)nanosleep(&pause, NULL);
    }
    return result;
}
