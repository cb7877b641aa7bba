/* Runs and their queries. The hooks that end a run are in record_query_hooks.c. */
#include "layer/commands/record_queries.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/record_hardware.h"
#include "layer/commands/steer.h"
#include "runtime/base/log.h"

/* Bind points with statistics: graphics, compute. */
enum { STATISTIC_POINTS = WPG_BIND_COMPUTE + 1 };

typedef struct run {
    wpg_totals *totals;
    uint64_t commands;
    wpg_trial trial;  /* tune: who is timed, until one execution was read */
    wpg_tuned *tuned; /* who that was; NULL: nobody */
    uint64_t seen;    /* its first stamp, of what was read last: an execution is no sample twice */
    bool read;
    uint32_t shape, push;
    bool compute, counted, watched; /* counted: it has a statistics query; watched: one of the hardware */
} run;

struct wpg_runs {
    VkQueryPool stamps;                       /* kept with the command buffer; VK_NULL_HANDLE: not measured */
    VkQueryPool statistics[STATISTIC_POINTS]; /* graphics, compute; likewise */
    VkQueryPool hardware;                     /* likewise (record_hardware.h) */
    uint64_t tick_mask;
    bool wanted; /* runs of this recording are measured */
    bool ready;  /* their queries were reset in this recording: runs may open */
    bool open, counting, watching;
    bool once;              /* it is submitted once */
    wpg_steering *steering; /* steer.h; NULL: nothing was steered yet */
    pthread_mutex_t lock; /* guards what follows: one for simultaneous use may be submitted by two threads */
    bool simultaneous;
    bool flying;          /* submitted, and not read since */
    bool elsewhere;       /* submitted to several queues */
    VkQueue queue;        /* of the last submission */
    uint64_t first_stamp; /* of what was read last: an execution is not counted twice */
    uint32_t count;
    run list[WPG_RUNS];
};

/* -- What can be measured */

void wpg_queries_plan(wpg_device *device, VkPhysicalDevice physical)
{
    const wpg_settings *settings = &wpg_the_process.settings;
    const wpg_instance_commands *ask = &device->instance->next;
    VkPhysicalDeviceProperties properties;
    uint32_t count = 0;
    bool statistics = settings->pipeline_statistics && device->features.statistics;
    if (settings->pipeline_statistics && !statistics)
        wpg_log_once(WPG_LOG_WARN, "PIPELINE_STATISTICS: the device has no pipelineStatisticsQuery");
    ask->GetPhysicalDeviceProperties(physical, &properties);
    bool tunes = device->mode == WPG_MODE_TUNE;
    bool timestamps = (settings->timestamps || tunes) && properties.limits.timestampPeriod > 0;
    if (tunes && !timestamps)
        wpg_log_once(WPG_LOG_WARN, "tune: nothing is measurable, the device has no timestamps");
    if (!device->records || !device->next.CreateQueryPool)
        return;
    ask->GetPhysicalDeviceQueueFamilyProperties(physical, &count, NULL);
    device->hardware = wpg_hardware_create(device, physical, count);
    if (!timestamps && !statistics && !device->hardware)
        return;
    wpg_query_plan *plan = calloc(1, sizeof *plan + count * sizeof *plan->families);
    if (!plan)
        return; /* the lock is released with the device */
    ask->GetPhysicalDeviceQueueFamilyProperties(physical, &count, plan->families);
    plan->family_count = count;
    plan->timestamps = timestamps;
    plan->statistics = statistics;
    /* lavapipe (22.3.6, 25.0.7) readies graphics state when a query begins, and crashes where push constants
     * went to graphics stages and no graphics pipeline is bound, as in command buffers that only compute. */
    plan->compute_statistics = strncmp(properties.deviceName, "llvmpipe", 8) != 0;
    plan->period = (double)properties.limits.timestampPeriod;
    device->queries = plan;
}

/* -- Pools */

