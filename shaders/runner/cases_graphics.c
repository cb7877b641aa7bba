/* Graphics cases: sizes, inputs, and the lane counts that can be known without running them. See case.h. */
#include "shaders/runner/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static wpg_status no_memory(wpg_error *err)
{
    return wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

/* Pixels whose centers lie strictly within the hole of post.frag, computed as the shader does. */
static uint64_t pixels_in_hole(uint32_t width, uint32_t height, const float hole[4])
{
    uint64_t count = 0;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            float dx = (float)x + 0.5f - hole[0], dy = (float)y + 0.5f - hole[1];
            count += dx * dx + dy * dy < hole[2] * hole[2];
        }
    }
    return count;
}

static wpg_status prepare_post(bench_work *work, bench_size size, wpg_error *err)
{
    enum { SAMPLES = 12 };
    static const uint32_t widths[BENCH_SIZES] = {160, 512, 1920};
    uint32_t width = widths[size], height = width * 5 / 8;
    uint32_t hole_x = width / 4, hole_y = height / 3, hole_radius = height / 8;
    struct {
        uint32_t size[2], samples;
        float radius;
        float hole[4], tint[4];
    } settings = {
        .size = {width, height},
        .samples = SAMPLES,
        .radius = 6.0f,
        /* Whole numbers: the comparison is exact on every driver. */
        .hole = {(float)hole_x, (float)hole_y, (float)hole_radius, 0.0f},
        .tint = {1.0f, 0.95f, 0.9f, 1.0f},
    };
    uint32_t *source = bench_work_input(work, 0, (size_t)width * height, sizeof *source);
    if (!source)
        return no_memory(err);
    uint32_t seed = 7;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint32_t bright = bench_random(&seed) > 0.98f ? 255 : 0;
            source[(size_t)y * width + x] =
                (x * 255 / width) | (y * 255 / height) << 8 | bright << 16 | 0xff000000u;
        }
    }
    work->width = width;
    work->height = height;
    work->vertices = 3;
    work->invocations = 3;
    bench_work_uniform(work, &settings, sizeof settings);
    uint64_t pixels = (uint64_t)width * height, hole = pixels_in_hole(width, height, settings.hole);
    bench_work_expect(work, "fragment entry", pixels);
    bench_work_expect(work, "fragment discard", hole);
    bench_work_expect(work, "fragment loop body", (pixels - hole) * SAMPLES);
    return WPG_OK;
}

static wpg_status prepare_mesh(bench_work *work, bench_size size, wpg_error *err)
{
    static const uint32_t rings[BENCH_SIZES] = {48, 160, 1024}, widths[BENCH_SIZES] = {128, 320, 1280};
    struct {
        uint32_t rings, segments, octaves;
        float amplitude;
        float rotation[4];
    } mesh = {rings[size], rings[size] / 2, 6, 0.06f, {cosf(0.6f), sinf(0.6f), cosf(0.4f), sinf(0.4f)}};
    uint32_t row = mesh.segments + 1, quads = mesh.rings * mesh.segments;
    uint32_t *index = calloc((size_t)quads * 6, sizeof *index);
    if (!index)
        return no_memory(err);
    work->indices = index;
    for (uint32_t r = 0; r < mesh.rings; r++) {
        for (uint32_t s = 0; s < mesh.segments; s++) {
            uint32_t a = r * row + s, b = a + row;
            const uint32_t two_triangles[6] = {a, b, a + 1, a + 1, b, b + 1};
            memcpy(index, two_triangles, sizeof two_triangles);
            index += 6;
        }
    }
    work->width = widths[size];
    work->height = widths[size] * 3 / 4;
    work->depth = true;
    work->vertices = quads * 6;
    work->invocations = work->vertices;
    bench_work_uniform(work, &mesh, sizeof mesh);
    return WPG_OK;
}

static wpg_status prepare_patch(bench_work *work, bench_size size, wpg_error *err)
{
    static const uint32_t columns[BENCH_SIZES] = {6, 16, 64}, widths[BENCH_SIZES] = {128, 320, 1280};
    struct {
        uint32_t columns, rows;
        float near_level, far_level;
    } terrain = {columns[size], columns[size], 8.0f, 2.0f};
    (void)err;
    uint32_t patches = terrain.columns * terrain.rows;
    work->width = widths[size];
    work->height = widths[size] * 3 / 4;
    work->depth = true;
    work->patch_points = 4;
    work->vertices = patches * 4;
    work->invocations = work->vertices;
    bench_work_uniform(work, &terrain, sizeof terrain);
    bench_work_expect(work, "tessellation control entry", (uint64_t)patches * 4);
    bench_work_expect(work, "tessellation control levels", patches);
    return WPG_OK;
}

const bench_case bench_graphics_cases[] = {
    {"post",
     "full-screen pass: trip count from a uniform buffer, small discard",
     {"fullscreen.vert", "post.frag"},
     0,
     prepare_post},
    {"mesh", "indexed draw with a heavy vertex stage", {"mesh.vert", "mesh.frag"}, 0, prepare_mesh},
    {"patch",
     "tessellation and geometry stages",
     {"patch.vert", "patch.tesc", "patch.tese", "patch.geom", "patch.frag"},
     BENCH_NEEDS_TESSELLATION | BENCH_NEEDS_GEOMETRY,
     prepare_patch},
    {0},
};
