/* Opens a GPU, and tells its identity and its sensors. See gpu.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/gpu/internal.h"
#include "runtime/gpu/targets.h"

static void close_parts(wpg_gpu *gpu)
{
    if (gpu->device)
        (void)gpu->library.device_deinitialize(gpu->device);
    wpg_drm_library_close(&gpu->library);
    (void)close(gpu->node);
}

static wpg_status identify(wpg_gpu *gpu, wpg_error *err)
{
    wpg_gpu_info *info = &gpu->info;
    wpg_drm_gpu_info told = {0};
    uint32_t major, minor;
    int result = gpu->library.device_initialize(gpu->node, &major, &minor, &gpu->device);
    if (result != 0) {
        gpu->device = NULL;
        return wpg_fail(err, WPG_E_IO, "libdrm_amdgpu does not take the GPU: %s", strerror(abs(result)));
    }
    result = gpu->library.query_gpu_info(gpu->device, &told);
    if (result != 0)
        return wpg_fail(err, WPG_E_IO, "the kernel does not say which GPU it is: %s", strerror(abs(result)));
    info->device = told.asic_id;
    info->revision = told.pci_rev_id;
    info->family = told.family_id;
    info->external_rev = told.chip_external_rev;
    info->most_shader_khz = told.max_engine_clk;
    info->most_memory_khz = told.max_memory_clk;
    const wpg_gpu_target *target = wpg_gpu_target_of(info->family, info->external_rev);
    info->target = target ? target->target : NULL;
    info->chip = target ? target->chip : NULL;
    const char *name = gpu->library.get_marketing_name ? gpu->library.get_marketing_name(gpu->device) : NULL;
    (void)snprintf(info->name, sizeof info->name, "%s", name ? name : "");
    wpg_gpu_pci_address(info->pci, sizeof info->pci, gpu->node);
    return WPG_OK;
}

wpg_status wpg_gpu_open_in(wpg_gpu **gpu, uint32_t minor, const wpg_gpu_system *system, wpg_error *err)
{
    wpg_gpu *made = calloc(1, sizeof *made);
    if (!made)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    made->owner = getpid();
    made->info.minor = minor;
    wpg_status status = wpg_gpu_open_node(&made->node, minor, system, err);
    if (status == WPG_OK) {
        status = wpg_drm_library_open(&made->library, system->library, err);
        if (status == WPG_OK)
            status = identify(made, err);
        if (status != WPG_OK)
            close_parts(made);
    }
    if (status != WPG_OK) {
        free(made);
        return status;
    }
    (void)pthread_mutex_init(&made->lock, NULL);
    *gpu = made;
    return WPG_OK;
}

wpg_status wpg_gpu_open(wpg_gpu **gpu, uint32_t minor, wpg_error *err)
{
    return wpg_gpu_open_in(gpu, minor, &wpg_gpu_this_system, err);
}

void wpg_gpu_close(wpg_gpu *gpu)
{
    if (!gpu)
        return;
    if (gpu->owner == getpid()) {
        wpg_gpu_restore(gpu);
        close_parts(gpu);
    }
    (void)pthread_mutex_destroy(&gpu->lock);
    free(gpu);
}

const wpg_gpu_info *wpg_gpu_about(const wpg_gpu *gpu)
{
    return &gpu->info;
}

wpg_status wpg_gpu_target_name(const char **target, const wpg_gpu_info *info, wpg_error *err)
{
    if (!info->target)
        return wpg_fail(err, WPG_E_UNSUPPORTED,
                        "renderD%u is an AMD GPU that this build does not know: device %04x, family %u, "
                        "external revision 0x%x",
                        info->minor, info->device, info->family, info->external_rev);
    *target = info->target;
    return WPG_OK;
}

wpg_status wpg_gpu_default_target_in(const char **target, const wpg_gpu_system *system, wpg_error *err)
{
    uint32_t minors[WPG_GPU_MOST];
    wpg_error shut;
    size_t count = wpg_gpu_minors_in(minors, WPG_GPU_MOST, system, &shut);
    wpg_status first = WPG_E_NOT_FOUND;
    if (!count && shut.status != WPG_OK)
        return wpg_fail(err, first, "no AMD GPU that can be looked at: %.200s", shut.message);
    if (!count)
        return wpg_fail(err, first, "no AMD GPU here");
    for (size_t i = 0; i < count; i++) {
        wpg_gpu *gpu;
        wpg_error *say = i ? NULL : err;
        wpg_status status = wpg_gpu_open_in(&gpu, minors[i], system, say);
        if (status == WPG_OK) {
            status = wpg_gpu_target_name(target, &gpu->info, say);
            wpg_gpu_close(gpu);
        }
        if (status == WPG_OK)
            return WPG_OK;
        first = i ? first : status;
    }
    return first;
}

wpg_status wpg_gpu_default_target(const char **target, wpg_error *err)
{
    return wpg_gpu_default_target_in(target, &wpg_gpu_this_system, err);
}

/* -- Sensors */

