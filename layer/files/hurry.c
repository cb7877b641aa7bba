#include "layer/files/hurry.h"

struct wpg_hurry wpg_hurry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool wake_for(bool *what)
{
    (void)pthread_mutex_lock(&wpg_hurry.lock);
    bool running = wpg_hurry.running;
    *what = running;
    if (running)
        (void)pthread_cond_broadcast(&wpg_hurry.wake);
    (void)pthread_mutex_unlock(&wpg_hurry.lock);
    return running;
}

bool wpg_writer_hurry(void)
{
    return wake_for(&wpg_hurry.hurried);
}

bool wpg_writer_retire(void)
{
    return wake_for(&wpg_hurry.retires);
}
