/* Where the machine's own software driver (lavapipe) has its manifest. Owns nothing. Threads: one, for the
 * static buffer. */
#ifndef WPG_TESTS_SUPPORT_DRIVER_H
#define WPG_TESTS_SUPPORT_DRIVER_H

#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The manifest's path, NULL if it is not installed. Debian 12 names the CPU family in it, Debian 13 does not.
 */
static inline const char *system_software_driver(void)
{
    static char path[128];
    struct utsname machine;
    if (uname(&machine) == 0) {
        (void)snprintf(path, sizeof path, "/usr/share/vulkan/icd.d/lvp_icd.%.32s.json", machine.machine);
        if (access(path, R_OK) == 0)
            return path;
    }
    (void)snprintf(path, sizeof path, "/usr/share/vulkan/icd.d/lvp_icd.json");
    return access(path, R_OK) == 0 ? path : NULL;
}

#endif
