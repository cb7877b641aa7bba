/* Scenario "churn" of the test program: ARGUMENT distinct pipelines (1,000 without one), made, run and
 * destroyed one after the other, as a test suite does: one shader under as many specialisation values, a
 * module each. With "COUNT,RUN" each RUN-th runs, 0: none. To standard error, ten times: how many, KiB of
 * resident memory, KiB in use of the heap, milliseconds of processor time. What goes to standard output does
 * not depend on a layer. See app.c. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/e2e/app.h"

static long resident(void)
{
    long pages = 0, size;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void tell(unsigned long count)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    fprintf(stderr, "churn %lu: %ld KiB resident, %zu KiB of heap, %.0f ms of processors\n", count,
            resident(), mallinfo2().uordblks / 1024, (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6);
}

static VkPipeline make(vk_program *vk, const uint32_t *words, size_t count, uint32_t factor)
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

static void run(vk_program *vk, VkPipeline pipeline)
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

void app_churn(vk_program *vk, const char *argument)
{
    char *rest = NULL;
    unsigned long count = argument ? strtoul(argument, &rest, 10) : 1000, every = 1;
    size_t size;
    uint32_t *words, sum = 0;
    if (rest && *rest == ',')
        every = strtoul(rest + 1, NULL, 10);
    app_read_shader(&words, &size, "push.comp");
    tell(0);
    for (unsigned long i = 1; i <= count; i++) {
        VkPipeline pipeline = make(vk, words, size, (uint32_t)i);
        if (every && i % every == 0) {
            run(vk, pipeline);
            sum = sum * 31 + app_checksum(vk->buffers[2].words, 32);
        }
        vkDestroyPipeline(vk->device, pipeline, NULL);
        if (count >= 10 && i % (count / 10) == 0)
            tell(i);
    }
    printf("churn of %lu: %08x\n", count, sum);
    free(words);
}
