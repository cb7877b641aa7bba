/* Compute cases: sizes, inputs, and the lane counts that can be known without running them. See case.h. */
#include "shaders/runner/case.h"

#include <string.h>

/* Sets a one-dimensional dispatch of `groups` workgroups of 64, each invocation writing `bytes` bytes. */
static void linear_work(bench_work *work, uint32_t groups, size_t bytes)
{
    work->groups[0] = groups;
    work->groups[1] = work->groups[2] = 1;
    work->invocations = (uint64_t)groups * 64;
    work->output_size = (size_t)work->invocations * bytes;
}

/* ---- the microbenchmarks of the offload-PGO RFC ---- */

/* How many of the pairs (gid, i) have (gid * step + i) % period == 0. */
static uint64_t count_multiples(uint64_t lanes, uint64_t step, uint64_t iterations, uint64_t period)
{
    uint64_t total = 0;
    for (uint64_t gid = 0; gid < lanes; gid++) {
        uint64_t first = gid * step; /* multiples of period in [first, first + iterations) */
        total += (first + iterations + period - 1) / period - (first + period - 1) / period;
    }
    return total;
}

static wpg_status rfc(bench_work *work, bench_size size, bool divergent, uint32_t period)
{
    static const struct {
        uint32_t groups, iterations;
    } sizes[BENCH_SIZES] = {{4, 10001}, {16, 20001}, {1024, 100001}};
    struct {
        uint32_t iterations;
        float seed;
    } push = {sizes[size].iterations, 0.375f};
    linear_work(work, sizes[size].groups, 8);
    bench_work_push(work, &push, sizeof push);
    uint64_t all = work->invocations * push.iterations;
    uint64_t cold = count_multiples(work->invocations, divergent ? 1 : 0, push.iterations, period);
    bench_work_expect(work, "hot arm", all - cold);
    bench_work_expect(work, "cold arm", cold);
    return WPG_OK;
}

static wpg_status prepare_rfc_uniform(bench_work *work, bench_size size, wpg_error *err)
{
    (void)err;
    return rfc(work, size, false, 10000);
}

static wpg_status prepare_rfc_divergent(bench_work *work, bench_size size, wpg_error *err)
{
    (void)err;
    return rfc(work, size, true, 10000);
}

static wpg_status prepare_rfc_divergent_hot(bench_work *work, bench_size size, wpg_error *err)
{
    (void)err;
    return rfc(work, size, true, 100);
}

/* ---- images ---- */

static wpg_status prepare_mandelbrot(bench_work *work, bench_size size, wpg_error *err)
{
    static const uint32_t widths[BENCH_SIZES] = {125, 500, 1920}, limits[BENCH_SIZES] = {128, 256, 1024};
    struct {
        uint32_t size[2];
        float center[2];
        float scale;
        uint32_t limit;
    } push = {{widths[size], widths[size] * 3 / 4}, {-0.7f, 0.0f}, 2.6f, limits[size]};
    (void)err;
    bench_work_image(work, push.size[0], push.size[1]);
    bench_work_push(work, &push, sizeof push);
    return WPG_OK;
}

static wpg_status prepare_raymarch(bench_work *work, bench_size size, wpg_error *err)
{
    static const uint32_t widths[BENCH_SIZES] = {100, 333, 1920};
    struct {
        uint32_t size[2];
        uint32_t max_steps, shadow_steps;
        float time;
    } push = {{widths[size], widths[size] * 9 / 16}, 96, 24, 0.5f};
    (void)err;
    bench_work_image(work, push.size[0], push.size[1]);
    bench_work_push(work, &push, sizeof push);
    return WPG_OK;
}

/* ---- cases for one lever each ---- */

