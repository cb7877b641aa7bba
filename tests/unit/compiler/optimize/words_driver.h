/* What random tests of versions share: a driver, and a run of a kernel with given words in its uniform
 * block. Header only. Kernels: binding 0 the input, 1 the output, 2 the uniform block of WORDS_HELD words. */
#ifndef WPG_TESTS_UNIT_COMPILER_OPTIMIZE_WORDS_DRIVER_H
#define WPG_TESTS_UNIT_COMPILER_OPTIMIZE_WORDS_DRIVER_H

#include "tests/support/effort.h"
#include "tests/support/vk_compute.h"
#include "tests/unit/compiler/optimize/words.h"

enum { INVOCATIONS = 128, WORDS_HELD = 6 };

static vkc_device *device; /* NULL: there is no driver */

USE void run_on(uint32_t *out, const uint32_t *words, size_t count, const uint32_t *held)
{
    vkc_buffer in, result, uniform;
    assert_true(vkc_buffer_make(&in, device, INVOCATIONS * 4));
    assert_true(vkc_buffer_make(&result, device, INVOCATIONS * 4));
    assert_true(vkc_buffer_make(&uniform, device, WORDS_HELD * 4));
    uint32_t value = 4711;
    for (unsigned i = 0; i < INVOCATIONS; i++)
        ((uint32_t *)in.data)[i] = value = value * 1664525u + 1013904223u;
    memcpy(uniform.data, held, WORDS_HELD * 4);
    vkc_job job = {.words = words,
                   .word_count = count,
                   .bindings = {{&in, VKC_STORAGE}, {&result, VKC_STORAGE}, {&uniform, VKC_UNIFORM}},
                   .binding_count = 3,
                   .groups = {INVOCATIONS / 64, 1, 1}};
    assert_true(vkc_run(device, &job, NULL));
    memcpy(out, result.data, INVOCATIONS * 4);
    vkc_buffer_free(&in, device);
    vkc_buffer_free(&result, device);
    vkc_buffer_free(&uniform, device);
}

/* Two floats, by their bits. */
USE bool is_near(uint32_t a, uint32_t b, float most)
{
    float x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x - y < most && y - x < most;
}

USE uint32_t next(uint32_t *seed)
{
    return (*seed = *seed * 747796405u + 2891336453u) >> 16;
}

USE int open_device(void **state)
{
    (void)state;
    const char *why = "";
    device = vkc_open(&why);
    printf("driver: %s\n", device ? vkc_driver(device) : why);
    return 0;
}

USE int close_device(void **state)
{
    (void)state;
    vkc_close(device);
    return 0;
}

#endif
