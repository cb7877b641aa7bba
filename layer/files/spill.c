#include "layer/files/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/descriptor.h"
#include "runtime/base/file.h"

/* A file without a name in that folder; -1 with errno. Its name in between ends as the sweep of temporary
 * files knows them (file_batch.h). */
static int open_nameless(const char *folder)
{
    char path[4352];
    int file = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    (void)snprintf(path, sizeof path, "%s/spill.profraw.tmp.XXXXXX", folder);
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        (void)unlink(path);
    return file;
}

static wpg_status open_beside(wpg_spill *spill, const char *path, wpg_error *err)
{
    char folder[4200];
    const char *slash = strrchr(path, '/');
    const int length = slash == path ? 1 : slash ? (int)(slash - path) : 0;
    (void)snprintf(folder, sizeof folder, "%.*s", length, path);
    if (length)
        WPG_TRY(wpg_make_folders(folder, err));
    spill->file = open_nameless(length ? folder : ".");
    return spill->file >= 0
               ? WPG_OK
               : wpg_fail(err, WPG_E_IO, "no file can be made in %s: %s", folder, strerror(errno));
}

wpg_status wpg_spill_add(wpg_spill *spill, const char *path, const wpg_profile *records,
                         wpg_profile_format format, wpg_error *err)
{
    uint8_t *data = NULL;
    size_t size = 0;
    if (!spill->size)
        WPG_TRY(open_beside(spill, path, err));
    wpg_status status = wpg_profile_encode(&data, &size, records, format, err);
    if (status == WPG_OK &&
        (lseek(spill->file, (off_t)spill->size, SEEK_SET) < 0 || !wpg_write_all(spill->file, data, size)))
        status = wpg_fail(err, WPG_E_IO, "%s", strerror(errno));
    free(data);
    if (status == WPG_OK)
        spill->size += size;
    else if (spill->size) /* what was written in part gives its space back */
        (void)ftruncate(spill->file, (off_t)spill->size);
    else
        (void)close(spill->file);
    return status;
}

wpg_status wpg_spill_read(wpg_profile *profile, const wpg_spill *spill, wpg_error *err)
{
    if (!spill->size)
        return WPG_OK;
    struct stat info;
    if (fstat(spill->file, &info) != 0 || (uint64_t)info.st_size < spill->size) /* else SIGBUS */
        return wpg_fail(err, WPG_E_IO, "counts of destroyed pipelines were cut");
    void *bytes = spill->size <= SIZE_MAX
                      ? mmap(NULL, (size_t)spill->size, PROT_READ, MAP_PRIVATE, spill->file, 0)
                      : MAP_FAILED;
    if (bytes == MAP_FAILED)
        return wpg_fail(err, WPG_E_IO, "counts of destroyed pipelines cannot be read: %s", strerror(errno));
    wpg_status status = wpg_profile_read_memory(profile, NULL, bytes, (size_t)spill->size, err);
    (void)munmap(bytes, (size_t)spill->size);
    return status;
}

void wpg_spill_clear(wpg_spill *spill)
{
    if (spill->size)
        (void)close(spill->file);
    spill->size = 0;
}