/* A pool for each bind point: a query asks for what its commands can give and nothing else. */
static VkQueryPipelineStatisticFlags statistics_of(const wpg_query_plan *plan, uint32_t family, bool compute)
{
    VkQueueFlags queue = plan->families[family].queueFlags;
    if (compute)
        return queue & VK_QUEUE_COMPUTE_BIT && plan->compute_statistics
                   ? VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT
                   : 0;
    if (!(queue & VK_QUEUE_GRAPHICS_BIT))
        return 0;
    return VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
           VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
           VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
           VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_INVOCATIONS_BIT |
           VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_PRIMITIVES_BIT |
           VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
           VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT |
           VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT |
           VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_CONTROL_SHADER_PATCHES_BIT |
           VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_EVALUATION_SHADER_INVOCATIONS_BIT;
}

static VkQueryPool make_pool(wpg_device *device, VkQueryType type, uint32_t count,
                             VkQueryPipelineStatisticFlags statistics)
{
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                  .queryType = type,
                                  .queryCount = count,
                                  .pipelineStatistics = statistics};
    VkQueryPool pool = VK_NULL_HANDLE;
    if (device->next.CreateQueryPool(device->handle, &info, NULL, &pool) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    return pool;
}

static struct wpg_runs *make_runs(wpg_recording *recording)
{
    wpg_device *device = recording->device;
    const wpg_query_plan *plan = device->queries;
    uint32_t family = recording->pool->family;
    if (family >= plan->family_count)
        return NULL;
    const VkQueueFamilyProperties *queue = &plan->families[family];
    if (!(queue->queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)))
        return NULL; /* nothing of a pipeline runs there, and queries cannot be reset */
    struct wpg_runs *runs = calloc(1, sizeof *runs);
    if (!runs)
        return NULL;
    (void)pthread_mutex_init(&runs->lock, NULL);
    uint32_t bits = queue->timestampValidBits;
    runs->tick_mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (!bits && device->mode == WPG_MODE_TUNE)
        wpg_log_once(WPG_LOG_WARN, "tune: queue family %u has no timestamps, what it runs is not measurable",
                     family);
    if (plan->timestamps && bits)
        runs->stamps = make_pool(device, VK_QUERY_TYPE_TIMESTAMP, 2 * WPG_RUNS, 0);
    for (int i = 0; plan->statistics && i < STATISTIC_POINTS; i++) {
        VkQueryPipelineStatisticFlags statistics = statistics_of(plan, family, i == 1);
        if (statistics)
            runs->statistics[i] = make_pool(device, VK_QUERY_TYPE_PIPELINE_STATISTICS, WPG_RUNS, statistics);
    }
    runs->hardware = wpg_hardware_pool(device->hardware, device, family, WPG_RUNS);
    return runs;
}

void wpg_runs_destroy(wpg_recording *recording)
{
    struct wpg_runs *runs = recording->runs;
    wpg_device *device = recording->device;
    if (!runs)
        return;
    wpg_runs_harvest(recording);
    if (runs->stamps)
        device->next.DestroyQueryPool(device->handle, runs->stamps, NULL);
    for (int i = 0; i < STATISTIC_POINTS; i++)
        if (runs->statistics[i])
            device->next.DestroyQueryPool(device->handle, runs->statistics[i], NULL);
    if (runs->hardware)
        device->next.DestroyQueryPool(device->handle, runs->hardware, NULL);
    wpg_steer_destroy(runs->steering, device);
    (void)pthread_mutex_destroy(&runs->lock);
    free(runs);
    recording->runs = NULL;
}

/* -- Recording */

void wpg_runs_begin(wpg_recording *recording, VkCommandBufferUsageFlags flags)
{
    wpg_device *device = recording->device;
    if (!recording->runs && device->queries && !recording->pool->is_protected)
        recording->runs = make_runs(recording);
    struct wpg_runs *runs = recording->runs;
    if (!runs)
        return;
    if (runs->hardware)
        wpg_hardware_reset(device->hardware, device, runs->hardware, runs->count + runs->open);
    runs->open = runs->counting = runs->watching = false;
    runs->count = 0;
    runs->simultaneous = flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    runs->once = flags & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    wpg_steer_begin(runs->steering);
    runs->elsewhere = false;
    runs->queue = VK_NULL_HANDLE;
    runs->ready = false;
    runs->wanted = runs->stamps ||
                   (!runs->simultaneous && (runs->statistics[0] || runs->statistics[1] || runs->hardware));
}

