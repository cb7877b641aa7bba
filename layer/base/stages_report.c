#include "layer/base/stages_report.h"

#include <stdio.h>
#include <string.h>

static const struct stage_name {
    VkShaderStageFlagBits bit;
    const char *name;
} stages[] = {
    {VK_SHADER_STAGE_VERTEX_BIT, "vert"},
    {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, "tesc"},
    {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, "tese"},
    {VK_SHADER_STAGE_GEOMETRY_BIT, "geom"},
    {VK_SHADER_STAGE_TASK_BIT_EXT, "task"},
    {VK_SHADER_STAGE_MESH_BIT_EXT, "mesh"},
    {VK_SHADER_STAGE_FRAGMENT_BIT, "frag"},
    {VK_SHADER_STAGE_COMPUTE_BIT, "comp"},
    {VK_SHADER_STAGE_RAYGEN_BIT_KHR, "rgen"},
};
enum { STAGE_COUNT = sizeof stages / sizeof *stages };

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    if (used < size)
        (void)snprintf(text + used, size - used, "%s", more);
}

static void append_list(char *text, size_t size, const char *title, const char *names)
{
    if (!*names)
        return;
    append(text, size, *text ? "; " : "");
    append(text, size, title);
    append(text, size, names);
}

void wpg_stages_report(char *text, size_t size, const wpg_device_features *features)
{
    char both[96] = "", lanes[96] = "", none[320] = "";
    const char *last = NULL;
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        wpg_instrument_target target;
        const char *why = NULL;
        if (wpg_features_target(&target, &why, features, stages[i].bit)) {
            bool waves = target.subgroup_basic && target.subgroup_ballot;
            append(waves ? both : lanes, sizeof both, " ");
            append(waves ? both : lanes, sizeof both, stages[i].name);
            continue;
        }
        /* Neighbours with one reason share it. */
        if (last && strcmp(last, why) != 0) {
            append(none, sizeof none, " (");
            append(none, sizeof none, last);
            append(none, sizeof none, ")");
        }
        append(none, sizeof none, " ");
        append(none, sizeof none, stages[i].name);
        last = why;
    }
    if (last) {
        append(none, sizeof none, " (");
        append(none, sizeof none, last);
        append(none, sizeof none, ")");
    }
    *text = '\0';
    append_list(text, size, "lanes and waves:", both);
    append_list(text, size, "lanes only (without subgroup operations):", lanes);
    append_list(text, size, "not counted:", none);
    if (!features->int64 || !features->buffer_int64_atomics)
        append(text, size, "; counters in two halves (no 64-bit buffer atomics)");
}
