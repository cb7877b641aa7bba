#version 450
/* Push constants that decide: tests/e2e/app_variants.c. Floats stay what they are computed to at run time. */
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { uint flags, count; float scale; uint seed; } push;
layout(std430, set = 0, binding = 2) buffer Results { uint results[]; };
void main()
{
    uint at = gl_LocalInvocationIndex, sum = results[at];
    float x = float(at) * 0.37 + 0.1;
    if ((push.flags & 1u) != 0u)
        x = sin(x * push.scale) / (x + push.scale);
    for (uint i = 0u; i < push.count; ++i)
        sum = sum * 31u + (sum >> 7) + i;
    if ((push.flags & 2u) != 0u) {
        for (uint i = 0u; i < 9u; ++i)
            sum ^= (sum << 3) + push.seed;
    }
    results[at] = sum + floatBitsToUint(x) + push.seed;
}
