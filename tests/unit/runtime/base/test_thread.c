/* Threads of ours: named, blind to the program's signals, open to faults, and behind the program's where they
 * step back; the caller's mask and pace stay as they were. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

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

typedef struct pace {
    bool idle; /* it is an idle thread before it steps back */
    int policy, nice;
} pace;

static void *step_back(void *argument)
{
    pace *out = argument;
    const struct sched_param none = {0};
    if (out->idle)
        (void)sched_setscheduler(0, SCHED_IDLE, &none);
    wpg_thread_step_back();
    out->policy = sched_getscheduler(0);
    out->nice = getpriority(PRIO_PROCESS, 0);
    return NULL;
}

static void behind_the_program(void **state)
{
    (void)state;
    const int policy = sched_getscheduler(0), nice = getpriority(PRIO_PROCESS, 0);
    for (int idle = 0; idle < 2; idle++) {
        pace found = {.idle = idle};
        pthread_t thread;
        assert_true(wpg_thread_start(&thread, "wavepgo-test", step_back, &found));
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(found.policy, idle ? SCHED_IDLE : SCHED_BATCH);
        assert_int_equal(found.nice, nice + 10 < 19 ? nice + 10 : 19);
    }
    assert_int_equal(sched_getscheduler(0), policy); /* of that thread alone */
    assert_int_equal(getpriority(PRIO_PROCESS, 0), nice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(masked_and_named),
                                       cmocka_unit_test(behind_the_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
