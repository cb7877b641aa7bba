#include "layer/base/gate.h"

#include <pthread.h>

#include "layer/base/state.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t left;
    int64_t inside;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static int64_t places(void)
{
    return wpg_the_process.settings.compile_threads;
}

/* Under the lock. */
static void wait_for_place(void)
{
    while (gate.inside >= places())
        (void)pthread_cond_wait(&gate.left, &gate.lock);
}

void wpg_gate_enter(void)
{
    if (places() == 0)
        return;
    (void)pthread_mutex_lock(&gate.lock);
    wait_for_place();
    gate.inside++;
    (void)pthread_mutex_unlock(&gate.lock);
}

void wpg_gate_leave(void)
{
    if (places() == 0)
        return;
    (void)pthread_mutex_lock(&gate.lock);
    gate.inside--;
    (void)pthread_cond_signal(&gate.left);
    (void)pthread_mutex_unlock(&gate.lock);
}

void wpg_gate_wait(void)
{
    if (places() == 0)
        return;
    (void)pthread_mutex_lock(&gate.lock);
    wait_for_place();
    (void)pthread_cond_signal(&gate.left); /* the signal goes on to a thread that takes the place */
    (void)pthread_mutex_unlock(&gate.lock);
}
