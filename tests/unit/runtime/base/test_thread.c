/* Threads of ours: named, blind to the program's signals, open to faults; the caller's mask stays as it was.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "runtime/base/thread.h"
#include "tests/unit/runtime/base/base_test.h"

typedef struct seen {
    sigset_t blocked;
    pthread_mutex_t named; /* held by the caller until the name is there */
    char name[16];
} seen;

static void *look(void *argument)
{
    seen *out = argument;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &out->blocked);
    (void)pthread_mutex_lock(&out->named);
    (void)pthread_getname_np(pthread_self(), out->name, sizeof out->name);
    (void)pthread_mutex_unlock(&out->named);
    return NULL;
}

static void masked_and_named(void **state)
{
    (void)state;
    seen found = {.named = PTHREAD_MUTEX_INITIALIZER};
    sigset_t mine, before, after;
    pthread_t thread;
    (void)sigemptyset(&mine);
    (void)sigaddset(&mine, SIGUSR2);
    (void)pthread_sigmask(SIG_SETMASK, &mine, &before);
    (void)pthread_mutex_lock(&found.named);
    assert_true(wpg_thread_start(&thread, "wavepgo-test", look, &found));
    (void)pthread_mutex_unlock(&found.named);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)pthread_sigmask(SIG_SETMASK, &before, &after);
    assert_string_equal(found.name, "wavepgo-test");
    for (int *s = (int[]){SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGUSR2, SIGPROF, 0}; *s; s++)
        assert_int_equal(sigismember(&found.blocked, *s), 1);
    for (int *s = (int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, 0}; *s; s++)
        assert_int_equal(sigismember(&found.blocked, *s), 0);
    assert_int_equal(sigismember(&after, SIGUSR2), 1);
    assert_int_equal(sigismember(&after, SIGUSR1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(masked_and_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
