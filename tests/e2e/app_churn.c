/* Scenario "churn" of the test program: ARGUMENT distinct pipelines (1,000 without one), made, run and
 * destroyed one after the other, as a test suite does: one shader under as many specialisation values, a
 * module each. With "COUNT,RUN" each RUN-th runs, 0: none. To standard error, ten times: how many, KiB of
 * resident memory, KiB in use of the heap, milliseconds of processor time. What goes to standard output does
 * not depend on a layer. See app.c. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/e2e/app.h"

static void tell(unsigned long count)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    fprintf(stderr, "churn %lu: %ld KiB resident, %zu KiB of heap, %.0f ms of processors\n", count,
            app_resident(), mallinfo2().uordblks / 1024, (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6);
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
        VkPipeline pipeline = app_make_of_value(vk, words, size, (uint32_t)i);
        if (every && i % every == 0) {
            app_run_of_value(vk, pipeline);
            sum = sum * 31 + app_checksum(vk->buffers[2].words, 32);
        }
        vkDestroyPipeline(vk->device, pipeline, NULL);
        if (count >= 10 && i % (count / 10) == 0)
            tell(i);
    }
    printf("churn of %lu: %08x\n", count, sum);
    free(words);
}
