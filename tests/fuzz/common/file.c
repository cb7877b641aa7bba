/* A file in memory that a reader can open by its path. */
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/common/fuzz.h"

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[64];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        fuzz_check(file >= 0, "no file in memory");
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    fuzz_check(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size, "file in memory");
    return path;
}
