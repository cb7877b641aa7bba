/* The process's record. The library is linked so that dlclose keeps it (the loader closes it with the last
 * instance): counts, files and file locks last as long as the process. */
#include <unistd.h>

#include "layer/base/state.h"

wpg_process wpg_the_process = {
    .instances = WPG_HANDLES_INIT, .devices = WPG_HANDLES_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

bool wpg_process_is_owner(void)
{
    return wpg_the_process.pid == getpid();
}