static wpg_status prepare_select_rare(bench_work *work, bench_size size, wpg_error *err)
{
    static const struct {
        uint32_t groups, iterations;
    } sizes[BENCH_SIZES] = {{8, 32}, {64, 128}, {4096, 512}};
    struct {
        uint32_t iterations, period;
        float scale;
    } push = {sizes[size].iterations, 4096, 1.0f / 1024.0f};
    (void)err;
    linear_work(work, sizes[size].groups, 4);
    bench_work_push(work, &push, sizeof push);
    uint64_t rare = 0;
    for (uint64_t gid = 0; gid < work->invocations; gid++)
        for (uint64_t i = 0; i < push.iterations; i++)
            rare += (gid + i * 977) % push.period == 0;
    bench_work_expect(work, "loop body", work->invocations * push.iterations);
    bench_work_expect(work, "rare value chosen", rare);
    return WPG_OK;
}

static wpg_status prepare_trip_uniform(bench_work *work, bench_size size, wpg_error *err)
{
    enum { TAPS = 8 };
    static const struct {
        uint32_t groups, iterations;
    } sizes[BENCH_SIZES] = {{8, 128}, {128, 512}, {4096, 2048}};
    struct {
        uint32_t iterations;
        float scale;
    } push = {sizes[size].iterations, 1.0f / 4096.0f};
    struct {
        uint32_t taps;
        float bias;
        uint32_t padding[2];
        float weights[16][4];
    } filter = {.taps = TAPS, .bias = 0.0625f};
    (void)err;
    for (int i = 0; i < 16; i++) {
        const float weights[4] = {0.5f + 0.02f * (float)i, 0.3f - 0.015f * (float)i, -4.0f, 4.0f + (float)i};
        memcpy(filter.weights[i], weights, sizeof weights);
    }
    linear_work(work, sizes[size].groups, 4);
    bench_work_push(work, &push, sizeof push);
    bench_work_uniform(work, &filter, sizeof filter);
    uint64_t outer = work->invocations * push.iterations;
    bench_work_expect(work, "outer loop body", outer);
    bench_work_expect(work, "inner loop body", outer * TAPS);
    return WPG_OK;
}

static wpg_status prepare_value_uniform(bench_work *work, bench_size size, wpg_error *err)
{
    enum { KIND = 4, LAYERS = 16 };
    static const struct {
        uint32_t groups, iterations;
    } sizes[BENCH_SIZES] = {{8, 64}, {128, 256}, {4096, 1024}};
    struct {
        uint32_t iterations;
        float scale;
    } push = {sizes[size].iterations, 1.0f / 4096.0f};
    struct {
        uint32_t kind, layers;
        float gain, bias;
    } material = {KIND, LAYERS, 0.875f, 0.0625f};
    (void)err;
    linear_work(work, sizes[size].groups, 4);
    bench_work_push(work, &push, sizeof push);
    bench_work_uniform(work, &material, sizeof material);
    uint64_t outer = work->invocations * push.iterations;
    bench_work_expect(work, "outer loop body", outer);
    bench_work_expect(work, "inner loop body", outer * LAYERS);
    return WPG_OK;
}

static wpg_status prepare_push_stride(bench_work *work, bench_size size, wpg_error *err)
{
    enum { TILE_WIDTH = 24, TILE_HEIGHT = 12, RADIUS = 2, MIRROR = 1 };
    static const struct {
        uint32_t width, height, images;
    } sizes[BENCH_SIZES] = {{60, 45, 2}, {300, 200, 3}, {1920, 1080, 8}};
    struct {
        uint32_t width, height, images, tile_width, tile_height, radius, border, channel;
    } push = {sizes[size].width,
              sizes[size].height,
              sizes[size].images,
              TILE_WIDTH,
              TILE_HEIGHT,
              RADIUS,
              MIRROR,
              1};
    uint32_t columns = (push.width + TILE_WIDTH - 1) / TILE_WIDTH;
    uint32_t rows = (push.height + TILE_HEIGHT - 1) / TILE_HEIGHT;
    size_t count = (size_t)push.images * columns * rows * TILE_WIDTH * TILE_HEIGHT;
    uint32_t *texels = bench_work_input(work, 0, count, sizeof *texels), random = 1;
    if (!texels)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        texels[i] = random ^ random >> 15;
    }
    uint64_t wanted = (uint64_t)push.images * push.width * push.height;
    linear_work(work, (uint32_t)((wanted + 63) / 64), 4);
    bench_work_push(work, &push, sizeof push);
    bench_work_expect(work, "pixels", wanted);
    bench_work_expect(work, "taps", wanted * (2 * RADIUS + 1) * (2 * RADIUS + 1));
    return WPG_OK;
}

