/* Clocks and the stable power state. See power.h. */
#include "shaders/runner/power.h"

#include <string.h>
#include "shaders/runner/report.h"

static wpg_status open_gpu(wpg_gpu **gpu, const bench_device *dev, wpg_error *err)
{
    VkPhysicalDeviceDrmPropertiesEXT drm = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &drm};
    if (bench_device_has_extension(dev, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME))
        vkGetPhysicalDeviceProperties2(dev->physical, &all);
    if (!drm.hasRender || drm.renderMinor < 0 || drm.renderMinor > UINT32_MAX)
        return wpg_fail(err, WPG_E_NOT_FOUND, "the driver does not tell which GPU of the kernel's it is");
    return wpg_gpu_open(gpu, (uint32_t)drm.renderMinor, err);
}

void bench_power_start(bench_power *power, const bench_device *dev, const bench_options *options)
{
    wpg_error err = {0};
    memset(power, 0, sizeof *power);
    power->asked = options->stable_power;
    wpg_status status = open_gpu(&power->gpu, dev, &err);
    if (status == WPG_OK && power->asked) {
        status = wpg_gpu_hold_stable(power->gpu, &err);
        power->held = status == WPG_OK;
    }
    if (status != WPG_OK)
        (void)snprintf(power->why, sizeof power->why, "%s", err.message);
}

void bench_power_stop(bench_power *power)
{
    wpg_gpu_close(power->gpu);
    memset(power, 0, sizeof *power);
}

void bench_power_read(wpg_gpu_clocks *clocks, const bench_power *power)
{
    wpg_gpu_no_clocks(clocks);
    if (power->gpu)
        wpg_gpu_read_clocks(clocks, power->gpu);
}

void bench_power_line(const bench_power *power)
{
    wpg_gpu_clocks clocks;
    char text[160];
    if (!power->gpu && !power->asked)
        return;
    bench_power_read(&clocks, power);
    const wpg_gpu_info *info = power->gpu ? wpg_gpu_about(power->gpu) : NULL;
    (void)printf("gpu: %s, ", info && info->target ? info->target : "unknown");
    if (power->asked)
        (void)printf("stable power state %s%s%s, ", power->held ? "held" : "not held (", power->why,
                     power->held ? "" : ")");
    (void)printf("%s\n", wpg_gpu_clocks_text(text, sizeof text, &clocks));
}

static void print_number(FILE *out, const char *comma, const char *key, int64_t value)
{
    if (value == WPG_GPU_UNKNOWN)
        (void)fprintf(out, "%s\"%s\":null", comma, key);
    else
        (void)fprintf(out, "%s\"%s\":%lld", comma, key, (long long)value);
}

static void print_clocks(FILE *out, const char *key, const wpg_gpu_clocks *clocks)
{
    (void)fprintf(out, "\"%s\":{", key);
    print_number(out, "", "shader_mhz", clocks->shader_mhz);
    print_number(out, ",", "memory_mhz", clocks->memory_mhz);
    print_number(out, ",", "load_percent", clocks->load);
    print_number(out, ",", "temperature_millidegrees", clocks->temperature);
    (void)fputc('}', out);
}

void bench_power_json(FILE *out, const bench_power *power, const bench_clocks *clocks)
{
    (void)fputs(",\"stable_power\":", out);
    if (power->held || !power->asked) {
        bench_json_string(out, power->held ? "held" : "not asked for");
    } else {
        char text[300];
        (void)snprintf(text, sizeof text, "not held: %s", power->why);
        bench_json_string(out, text);
    }
    (void)fputs(",\"gpu_clocks\":", out);
    if (!power->gpu) {
        bench_json_string(out, "unknown");
        return;
    }
    (void)fputc('{', out);
    print_clocks(out, "begin", &clocks->begin);
    (void)fputc(',', out);
    print_clocks(out, "end", &clocks->end);
    (void)fputc('}', out);
}
