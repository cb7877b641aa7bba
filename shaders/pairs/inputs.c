/* What the prepare functions of pairs share: the side, textures, random numbers. See pairs.h. */
#include "shaders/pairs/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pair_is_after(void)
{
    const char *side = getenv("WPG_PAIR");
    return side && !strcmp(side, "after");
}

void pair_constant(bench_work *work, uint32_t value)
{
    if (pair_is_after())
        bench_work_constant(work, value);
}

void pair_target(bench_work *work, bench_size size, uint32_t small, uint32_t demo, uint32_t full)
{
    const uint32_t widths[BENCH_SIZES] = {small, demo, full};
    work->width = work->height = widths[size];
    work->vertices = 3;
    work->invocations = 3;
}

static uint8_t texel(uint32_t x, uint32_t y, uint32_t z, uint32_t seed, uint32_t channel, uint32_t *random)
{
    const float phase = (float)(seed * 7 + channel * 3), scale = 0.11f + 0.02f * (float)(seed % 5);
    const float wave = sinf((float)x * scale + phase) + cosf((float)y * scale * 1.3f - phase) +
                       sinf((float)z * scale * 0.9f + (float)x * 0.05f);
    const float value = 0.5f + 0.14f * wave + 0.12f * (bench_random(random) - 0.5f);
    return (uint8_t)(255.0f * value);
}

wpg_status pair_texture(bench_work *work, uint32_t width, uint32_t height, uint32_t depth, uint32_t seed,
                        wpg_error *err)
{
    uint8_t *texels = bench_work_texture(work, width, height, depth);
    uint32_t random = seed + 1;
    if (!texels)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t z = 0; z < (depth ? depth : 1); z++)
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++)
                for (uint32_t channel = 0; channel < 4; channel++)
                    *texels++ = texel(x, y, z, seed, channel, &random);
    return WPG_OK;
}

wpg_status pair_floats(bench_work *work, unsigned which, size_t count, wpg_error *err)
{
    float *values = bench_work_input(work, which, count, sizeof *values);
    uint32_t random = which + 5;
    if (!values)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        values[i] = 2.0f * bench_random(&random) - 1.0f;
    return WPG_OK;
}