void wpg_runs_prepare(wpg_recording *recording)
{
    struct wpg_runs *runs = recording->runs;
    const wpg_device_commands *next = &recording->device->next;
    if (!runs || !runs->wanted || runs->ready)
        return;
    runs->ready = true;
    if (runs->stamps)
        next->CmdResetQueryPool(recording->handle, runs->stamps, 0, 2 * WPG_RUNS);
    for (int i = 0; i < STATISTIC_POINTS; i++)
        if (runs->statistics[i])
            next->CmdResetQueryPool(recording->handle, runs->statistics[i], 0, WPG_RUNS);
}

bool wpg_runs_ready(const wpg_recording *recording)
{
    return recording->runs && recording->runs->ready;
}

static void stamp(const wpg_recording *recording, uint32_t query)
{
    if (recording->runs->stamps)
        recording->device->next.CmdWriteTimestamp(recording->handle, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                                  recording->runs->stamps, query);
}

static void open_run(wpg_recording *recording, wpg_totals *totals, wpg_bind_point point, wpg_trial *trial)
{
    struct wpg_runs *runs = recording->runs;
    /* A dispatch that is timed shares the device with nothing. There is no render pass here. */
    if (trial->tuned && point == WPG_BIND_COMPUTE)
        recording->device->next.CmdPipelineBarrier(recording->handle, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 0,
                                                   NULL);
    runs->open = true;
    bool compute = point == WPG_BIND_COMPUTE;
    runs->counting =
        (unsigned)point < STATISTIC_POINTS && runs->statistics[compute] && recording->program_queries == 0;
    runs->watching = runs->hardware && !runs->simultaneous && recording->program_queries == 0;
    runs->list[runs->count] = (run){.totals = totals,
                                    .trial = *trial,
                                    .tuned = trial->tuned,
                                    .compute = compute,
                                    .counted = runs->counting,
                                    .watched = runs->watching};
    trial->tuned = NULL; /* one run of a bind is timed */
    stamp(recording, 2 * runs->count);
    if (runs->counting)
        recording->device->next.CmdBeginQuery(recording->handle, runs->statistics[compute], runs->count, 0);
    if (runs->watching)
        recording->device->next.CmdBeginQuery(recording->handle, runs->hardware, runs->count, 0);
}

void wpg_runs_close(wpg_recording *recording)
{
    struct wpg_runs *runs = recording->runs;
    if (!runs || !runs->open)
        return;
    const run *one = &runs->list[runs->count];
    if (runs->watching)
        recording->device->next.CmdEndQuery(recording->handle, runs->hardware, runs->count);
    if (runs->counting)
        recording->device->next.CmdEndQuery(recording->handle, runs->statistics[one->compute], runs->count);
    stamp(recording, 2 * runs->count + 1);
    runs->open = runs->counting = runs->watching = false;
    runs->count++;
}

wpg_tune_miss wpg_runs_miss(const wpg_recording *recording)
{
    const struct wpg_runs *runs = recording->runs;
    if (recording->secondary)
        return WPG_MISS_SECONDARY;
    if (!runs || !runs->wanted || !runs->stamps)
        return WPG_MISS_QUEUE;
    if (runs->simultaneous)
        return WPG_MISS_SIMULTANEOUS;
    if (recording->unmeasured_pass)
        return WPG_MISS_PASS;
    return runs->count + runs->open < WPG_RUNS ? WPG_MISS_NONE : WPG_MISS_RUNS;
}

/* One more command of a run that is timed. */
static void describe(run *one, const wpg_recording *recording, const wpg_bound *bound, uint64_t shape)
{
    uint32_t words[WPG_PUSH_WORDS + 1] = {one->push};
    uint64_t valid =
        bound->push_signature == recording->push_signature ? recording->pushed & bound->push_words : 0;
    uint64_t parts[2] = {one->shape, shape};
    for (int i = 0; i < WPG_PUSH_WORDS; i++)
        words[i + 1] = valid >> i & 1 ? recording->push[i] : 0;
    one->shape = (uint32_t)wpg_hash64_bytes(parts, sizeof parts);
    one->push = (uint32_t)wpg_hash64_bytes(words, sizeof words);
}

