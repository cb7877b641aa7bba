/* Draws and dispatches: each counts for the pipeline bound at its point, and goes to the driver unchanged. */
#include "layer/commands/content_record.h"
#include "layer/commands/counter_sets.h"
#include "layer/commands/record_queries.h"
#include "layer/commands/variant_choice.h"

typedef struct action {
    wpg_bind_point point;
    bool indirect;
    uint64_t count;    /* draws or dispatches */
    uint64_t vertices; /* times instances, of direct draws */
    uint64_t workgroups;
} action;

static uint64_t groups(uint32_t x, uint32_t y, uint32_t z)
{
    return (uint64_t)x * y * z;
}

/* Commands of equal shape do equal amounts of work, as far as can be told before they run. */
static uint64_t shape_of(const action *what)
{
    const uint64_t parts[] = {what->point, what->indirect, what->count, what->vertices, what->workgroups};
    return wpg_hash64_bytes(parts, sizeof parts);
}

/* Returns how often the command is to go down: once, or once for each choice of contents
 * (content_record.h). */
static uint32_t count(wpg_recording *recording, action what)
{
    wpg_bound *bound = &recording->bound[what.point];
    wpg_counter_sets_before(recording, what.point);
    if (bound->entry == WPG_NOTHING_BOUND)
        return 1;
    uint64_t *counters = recording->entries.data[bound->entry].counters;
    counters[what.point ? WPG_RECORD_DISPATCHES : WPG_RECORD_DRAWS] += what.count;
    if (what.indirect)
        counters[what.point ? WPG_RECORD_DISPATCHES_INDIRECT : WPG_RECORD_DRAWS_INDIRECT] += what.count;
    counters[WPG_RECORD_VERTICES] += what.vertices;
    counters[WPG_RECORD_WORKGROUPS] += what.workgroups;
    bound->pending += what.count;
    if (bound->variants)
        wpg_variants_before(recording, bound);
    if (recording->runs)
        wpg_runs_before(recording, bound, what.point, what.count, shape_of(&what));
    return recording->contents && what.point == WPG_BIND_GRAPHICS ? wpg_content_choices(recording, bound) : 1;
}

/* ACTION(Command, (parameters), (arguments), what it counts as) */
#define ACTION(name, parameters, arguments, ...)                                                             \
    VKAPI_ATTR void VKAPI_CALL wpg_record_##name parameters                                                  \
    {                                                                                                        \
        wpg_recording *recording;                                                                            \
        const wpg_device_commands *next = wpg_record_enter(&recording, commands);                            \
        if (!next)                                                                                           \
            return;                                                                                          \
        const uint32_t turns = recording ? count(recording, (action){__VA_ARGS__}) : 1;                      \
        for (uint32_t turn = 0; turn < turns; turn++) {                                                      \
            if (turns > 1)                                                                                   \
                wpg_content_choose(recording, turn);                                                         \
            next->name arguments;                                                                            \
        }                                                                                                    \
        if (turns > 1)                                                                                       \
            wpg_content_chosen(recording);                                                                   \
    }

/* -- Draws */

ACTION(CmdDraw,
       (VkCommandBuffer commands, uint32_t vertices, uint32_t instances, uint32_t first_vertex,
        uint32_t first_instance),
       (commands, vertices, instances, first_vertex, first_instance), .count = 1,
       .vertices = (uint64_t)vertices * instances)
ACTION(CmdDrawIndexed,
       (VkCommandBuffer commands, uint32_t indices, uint32_t instances, uint32_t first_index,
        int32_t vertex_offset, uint32_t first_instance),
       (commands, indices, instances, first_index, vertex_offset, first_instance), .count = 1,
       .vertices = (uint64_t)indices * instances)

#define INDIRECT(name)                                                                                       \
    ACTION(                                                                                                  \
        name,                                                                                                \
        (VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, uint32_t draws, uint32_t stride),   \
        (commands, buffer, offset, draws, stride), .indirect = true, .count = draws)
INDIRECT(CmdDrawIndirect)
INDIRECT(CmdDrawIndexedIndirect)
INDIRECT(CmdDrawMeshTasksIndirectEXT)
INDIRECT(CmdDrawMeshTasksIndirectNV)

/* How many draws it becomes is in a buffer: counted as one. */
#define INDIRECT_COUNT(name)                                                                                 \
    ACTION(name,                                                                                             \
           (VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, VkBuffer count_buffer,           \
            VkDeviceSize count_offset, uint32_t most, uint32_t stride),                                      \
           (commands, buffer, offset, count_buffer, count_offset, most, stride), .indirect = true,           \
           .count = 1)
INDIRECT_COUNT(CmdDrawIndirectCount)
INDIRECT_COUNT(CmdDrawIndirectCountKHR)
INDIRECT_COUNT(CmdDrawIndirectCountAMD)
INDIRECT_COUNT(CmdDrawIndexedIndirectCount)
INDIRECT_COUNT(CmdDrawIndexedIndirectCountKHR)
INDIRECT_COUNT(CmdDrawIndexedIndirectCountAMD)
INDIRECT_COUNT(CmdDrawMeshTasksIndirectCountEXT)
INDIRECT_COUNT(CmdDrawMeshTasksIndirectCountNV)

