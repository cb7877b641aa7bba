/* Pairs that draw screens and play old graphics units: windows, a volume, combiners, fixed functions. See
 * pairs.h. */
#include "shaders/pairs/pairs.h"

#include <stdlib.h>
#include <string.h>

/* ---- compositor.glsl ---- */

typedef struct window {
    float top_left[2], full_size[2], radius, rounding_power, alpha, discard_alpha_value, tint[4];
    int32_t tex_type, discard_opaque, discard_alpha, apply_tint, skip_cm, source_tf, target_tf, tone_map;
    float source_min, source_max, source_reference, target_max;
    float target_reference, max_luminance, sdr_saturation, sdr_brightness;
    int32_t change_sdr, padding[3];
    float convert[4][4], target_to_xyz[4][4];
} window;

static const window plain_window = {
    .rounding_power = 2,
    .alpha = 1,
    .tint = {1, 1, 1, 1},
    .skip_cm = 1,
    .source_tf = 9, /* sRGB */
    .target_tf = 9,
    .source_max = 80,
    .source_reference = 80,
    .target_max = 80,
    .target_reference = 80,
    .max_luminance = 80,
    .sdr_saturation = 1,
    .sdr_brightness = 1,
    .convert = {{0.6274f, 0.0691f, 0.0164f},
                {0.3293f, 0.9195f, 0.0880f},
                {0.0433f, 0.0114f, 0.8956f},
                {0, 0, 0, 1}},
    .target_to_xyz = {{0.637f, 0.2627f, 0},
                      {0.1446f, 0.678f, 0.0281f},
                      {0.1689f, 0.0593f, 1.061f},
                      {0, 0, 0, 1}},
};

static wpg_status window_of(bench_work *work, bench_size size, window w, wpg_error *err)
{
    pair_target(work, size, 64, 896, 2048);
    w.full_size[0] = w.full_size[1] = (float)work->width;
    bench_work_uniform(work, &w, sizeof w);
    return pair_texture(work, 256, 256, 0, 12, err);
}

static wpg_status prepare_compositor(bench_work *work, bench_size size, wpg_error *err)
{
    window w = plain_window;
    w.radius = 10;
    return window_of(work, size, w, err);
}

static wpg_status prepare_hdr_window(bench_work *work, bench_size size, wpg_error *err)
{
    window w = plain_window;
    w.tex_type = 1;
    w.skip_cm = 0;
    w.target_tf = 11; /* PQ */
    w.target_max = 1000;
    w.target_reference = 203;
    w.change_sdr = 1;
    w.sdr_saturation = 1.05f;
    w.sdr_brightness = 1.2f;
    return window_of(work, size, w, err);
}

/* ---- volume.glsl ---- */

static wpg_status prepare_volume(bench_work *work, bench_size size, wpg_error *err)
{
    struct {
        float clip_planes[6][4], clip_color[4], ray_matrix[4][4];
        int32_t steps, clip_count, cutaway, mip, cubic, overlays, drawing, padding;
        float gradient_amount, gradient_opacity, silhouette, back_opacity, light[4];
    } view = {
        .ray_matrix = {{0.9f, 0.1f, -0.3f, 0},
                       {0.1f, 0.95f, 0.1f, 0},
                       {0.35f, 0.05f, 1.1f, 0},
                       {-0.15f, -0.05f, 0.1f, 1}},
        .steps = 64,
        .back_opacity = 0.06f,
        .light = {0.36f, 0.48f, 0.8f, 0},
    };
    for (int i = 0; i < 6; i++)
        view.clip_planes[i][3] = 2; /* off */
    for (int i = 0; i < 7; i++)
        pair_constant(work, 0);
    pair_target(work, size, 32, 192, 512);
    bench_work_uniform(work, &view, sizeof view);
    WPG_TRY(pair_texture(work, 64, 64, 64, 13, err));
    WPG_TRY(pair_texture(work, 16, 16, 16, 14, err));
    return pair_texture(work, 16, 16, 16, 15, err);
}

/* ---- combiner.glsl ---- */

