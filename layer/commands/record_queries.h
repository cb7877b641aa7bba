/* GPU time, pipeline statistics and hardware counters of each pipeline, by queries of ours in the program's
 * command buffers. Settings TIMESTAMPS and PIPELINE_STATISTICS, both off by default: they cost GPU time.
 *
 * A *run* is a stretch of draws or dispatches of one pipeline in a primary command buffer. It ends at another
 * bind, a barrier, the begin or end of a render pass or subpass, a query of the program's, or executed
 * secondaries. Each run has one statistics query, and two timestamps at the bottom of the pipe: before its
 * first command and after its last. So its time counts from the end of earlier work. Overlapping work counts
 * once, for the later run, and the sums of a queue stay below the wall clock.
 *
 * The queries are reset in each primary command buffer before its first pass or dispatch, so the buffer may
 * be submitted again. They are not reset in a buffer without either (copy-only queues may run it), nor before
 * rendering that resumes another command buffer's. Results are read without waiting, once the command buffer
 * is known to be finished: before it is submitted, begun, reset or freed again, and at the end of the device.
 * A buffer for simultaneous use may still run then; its results are read if complete.
 *
 * Not measured, and not in the denominators (gpu-commands, statistics-commands):
 *     - secondaries, and buffers for simultaneous use on several queues,
 *     - passes with several views (a query takes several slots there),
 *     - rendering resumed at the head of a command buffer,
 *     - statistics while a query of the program's own is active,
 *     - statistics of dispatches on lavapipe, which crashes,
 *     - more than WPG_RUNS runs a command buffer.
 *
 * A program that ends without destroying its device loses unread results. Sources: Vulkan 1.3, 18 (queries),
 * 18.5 (timestamps), VUID-vkCmdBeginQuery-*. Threads: as the command buffer. */
#ifndef WPG_LAYER_COMMANDS_RECORD_QUERIES_H
#define WPG_LAYER_COMMANDS_RECORD_QUERIES_H

#include "layer/commands/record.h"

enum { WPG_RUNS = 256 };

/* What a device can measure. */
typedef struct wpg_query_plan {
    bool timestamps, statistics;
    bool compute_statistics; /* of dispatches too */
    double period;           /* nanoseconds a tick */
    uint32_t family_count;
    VkQueueFamilyProperties families[];
} wpg_query_plan;

/* Decides from the settings and the device; leaves device->queries NULL if nothing is to be measured. */
void wpg_queries_plan(wpg_device *device, VkPhysicalDevice physical);

/* The command buffer has begun, and is a primary one: `flags` of its begin-info. */
void wpg_runs_begin(wpg_recording *recording, VkCommandBufferUsageFlags flags);
/* A pass begins that resumes nothing, or a dispatch follows: places the resets if there were none yet. */
void wpg_runs_prepare(wpg_recording *recording);
bool wpg_runs_ready(const wpg_recording *recording);
/* Called before `count` draws or dispatches of the bound pipeline; `shape` tells unlike ones apart. */
void wpg_runs_before(wpg_recording *recording, wpg_bound *bound, wpg_bind_point point, uint64_t count,
                     uint64_t shape);
/* Why a run that begins now is not timed; WPG_MISS_NONE: it is. */
wpg_tune_miss wpg_runs_miss(const wpg_recording *recording);
/* At the bind of `pipeline` at a point that dispatches: true if its dispatches are steered (steer.h). */
bool wpg_runs_steer(wpg_recording *recording, wpg_bound *bound, VkPipeline pipeline);
/* Before a steered bind's dispatch is counted: true if the dispatch is to be steered; its run is then its
 * own. The second function records it. */
bool wpg_runs_steer_next(wpg_recording *recording, wpg_bound *bound);
void wpg_runs_steer_dispatch(wpg_recording *recording, wpg_bound *bound, const uint32_t groups[3]);
/* The run that is open, if any, ends here. */
void wpg_runs_close(wpg_recording *recording);
/* The command buffer goes to a queue. */
void wpg_runs_submitted(wpg_recording *recording, VkQueue queue);
/* The command buffer is about to be begun, reset or freed: reads what it measured. */
void wpg_runs_harvest(wpg_recording *recording);
void wpg_runs_destroy(wpg_recording *recording);

#define WPG_QUERY_HOOKS(HOOK) WPG_PASS_COMMANDS(HOOK)

#define HOOK(command) extern __typeof__(vk##command) wpg_record_##command;
WPG_QUERY_HOOKS(HOOK)
#undef HOOK

#endif
