/* wavepgo isa: starts wavepgo-isa, which needs LLVM 22. wavepgo-isa stands beside this program if LLVM 22 was
 * there when wavepgo was built. */
#include <string.h>
#include <unistd.h>

#include "runtime/cli/common/command.h"

static const char command_name[] = "isa";

#ifdef WPG_AMDGPU
#define NOT_THERE                                                                                            \
    "%s is not there: wavepgo was built with it (target wavepgo-isa); install both in one folder"
#else
#define NOT_THERE                                                                                            \
    "%s is not there: wavepgo was built where LLVM 22's development files (Debian: llvm-22-dev) are not; "   \
    "install them and build anew"
#endif

int wpg_command_isa(int argc, char **argv)
{
    char path[4096];
    (void)argc;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "-isa");
    if (length <= 0)
        return wpg_complain(WPG_EXIT_FAILED, command_name,
                            "cannot read /proc/self/exe: the place of wavepgo-isa is unknown");
    memcpy(path + length, "-isa", sizeof "-isa");
    if (access(path, X_OK) != 0)
        return wpg_complain(WPG_EXIT_FAILED, command_name, NOT_THERE, path);
    (void)execv(path, argv);
    return wpg_complain(WPG_EXIT_FAILED, command_name,
                        "%s cannot be started: is LLVM 22's library installed (Debian: libllvm22)?", path);
}
