#include "layer/base/place.h"

#include <stdio.h>

#include "layer/base/state.h"
#include "runtime/base/log.h"
#include "runtime/config/pattern.h"

bool wpg_place(char path[WPG_PLACE], const char *key, const char *pattern)
{
    char expanded[4096];
    wpg_error err;
    wpg_status status = wpg_pattern_expand(expanded, sizeof expanded, pattern, NULL, &err);
    if (status == WPG_OK) {
        const bool whole = expanded[0] == '/';
        (void)snprintf(path, WPG_PLACE, "%s%s%s", whole ? "" : wpg_the_process.folder, whole ? "" : "/",
                       expanded);
        return true;
    }
    wpg_log_once(WPG_LOG_WARN, "%s: %s", key, err.message);
    return false;
}
