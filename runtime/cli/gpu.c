/* wavepgo gpu: the AMD GPUs of this machine (runtime/gpu). */
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cli/common/command.h"
#include "runtime/gpu/gpu.h"

static const char command_name[] = "gpu";

static json_t *text_or_null(const char *text)
{
    json_t *value = text && *text ? json_string(text) : NULL;
    return value ? value : json_null();
}

static json_t *number_or_null(int64_t number)
{
    return number == WPG_GPU_UNKNOWN ? json_null() : json_integer(number);
}

static json_t *megahertz(uint64_t kilohertz)
{
    return kilohertz ? json_integer((json_int_t)(kilohertz / 1000)) : json_null();
}

static json_t *describe(const wpg_gpu_info *info, const wpg_gpu_clocks *clocks)
{
    json_t *one = json_object();
    (void)json_object_set_new(one, "target", text_or_null(info->target));
    (void)json_object_set_new(one, "chip", text_or_null(info->chip));
    (void)json_object_set_new(one, "name", text_or_null(info->name));
    (void)json_object_set_new(one, "pci", text_or_null(info->pci));
    (void)json_object_set_new(one, "device", json_integer(info->device));
    (void)json_object_set_new(one, "revision", json_integer(info->revision));
    (void)json_object_set_new(one, "family", json_integer(info->family));
    (void)json_object_set_new(one, "external_revision", json_integer(info->external_rev));
    (void)json_object_set_new(one, "most_shader_mhz", megahertz(info->most_shader_khz));
    (void)json_object_set_new(one, "most_memory_mhz", megahertz(info->most_memory_khz));
    (void)json_object_set_new(one, "shader_mhz", number_or_null(clocks->shader_mhz));
    (void)json_object_set_new(one, "memory_mhz", number_or_null(clocks->memory_mhz));
    (void)json_object_set_new(one, "load_percent", number_or_null(clocks->load));
    (void)json_object_set_new(one, "temperature_millidegrees", number_or_null(clocks->temperature));
    return one;
}

static void print(const wpg_gpu_info *info, const wpg_gpu_clocks *clocks)
{
    char text[160];
    (void)printf("renderD%u  %s", info->minor, info->target ? info->target : "no LLVM target known");
    if (info->chip)
        (void)printf(" (%s)", info->chip);
    (void)printf("  %s\n", *info->name ? info->name : "unnamed");
    (void)printf("            device %04x, revision %02x, family %u, external revision 0x%x%s%s\n",
                 info->device, info->revision, info->family, info->external_rev, *info->pci ? ", PCI " : "",
                 info->pci);
    (void)printf("            %s", wpg_gpu_clocks_text(text, sizeof text, clocks));
    if (info->most_shader_khz && info->most_memory_khz)
        (void)printf("; at most %llu and %llu MHz", (unsigned long long)info->most_shader_khz / 1000,
                     (unsigned long long)info->most_memory_khz / 1000);
    (void)putchar('\n');
}

/* Looks at one GPU; into `list`, or printed where that is NULL. */
static bool show(json_t *list, uint32_t minor)
{
    wpg_gpu *gpu;
    wpg_gpu_clocks clocks;
    wpg_error err;
    json_t *one = NULL;
    bool done = wpg_gpu_open(&gpu, minor, &err) == WPG_OK;
    if (done) {
        wpg_gpu_read_clocks(&clocks, gpu);
        if (list)
            one = describe(wpg_gpu_about(gpu), &clocks);
        else
            print(wpg_gpu_about(gpu), &clocks);
        wpg_gpu_close(gpu);
    } else if (list) {
        one = json_pack("{s:s}", "error", err.message);
    } else {
        (void)wpg_complain(WPG_EXIT_FAILED, command_name, "renderD%u: %s", minor, err.message);
    }
    if (list) {
        char node[24];
        (void)snprintf(node, sizeof node, "renderD%u", minor);
        (void)json_object_set_new(one, "node", json_string(node));
        (void)json_array_append_new(list, one);
    }
    return done;
}

int wpg_command_gpu(int argc, char **argv)
{
    uint32_t minors[WPG_GPU_MOST];
    wpg_error shut;
    bool json = false, all = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") != 0)
            return wpg_usage_error(command_name, "unknown argument '%s'", argv[i]);
        json = true;
    }
    json_t *list = json ? json_array() : NULL;
    size_t count = wpg_gpu_minors(minors, WPG_GPU_MOST, &shut);
    for (size_t i = 0; i < count; i++)
        all = show(list, minors[i]) && all;
    if (shut.status != WPG_OK)
        (void)wpg_complain(0, command_name, "GPUs are not examined: %s", shut.message);
    if (json) {
        json_t *root = json_pack("{s:o}", "gpus", list);
        char *text = json_dumps(root, JSON_INDENT(2));
        (void)puts(text ? text : "{}");
        free(text);
        json_decref(root);
    } else if (!count) {
        (void)puts("no AMD GPU here");
    }
    return all ? 0 : WPG_EXIT_FAILED;
}