void wpg_gpu_no_clocks(wpg_gpu_clocks *clocks)
{
    *clocks = (wpg_gpu_clocks){WPG_GPU_UNKNOWN, WPG_GPU_UNKNOWN, WPG_GPU_UNKNOWN, WPG_GPU_UNKNOWN};
}

/* A kernel, or what stands in for one, may report success and write nothing: an answer that depends on what
 * was there before is none, nor is one that cannot be. */
static int64_t read_sensor(const wpg_gpu *gpu, unsigned sensor, int32_t least, int32_t most)
{
    const uint32_t marks[] = {0xa5a5a5a5u, 0x5a5a5a5au}; /* as numbers beyond any sensor's range */
    int32_t value = 0;
    if (!gpu->library.query_sensor_info)
        return WPG_GPU_UNKNOWN;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        uint32_t answer = marks[i];
        if (gpu->library.query_sensor_info(gpu->device, sensor, sizeof answer, &answer) != 0 ||
            answer == marks[i])
            return WPG_GPU_UNKNOWN;
        memcpy(&value, &answer, sizeof value);
        if (value < least || value > most)
            return WPG_GPU_UNKNOWN;
    }
    return value;
}

void wpg_gpu_read_clocks(wpg_gpu_clocks *clocks, wpg_gpu *gpu)
{
    wpg_gpu_no_clocks(clocks);
    if (gpu->owner != getpid())
        return;
    clocks->shader_mhz = read_sensor(gpu, WPG_DRM_SENSOR_SHADER_CLOCK, 0, 20000);
    clocks->memory_mhz = read_sensor(gpu, WPG_DRM_SENSOR_MEMORY_CLOCK, 0, 20000);
    clocks->load = read_sensor(gpu, WPG_DRM_SENSOR_LOAD, 0, 100);
    clocks->temperature = read_sensor(gpu, WPG_DRM_SENSOR_TEMPERATURE, -100000, 200000);
}

static void say(char *text, size_t size, const char *comma, const char *what, int64_t value, const char *unit)
{
    size_t used = strlen(text);
    if (value == WPG_GPU_UNKNOWN)
        (void)snprintf(text + used, size - used, "%s%s unknown", comma, what);
    else
        (void)snprintf(text + used, size - used, "%s%s %lld %s", comma, what, (long long)value, unit);
}

const char *wpg_gpu_clocks_text(char *text, size_t size, const wpg_gpu_clocks *clocks)
{
    const int64_t degrees =
        clocks->temperature == WPG_GPU_UNKNOWN ? WPG_GPU_UNKNOWN : clocks->temperature / 1000;
    text[0] = '\0';
    if (clocks->shader_mhz == WPG_GPU_UNKNOWN && clocks->memory_mhz == WPG_GPU_UNKNOWN &&
        clocks->load == WPG_GPU_UNKNOWN && degrees == WPG_GPU_UNKNOWN) {
        (void)snprintf(text, size, "clocks unknown");
        return text;
    }
    say(text, size, "", "shader", clocks->shader_mhz, "MHz");
    say(text, size, ", ", "memory", clocks->memory_mhz, "MHz");
    say(text, size, ", ", "load", clocks->load, "%");
    say(text, size, ", ", "temperature", degrees, "C");
    return text;
}
