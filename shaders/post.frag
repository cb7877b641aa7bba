// Post-processing on a full-screen triangle: a disc blur whose sample count comes from a uniform buffer, and a discard
// in a small round region (the target keeps its clear colour there).
// A profile should show one fragment lane for each pixel at entry, the discard taken by few lanes of few waves, and a
// sample loop with the same trip count in every wave: the trip-count guard's case in a fragment stage.
#version 450

layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, set = 0, binding = 1) uniform Settings {
    uvec2 size;
    uint samples;
    float radius;
    vec4 hole; // center x, y and radius in pixels
    vec4 tint;
} settings;
layout(std430, set = 0, binding = 2) readonly buffer Source { uint source[]; };

vec3 texel(vec2 at)
{
    ivec2 p = clamp(ivec2(at), ivec2(0), ivec2(settings.size) - 1);
    return unpackUnorm4x8(source[uint(p.y) * settings.size.x + uint(p.x)]).rgb;
}

void main()
{
    vec2 from_hole = gl_FragCoord.xy - settings.hole.xy;
    if (dot(from_hole, from_hole) < settings.hole.z * settings.hole.z)
        discard;
    vec3 sum = vec3(0.0);
    float total = 0.0;
    vec2 spin = vec2(1.0, 0.0);
    for (uint i = 0u; i < settings.samples; ++i) {
        float weight = 1.0 - float(i) * 0.03;
        vec2 offset = spin * settings.radius * (0.2 + 0.05 * float(i));
        sum += texel(gl_FragCoord.xy + offset) * weight;
        total += weight;
        spin = vec2(spin.x * -0.737 - spin.y * 0.675, spin.x * 0.675 + spin.y * -0.737);
    }
    vec2 centered = uv - 0.5;
    float vignette = 1.0 - dot(centered, centered);
    color = vec4(sum / max(total, 0.001) * settings.tint.rgb * vignette, 1.0);
}
