// The scene shader of the pair light_counts: lights by lists, a reflection probe, ambient light, a limit on roughness.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
struct Light {
    vec4 position; // w: reach
    vec4 color;    // w: specular
    vec4 direction; // w: cosine of the cone
};
struct Probe {
    vec4 center, extents;
    vec4 ambient; // w: blend
};
layout(std140, set = 0, binding = 1) uniform Draw {
    uint omni_count, spot_count, directional_count, probe_count;
    bool use_ambient_cubemap, use_reflection_cubemap, use_roughness_limiter;
    float roughness_amount;
    float roughness_limit, ambient_energy, metallic, roughness;
    vec4 albedo, ambient_color;
    Probe probes[4];
} draw;
layout(std430, set = 0, binding = 2) readonly buffer Lights { Light omni[8], spot[8], directional[8]; } lights;
layout(set = 0, binding = 4) uniform sampler2D sky;
layout(set = 0, binding = 5) uniform sampler2D normal_map;

const float PI = 3.14159265;

vec3 sky_at(vec3 d, float lod)
{
    return textureLod(sky, vec2(atan(d.x, -d.z) / (2.0 * PI) + 0.5, acos(clamp(d.y, -1.0, 1.0)) / PI), lod).rgb;
}

void light_up(vec3 n, vec3 v, vec3 l, vec3 light_color, float amount, float specular, vec3 f0, float roughness, inout vec3 diffuse_light,
              inout vec3 specular_light)
{
    float n_l = max(dot(n, l), 0.0), n_v = max(dot(n, v), 1e-4);
    vec3 h = normalize(v + l);
    float n_h = clamp(dot(n, h), 0.0, 1.0), l_h = clamp(dot(l, h), 0.0, 1.0);
    float fd90 = 2.0 * l_h * l_h * roughness - 0.5;
    diffuse_light += light_color * amount * n_l / PI * (1.0 + fd90 * pow(1.0 - n_l, 5.0)) * (1.0 + fd90 * pow(1.0 - n_v, 5.0));
    float alpha = roughness * roughness, a2 = alpha * alpha, d = (n_h * a2 - n_h) * n_h + 1.0;
    float g = 0.5 / mix(2.0 * n_l * n_v, n_l + n_v, alpha);
    vec3 f = f0 + (clamp(dot(f0, vec3(16.5)), 0.0, 1.0) - f0) * pow(1.0 - l_h, 5.0);
    specular_light += n_l * a2 / (PI * d * d) * f * g * light_color * amount * specular;
}

float falloff(float distance, float reach)
{
    float nd = distance / reach;
    nd = max(1.0 - nd * nd * nd * nd, 0.0);
    return nd * nd / max(distance * distance, 0.0001);
}

void reflect_probe(uint i, vec3 at, vec3 r, float roughness, inout vec4 reflection, inout vec4 ambient)
{
    vec3 local = at - draw.probes[i].center.xyz, extents = draw.probes[i].extents.xyz;
    if (any(greaterThan(abs(local), extents)))
        return;
    vec3 inner = abs(local / extents);
    float blend = 1.0 - max(inner.x, max(inner.y, inner.z));
    vec3 bounds = (mix(-extents, extents, greaterThan(r, vec3(0.0))) - local) / r;
    vec3 hit = local + r * min(min(bounds.x, bounds.y), bounds.z);
    reflection += vec4(sky_at(normalize(hit), roughness * 5.0) * blend, blend);
    ambient += vec4(draw.probes[i].ambient.rgb * blend, blend);
}

void main()
{
    vec2 screen = (uv - 0.5) * 4.0;
    vec3 at = vec3(screen, 0.25 * sin(screen.x * 3.0) * cos(screen.y * 3.0));
    vec3 v = normalize(vec3(0.0, 0.0, 4.0) - at);
    vec3 n = normalize(vec3(texture(normal_map, uv * 3.0).rg - 0.5, 0.8));
    float roughness = draw.roughness;
    if (ROUGHNESS_LIMITER) {
        vec3 dx = dFdx(n), dy = dFdy(n);
        float variance = draw.roughness_amount * (dot(dx, dx) + dot(dy, dy));
        roughness = sqrt(min(roughness * roughness + min(2.0 * variance, draw.roughness_limit), 1.0));
    }
    vec3 f0 = mix(vec3(0.04), draw.albedo.rgb, draw.metallic), r = reflect(-v, n);
    vec3 specular_light = vec3(0.0), diffuse_light = vec3(0.0), ambient_light = draw.ambient_color.rgb * draw.ambient_energy;
    if (REFLECTION_CUBEMAP)
        specular_light = sky_at(r, roughness * 5.0) * draw.ambient_energy;
    if (AMBIENT_CUBEMAP)
        ambient_light += sky_at(n, 5.0) * draw.ambient_energy;
    vec4 reflection = vec4(0.0), ambient = vec4(0.0);
    for (uint i = 0u; i < PROBE_COUNT; i++)
        reflect_probe(i, at, r, roughness, reflection, ambient);
    if (reflection.a > 0.0)
        specular_light = reflection.rgb / reflection.a;
    if (ambient.a > 0.0)
        ambient_light = ambient.rgb / ambient.a;
    vec2 env = vec2(1.0 - roughness, roughness) * vec2(1.0 - pow(1.0 - max(dot(n, v), 0.0), 5.0), 1.0);
    specular_light *= env.x * f0 + env.y * 0.1;
    for (uint i = 0u; i < DIRECTIONAL_COUNT; i++)
        light_up(n, v, lights.directional[i].direction.xyz, lights.directional[i].color.rgb, 1.0, lights.directional[i].color.a, f0, roughness, diffuse_light,
                 specular_light);
    for (uint i = 0u; i < OMNI_COUNT; i++) {
        vec3 to = lights.omni[i].position.xyz - at;
        float distance = length(to);
        light_up(n, v, to / distance, lights.omni[i].color.rgb, falloff(distance, lights.omni[i].position.w), lights.omni[i].color.a, f0, roughness,
                 diffuse_light, specular_light);
    }
    for (uint i = 0u; i < SPOT_COUNT; i++) {
        vec3 to = lights.spot[i].position.xyz - at;
        float distance = length(to), cone = max(dot(-to / distance, lights.spot[i].direction.xyz), lights.spot[i].direction.w);
        float rim = max(1e-4, (1.0 - cone) / (1.0 - lights.spot[i].direction.w));
        light_up(n, v, to / distance, lights.spot[i].color.rgb, falloff(distance, lights.spot[i].position.w) * (1.0 - pow(rim, 0.8)),
                 lights.spot[i].color.a, f0, roughness, diffuse_light, specular_light);
    }
    vec3 result = draw.albedo.rgb * (1.0 - draw.metallic) * (diffuse_light + ambient_light) + specular_light;
    color = vec4(result / (1.0 + result), 1.0);
}
