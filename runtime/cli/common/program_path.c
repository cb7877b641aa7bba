#include "runtime/cli/common/program_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cli/common/enable.h"

bool wpg_program_path(char path[PATH_MAX], const char *program)
{
    if (strchr(program, '/'))
        return realpath(program, path) != NULL;
    for (const char *at = wpg_environment_get("PATH"); *at;) {
        char candidate[PATH_MAX];
        int width = (int)strcspn(at, ":");
        if (snprintf(candidate, sizeof candidate, "%.*s/%s", width, at, program) < PATH_MAX &&
            access(candidate, X_OK) == 0 && realpath(candidate, path))
            return true;
        at += width + (at[width] == ':');
    }
    return false;
}