void wpg_runs_before(wpg_recording *recording, wpg_bound *bound, wpg_bind_point point, uint64_t count,
                     uint64_t shape)
{
    struct wpg_runs *runs = recording->runs;
    wpg_totals *totals = recording->entries.data[bound->entry].totals;
    if (point != WPG_BIND_GRAPHICS) /* not in a pass */
        wpg_runs_prepare(recording);
    if (!runs || !runs->ready)
        return;
    if (runs->open && runs->list[runs->count].totals != totals)
        wpg_runs_close(recording);
    if (!runs->open && !recording->unmeasured_pass && runs->count < WPG_RUNS)
        open_run(recording, totals, point, &bound->trial);
    if (!runs->open)
        return;
    run *one = &runs->list[runs->count];
    one->commands += count;
    if (one->trial.tuned)
        describe(one, recording, bound, shape);
}

/* -- Steering */

bool wpg_runs_steer(wpg_recording *recording, wpg_bound *bound, VkPipeline pipeline)
{
    struct wpg_runs *runs = recording->runs;
    if (bound != &recording->bound[WPG_BIND_COMPUTE] || runs->once ||
        !wpg_steer_bind(&runs->steering, recording->device, pipeline))
        return false;
    bound->steered = pipeline;
    bound->steered_variants = bound->variants;
    return true;
}

bool wpg_runs_steer_next(wpg_recording *recording, wpg_bound *bound)
{
    if (!bound->steered || wpg_runs_miss(recording) != WPG_MISS_NONE ||
        !wpg_steer_next(recording->runs->steering, recording->device, bound->steered, &bound->trial.tuned))
        return false;
    wpg_runs_close(recording);
    return true;
}

void wpg_runs_steer_dispatch(wpg_recording *recording, wpg_bound *bound, const uint32_t groups[3])
{
    struct wpg_runs *runs = recording->runs;
    wpg_steer_dispatch(runs->steering, recording, bound, runs->count, groups);
    wpg_runs_close(recording);
}

static wpg_trial *trial_of(void *context, uint32_t index)
{
    struct wpg_runs *runs = context;
    return &runs->list[index].trial;
}

/* -- Results */

typedef struct results {
    uint64_t stamps[2 * WPG_RUNS][2]; /* value, availability */
    uint64_t statistics[STATISTIC_POINTS][WPG_RUNS * (WPG_STATISTIC_COUNT + 1)];
} results;

