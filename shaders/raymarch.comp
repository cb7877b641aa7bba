// Sphere tracing of a small signed-distance scene with a soft shadow: nested conditions inside loops that break.
// A profile should show the sky as a short, uniform path; the march loop leaving by two ways (hit, or too far), with
// divergence at silhouettes; the shading block cold in waves of sky, and the shadow loop run by waves with a hit only.
#version 450

layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { uint pixels[]; };
layout(push_constant) uniform Push { uvec2 size; uint max_steps; uint shadow_steps; float time; } push;

float scene(vec3 p)
{
    vec3 cell = vec3(mod(p.x + 2.0, 4.0) - 2.0, p.y - 1.0, mod(p.z + 2.0, 4.0) - 2.0);
    float ball = length(cell) - 1.0;
    vec3 q = abs(cell - vec3(0.0, 0.9, 0.0)) - vec3(0.35);
    float box = length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0) - 0.05;
    return min(p.y, min(ball, box));
}

vec3 normal_at(vec3 p)
{
    vec2 e = vec2(0.002, 0.0);
    float d = scene(p);
    return normalize(vec3(scene(p + e.xyy) - d, scene(p + e.yxy) - d, scene(p + e.yyx) - d));
}

float shadow(vec3 from, vec3 toward)
{
    float light = 1.0;
    float t = 0.05;
    for (uint i = 0u; i < push.shadow_steps; ++i) {
        float d = scene(from + toward * t);
        if (d < 0.001)
            return 0.0;
        light = min(light, 8.0 * d / t);
        t += clamp(d, 0.02, 0.5);
        if (t > 8.0)
            break;
    }
    return clamp(light, 0.0, 1.0);
}

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (any(greaterThanEqual(at, push.size)))
        return;
    vec2 uv = (2.0 * vec2(at) - vec2(push.size)) / float(push.size.y);
    vec3 eye = vec3(0.6, 2.2, -6.0 + push.time);
    vec3 ray = normalize(vec3(uv.x, -uv.y - 0.15, 1.6));
    float t = 0.0;
    bool hit = false;
    for (uint i = 0u; i < push.max_steps; ++i) {
        float d = scene(eye + ray * t);
        if (d < 0.001 * t) {
            hit = true;
            break;
        }
        t += d;
        if (t > 40.0)
            break;
    }
    vec3 color = mix(vec3(0.75, 0.8, 0.9), vec3(0.3, 0.45, 0.8), clamp(ray.y * 2.0, 0.0, 1.0));
    if (hit) {
        vec3 sun = normalize(vec3(0.6, 0.7, -0.4));
        vec3 p = eye + ray * t;
        vec3 n = normal_at(p);
        float diffuse = max(dot(n, sun), 0.0);
        if (diffuse > 0.0)
            diffuse *= shadow(p + n * 0.01, sun);
        vec3 albedo = p.y < 0.01 ? vec3(0.45, 0.4, 0.35) : vec3(0.8, 0.35, 0.2);
        vec3 lit = albedo * (0.2 + 0.8 * diffuse);
        color = mix(color, lit, exp(-0.04 * t));
    }
    pixels[at.y * push.size.x + at.x] = packUnorm4x8(vec4(sqrt(color), 1.0));
}
