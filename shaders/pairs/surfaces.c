/* Pairs that shade surfaces: layered materials, lights, shadows and fog, a model with maps. See pairs.h. */
#include "shaders/pairs/pairs.h"

#include <string.h>

/* ---- surface.glsl ---- */

typedef struct surface {
    float base_color[3], base, specular_color[3], specular, transmission_color[3], transmission;
    float subsurface_color[3], subsurface, sheen_color[3], sheen, coat_color[3], coat;
    float metal_edge[3], metalness, emission_color[3], emission;
    float diffuse_roughness, specular_roughness, specular_ior, sheen_roughness;
    float coat_roughness, coat_ior, thin_walled, film_thickness;
    float lights[4][4];
    int32_t light_count, padding[3];
} surface;

/* What the material's users leave alone: all lobes but base and specular are off. */
static const surface default_surface = {
    .base_color = {0.8f, 0.8f, 0.8f},
    .base = 1,
    .specular_color = {1, 1, 1},
    .specular = 1,
    .transmission_color = {1, 1, 1},
    .subsurface_color = {1, 1, 1},
    .sheen_color = {1, 1, 1},
    .coat_color = {1, 1, 1},
    .metal_edge = {1, 1, 1},
    .emission_color = {1, 1, 1},
    .specular_roughness = 0.3f,
    .specular_ior = 1.5f,
    .sheen_roughness = 0.3f,
    .coat_roughness = 0.1f,
    .coat_ior = 1.6f,
};

static wpg_status prepare_lobes_mix(bench_work *work, bench_size size, wpg_error *err)
{
    surface plastic = default_surface;
    plastic.base_color[0] = 0.1f;
    plastic.base_color[1] = 0.4f;
    plastic.specular_roughness = 0.33f;
    plastic.light_count = 2;
    const float lights[2][4] = {{0.4f, 0.7f, 0.6f, 2.0f}, {-0.8f, 0.1f, 0.5f, 0.7f}};
    memcpy(plastic.lights, lights, sizeof lights);
    pair_target(work, size, 32, 256, 1024);
    bench_work_uniform(work, &plastic, sizeof plastic);
    return pair_texture(work, 128, 64, 0, 1, err);
}

static wpg_status prepare_lobes_pruned(bench_work *work, bench_size size, wpg_error *err)
{
    surface red = default_surface;
    red.base_color[1] = red.base_color[2] = 0.05f;
    pair_target(work, size, 32, 256, 1024);
    bench_work_uniform(work, &red, sizeof red);
    return pair_texture(work, 128, 64, 0, 2, err);
}

/* ---- light_counts.glsl ---- */

typedef struct counted_light {
    float position[4], color[4], direction[4];
} counted_light;

enum { OMNI = 2, SPOT = 0, DIRECTIONAL = 1, PROBES = 1 };

static wpg_status counted_lights(bench_work *work, wpg_error *err)
{
    counted_light *lights = bench_work_input(work, 0, 24, sizeof *lights);
    uint32_t random = 3;
    if (!lights)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (int i = 0; i < 24; i++) {
        for (int k = 0; k < 2; k++)
            lights[i].position[k] = 3.0f * bench_random(&random) - 1.5f;
        for (int k = 0; k < 3; k++)
            lights[i].color[k] = bench_random(&random) * 4.0f;
        lights[i].position[2] = 1.5f;
        lights[i].position[3] = 4.0f;
        lights[i].color[3] = 0.5f;
        lights[i].direction[0] = 0.36f;
        lights[i].direction[1] = 0.48f;
        lights[i].direction[2] = 0.8f;
        lights[i].direction[3] = i >= 16 ? 0.0f : 0.7f;
    }
    return WPG_OK;
}

static wpg_status prepare_light_counts(bench_work *work, bench_size size, wpg_error *err)
{
    struct {
        uint32_t omni, spot, directional, probes, ambient_cubemap, reflection_cubemap, limiter;
        float roughness_amount, roughness_limit, ambient_energy, metallic, roughness;
        float albedo[4], ambient_color[4], probe[4][3][4];
    } draw = {
        .omni = OMNI,
        .spot = SPOT,
        .directional = DIRECTIONAL,
        .probes = PROBES,
        .roughness_amount = 0.25f,
        .roughness_limit = 0.18f,
        .ambient_energy = 1.0f,
        .metallic = 0.2f,
        .roughness = 0.4f,
        .albedo = {0.7f, 0.5f, 0.3f, 1.0f},
        .ambient_color = {0.1f, 0.12f, 0.15f, 1.0f},
        .probe = {{{0, 0, 0, 0}, {3, 3, 3, 0}, {0.2f, 0.2f, 0.3f, 1}}},
    };
    const uint32_t constants[] = {OMNI, SPOT, DIRECTIONAL, PROBES, 0, 0, 0};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        pair_constant(work, constants[i]);
    pair_target(work, size, 48, 512, 1024);
    bench_work_uniform(work, &draw, sizeof draw);
    WPG_TRY(counted_lights(work, err));
    WPG_TRY(pair_texture(work, 128, 64, 0, 3, err));
    return pair_texture(work, 128, 128, 0, 4, err);
}