ACTION(CmdDrawIndirectByteCountEXT,
       (VkCommandBuffer commands, uint32_t instances, uint32_t first_instance, VkBuffer buffer,
        VkDeviceSize buffer_offset, uint32_t counter_offset, uint32_t stride),
       (commands, instances, first_instance, buffer, buffer_offset, counter_offset, stride), .indirect = true,
       .count = 1)

static uint64_t sum_vertices(const VkMultiDrawInfoEXT *draws, uint32_t draw_count, uint32_t stride)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < draw_count; i++)
        sum += ((const VkMultiDrawInfoEXT *)(const void *)((const char *)draws + (size_t)i * stride))
                   ->vertexCount;
    return sum;
}

static uint64_t sum_indices(const VkMultiDrawIndexedInfoEXT *draws, uint32_t draw_count, uint32_t stride)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < draw_count; i++)
        sum += ((const VkMultiDrawIndexedInfoEXT *)(const void *)((const char *)draws + (size_t)i * stride))
                   ->indexCount;
    return sum;
}

ACTION(CmdDrawMultiEXT,
       (VkCommandBuffer commands, uint32_t draw_count, const VkMultiDrawInfoEXT *draws, uint32_t instances,
        uint32_t first_instance, uint32_t stride),
       (commands, draw_count, draws, instances, first_instance, stride), .count = draw_count,
       .vertices = sum_vertices(draws, draw_count, stride) * instances)
ACTION(CmdDrawMultiIndexedEXT,
       (VkCommandBuffer commands, uint32_t draw_count, const VkMultiDrawIndexedInfoEXT *draws,
        uint32_t instances, uint32_t first_instance, uint32_t stride, const int32_t *vertex_offset),
       (commands, draw_count, draws, instances, first_instance, stride, vertex_offset), .count = draw_count,
       .vertices = sum_indices(draws, draw_count, stride) * instances)
ACTION(CmdDrawMeshTasksEXT, (VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z),
       (commands, x, y, z), .count = 1, .workgroups = groups(x, y, z))
ACTION(CmdDrawMeshTasksNV, (VkCommandBuffer commands, uint32_t tasks, uint32_t first),
       (commands, tasks, first), .count = 1, .workgroups = tasks)

/* -- Dispatches */

VKAPI_ATTR void VKAPI_CALL wpg_record_CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y,
                                                  uint32_t z)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return;
    wpg_bound *bound = recording ? &recording->bound[WPG_BIND_COMPUTE] : NULL;
    const bool steers = bound && groups(x, y, z) && wpg_runs_steer_next(recording, bound);
    if (recording)
        (void)count(recording,
                    (action){.point = WPG_BIND_COMPUTE, .count = 1, .workgroups = groups(x, y, z)});
    if (steers)
        wpg_runs_steer_dispatch(recording, bound, (const uint32_t[]){x, y, z});
    else
        next->CmdDispatch(commands, x, y, z);
}
#define DISPATCH_BASE(name)                                                                                  \
    ACTION(name,                                                                                             \
           (VkCommandBuffer commands, uint32_t base_x, uint32_t base_y, uint32_t base_z, uint32_t x,         \
            uint32_t y, uint32_t z),                                                                         \
           (commands, base_x, base_y, base_z, x, y, z), .point = WPG_BIND_COMPUTE, .count = 1,               \
           .workgroups = groups(x, y, z))
DISPATCH_BASE(CmdDispatchBase)
DISPATCH_BASE(CmdDispatchBaseKHR)
ACTION(CmdDispatchIndirect, (VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset),
       (commands, buffer, offset), .point = WPG_BIND_COMPUTE, .indirect = true, .count = 1)

/* -- Rays: a launch is a dispatch, of workgroups that only the driver knows. */

ACTION(CmdTraceRaysKHR,
       (VkCommandBuffer commands, const VkStridedDeviceAddressRegionKHR *raygen,
        const VkStridedDeviceAddressRegionKHR *miss, const VkStridedDeviceAddressRegionKHR *hit,
        const VkStridedDeviceAddressRegionKHR *callable, uint32_t width, uint32_t height, uint32_t depth),
       (commands, raygen, miss, hit, callable, width, height, depth), .point = WPG_BIND_RAYS, .count = 1)
ACTION(CmdTraceRaysIndirectKHR,
       (VkCommandBuffer commands, const VkStridedDeviceAddressRegionKHR *raygen,
        const VkStridedDeviceAddressRegionKHR *miss, const VkStridedDeviceAddressRegionKHR *hit,
        const VkStridedDeviceAddressRegionKHR *callable, VkDeviceAddress size),
       (commands, raygen, miss, hit, callable, size), .point = WPG_BIND_RAYS, .indirect = true, .count = 1)
ACTION(CmdTraceRaysIndirect2KHR, (VkCommandBuffer commands, VkDeviceAddress launch), (commands, launch),
       .point = WPG_BIND_RAYS, .indirect = true, .count = 1)
