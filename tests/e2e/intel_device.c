/* An Intel GPU that is none, for Mesa's Intel driver: it makes devices and compiles, nothing is run.
 *
 *     LD_PRELOAD="intel_device.so libnouveau_noop_drm_shim.so" WPG_INTEL_DEVICE=9a49 PROGRAM
 *
 * Debian's mesa-drm-shim has a made-up render node, its memory and the requests that all kernel drivers
 * share, but no Intel device. This library stands before that of Nouveau: it answers what the i915 driver
 * would (linux/include/uapi/drm/i915_drm.h), and gives out the other's memory. Threads: any; a
 * buffer's entry is its creator's until it has the handle. */
#define _GNU_SOURCE 1  /* RTLD_NEXT, memfd_create */
#undef _FORTIFY_SOURCE /* it would make inline functions of some that are defined here */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <libdrm/drm.h>
#include <libdrm/i915_drm.h>
#include <libdrm/nouveau_drm.h>

enum { HANDLES = 1 << 16 };

/* Of Mesa's table of devices (src/intel/dev/intel_device_info.c): what the driver asks the kernel for. */
typedef struct wpg_intel_gpu {
    uint32_t id, slices, subslices, units; /* subslices of a slice, execution units of a subslice */
    bool has_memory;                       /* of its own */
} wpg_intel_gpu;
static const wpg_intel_gpu gpus[] = {
    {0x9a49, 1, 6, 16, false}, /* Tiger Lake */
    {0x56a0, 8, 4, 16, true},  /* Arc A770 */
    {0x1912, 1, 3, 8, false},  /* Skylake */
    {0x7d55, 1, 8, 16, false}, /* Meteor Lake */
};

static const wpg_intel_gpu *gpu_of(void)
{
    const char *text = getenv("WPG_INTEL_DEVICE");
    const uint32_t id = text ? (uint32_t)strtoul(text, NULL, 16) : gpus[0].id;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        if (gpus[i].id == id)
            return &gpus[i];
    (void)fprintf(stderr, "intel_device: no device %s\n", text);
    _exit(1); /* not another device in its place: a test would be of that one */
}

/* By handle. The driver opens the node more than once, but its buffers are of one. */
static uint64_t sizes[HANDLES], offsets[HANDLES];

/* The function of the library behind this one, or of the C library itself. */
static void *function_of(const char *name, bool next)
{
    void *library = next ? RTLD_NEXT : dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    return dlsym(library, name);
}

static int next_ioctl(int fd, unsigned long request, void *data)
{
    typedef int function(int, unsigned long, ...);
    static function *found;
    if (!found)
        found = (function *)(uintptr_t)function_of("ioctl", true);
    return found(fd, request, data);
}

static int fails(int code)
{
    errno = code;
    return -1;
}

/* -- Memory, the other library's ------------------------------------------------------------------------ */

static int create(int fd, uint64_t size, uint32_t *handle)
{
    struct drm_nouveau_gem_new request = {.info.size = size};
    if (next_ioctl(fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW, struct drm_nouveau_gem_new),
                   &request) != 0)
        return -1;
    if (request.info.handle >= HANDLES)
        return fails(ENOMEM);
    *handle = request.info.handle;
    sizes[*handle] = size;
    offsets[*handle] = request.info.map_handle;
    return 0;
}

/* -- What the device is --------------------------------------------------------------------------------- */

static int get_param(struct drm_i915_getparam *request)
{
    const wpg_intel_gpu *gpu = gpu_of();
    int value = 1;
    switch (request->param) {
    case I915_PARAM_CHIPSET_ID:
        value = (int)gpu->id;
        break;
    case I915_PARAM_REVISION:
        value = 0;
        break;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
        value = 19200000;
        break;
    case I915_PARAM_HAS_ALIASING_PPGTT:
        value = I915_GEM_PPGTT_FULL;
        break;
    case I915_PARAM_MMAP_VERSION:
    case I915_PARAM_MMAP_GTT_VERSION:
        value = 4;
        break;
    case I915_PARAM_CMD_PARSER_VERSION:
        value = 10;
        break;
    case I915_PARAM_SUBSLICE_TOTAL:
        value = (int)(gpu->slices * gpu->subslices);
        break;
    case I915_PARAM_EU_TOTAL:
        value = (int)(gpu->slices * gpu->subslices * gpu->units);
        break;
    case I915_PARAM_SLICE_MASK:
        value = (1 << gpu->slices) - 1;
        break;
    case I915_PARAM_SUBSLICE_MASK:
        value = (1 << gpu->subslices) - 1;
        break;
    case I915_PARAM_PERF_REVISION:
        value = 3;
        break;
    default:
        break;
    }
    *request->value = value;
    return 0;
}