static wpg_status prepare_combiner(bench_work *work, bench_size size, wpg_error *err)
{
    const struct {
        int32_t hits, padding[3];
        float fog_color[4], tint[4], input_colors[4][4];
        int32_t filtering_and_address[4], vertex[4], options[4], modes[2][4], inputs[2][4], size[4];
        float sun[4];
    } hit = {
        .hits = 4,
        .fog_color = {0.5f, 0.6f, 0.7f, 0.5f},
        .tint = {1, 1, 1, 1},
        .input_colors = {{0.9f, 0.7f, 0.5f, 1},
                         {0.4f, 0.5f, 0.9f, 1},
                         {0.7f, 0.9f, 0.4f, 1},
                         {0.9f, 0.9f, 0.9f, 1}},
        .filtering_and_address = {1, 0, 0, 1},
        .vertex = {1, 0, 1, 1},
        .modes = {{0, 1, 0, 1}, {0, 1, 0, 0}},
        .inputs = {{5, 0, 1, 0}, {5, 0, 1, 0}},
        .size = {32, 32, 0, 0},
        .sun = {0.36f, 0.48f, 0.8f, 0},
    };
    pair_target(work, size, 48, 320, 1024);
    bench_work_uniform(work, &hit, sizeof hit);
    return pair_texture(work, 32, 32, 0, 16, err);
}

/* ---- ff_stages.glsl ---- */

enum { STAGE_DISABLE = 1, STAGE_SELECT_1 = 2, STAGE_MODULATE = 4, STAGE_MODULATE_2X = 5 };
enum { ARG_DIFFUSE = 0, ARG_CURRENT = 1, ARG_TEXTURE = 2 };

static uint32_t stage_word(uint32_t operation, uint32_t argument_1, uint32_t argument_2)
{
    return operation | argument_1 << 6 | argument_2 << 12 | ARG_CURRENT << 18;
}

static wpg_status prepare_ff_stages(bench_work *work, bench_size size, wpg_error *err)
{
    enum { ACTIVE = 2 };
    struct {
        uint32_t stages[8][4];
        float factor[4], constants[8][4], bump[8][4], diffuse[4], specular[4];
        uint32_t active_stages, padding[3];
    } state = {
        .factor = {0.5f, 0.5f, 0.5f, 0.5f},
        .diffuse = {0.8f, 0.7f, 0.6f, 1.0f},
        .specular = {0.1f, 0.1f, 0.1f, 0},
        .active_stages = ACTIVE,
    };
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 2; k++)
            state.stages[i][k] = stage_word(STAGE_DISABLE, ARG_TEXTURE, ARG_CURRENT);
    state.stages[0][0] = stage_word(STAGE_MODULATE, ARG_TEXTURE, ARG_DIFFUSE);
    state.stages[0][1] = stage_word(STAGE_SELECT_1, ARG_TEXTURE, ARG_CURRENT);
    state.stages[1][0] = stage_word(STAGE_MODULATE_2X, ARG_TEXTURE, ARG_CURRENT); /* a light map */
    pair_constant(work, ACTIVE);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            pair_constant(work, state.stages[i][k]);
    pair_target(work, size, 64, 896, 2048);
    bench_work_uniform(work, &state, sizeof state);
    for (uint32_t i = 0; i < 4; i++)
        WPG_TRY(pair_texture(work, 64, 64, 0, 17 + i, err));
    return WPG_OK;
}

/* ---- ff_vertex.glsl ---- */

typedef struct ff_vertex {
    float position[4], normal[4], weights[4], color[4], texcoord[2][4];
} ff_vertex;

typedef struct ff_light {
    float diffuse[4], specular[4], ambient[4], position[4], direction[4], attenuation[4], cone[4];
} ff_light;

static wpg_status ff_grid(bench_work *work, uint32_t side, wpg_error *err)
{
    ff_vertex *v = bench_work_input(work, 0, (size_t)side * side, sizeof *v);
    uint32_t *index = work->indices = calloc((size_t)(side - 1) * (side - 1) * 6, sizeof *index);
    uint32_t random = 21;
    if (!v || !index)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < side * side; i++, v++) {
        const float x = (float)(i % side) / (float)(side - 1), y = (float)(i / side) / (float)(side - 1);
        *v = (ff_vertex){.position = {2 * x - 1, 2 * y - 1, 0.2f * bench_random(&random), 1},
                         .normal = {0.3f * bench_random(&random), 0.2f, -1, 0},
                         .weights = {0.5f, 0.3f, 0.1f, 0},
                         .color = {x, y, 0.5f, 1},
                         .texcoord = {{x * 8, y * 8, 0, 1}, {y * 8, x * 8, 0, 1}}};
    }
    for (uint32_t y = 0; y + 1 < side; y++)
        for (uint32_t x = 0; x + 1 < side; x++, index += 6) {
            const uint32_t a = y * side + x,
                           two_triangles[6] = {a, a + side, a + 1, a + 1, a + side, a + side + 1};
            memcpy(index, two_triangles, sizeof two_triangles);
        }
    work->vertices = (side - 1) * (side - 1) * 6;
    work->invocations = work->vertices;
    return WPG_OK;
}

