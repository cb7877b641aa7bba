/* Scenario "crowd" of the test program: ARGUMENT distinct pipelines (10,000 without one), all alive at once:
 * one shader under as many specialisation values, a module each; with COUNT,SEED in an order of the seed's.
 * Some of them run. On the way to standard error, when a tenth, a fifth, a half and all are there: how many,
 * milliseconds since the start (by the clock, of processors), KiB of resident memory, KiB in use of the heap.
 * What goes to standard output does not depend on a layer. See app.c. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/e2e/app.h"

enum { RUN = 10 };

static double milliseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

long app_resident(void)
{
    long pages = 0, size;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void tell(size_t count, const double start[2])
{
    fprintf(stderr, "crowd %zu: %.1f ms, %.1f ms of processors, %ld KiB resident, %zu KiB of heap\n", count,
            milliseconds(CLOCK_MONOTONIC) - start[0], milliseconds(CLOCK_PROCESS_CPUTIME_ID) - start[1],
            app_resident(), mallinfo2().uordblks / 1024);
}

VkPipeline app_make_of_value(vk_program *vk, const uint32_t *words, size_t count, uint32_t factor)
{
    VkResult result;
    VkSpecializationMapEntry entry = {3, 0, sizeof factor};
    VkSpecializationInfo specialization = {1, &entry, sizeof factor, &factor};
    vk_stage stage = {VK_SHADER_STAGE_COMPUTE_BIT, vk_module(vk, words, count, &result), &specialization};
    VkPipeline pipeline = stage.module ? vk_compute_pipeline(vk, stage, &result) : VK_NULL_HANDLE;
    if (!pipeline) {
        printf("pipeline %u: VkResult %d\n", factor, (int)result);
        exit(VK_EXIT_FAILURE);
    }
    vkDestroyShaderModule(vk->device, stage.module, NULL);
    return pipeline;
}

void app_run_of_value(vk_program *vk, VkPipeline pipeline)
{
    const uint32_t push[4] = {1, 2, 3, 4};
    vk_begin(vk);
    vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, vk->layout, 0, 1, &vk->set, 0,
                            NULL);
    vkCmdPushConstants(vk->commands, vk->layout, VK_SHADER_STAGE_ALL, 0, sizeof push, push);
    vkCmdDispatch(vk->commands, 2, 1, 1);
    vk_finish(vk);
}

/* "COUNT" or "COUNT,SEED": 0 to count - 1, shuffled by a seed that is not 0. */
static uint32_t *order_of(size_t *count, const char *argument)
{
    char *rest = NULL;
    *count = argument ? strtoul(argument, &rest, 10) : 10000;
    uint64_t state = rest && *rest == ',' ? strtoul(rest + 1, NULL, 10) : 0;
    uint32_t *order = calloc(*count + 1, sizeof *order);
    for (size_t i = 0; order && i < *count; i++) {
        state = state * 6364136223846793005u + (state ? 1442695040888963407u : 0);
        size_t at = state ? (size_t)(state >> 33) % (i + 1) : i;
        order[i] = order[at];
        order[at] = (uint32_t)i;
    }
    return order;
}

void app_crowd(vk_program *vk, const char *argument)
{
    size_t count, size;
    uint32_t *words, *order = order_of(&count, argument);
    VkPipeline *pipelines = calloc(count + 1, sizeof(VkPipeline));
    if (!pipelines || !order || !count)
        exit(VK_EXIT_FAILURE);
    app_read_shader(&words, &size, "push.comp");
    const double start[2] = {milliseconds(CLOCK_MONOTONIC), milliseconds(CLOCK_PROCESS_CPUTIME_ID)};
    tell(0, start);
    for (size_t i = 0; i < count; i++) {
        pipelines[order[i]] = app_make_of_value(vk, words, size, order[i] + 1);
        if ((i + 1) * 10 == count || (i + 1) * 5 == count || (i + 1) * 2 == count || i + 1 == count)
            tell(i + 1, start);
    }
    /* A driver without hardware makes pipelines only. */
    for (size_t i = 0; i < RUN && !vk->memoryless; i++)
        app_run_of_value(vk, pipelines[i * (count - 1) / RUN]);
    printf("crowd of %zu: %08x\n", count, vk->memoryless ? 0 : app_checksum(vk->buffers[2].words, 32));
    for (size_t i = 0; i < count; i++)
        vkDestroyPipeline(vk->device, pipelines[i], NULL);
    free(pipelines);
    free(order);
    free(words);
}