static int32_t topology(void *to)
{
    const wpg_intel_gpu *gpu = gpu_of();
    struct drm_i915_query_topology_info *info = to;
    const uint32_t per_unit = (gpu->units + 7) / 8;
    const uint32_t eu_offset = 1 + gpu->slices;
    const size_t length = sizeof *info + eu_offset + (size_t)gpu->slices * gpu->subslices * per_unit;
    if (!to)
        return (int32_t)length;
    memset(info, 0, length);
    info->max_slices = (uint16_t)gpu->slices;
    info->max_subslices = (uint16_t)gpu->subslices;
    info->max_eus_per_subslice = (uint16_t)gpu->units;
    info->subslice_offset = 1;
    info->subslice_stride = 1;
    info->eu_offset = (uint16_t)eu_offset;
    info->eu_stride = (uint16_t)per_unit;
    info->data[0] = (uint8_t)((1u << gpu->slices) - 1);
    memset(info->data + 1, (int)((1u << gpu->subslices) - 1), gpu->slices);
    memset(info->data + eu_offset, 0xff, (size_t)gpu->slices * gpu->subslices * per_unit);
    return (int32_t)length;
}

static int32_t engines(void *to)
{
    enum { ENGINES = 2 };
    struct drm_i915_query_engine_info *info = to;
    const size_t length = sizeof *info + ENGINES * sizeof info->engines[0];
    if (!to)
        return (int32_t)length;
    memset(info, 0, length);
    info->num_engines = ENGINES;
    info->engines[0].engine.engine_class = I915_ENGINE_CLASS_RENDER;
    info->engines[1].engine.engine_class = I915_ENGINE_CLASS_COPY;
    return (int32_t)length;
}

static int32_t regions(void *to)
{
    const wpg_intel_gpu *gpu = gpu_of();
    struct drm_i915_query_memory_regions *info = to;
    const uint32_t count = gpu->has_memory ? 2 : 1;
    const size_t length = sizeof *info + count * sizeof info->regions[0];
    if (!to)
        return (int32_t)length;
    memset(info, 0, length);
    info->num_regions = count;
    info->regions[0].region.memory_class = I915_MEMORY_CLASS_SYSTEM;
    if (gpu->has_memory)
        info->regions[1].region.memory_class = I915_MEMORY_CLASS_DEVICE;
    for (uint32_t i = 0; i < count; i++) {
        info->regions[i].probed_size = UINT64_C(4) << 30;
        info->regions[i].unallocated_size = UINT64_C(4) << 30;
    }
    return (int32_t)length;
}

static int query(struct drm_i915_query *request)
{
    struct drm_i915_query_item *items = (struct drm_i915_query_item *)(uintptr_t)request->items_ptr;
    for (uint32_t i = 0; i < request->num_items; i++) {
        struct drm_i915_query_item *item = &items[i];
        int32_t (*answer)(void *) = NULL;
        switch (item->query_id) {
        case DRM_I915_QUERY_TOPOLOGY_INFO:
        case DRM_I915_QUERY_GEOMETRY_SUBSLICES:
            answer = topology;
            break;
        case DRM_I915_QUERY_ENGINE_INFO:
            answer = engines;
            break;
        case DRM_I915_QUERY_MEMORY_REGIONS:
            answer = regions;
            break;
        default:
            break;
        }
        if (!answer) {
            item->length = -EINVAL;
            continue;
        }
        const int32_t length = answer(NULL);
        if (item->length != 0 && item->length < length)
            item->length = -EINVAL;
        else
            item->length = item->length == 0 ? length : answer((void *)(uintptr_t)item->data_ptr);
    }
    return 0;
}

/* -- Requests ------------------------------------------------------------------------------------------- */

static int version(int fd, unsigned long request, struct drm_version *asked)
{
    static const char name[] = "i915";
    const size_t room = asked->name_len;
    const int status = next_ioctl(fd, request, asked);
    if (asked->name)
        memcpy(asked->name, name, room < sizeof name - 1 ? room : sizeof name - 1);
    asked->name_len = sizeof name - 1;
    return status;
}

static int context_param(struct drm_i915_gem_context_param *request)
{
    request->value = request->param == I915_CONTEXT_PARAM_GTT_SIZE ? UINT64_C(1) << 48 : 0;
    return 0;
}

static int aperture(struct drm_i915_gem_get_aperture *request)
{
    request->aper_size = request->aper_available_size = UINT64_C(1) << 48;
    return 0;
}

