/* Scenario "churn" of the test program: ARGUMENT distinct pipelines (1,000 without one), made, run and
 * destroyed one after the other, as a test suite does: one shader under as many specialisation values, a
 * module each. "COUNT,RUN,VALUES": each RUN-th runs, 0: none; with only so many values, which come again.
 *
 * To standard error, ten times: how many, KiB of resident memory, KiB in use of the heap, the least and the
 * most since the line before, milliseconds of processor time. What goes to standard output does not depend on
 * a layer. See app.c. */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/e2e/app.h"

static size_t least = SIZE_MAX, most; /* bytes of the heap */

static size_t look(void)
{
    const struct mallinfo2 info = mallinfo2();
    const size_t heap = info.uordblks + info.hblkhd;
    least = heap < least ? heap : least;
    most = heap > most ? heap : most;
    return heap;
}

static void tell(unsigned long count)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    const size_t heap = look() / 1024;
    fprintf(stderr, "churn %lu: %ld KiB resident, %zu KiB of heap ( %zu to %zu ), %.0f ms of processors\n",
            count, app_resident(), heap, least / 1024, most / 1024,
            (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6);
    least = SIZE_MAX;
    most = 0;
}

void app_churn(vk_program *vk, const char *argument)
{
    char *rest = NULL;
    unsigned long count = argument ? strtoul(argument, &rest, 10) : 1000, every = 1, values = 0;
    size_t size;
    uint32_t *words, sum = 0;
    if (rest && *rest == ',')
        every = strtoul(rest + 1, &rest, 10);
    if (rest && *rest == ',')
        values = strtoul(rest + 1, NULL, 10);
    app_read_shader(&words, &size, "push.comp");
    tell(0);
    for (unsigned long i = 1; i <= count; i++) {
        VkPipeline pipeline = app_make_of_value(vk, words, size, (uint32_t)(values ? i % values : i));
        if (every && i % every == 0) {
            app_run_of_value(vk, pipeline);
            sum = sum * 31 + app_checksum(vk->buffers[2].words, 32);
        }
        vkDestroyPipeline(vk->device, pipeline, NULL);
        if (i % 16 == 0)
            (void)look();
        if (count >= 10 && i % (count / 10) == 0)
            tell(i);
    }
    printf("churn of %lu: %08x\n", count, sum);
    free(words);
}
