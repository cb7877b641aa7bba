// An uber-shader as engines ship them: a dozen features in one shader, chosen at run time by flags, some from a uniform
// buffer (material) and some from push constants (draw), with most of them off.
// A profile should show every feature branch uniform (all waves agree), most arms never executed, and flag values that
// never change: what specialising on push constants (exact) or on uniform values (guarded) removes. Registers are paid
// for the largest feature although it never runs.
#version 450

layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { uint pixels[]; };
layout(std140, set = 0, binding = 1) uniform Material {
    uint features;
    uint layers;
    float roughness;
    float fog_density;
    vec4 base;
    vec4 sun;
    vec4 tint;
    vec4 layer_color[4];
} material;
layout(push_constant) uniform Push { uvec2 size; uint quality; uint debug_view; float time; } push;

const uint DETAIL = 1u, PARALLAX = 2u, CLEARCOAT = 4u, SUBSURFACE = 8u, IRIDESCENCE = 16u, FOG = 32u, LAYERS = 64u,
           RIM = 128u, CAUSTICS = 256u;
const uint SOFT_SHADOW = 1u, DITHER = 2u, FILMIC = 4u;

float noise(vec2 p)
{
    uvec2 cell = uvec2(ivec2(floor(p)));
    vec2 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    vec4 corner;
    for (uint i = 0u; i < 4u; ++i) {
        uint h = (cell.x + (i & 1u)) * 0x9e3779b9u ^ (cell.y + (i >> 1)) * 0x85ebca6bu;
        h = (h ^ (h >> 15)) * 0x2c1b3c6du;
        corner[i] = float((h ^ (h >> 13)) & 0xffffu) / 65535.0;
    }
    return mix(mix(corner.x, corner.y, f.x), mix(corner.z, corner.w, f.x), f.y);
}

float height_at(vec2 p)
{
    float sum = 0.0, weight = 0.5;
    for (uint octave = 0u; octave < 5u; ++octave) {
        sum += weight * noise(p);
        p = p * 2.03 + 17.0;
        weight *= 0.5;
    }
    return sum;
}

vec2 parallax(vec2 p, vec3 view)
{
    float layer = 0.0;
    for (uint step = 0u; step < 24u && layer < 1.0 - height_at(p); ++step) {
        p += view.xy * 0.02;
        layer += 1.0 / 24.0;
    }
    return p;
}

float shadow(vec2 p, vec3 sun)
{
    float lit = 1.0, base = height_at(p);
    for (uint tap = 1u; tap <= 8u; ++tap) {
        float t = float(tap) * 0.12;
        lit = min(lit, 1.0 - clamp((height_at(p + sun.xy * t) - base - t * 0.4) * 6.0, 0.0, 1.0));
    }
    return lit;
}

vec3 shade(vec2 p, vec3 view)
{
    vec3 sun = normalize(material.sun.xyz);
    vec3 n = vec3(0.0, 0.0, 1.0);
    if ((material.features & PARALLAX) != 0u)
        p = parallax(p, view);
    if ((material.features & DETAIL) != 0u) {
        float h = height_at(p);
        n = normalize(vec3(h - height_at(p + vec2(0.05, 0.0)), h - height_at(p + vec2(0.0, 0.05)), 0.08));
    }
    vec3 albedo = material.base.rgb;
    if ((material.features & LAYERS) != 0u) {
        for (uint i = 0u; i < min(material.layers, 4u); ++i)
            albedo = mix(albedo, material.layer_color[i].rgb, smoothstep(0.45, 0.55, noise(p * (1.0 + float(i)))));
    }
    float diffuse = max(dot(n, sun), 0.0);
    if ((push.quality & SOFT_SHADOW) != 0u)
        diffuse *= shadow(p, sun);
    vec3 half_way = normalize(sun + view);
    vec3 color = albedo * (0.15 + diffuse) + pow(max(dot(n, half_way), 0.0), 2.0 / (material.roughness + 0.01)) * 0.3;
    if ((material.features & CLEARCOAT) != 0u) {
        float coat = pow(1.0 - max(dot(n, view), 0.0), 5.0) * 0.96 + 0.04;
        color = mix(color, vec3(pow(max(dot(n, half_way), 0.0), 256.0) * 4.0), coat);
    }
    if ((material.features & SUBSURFACE) != 0u) {
        float thin = exp(-4.0 * height_at(p * 0.5));
        color += material.tint.rgb * thin * pow(max(dot(view, -sun), 0.0), 3.0);
    }
    if ((material.features & IRIDESCENCE) != 0u) {
        float film = dot(n, view) * 12.0 + height_at(p) * 6.0;
        color *= 0.7 + 0.3 * vec3(cos(film), cos(film + 2.1), cos(film + 4.2));
    }
    if ((material.features & RIM) != 0u)
        color += material.tint.rgb * pow(1.0 - max(dot(n, view), 0.0), 3.0);
    if ((material.features & CAUSTICS) != 0u) {
        vec2 q = p * 3.0;
        for (uint i = 0u; i < 6u; ++i)
            q += vec2(cos(q.y * 1.3 + push.time), sin(q.x * 1.7 - push.time)) * 0.4;
        color += vec3(0.1, 0.2, 0.25) / (abs(sin(q.x) + cos(q.y)) + 0.3);
    }
    return color;
}

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (any(greaterThanEqual(at, push.size)))
        return;
    vec2 p = vec2(at) * (12.0 / float(push.size.y));
    vec3 view = normalize(vec3(0.3, -0.2, 1.0));
    vec3 color = shade(p, view);
    if ((material.features & FOG) != 0u)
        color = mix(material.tint.rgb, color, exp(-material.fog_density * p.y));
    if ((push.quality & FILMIC) != 0u)
        color = color * (2.51 * color + 0.03) / (color * (2.43 * color + 0.59) + 0.14);
    if ((push.quality & DITHER) != 0u)
        color += (noise(vec2(at) * 1.7) - 0.5) / 255.0;
    if (push.debug_view == 1u)
        color = vec3(height_at(p));
    else if (push.debug_view == 2u)
        color = vec3(fract(p), 0.0);
    pixels[at.y * push.size.x + at.x] = packUnorm4x8(vec4(clamp(color, 0.0, 1.0), 1.0));
}