/* A query pool's results as far as they are there; VK_NOT_READY leaves the others' availability zero. */
static bool fetch(wpg_recording *recording, VkQueryPool pool, uint32_t count, uint64_t *into, size_t values)
{
    wpg_device *device = recording->device;
    const size_t stride = (values + 1) * sizeof *into;
    if (!pool)
        return false;
    memset(into, 0, count * stride);
    VkResult result =
        device->next.GetQueryPoolResults(device->handle, pool, 0, count, count * stride, into, stride,
                                         VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    return result == VK_SUCCESS || result == VK_NOT_READY;
}

/* The values of one query in the order of their bits, spread over all that there are. */
static void spread(uint64_t out[WPG_STATISTIC_COUNT], const uint64_t *values,
                   VkQueryPipelineStatisticFlags flags)
{
    for (uint32_t bit = 0; bit < WPG_STATISTIC_COUNT; bit++)
        out[bit] = flags >> bit & 1 ? *values++ : 0;
}

/* A command buffer for simultaneous use may be running while it is read. The resets before its runs make
 * executions on one queue follow each other (Vulkan 1.3, 18.2), so that a set of results that is complete and
 * does not change from one reading to the next is one execution's. */
static bool is_one_execution(wpg_recording *recording, const results *r)
{
    struct wpg_runs *runs = recording->runs;
    uint64_t again[2 * WPG_RUNS][2];
    if (runs->elsewhere || !fetch(recording, runs->stamps, 2 * runs->count, &again[0][0], 1) ||
        memcmp(again, r->stamps, 2 * runs->count * sizeof *again) != 0)
        return false;
    for (uint32_t i = 0; i < 2 * runs->count; i++)
        if (!again[i][1])
            return false;
    bool fresh = again[0][0] != runs->first_stamp;
    runs->first_stamp = again[0][0];
    return fresh;
}

static void add_results(wpg_recording *recording, results *r)
{
    struct wpg_runs *runs = recording->runs;
    const wpg_query_plan *plan = recording->device->queries;
    VkQueryPipelineStatisticFlags flags[STATISTIC_POINTS];
    size_t per_query[STATISTIC_POINTS];
    bool counted[STATISTIC_POINTS];
    bool timed = fetch(recording, runs->stamps, 2 * runs->count, &r->stamps[0][0], 1);
    for (int i = 0; i < STATISTIC_POINTS; i++) {
        flags[i] = statistics_of(plan, recording->pool->family, i == 1);
        per_query[i] = (size_t)__builtin_popcount(flags[i]);
        counted[i] = fetch(recording, runs->statistics[i], runs->count, r->statistics[i], per_query[i]);
    }
    if (runs->simultaneous && (!timed || !is_one_execution(recording, r)))
        return;
    for (uint32_t i = 0; i < runs->count; i++) {
        run *one = &runs->list[i];
        const uint64_t *first = r->stamps[2 * i], *last = r->stamps[2 * i + 1];
        const uint64_t *values = &r->statistics[one->compute][i * (per_query[one->compute] + 1)];
        if (timed && first[1] && last[1]) {
            uint64_t ticks = (last[0] - first[0]) & runs->tick_mask;
            uint64_t nanoseconds = (uint64_t)((double)ticks * plan->period + 0.5);
            wpg_totals_add_time(one->totals, nanoseconds, one->commands);
            if (one->trial.tuned && one->read && first[0] == one->seen)
                one->trial.tuned = NULL; /* what was submitted did not run */
            one->read = true;
            one->seen = first[0];
            if (one->trial.tuned)
                wpg_tune_add(one->trial, (wpg_sample){one->shape, one->push, nanoseconds});
            else if (one->tuned)
                wpg_tune_missed(one->tuned, WPG_MISS_AGAIN);
            one->trial.tuned = NULL; /* one execution of a recording is a sample, for it was chosen once */
        }
        if (one->watched)
            wpg_hardware_read(recording->device->hardware, recording->device, recording->pool->family,
                              runs->hardware, i, one->totals, one->commands);
        if (counted[one->compute] && one->counted && values[per_query[one->compute]]) {
            uint64_t all[WPG_STATISTIC_COUNT];
            spread(all, values, flags[one->compute]);
            wpg_totals_add_statistics(one->totals, all, one->commands);
        }
    }
}

/* Under the runs' lock. */
static void harvest(wpg_recording *recording)
{
    struct wpg_runs *runs = recording->runs;
    results *r = runs->count && runs->flying ? malloc(sizeof *r) : NULL;
    runs->flying = false;
    if (r)
        add_results(recording, r);
    free(r);
}

void wpg_runs_harvest(wpg_recording *recording)
{
    if (!recording->runs)
        return;
    (void)pthread_mutex_lock(&recording->runs->lock);
    harvest(recording);
    (void)pthread_mutex_unlock(&recording->runs->lock);
}

void wpg_runs_submitted(wpg_recording *recording, VkQueue queue)
{
    struct wpg_runs *runs = recording->runs;
    if (!runs)
        return;
    (void)pthread_mutex_lock(&runs->lock);
    bool again = runs->flying;
    harvest(recording); /* submitted again: what ran before is finished, or it is for simultaneous use */
    if (again && runs->hardware && !runs->simultaneous)
        wpg_hardware_reset(recording->device->hardware, recording->device, runs->hardware, runs->count);
    runs->elsewhere |= runs->queue && runs->queue != queue;
    runs->queue = queue;
    runs->flying = true;
    wpg_steer_choose(runs->steering, trial_of, runs);
    (void)pthread_mutex_unlock(&runs->lock);
}