/* ---- fog_splits.glsl ---- */

static wpg_status prepare_fog_splits(bench_work *work, bench_size size, wpg_error *err)
{
    struct {
        float sun_direction[4], sun_color[4], split_offsets[4], fog_color[4], albedo[4];
        float shadow_matrix[4][4][4], bias[4], range[4];
        uint32_t blend_splits, use_fog, use_depth_fog;
        float density, height, height_density, sun_scatter, aerial_perspective;
        float depth_begin, depth_end, depth_curve, shadow_opacity, shadow_texel, z_far, padding[2];
    } scene = {
        .sun_direction = {0.48f, 0.6f, -0.64f, 1.5f},
        .sun_color = {1.0f, 0.95f, 0.85f, 1.0f},
        .split_offsets = {10, 25, 60, 150},
        .fog_color = {0.5f, 0.6f, 0.7f, 1.0f},
        .albedo = {0.5f, 0.55f, 0.4f, 1.0f},
        .bias = {0.02f, 0.04f, 0.08f, 0.16f},
        .range = {1.0f, 0.7f, 0.5f, 0.4f},
        .use_fog = 1,
        .density = 0.01f,
        .depth_begin = 10,
        .depth_end = 100,
        .depth_curve = 1,
        .shadow_opacity = 1,
        .shadow_texel = 0.004f,
        .z_far = 400,
    };
    for (int i = 0; i < 4; i++) {
        const float scale = 0.05f / (float)(1 << i);
        scene.shadow_matrix[i][0][0] = scene.shadow_matrix[i][2][1] = scale;
        scene.shadow_matrix[i][1][2] = 0.02f;
        scene.shadow_matrix[i][3][2] = 0.5f;
        scene.shadow_matrix[i][3][3] = 1.0f;
    }
    const uint32_t constants[] = {0, 1, 0, 0, 0, 0}; /* blended splits, fog, and its four options */
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        pair_constant(work, constants[i]);
    pair_target(work, size, 48, 512, 1024);
    bench_work_uniform(work, &scene, sizeof scene);
    WPG_TRY(pair_texture(work, 256, 256, 0, 5, err));
    return pair_texture(work, 64, 64, 0, 6, err);
}

/* ---- model_flags.glsl ---- */

static wpg_status prepare_model_flags(bench_work *work, bench_size size, wpg_error *err)
{
    enum { LIGHT = 1, DIFFUSE = 2, GLOW = 4, SPEC = 8, NORMAL = 16, HDR = 1024, GLOSS_IN_ALPHA = 4096 };
    struct {
        int32_t flags, n_lights, team_glow, alpha_glow;
        float lights[4][4], light_colors[4][4], ambient[4], base_color[4], team_base[4], team_stripe[4];
        float spec_factor[4], fog_start, fog_scale, env_strength, thruster, fog_color[4];
        float desaturate, shadow_bias, outline, anim_timer;
    } model = {
        .flags = LIGHT | DIFFUSE | GLOW | SPEC | NORMAL | HDR | GLOSS_IN_ALPHA,
        .n_lights = 2,
        .lights = {{3, 4, 6, 80}, {-5, -2, 3, 20}},
        .light_colors = {{2.0f, 1.9f, 1.7f, 1}, {0.3f, 0.4f, 0.8f, 1}},
        .ambient = {0.1f, 0.1f, 0.12f, 1},
        .base_color = {1, 1, 1, 1},
        .spec_factor = {0.4f, 0.4f, 0.4f, 0.8f},
        .env_strength = 1,
        .anim_timer = 1,
    };
    pair_target(work, size, 48, 512, 1024);
    bench_work_uniform(work, &model, sizeof model);
    for (uint32_t i = 0; i < 4; i++)
        WPG_TRY(pair_texture(work, 128, 128, 0, 7 + i, err));
    return WPG_OK;
}

const pair pair_surfaces[] = {
    PAIR_FRAGMENT(lobes_mix, "MaterialX 2483: mixed lobes became sums of weighted ones"),
    PAIR_FRAGMENT(lobes_pruned, "maya-usd 4016: lobes of weight 0 cut out of the graph"),
    PAIR_FRAGMENT(light_counts, "Godot 98825: counts of lights and probes as specialisation constants"),
    PAIR_FRAGMENT(fog_splits, "Godot 99978: shadow splits and fog as specialisation constants"),
    PAIR_FRAGMENT(model_flags, "FreeSpace 2 Open 5978: a shader for each set of maps"),
    {{0}, {0}},
};
