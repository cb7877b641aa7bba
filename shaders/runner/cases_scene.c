/* Compute cases that need a scene in buffers: materials, light lists, a bounding volume hierarchy. See
 * case.h. */
#include "shaders/runner/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static wpg_status no_memory(wpg_error *err)
{
    return wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

/* ---- uber-shader ---- */

static wpg_status prepare_uber(bench_work *work, bench_size size, wpg_error *err)
{
    /* Bits as in uber.comp. */
    enum { DETAIL = 1, FOG = 32, LAYERS = 64, SOFT_SHADOW = 1, FILMIC = 4 };
    static const uint32_t widths[BENCH_SIZES] = {90, 300, 1920};
    struct {
        uint32_t features, layers;
        float roughness, fog_density;
        float base[4], sun[4], tint[4], layer_color[4][4];
    } material = {
        .features = DETAIL | FOG | LAYERS,
        .layers = 2,
        .roughness = 0.35f,
        .fog_density = 0.05f,
        .base = {0.45f, 0.4f, 0.3f, 1.0f},
        .sun = {0.5f, 0.4f, 0.8f, 0.0f},
        .tint = {0.7f, 0.75f, 0.85f, 1.0f},
        .layer_color = {{0.2f, 0.35f, 0.12f, 1.0f}, {0.5f, 0.45f, 0.42f, 1.0f}},
    };
    struct {
        uint32_t size[2];
        uint32_t quality, debug_view;
        float time;
    } push = {{widths[size], widths[size] * 2 / 3}, SOFT_SHADOW | FILMIC, 0, 1.5f};
    (void)err;
    bench_work_image(work, push.size[0], push.size[1]);
    bench_work_push(work, &push, sizeof push);
    bench_work_uniform(work, &material, sizeof material);
    uint64_t pixels = (uint64_t)push.size[0] * push.size[1];
    bench_work_expect(work, "soft shadow loop body", pixels * 8);
    bench_work_expect(work, "parallax", 0);
    return WPG_OK;
}

/* ---- clustered lights ---- */

typedef struct light {
    float position_radius[4], color_power[4], direction_cone[4], attenuation[4];
} light;

enum { LIGHTS = 64, LIGHTS_A_CLUSTER = 16, CLUSTER = 16 };

static void fill_lights(light *lights, uint32_t width, uint32_t height)
{
    uint32_t seed = 11;
    for (uint32_t i = 0; i < LIGHTS; i++) {
        light *l = &lights[i];
        *l = (light){
            .position_radius = {0, 0, 10, 0.2f * (float)width},
            .color_power = {0, 0, 0, 0.4f},
            .direction_cone = {0.1f, -0.1f, -0.99f, 0.1f},
            .attenuation = {1.0f, 0.5f, 0.1f, 0.0f},
        };
        for (int k = 0; k < 3; k++)
            l->color_power[k] = bench_random(&seed);
        l->position_radius[0] = bench_random(&seed) * (float)width;
        l->position_radius[1] = bench_random(&seed) * (float)height;
        l->position_radius[2] += bench_random(&seed) * 40.0f;
    }
}

typedef struct near_light {
    float distance2;
    uint32_t index;
} near_light;

static int by_distance(const void *a, const void *b)
{
    const near_light *x = a, *y = b;
    if (x->distance2 != y->distance2)
        return (x->distance2 > y->distance2) - (x->distance2 < y->distance2);
    return (x->index > y->index) - (x->index < y->index);
}

/* The lights nearest to the middle of a cluster, nearest first. */
static void fill_list(uint32_t *list, const light *lights, float x, float y)
{
    near_light sorted[LIGHTS];
    for (uint32_t i = 0; i < LIGHTS; i++) {
        float dx = lights[i].position_radius[0] - x, dy = lights[i].position_radius[1] - y;
        sorted[i] = (near_light){dx * dx + dy * dy, i};
    }
    qsort(sorted, LIGHTS, sizeof *sorted, by_distance);
    for (uint32_t i = 0; i < LIGHTS_A_CLUSTER; i++)
        list[i] = sorted[i].index;
}

static wpg_status prepare_lights(bench_work *work, bench_size size, wpg_error *err)
{
    static const uint32_t widths[BENCH_SIZES] = {96, 480, 1920};
    uint32_t width = widths[size], height = width * 2 / 3;
    uint32_t columns = (width + CLUSTER - 1) / CLUSTER, rows = (height + CLUSTER - 1) / CLUSTER;
    uint32_t pixels = width * height, clusters = columns * rows;
    struct {
        uint32_t lights_a_cluster;
        float ambient;
        uint32_t padding[2];
        float albedo[4];
    } scene = {LIGHTS_A_CLUSTER, 0.1f, {0, 0}, {0.8f, 0.8f, 0.75f, 1.0f}};
    struct {
        uint32_t size[2];
        uint32_t first_list;
    } push = {{width, height}, pixels};
    light *lights = bench_work_input(work, 0, LIGHTS, sizeof *lights);
    uint32_t *lists = bench_work_input(work, 1, pixels + clusters * LIGHTS_A_CLUSTER, sizeof *lists);
    if (!lights || !lists)
        return no_memory(err);
    fill_lights(lights, width, height);
    for (uint32_t i = 0; i < pixels; i++)
        lists[i] = i / width / CLUSTER * columns + i % width / CLUSTER;
    for (uint32_t c = 0; c < clusters; c++) {
        uint32_t column = c % columns, row = c / columns;
        fill_list(lists + pixels + (size_t)c * LIGHTS_A_CLUSTER, lights,
                  ((float)column + 0.5f) * (float)CLUSTER, ((float)row + 0.5f) * (float)CLUSTER);
    }
    bench_work_image(work, width, height);
    bench_work_push(work, &push, sizeof push);
    bench_work_uniform(work, &scene, sizeof scene);
    bench_work_expect(work, "light loop body", (uint64_t)pixels * LIGHTS_A_CLUSTER);
    return WPG_OK;
}

/* ---- bounding volume hierarchy ---- */

typedef struct node {
    float low[3];
    uint32_t skip;
    float high[3];
    uint32_t leaf; /* sphere plus one; 0 in inner nodes */
} node;

typedef struct sphere {
    float center[3], radius;
} sphere;

typedef struct builder {
    node *nodes;
    uint32_t count;
    const sphere *spheres;
    uint32_t *order; /* spheres, sorted as the build goes on */
    int axis;
} builder;

static int by_axis(const void *a, const void *b, void *context)
{
    const builder *build = context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    float x = build->spheres[i].center[build->axis], y = build->spheres[j].center[build->axis];
    return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

/* Splits [first, end) at the median of its longest axis; the depth is log2 of the spheres. */
static void build_node(builder *build, uint32_t first, uint32_t end)
{
    node *n = &build->nodes[build->count++];
    for (int k = 0; k < 3; k++) {
        n->low[k] = INFINITY;
        n->high[k] = -INFINITY;
    }
    for (uint32_t i = first; i < end; i++) {
        const sphere *s = &build->spheres[build->order[i]];
        for (int k = 0; k < 3; k++) {
            n->low[k] = fminf(n->low[k], s->center[k] - s->radius);
            n->high[k] = fmaxf(n->high[k], s->center[k] + s->radius);
        }
    }
    if (end - first == 1) {
        n->leaf = build->order[first] + 1;
    } else {
        build->axis = 0;
        for (int k = 1; k < 3; k++)
            if (n->high[k] - n->low[k] > n->high[build->axis] - n->low[build->axis])
                build->axis = k;
        qsort_r(build->order + first, end - first, sizeof *build->order, by_axis, build);
        build_node(build, first, first + (end - first) / 2);
        build_node(build, first + (end - first) / 2, end);
    }
    n->skip = build->count;
}

static wpg_status prepare_bvh(bench_work *work, bench_size size, wpg_error *err)
{
    static const uint32_t widths[BENCH_SIZES] = {80, 200, 1024}, counts[BENCH_SIZES] = {200, 2000, 50000};
    uint32_t count = counts[size], seed = 3;
    struct {
        uint32_t size[2];
        uint32_t nodes;
    } push = {{widths[size], widths[size]}, 2 * count - 1};
    builder build = {0};
    build.nodes = bench_work_input(work, 0, push.nodes, sizeof *build.nodes);
    sphere *spheres = bench_work_input(work, 1, count, sizeof *spheres);
    build.spheres = spheres;
    build.order = calloc(count, sizeof *build.order);
    if (!build.nodes || !spheres || !build.order) {
        free(build.order);
        return no_memory(err);
    }
    float radius = 0.35f / cbrtf((float)count);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            spheres[i].center[k] = bench_random(&seed);
        spheres[i].radius = radius * (0.4f + bench_random(&seed));
        build.order[i] = i;
    }
    build_node(&build, 0, count);
    free(build.order);
    bench_work_image(work, push.size[0], push.size[1]);
    bench_work_push(work, &push, sizeof push);
    return WPG_OK;
}

const bench_case bench_scene_cases[] = {
    {"uber", "uber-shader, most features off", {"uber.comp"}, 0, prepare_uber},
    {"lights", "light index loaded by each lane, equal in a wave", {"lights.comp"}, 0, prepare_lights},
    {"bvh", "tree walk, each ray its own way", {"bvh.comp"}, 0, prepare_bvh},
    {0},
};
