/* What the prepare functions of cases share: the work of one case, put together. */
#include "shaders/runner/case.h"

#include <stdlib.h>
#include <string.h>

void bench_work_finish(bench_work *work)
{
    free(work->indices);
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        free(work->input[i]);
    for (unsigned i = 0; i < BENCH_TEXTURES; i++)
        free(work->textures[i].texels);
    memset(work, 0, sizeof *work);
}

void bench_work_push(bench_work *work, const void *data, size_t size)
{
    if (size > BENCH_MAX_PUSH)
        abort(); /* a case in the table is wrong: no input of a user leads here */
    memcpy(work->push, data, size);
    work->push_size = (uint32_t)size;
}

void bench_work_uniform(bench_work *work, const void *data, size_t size)
{
    if (size > BENCH_MAX_UNIFORM)
        abort();
    memcpy(work->uniform, data, size);
    work->uniform_size = (uint32_t)size;
}

void bench_work_expect(bench_work *work, const char *what, uint64_t lanes)
{
    if (work->expected_count == BENCH_MAX_EXPECTED)
        abort();
    work->expected[work->expected_count++] = (bench_expected){what, lanes};
}

void bench_work_constant(bench_work *work, uint32_t value)
{
    if (work->constant_count == BENCH_MAX_CONSTANTS)
        abort();
    work->constants[work->constant_count++] = value;
}

uint8_t *bench_work_texture(bench_work *work, uint32_t width, uint32_t height, uint32_t depth)
{
    if (work->texture_count == BENCH_TEXTURES)
        abort();
    bench_texels *t = &work->textures[work->texture_count++];
    *t = (bench_texels){width, height, depth, calloc((size_t)width * height * (depth ? depth : 1), 4)};
    return t->texels;
}

void *bench_work_input(bench_work *work, unsigned which, size_t count, size_t size)
{
    work->input[which] = calloc(count, size);
    work->input_size[which] = work->input[which] ? count * size : 0;
    return work->input[which];
}

void bench_work_image(bench_work *work, uint32_t width, uint32_t height)
{
    work->width = width;
    work->height = height;
    work->groups[0] = (width + 7) / 8;
    work->groups[1] = (height + 7) / 8;
    work->groups[2] = 1;
    work->invocations = (uint64_t)work->groups[0] * work->groups[1] * 64;
    work->output_size = (size_t)width * height * 4;
    bench_work_expect(work, "inside the image", (uint64_t)width * height);
}

float bench_random(uint32_t *state)
{
    uint32_t x = *state ? *state : 0x9e3779b9u;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return (float)(x >> 8) * 0x1p-24f;
}