static int i915(int fd, unsigned long request, void *data)
{
    switch (_IOC_NR(request) - DRM_COMMAND_BASE) {
    case DRM_I915_GETPARAM:
        return get_param(data);
    case DRM_I915_QUERY:
        return query(data);
    case DRM_I915_GEM_CREATE:
    case DRM_I915_GEM_CREATE_EXT: {
        struct drm_i915_gem_create *made = data; /* which the extended form begins with */
        return create(fd, made->size, &made->handle);
    }
    case DRM_I915_GEM_USERPTR: {
        struct drm_i915_gem_userptr *made = data;
        return create(fd, made->user_size, &made->handle);
    }
    case DRM_I915_GEM_MMAP_GTT: {
        struct drm_i915_gem_mmap_offset *mapped = data;
        mapped->offset = offsets[mapped->handle % HANDLES];
        return 0;
    }
    case DRM_I915_GEM_MMAP: {
        struct drm_i915_gem_mmap *mapped = data;
        void *at = mmap64(NULL, sizes[mapped->handle % HANDLES], PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                          (off64_t)offsets[mapped->handle % HANDLES]);
        if (at == MAP_FAILED)
            return -1;
        mapped->addr_ptr = (uintptr_t)at + mapped->offset;
        return 0;
    }
    case DRM_I915_GEM_CONTEXT_CREATE:
        ((struct drm_i915_gem_context_create *)data)->ctx_id = 1;
        return 0;
    case DRM_I915_GEM_VM_CREATE:
        ((struct drm_i915_gem_vm_control *)data)->vm_id = 1;
        return 0;
    case DRM_I915_GEM_CONTEXT_GETPARAM:
        return context_param(data);
    case DRM_I915_GEM_GET_APERTURE:
        return aperture(data);
    case DRM_I915_GEM_SET_TILING:
        ((struct drm_i915_gem_set_tiling *)data)->swizzle_mode = 0;
        return 0;
    case DRM_I915_GEM_GET_TILING: {
        struct drm_i915_gem_get_tiling *told = data;
        told->tiling_mode = told->swizzle_mode = told->phys_swizzle_mode = 0;
        return 0;
    }
    case DRM_I915_REG_READ:
        ((struct drm_i915_reg_read *)data)->val = 0;
        return 0;
    case DRM_I915_GEM_BUSY:
        ((struct drm_i915_gem_busy *)data)->busy = 0;
        return 0;
    default:
        return 0; /* submissions, waits, caching, destruction */
    }
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list rest;
    va_start(rest, request);
    void *data = va_arg(rest, void *);
    va_end(rest);
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return next_ioctl(fd, request, data);
    if (request == DRM_IOCTL_VERSION)
        return version(fd, request, data);
    if (_IOC_NR(request) >= DRM_COMMAND_BASE && _IOC_NR(request) < DRM_COMMAND_END)
        return i915(fd, request, data);
    return next_ioctl(fd, request, data);
}

/* -- Files about the device ------------------------------------------------------------------------------ */

/* What the file says of the device in place of the other library's; false: another file. */
static bool told_of(const char *path, char *text, size_t room)
{
    static const char bus[] = "/sys/dev/char/226:";
    const char *end = strrchr(path, '/');
    if (strncmp(path, bus, sizeof bus - 1) != 0 || !end)
        return false;
    if (strcmp(end, "/vendor") == 0 || strcmp(end, "/subsystem_vendor") == 0)
        (void)snprintf(text, room, "0x8086\n");
    else if (strcmp(end, "/device") == 0 || strcmp(end, "/subsystem_device") == 0)
        (void)snprintf(text, room, "0x%04x\n", gpu_of()->id);
    else
        return false;
    return true;
}

static int file_of(const char *text)
{
    const int fd = memfd_create("device", MFD_CLOEXEC);
    const size_t length = strlen(text);
    if (fd >= 0 && (write(fd, text, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET) != 0)) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

FILE *fopen(const char *path, const char *mode)
{
    char text[32];
    if (told_of(path, text, sizeof text)) {
        const int fd = file_of(text);
        return fd < 0 ? NULL : fdopen(fd, "r");
    }
    typedef FILE *function(const char *, const char *);
    return ((function *)(uintptr_t)function_of("fopen", true))(path, mode);
}
FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

int open(const char *path, int flags, ...)
{
    char text[32];
    va_list rest;
    va_start(rest, flags);
    const unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    if (told_of(path, text, sizeof text))
        return file_of(text);
    typedef int function(const char *, int, ...);
    return ((function *)(uintptr_t)function_of("open", true))(path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

/* -- Folders: the other library has let go of its list when the layer reads one at the program's end ---- */

enum { FOLDERS = 16 };
static DIR *devices[FOLDERS]; /* open folders with the made-up node */

static DIR **place_of(DIR *folder)
{
    for (unsigned i = 0; i < FOLDERS; i++)
        if (devices[i] == folder)
            return &devices[i];
    return NULL;
}

DIR *opendir(const char *path)
{
    typedef DIR *function(const char *);
    const bool is_device = strncmp(path, "/dev/dri", sizeof "/dev/dri" - 1) == 0;
    DIR *folder = ((function *)(uintptr_t)function_of("opendir", is_device))(path);
    DIR **place = is_device && folder ? place_of(NULL) : NULL;
    if (place)
        *place = folder;
    return folder;
}

struct dirent *readdir(DIR *folder)
{
    typedef struct dirent *function(DIR *);
    return ((function *)(uintptr_t)function_of("readdir", place_of(folder)))(folder);
}

struct dirent64 *readdir64(DIR *folder)
{
    typedef struct dirent64 *function(DIR *);
    return ((function *)(uintptr_t)function_of("readdir64", place_of(folder)))(folder);
}

int closedir(DIR *folder)
{
    typedef int function(DIR *);
    DIR **place = place_of(folder);
    if (place)
        *place = NULL;
    return ((function *)(uintptr_t)function_of("closedir", place))(folder);
}
