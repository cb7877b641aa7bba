/* What random tests of versions share: a driver, and a run of a kernel with given words in its uniform
 * block. Header only. Kernels: binding 0 the input, 1 the output, 2 the uniform block of WORDS_HELD words, 6
 * if WORDS_IN_BLOCK says nothing else. */
#ifndef WPG_TESTS_UNIT_COMPILER_OPTIMIZE_WORDS_DRIVER_H
#define WPG_TESTS_UNIT_COMPILER_OPTIMIZE_WORDS_DRIVER_H

#include "tests/support/effort.h"
#include "tests/support/vk_compute.h"
#include "tests/unit/compiler/optimize/words.h"

#ifndef WORDS_IN_BLOCK
#define WORDS_IN_BLOCK 6
#endif
enum { INVOCATIONS = 128, WORDS_HELD = WORDS_IN_BLOCK };

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

/* Runs the shader as it was, and what use mode made of it. Fails where a result differs by `most` or more,
 * and with 0 where a bit differs. True if a bit differs. `source` is for the message. */
USE bool words_compare(const use_shader *shader, const use_result *made, const uint32_t *held, float most,
                       unsigned kernel, unsigned round, const char *source)
{
    uint32_t before[INVOCATIONS], after[INVOCATIONS];
    run_on(before, shader->words, shader->count, held);
    run_on(after, made->words, made->count, held);
    for (unsigned i = 0; i < INVOCATIONS; i++)
        if (before[i] != after[i] && !is_near(before[i], after[i], most))
            fail_msg("kernel %u, round %u: invocation %u has %08x, had %08x\n%s", kernel, round, i, after[i],
                     before[i], source);
    return memcmp(before, after, sizeof before) != 0;
}

/* Of random kernels: floats v0 to v3, vectors t0 and t1. */
#define WORDS_CLAMPS                                                                                         \
    "v0 = clamp(v0, -4.0, 4.0); v1 = clamp(v1, -4.0, 4.0); v2 = clamp(v2, -4.0, 4.0); "                      \
    "v3 = clamp(v3, -4.0, 4.0); t0 = clamp(t0, -4.0, 4.0); t1 = clamp(t1, -4.0, 4.0);\n"
/* No zero at the end: its sign is not kept. */
#define WORDS_SUM                                                                                            \
    "dst.data[i] = floatBitsToUint(v0 + v1 + v2 * 0.5 + v3 + t0.x + t0.y * t0.z + t1.x + t1.y + "            \
    "t1.z + 40.0); }\n"
#define WORDS_BUFFERS                                                                                        \
    "#version 450\nlayout(local_size_x = 64) in;\n"                                                          \
    "layout(std430, binding = 0) readonly buffer In { uint data[]; } src;\n"                                 \
    "layout(std430, binding = 1) buffer Out { uint data[]; } dst;\n"
/* The kernel's inputs: word i of the input is h. */
#define WORDS_MAIN                                                                                           \
    "void main() { uint i = gl_GlobalInvocationID.x, h = src.data[i];\n"                                     \
    "float v0 = float(h & 255u) * 0.01, v1 = float(h >> 8 & 255u) * 0.02, v2 = 0.75, v3 = float(h >> 24);\n" \
    "vec3 t0 = vec3(v0, v1, 0.5), t1 = vec3(v3, v1, v0);\n"

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
