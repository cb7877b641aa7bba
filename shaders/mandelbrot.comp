// Escape-time fractal: one loop whose trip count differs from lane to lane.
// A profile should show lanes a wave falling over the loop's life (waves stay until their slowest lane escapes), a loop
// body uniform deep inside the set and divergent at its border, and a trip histogram with two peaks: quick escapes
// and the limit.
#version 450

layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { uint pixels[]; };
layout(push_constant) uniform Push { uvec2 size; vec2 center; float scale; uint limit; } push;

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (any(greaterThanEqual(at, push.size)))
        return;
    vec2 c = push.center + (vec2(at) - 0.5 * vec2(push.size)) * (push.scale / float(push.size.y));
    vec2 z = vec2(0.0);
    uint n = 0u;
    while (n < push.limit && dot(z, z) < 16.0) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        ++n;
    }
    vec4 color = vec4(0.0, 0.0, 0.0, 1.0);
    if (n < push.limit) {
        float t = float(n) / float(push.limit);
        color.rgb = clamp(vec3(9.0 * (1.0 - t) * t * t * t, 15.0 * (1.0 - t) * (1.0 - t) * t * t,
                               8.5 * (1.0 - t) * (1.0 - t) * (1.0 - t) * t), 0.0, 1.0);
    }
    pixels[at.y * push.size.x + at.x] = packUnorm4x8(color);
}
