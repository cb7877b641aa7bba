/* The request by which the `wavepgo` command has the layer make profiles of what killed runs left.
 *
 * The request stands behind the VkNegotiateLayerInterface of vkNegotiateLoaderLayerInterfaceVersion, the
 * layer's one exported symbol. The layer answers in the request and does nothing else: it loads no settings.
 *
 * Owns: nothing; the request and its strings are the caller's.
 * Threads: one request, one thread. */
#ifndef WPG_RUNTIME_COUNTERS_RECOVER_H
#define WPG_RUNTIME_COUNTERS_RECOVER_H

#include <stddef.h>

#include "runtime/base/error.h"

#define WPG_RECOVER_MAGIC 0x57504752 /* as the structure's sType */

typedef struct wpg_recover_request {
    int type;
    void *next;
    const char *folder;
    size_t runs, left; /* answered: killed runs that are profiles now; that could not be made into some */
    size_t profiles;   /* answered: files written */
    wpg_error why;     /* answered: of the last one left */
} wpg_recover_request;

#define WPG_LIVE_PREFIX "wavepgo-"
#define WPG_LIVE_ENDING ".live" /* journals, see layer/profile/live.h */

#endif
