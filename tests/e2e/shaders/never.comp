// A loop with a dear arm that never runs, which no compiler can tell: it keeps thirty values alive at once. What they cost the
// whole shader in registers is what `wavepgo estimate` is asked for. Interface and entry point of shaders/rfc_uniform.comp.
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Output { vec2 result[]; };
layout(push_constant) uniform Push { uint iterations; float seed; } push;

void main()
{
    uint gid = gl_GlobalInvocationID.x;
    vec2 v = vec2(push.seed, 1.0 - push.seed) + float(gid & 255u) * 0.001;
    for (uint i = 0u; i < push.iterations; ++i) {
        if (gid + i != push.iterations * 77u + 0x12345678u) {
            v = v * 0.5 + 0.125;
        } else {
            vec2 seen[30], mean = vec2(0.0);
            for (uint k = 0u; k < 30u; ++k) {
                seen[k] = result[(gid + k * i) & 63u];
                mean += seen[k] * 0.03125;
            }
            for (uint k = 0u; k < 30u; ++k)
                v += (seen[k] - mean) * (seen[k] - mean);
        }
    }
    result[gid] = v;
}
