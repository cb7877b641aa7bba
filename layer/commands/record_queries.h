/* GPU time, pipeline statistics and counters of the hardware of each pipeline, by queries of ours in the
 * program's command buffers. Settings TIMESTAMPS and PIPELINE_STATISTICS, both off by default: they cost the
 * GPU something.
 *
 * A *run* is a stretch of draws or dispatches of one pipeline in a primary command buffer, ended by another
 * bind, a barrier, the begin or end of a render pass or subpass, a query of the program's, or executed
 * secondaries. Each run has two timestamps at the bottom of the pipe, before its first command and after its
 * last, so that its time counts from the end of what came before: overlapping work is counted once, for the
 * later run, and the sums of a queue stay below the wall clock. And it has one statistics query.
 *
 * The queries are reset in each primary command buffer before its first pass or dispatch, so that it may be
 * submitted again: not in one without either, which queues that only copy may run, and not before rendering
 * that resumes what another command buffer suspended. Results are read when the command buffer is known to be
 * finished without waiting: before it is submitted, begun, reset or freed again, and at the end of the
 * device; one for simultaneous use may be running then, and is read if its results are complete. Not
 * measured, and therefore not in the denominators (gpu-commands, statistics-commands): secondaries, one for
 * simultaneous use on several queues, passes with several views (a query takes several slots there),
 * rendering resumed at the head of a command buffer, statistics while a query of the program's own is active
 * or (on lavapipe, which crashes then) of dispatches, more than WPG_RUNS runs a command buffer. A program
 * that ends without destroying its device loses what was not read yet. Sources: Vulkan 1.3, 18
 * (queries), 18.5 (timestamps), VUID-vkCmdBeginQuery-*. Threads: as the command buffer. */
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
/* A pass begins that resumes nothing, or a dispatch follows: the place for the resets, if there were none
 * yet. */
void wpg_runs_prepare(wpg_recording *recording);
bool wpg_runs_ready(const wpg_recording *recording);
/* Before `count` draws or dispatches of the bound pipeline go down; `shape` tells unlike ones apart. */
void wpg_runs_before(wpg_recording *recording, wpg_bound *bound, wpg_bind_point point, uint64_t count,
                     uint64_t shape);
/* Why a run that begins now is not timed; WPG_MISS_NONE: it is. */
wpg_tune_miss wpg_runs_miss(const wpg_recording *recording);
/* The bind of `pipeline` at a point that dispatches: whether its dispatches are steered (steer.h). */
bool wpg_runs_steer(wpg_recording *recording, wpg_bound *bound, VkPipeline pipeline);
/* Before a steered bind's dispatch is counted: whether it shall be steered; its run is its own then. After
 * that: records it. */
bool wpg_runs_steer_next(wpg_recording *recording, wpg_bound *bound);
void wpg_runs_steer_dispatch(wpg_recording *recording, wpg_bound *bound, const uint32_t groups[3]);
/* The run that is open, if any, ends here. */
void wpg_runs_close(wpg_recording *recording);
/* The command buffer goes to a queue. */
void wpg_runs_submitted(wpg_recording *recording, VkQueue queue);
/* The command buffer is about to be begun, reset or freed: reads what it measured. */
void wpg_runs_harvest(wpg_recording *recording);
void wpg_runs_destroy(wpg_recording *recording);

#define WPG_QUERY_HOOKS(HOOK)                                                                                \
    HOOK(CmdPipelineBarrier)                                                                                 \
    HOOK(CmdPipelineBarrier2)                                                                                \
    HOOK(CmdPipelineBarrier2KHR)                                                                             \
    HOOK(CmdBeginRenderPass)                                                                                 \
    HOOK(CmdBeginRenderPass2)                                                                                \
    HOOK(CmdBeginRenderPass2KHR)                                                                             \
    HOOK(CmdNextSubpass)                                                                                     \
    HOOK(CmdNextSubpass2)                                                                                    \
    HOOK(CmdNextSubpass2KHR)                                                                                 \
    HOOK(CmdEndRenderPass)                                                                                   \
    HOOK(CmdEndRenderPass2)                                                                                  \
    HOOK(CmdEndRenderPass2KHR)                                                                               \
    HOOK(CmdBeginRendering)                                                                                  \
    HOOK(CmdBeginRenderingKHR)                                                                               \
    HOOK(CmdEndRendering)                                                                                    \
    HOOK(CmdEndRenderingKHR)                                                                                 \
    HOOK(CmdBeginQuery)                                                                                      \
    HOOK(CmdEndQuery)                                                                                        \
    HOOK(CmdBeginQueryIndexedEXT)                                                                            \
    HOOK(CmdEndQueryIndexedEXT)

#define HOOK(command) extern __typeof__(vk##command) wpg_record_##command;
WPG_QUERY_HOOKS(HOOK)
#undef HOOK

#endif
