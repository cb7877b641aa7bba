/* Finds the machine's render nodes, and which of them are AMD's. The kernel tells; no library is needed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/gpu/system.h"

static bool driven_by_amdgpu(int node)
{
    char name[32] = "";
    wpg_drm_version version = {.name = name, .name_length = sizeof name - 1};
    return ioctl(node, WPG_DRM_IOCTL_VERSION, &version) == 0 && strcmp(name, "amdgpu") == 0;
}

wpg_gpu_system wpg_gpu_this_system = {
    .library = "libdrm_amdgpu.so.1", .nodes = "/dev/dri", .is_amdgpu = driven_by_amdgpu};

/* libdrm complains on standard error of a node that is another driver's: it is only given amdgpu's. */
wpg_status wpg_gpu_open_node(int *node, uint32_t minor, const wpg_gpu_system *system, wpg_error *err)
{
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/renderD%u", system->nodes, minor);
    int opened = open(path, O_RDWR | O_CLOEXEC);
    if (opened < 0)
        return wpg_fail(err, errno == ENOENT ? WPG_E_NOT_FOUND : WPG_E_IO, "%s: %s", path, strerror(errno));
    if (!system->is_amdgpu(opened)) {
        (void)close(opened);
        return wpg_fail(err, WPG_E_NOT_FOUND, "%s is not of an AMD GPU", path);
    }
    *node = opened;
    return WPG_OK;
}

void wpg_gpu_pci_address(char *address, size_t size, int node)
{
    static const char key[] = "PCI_SLOT_NAME=";
    struct stat of;
    char path[64], text[1024];
    address[0] = '\0';
    if (fstat(node, &of) != 0 || !S_ISCHR(of.st_mode))
        return;
    (void)snprintf(path, sizeof path, "/sys/dev/char/%u:%u/device/uevent", major(of.st_rdev),
                   minor(of.st_rdev));
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t length = read(file, text, sizeof text - 1);
    (void)close(file);
    text[length > 0 ? length : 0] = '\0';
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, sizeof key - 1) == 0) {
            size_t end = strcspn(line + sizeof key - 1, "\n");
            if (end < size) {
                memcpy(address, line + sizeof key - 1, end);
                address[end] = '\0';
            }
            return;
        }
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

size_t wpg_gpu_minors_in(uint32_t *minors, size_t most, const wpg_gpu_system *system, wpg_error *shut)
{
    size_t count = 0;
    DIR *folder = opendir(system->nodes);
    if (shut)
        *shut = (wpg_error){.status = WPG_OK};
    if (!folder)
        return 0;
    for (const struct dirent *entry; count < most && (entry = readdir(folder));) {
        unsigned minor;
        char rest;
        int node;
        wpg_error err;
        if (sscanf(entry->d_name, "renderD%3u%c", &minor, &rest) != 1)
            continue;
        wpg_status status = wpg_gpu_open_node(&node, minor, system, &err);
        if (status == WPG_OK) {
            (void)close(node);
            minors[count++] = minor;
        } else if (status != WPG_E_NOT_FOUND && shut && shut->status == WPG_OK) {
            *shut = err;
        }
    }
    (void)closedir(folder);
    qsort(minors, count, sizeof *minors, by_number);
    return count;
}

size_t wpg_gpu_minors(uint32_t *minors, size_t most, wpg_error *shut)
{
    return wpg_gpu_minors_in(minors, most, &wpg_gpu_this_system, shut);
}
