/* A new thread inherits the signal mask. So the mask is set around pthread_create: no signal meets the thread
 * before its mask stands. */
#include "runtime/base/thread.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

bool wpg_thread_start(pthread_t *thread, const char *name, void *(*run)(void *argument), void *argument)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t blocked, before;
    (void)sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        (void)sigdelset(&blocked, faults[i]);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    bool started = pthread_create(thread, NULL, run, argument) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        (void)pthread_setname_np(*thread, name);
    return started;
}

void wpg_thread_step_back(void)
{
    enum { STEP = 10 };
    const struct sched_param none = {0};
    if (sched_getscheduler(0) != SCHED_IDLE) /* from there SCHED_BATCH would be a step forward */
        (void)sched_setscheduler(0, SCHED_BATCH, &none);
    (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + STEP);
}
