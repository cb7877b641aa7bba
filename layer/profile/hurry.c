#include "layer/profile/hurry.h"

struct wpg_hurry wpg_hurry = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool wpg_writer_hurry(void)
{
    (void)pthread_mutex_lock(&wpg_hurry.lock);
    bool running = wpg_hurry.running;
    wpg_hurry.hurried = running;
    if (running)
        (void)pthread_cond_broadcast(&wpg_hurry.wake);
    (void)pthread_mutex_unlock(&wpg_hurry.lock);
    return running;
}