static wpg_status prepare_divergent_short(bench_work *work, bench_size size, wpg_error *err)
{
    static const struct {
        uint32_t groups, iterations;
    } sizes[BENCH_SIZES] = {{8, 256}, {128, 4096}, {4096, 16384}};
    struct {
        uint32_t iterations, mask;
    } push = {sizes[size].iterations, 1};
    (void)err;
    linear_work(work, sizes[size].groups, 4);
    bench_work_push(work, &push, sizeof push);
    bench_work_expect(work, "loop body", work->invocations * push.iterations);
    return WPG_OK;
}

static wpg_status prepare_loop_modes(bench_work *work, bench_size size, wpg_error *err)
{
    static const struct {
        uint32_t groups, iterations;
    } sizes[BENCH_SIZES] = {{8, 256}, {128, 1024}, {4096, 4096}};
    struct {
        uint32_t iterations;
        float scale;
    } push = {sizes[size].iterations, 1.0f / 64.0f};
    struct {
        uint32_t kind, edges;
        float strength, drag;
    } field = {.strength = 0.5f, .drag = 0.96875f};
    (void)err;
    linear_work(work, sizes[size].groups, 4);
    bench_work_push(work, &push, sizeof push);
    bench_work_uniform(work, &field, sizeof field);
    bench_work_expect(work, "loop body", work->invocations * push.iterations);
    return WPG_OK;
}

static wpg_status prepare_first_trip(bench_work *work, bench_size size, wpg_error *err)
{
    static const struct {
        uint32_t groups, iterations;
    } sizes[BENCH_SIZES] = {{8, 256}, {128, 1024}, {4096, 4096}};
    struct {
        uint32_t iterations;
        float scale;
    } push = {sizes[size].iterations, 1.0f / 64.0f};
    (void)err;
    linear_work(work, sizes[size].groups, 4);
    bench_work_push(work, &push, sizeof push);
    bench_work_expect(work, "loop body", work->invocations * push.iterations);
    return WPG_OK;
}

const bench_case bench_compute_cases[] = {
    {"rfc_uniform",
     "RFC microbenchmark: rare branch, all lanes agree",
     {"rfc_uniform.comp"},
     0,
     prepare_rfc_uniform},
    {"rfc_divergent",
     "RFC microbenchmark: rare branch, one lane at a time",
     {"rfc_divergent.comp"},
     0,
     prepare_rfc_divergent},
    {"rfc_divergent_hot",
     "RFC microbenchmark: branch cold by lanes, hot by waves",
     {"rfc_divergent_hot.comp"},
     0,
     prepare_rfc_divergent_hot},
    {"mandelbrot", "divergent trip counts", {"mandelbrot.comp"}, 0, prepare_mandelbrot},
    {"raymarch", "loops left by two ways, shading under divergence", {"raymarch.comp"}, 0, prepare_raymarch},
    {"select_rare", "an expensive value a select rarely wants", {"select_rare.comp"}, 0, prepare_select_rare},
    {"trip_uniform", "a trip count that is always the same", {"trip_uniform.comp"}, 0, prepare_trip_uniform},
    {"value_uniform",
     "a switch on a value that is always the same",
     {"value_uniform.comp"},
     0,
     prepare_value_uniform},
    {"push_stride",
     "divisions by push constants that are always the same",
     {"push_stride.comp"},
     0,
     prepare_push_stride},
    {"divergent_short",
     "short arms that nearly every wave runs both of",
     {"divergent_short.comp"},
     0,
     prepare_divergent_short},
    {"loop_modes", "conditions that stand still in a hot loop", {"loop_modes.comp"}, 0, prepare_loop_modes},
    {"first_trip", "set-up in the first trip of a hot loop", {"first_trip.comp"}, 0, prepare_first_trip},
    {0},
};
