/* One case: pipeline, memory, one warm-up execution, N timed ones, checksum. See run.h. */
#include "shaders/runner/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "shaders/runner/resources.h"

const char *bench_state_name(bench_state state)
{
    static const char *const names[] = {"ok", "skipped", "compiled", "failed"};
    return names[state];
}

static void record_compute(VkCommandBuffer cmd, const bench_pipeline *p, const bench_resources *r,
                           const bench_work *work)
{
    /* The previous execution wrote the same bytes. */
    VkMemoryBarrier rewrite = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
    };
    VkMemoryBarrier read_back = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
                         1, &rewrite, 0, NULL, 0, NULL);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &r->set, 0, NULL);
    if (work->push_size)
        vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, work->push_size, work->push);
    vkCmdDispatch(cmd, work->groups[0], work->groups[1], work->groups[2]);
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
                         &read_back, 0, NULL, 0, NULL);
}

static void record_graphics(VkCommandBuffer cmd, const bench_pipeline *p, const bench_resources *r,
                            const bench_work *work)
{
    VkClearValue clear[2] = {{.color = {.float32 = {0.125f, 0.25f, 0.5f, 1.0f}}},
                             {.depthStencil = {1.0f, 0}}};
    VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = p->render_pass,
        .framebuffer = r->framebuffer,
        .renderArea = {{0, 0}, {work->width, work->height}},
        .clearValueCount = work->depth ? 2 : 1,
        .pClearValues = clear,
    };
    vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &r->set, 0, NULL);
    if (work->push_size)
        vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_ALL_GRAPHICS, 0, work->push_size, work->push);
    if (work->indices) {
        vkCmdBindIndexBuffer(cmd, r->indices.buffer, 0, VK_INDEX_TYPE_UINT32);
        vkCmdDrawIndexed(cmd, work->vertices, 1, 0, 0, 0);
    } else {
        vkCmdDraw(cmd, work->vertices, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
}

/* What is executed. The commands are recorded once, or with --frames before each execution. */
typedef struct job {
    const bench_device *dev;
    const bench_pipeline *p;
    const bench_resources *r;
    const bench_work *work;
    const bench_options *options;
    bool compute;
    VkCommandBuffer cmd;
} job;

static void forget(job *j)
{
    if (j->cmd)
        vkFreeCommandBuffers(j->dev->device, j->dev->pool, 1, &j->cmd);
    j->cmd = VK_NULL_HANDLE;
}

static wpg_status record(job *j, wpg_error *err)
{
    const bench_device *dev = j->dev;
    VkCommandBuffer *cmd = &j->cmd;
    WPG_TRY(bench_commands_begin(cmd, dev, err));
    bench_timer_begin(*cmd, dev);
    for (uint32_t i = 0; i < j->options->binds; i++) {
        if (j->compute)
            record_compute(*cmd, j->p, j->r, j->work);
        else
            record_graphics(*cmd, j->p, j->r, j->work);
    }
    bench_timer_end(*cmd, dev);
    BENCH_VK(vkEndCommandBuffer(*cmd));
    return WPG_OK;
}

/* Milliseconds that all threads of this process have run. */
static double processor_ms(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* One execution, and the recording where that is due. */
static wpg_status execute_once(job *j, double *own_ms, uint64_t *wall_ns, wpg_error *err)
{
    const double before = processor_ms();
    if (j->options->frames)
        forget(j);
    if (!j->cmd)
        WPG_TRY(record(j, err));
    WPG_TRY(bench_submit(j->dev, j->cmd, wall_ns, err));
    *own_ms = processor_ms() - before;
    if (j->options->processor_clock)
        return WPG_OK;
    return bench_timer_read(own_ms, j->dev, err);
}

/* Executes `repeat` times, at least once; before that, the warm-up: one execution where more than one is
 * timed, or those of --frames. */
static wpg_status execute(bench_result *result, job *j, uint32_t repeat, double *own, double *wall,
                          wpg_error *err)
{
    const bool processor = j->options->processor_clock;
    const uint32_t warm_up = j->options->frames ? j->options->frames : repeat > 0;
    bool told = processor || j->dev->queries;
    result->clock = processor ? "processor" : "gpu";
    for (uint32_t i = 0; i < warm_up + (repeat ? repeat : 1); i++) {
        uint64_t ns = 0;
        double own_ms = 0;
        WPG_TRY(execute_once(j, &own_ms, &ns, err));
        result->executions++;
        if (i == 0)
            result->first_ms = (double)ns * 1e-6;
        if (i < warm_up)
            continue;
        size_t slot = i - warm_up;
        wall[slot] = (double)ns * 1e-6;
        own[slot] = own_ms;
        if (own_ms <= 0 || (!processor && own_ms > 1.5 * wall[slot])) /* it cannot be right */
            told = false;
    }
    size_t count = repeat ? repeat : 1;
    result->wall = bench_stats_of(wall, count);
    result->time = told ? bench_stats_of(own, count) : result->wall;
    if (!told)
        result->clock = "wall";
    if (result->first_ms > result->wall.median)
        result->compile_ms += result->first_ms - result->wall.median;
    return WPG_OK;
}

static wpg_status measure(bench_result *result, job *j, wpg_error *err)
{
    const uint32_t repeat = j->options->checksum ? 0 : j->options->repeat;
    size_t count = repeat ? repeat : 1;
    double *times = calloc(2 * count, sizeof *times);
    if (!times)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_status status = execute(result, j, repeat, times, times + count, err);
    free(times);
    return status;
}

static wpg_status dump(const bench_case *c, const bench_work *work, const bench_resources *r,
                       const char *folder, wpg_error *err)
{
    char path[PATH_MAX], header[64];
    const uint8_t *bytes = r->readback.mapped;
    bool image = work->width != 0;
    int length = snprintf(path, sizeof path, "%s/%s.%s", folder, c->name, image ? "ppm" : "bin");
    if (length < 0 || length >= (int)sizeof path)
        return wpg_fail(err, WPG_E_ARGUMENT, "%s: the path is too long", folder);
    if (!image)
        return wpg_file_write_atomic(path, bytes, r->output_size, err);
    size_t head = (size_t)snprintf(header, sizeof header, "P6\n%u %u\n255\n", work->width, work->height);
    size_t pixels = (size_t)work->width * work->height;
    uint8_t *file = malloc(head + pixels * 3);
    if (!file)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    memcpy(file, header, head);
    for (size_t i = 0; i < pixels; i++)
        memcpy(file + head + i * 3, bytes + i * 4, 3);
    wpg_status status = wpg_file_write_atomic(path, file, head + pixels * 3, err);
    free(file);
    return status;
}

static wpg_status run_on_device(bench_result *result, const bench_device *dev, const bench_case *c,
                                const bench_work *work, const bench_pipeline *p, const bench_options *options,
                                wpg_error *err)
{
    bool compute = bench_case_is_compute(c);
    bench_resources r;
    job j = {dev, p, &r, work, options, compute, VK_NULL_HANDLE};
    wpg_status status = bench_resources_create(&r, dev, p, work, compute, err);
    if (status == WPG_OK)
        status = measure(result, &j, err);
    if (status == WPG_OK)
        status = bench_resources_read_back(&r, dev, work, compute, err);
    if (status == WPG_OK)
        result->checksum = wpg_hash64_bytes(r.readback.mapped, r.output_size);
    if (status == WPG_OK && options->dump_folder)
        status = dump(c, work, &r, options->dump_folder, err);
    forget(&j);
    bench_resources_destroy(&r, dev);
    return status;
}

const char *bench_missing_feature(const bench_device *dev, const bench_case *c)
{
    if ((c->needs & BENCH_NEEDS_TESSELLATION) && !dev->features.tessellationShader)
        return "no tessellationShader";
    if ((c->needs & BENCH_NEEDS_GEOMETRY) && !dev->features.geometryShader)
        return "no geometryShader";
    return NULL;
}

void bench_run(bench_result *result, const bench_device *dev, const bench_case *c,
               const bench_options *options)
{
    wpg_error err = {0};
    bench_work work = {0};
    bench_pipeline p = {0};
    memset(result, 0, sizeof *result);
    const char *missing = bench_missing_feature(dev, c);
    if (missing) {
        result->state = BENCH_SKIPPED;
        (void)snprintf(result->why, sizeof result->why, "%s", missing);
        return;
    }
    wpg_status status = c->prepare(&work, options->size, &err);
    result->invocations = work.invocations;
    result->expected_count = work.expected_count;
    memcpy(result->expected, work.expected, sizeof work.expected);
    if (status == WPG_OK)
        status = bench_pipeline_create(&p, dev, c, &work, options->shader_folder, &err);
    result->create_ms = (double)p.create_ns * 1e-6;
    result->compile_ms = result->create_ms;
    result->state = BENCH_COMPILED;
    if (status == WPG_OK && !options->compile_only) {
        status = run_on_device(result, dev, c, &work, &p, options, &err);
        result->state = BENCH_OK;
    }
    if (status != WPG_OK) {
        result->state = BENCH_FAILED;
        (void)snprintf(result->why, sizeof result->why, "%s", err.message);
    }
    bench_pipeline_destroy(&p, dev);
    bench_work_finish(&work);
}