static wpg_status ff_lights(bench_work *work, wpg_error *err)
{
    uint8_t *bytes = bench_work_input(work, 1, 1, 8 * sizeof(ff_light) + 4 * 64);
    if (!bytes)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    const ff_light sun = {.diffuse = {0.8f, 0.8f, 0.7f, 1},
                          .specular = {0.5f, 0.5f, 0.5f, 1},
                          .ambient = {0.1f, 0.1f, 0.1f, 1},
                          .direction = {0.36f, 0.48f, 0.8f, 1},
                          .attenuation = {1, 0, 0, 3}};
    for (size_t i = 0; i < 8; i++)
        memcpy(bytes + i * sizeof sun, &sun, sizeof sun);
    return WPG_OK;
}

static wpg_status prepare_ff_vertex(bench_work *work, bench_size size, wpg_error *err)
{
    static const uint32_t sides[BENCH_SIZES] = {16, 160, 512};
    struct {
        float world_view[4][4], normal_matrix[4][4], projection[4][4], texcoord_matrices[2][4][4];
        float ambient[4], diffuse[4], material_ambient[4], specular[4], emissive[4];
        float power, fog_end, fog_scale, fog_density;
        uint32_t position_t, normal, color_0, color_1, lighting, lights, normalise, local_viewer;
        uint32_t diffuse_source, ambient_source, specular_source, emissive_source;
        uint32_t fog_mode, range_fog, vertex_blend, texcoord_flags;
    } state = {
        .world_view = {{0.9f, 0, 0.1f, 0}, {0, 0.9f, 0.2f, 0}, {-0.1f, -0.2f, 0.9f, 0}, {0, 0, 3, 1}},
        .normal_matrix = {{0.9f, 0, 0.1f, 0}, {0, 0.9f, 0.2f, 0}, {-0.1f, -0.2f, 0.9f, 0}, {0, 0, 0, 1}},
        .projection = {{2.5f, 0, 0, 0}, {0, 2.5f, 0, 0}, {0, 0, 1.01f, 1}, {0, 0, -0.1f, 0}},
        .texcoord_matrices = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0.25f, 0.5f, 0, 1}}},
        .ambient = {0.2f, 0.2f, 0.2f, 1},
        .diffuse = {1, 1, 1, 1},
        .material_ambient = {1, 1, 1, 1},
        .specular = {0.5f, 0.5f, 0.5f, 1},
        .power = 16,
        .normal = 1,
        .color_0 = 1,
        .lighting = 1,
        .lights = 1,
        .normalise = 1,
        .local_viewer = 1,
        .diffuse_source = 1,
        .ambient_source = 1,
        .texcoord_flags = 4,
    };
    pair_target(work, size, 48, 96, 1024);
    work->depth = true;
    bench_work_uniform(work, &state, sizeof state);
    WPG_TRY(ff_grid(work, sides[size], err));
    return ff_lights(work, err);
}

const pair pair_screens[] = {
    PAIR_FRAGMENT(compositor, "Hyprland 13030: a shader for each set of features; an ordinary window"),
    PAIR_FRAGMENT(hdr_window, "Hyprland 13030: the same for a window on an HDR screen"),
    PAIR_FRAGMENT(combiner, "sm64rt-legacy 2: a shader for each combiner and sampler configuration"),
    PAIR_FRAGMENT(volume, "niivue/mono 192: the ray marcher by flags of compile time"),
    PAIR_FRAGMENT(ff_stages, "DXVK 5192: texture stages as specialisation constants"),
    {{"ff_vertex",
      "DXVK 5285: generated vertex shaders, and the uber-shader",
      {"pairs/ff_vertex_before.vert", "pairs/ff_vertex.frag"},
      0,
      prepare_ff_vertex},
     {"ff_vertex",
      "DXVK 5285: generated vertex shaders, and the uber-shader",
      {"pairs/ff_vertex_after.vert", "pairs/ff_vertex.frag"},
      0,
      prepare_ff_vertex}},
    {{0}, {0}},
};
