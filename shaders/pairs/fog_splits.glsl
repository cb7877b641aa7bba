// The scene shader of the pair fog_splits: a directional light with four shadow splits, then fog.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, set = 0, binding = 1) uniform Scene {
    vec4 sun_direction; // w: energy
    vec4 sun_color;
    vec4 split_offsets; // ends of the four splits
    vec4 fog_color;
    vec4 albedo;
    mat4 shadow_matrix[4];
    vec4 bias, range; // of each split
    bool blend_splits, use_fog, use_depth_fog;
    float fog_density;
    float fog_height, fog_height_density, fog_sun_scatter, fog_aerial_perspective;
    float fog_depth_begin, fog_depth_end, fog_depth_curve, shadow_opacity;
    float shadow_texel, z_far;
} scene;
layout(set = 0, binding = 4) uniform sampler2D shadow_atlas;
layout(set = 0, binding = 5) uniform sampler2D sky;

const float PI = 3.14159265;
const int TAPS = 9;

float shadow_of(int split, vec3 at, vec3 n)
{
    vec3 biased = at + n * scene.bias[split];
    vec4 p = scene.shadow_matrix[split] * vec4(biased, 1.0);
    p.xyz /= p.w;
    vec2 tile = vec2(split & 1, split >> 1) * 0.5;
    float lit = 0.0;
    for (int i = 0; i < TAPS; i++) {
        vec2 offset = vec2(i % 3 - 1, i / 3 - 1) * scene.shadow_texel * scene.range[split];
        lit += step(p.z, textureLod(shadow_atlas, tile + 0.5 * fract(p.xy + offset), 0.0).r);
    }
    return lit / float(TAPS);
}

float sun_shadow(float depth, vec3 at, vec3 n)
{
    float shadow, pssm_blend;
    bool in_last = false;
    if (depth < scene.split_offsets.x) {
        shadow = shadow_of(0, at, n);
        if (BLEND_SPLITS) {
            pssm_blend = smoothstep(scene.split_offsets.x - scene.split_offsets.x * 0.1, scene.split_offsets.x, depth);
            shadow = mix(shadow, shadow_of(1, at, n), pssm_blend);
        }
    } else if (depth < scene.split_offsets.y) {
        shadow = shadow_of(1, at, n);
        if (BLEND_SPLITS) {
            pssm_blend = smoothstep(scene.split_offsets.y - scene.split_offsets.y * 0.1, scene.split_offsets.y, depth);
            shadow = mix(shadow, shadow_of(2, at, n), pssm_blend);
        }
    } else if (depth < scene.split_offsets.z) {
        shadow = shadow_of(2, at, n);
        if (BLEND_SPLITS) {
            pssm_blend = smoothstep(scene.split_offsets.z - scene.split_offsets.z * 0.1, scene.split_offsets.z, depth);
            shadow = mix(shadow, shadow_of(3, at, n), pssm_blend);
        }
    } else {
        shadow = shadow_of(3, at, n);
        in_last = true;
    }
    float fade = in_last ? smoothstep(scene.split_offsets.w * 0.8, scene.split_offsets.w, depth) : 0.0;
    return mix(1.0, mix(shadow, 1.0, fade), scene.shadow_opacity);
}

vec4 fog_of(vec3 at, float depth, vec3 view)
{
    vec3 fog_color = scene.fog_color.rgb;
    if (FOG_AERIAL_PERSPECTIVE) {
        vec3 sky_color = vec3(0.0);
        for (int i = 0; i < 4; i++)
            sky_color += textureLod(sky, vec2(atan(view.x, -view.z) / (2.0 * PI) + 0.5 + 0.02 * float(i), 0.5 + 0.4 * view.y), 5.0).rgb * 0.25;
        fog_color = mix(fog_color, sky_color, scene.fog_aerial_perspective);
    }
    if (FOG_SUN_SCATTER) {
        float amount = pow(max(dot(view, scene.sun_direction.xyz), 0.0), 8.0);
        fog_color += scene.sun_color.rgb * scene.sun_direction.w * amount * scene.fog_sun_scatter;
    }
    float fog_amount;
    if (DEPTH_FOG) {
        float z = smoothstep(scene.fog_depth_begin, scene.fog_depth_end, depth);
        fog_amount = pow(z, scene.fog_depth_curve) * scene.fog_density;
    } else {
        fog_amount = 1.0 - exp(min(0.0, -depth * scene.fog_density));
    }
    if (FOG_HEIGHT) {
        float d = at.y - scene.fog_height;
        fog_amount = max(fog_amount, 1.0 - exp(min(0.0, d * scene.fog_height_density)));
    }
    return vec4(fog_color, fog_amount);
}

void main()
{
    // A plane that goes to the horizon, with bumps.
    vec3 view = normalize(vec3((uv.x - 0.5) * 2.0, -0.02 - uv.y * 0.9, -1.0));
    float distance = min(-3.0 / view.y, scene.z_far);
    vec3 at = view * distance, n = normalize(vec3(0.3 * sin(at.x * 2.0), 1.0, 0.3 * sin(at.z * 2.0)));
    float depth = -at.z, n_l = max(dot(n, scene.sun_direction.xyz), 0.0);
    vec3 h = normalize(scene.sun_direction.xyz - view);
    float gloss = pow(max(dot(n, h), 0.0), 32.0);
    vec3 sun = scene.sun_color.rgb * scene.sun_direction.w * sun_shadow(depth, at, n);
    vec3 result = scene.albedo.rgb * (sun * n_l / PI + 0.15) + sun * gloss * 0.2;
    if (USE_FOG) {
        vec4 fog = fog_of(at, depth, view);
        result = mix(result, fog.rgb, fog.a);
    }
    color = vec4(result / (1.0 + result), 1.0);
}
