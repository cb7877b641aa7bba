// Body of the three microbenchmarks of LLVM's offload-PGO RFC ("E2E Test Design"): one loop, one branch, two symmetric
// arms that each keep eight doubles alive. A vec2 stands for a double: two vector registers, and no need for shaderFloat64.
// The including file defines CONDITION(gid, i), true on the hot arm. The arms depend on themselves only, so that all
// sixteen values stay live across the loop whichever arm runs.

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { vec2 result[]; };
layout(push_constant) uniform Push { uint iterations; float seed; } push;

void main()
{
    uint gid = gl_GlobalInvocationID.x;
    vec2 base = vec2(push.seed, 1.0 - push.seed) + float(gid & 255u) * 0.001;
    vec2 h0 = base, h1 = base * 0.9, h2 = base * 0.8, h3 = base * 0.7;
    vec2 h4 = base * 0.6, h5 = base * 0.5, h6 = base * 0.4, h7 = base * 0.3;
    vec2 c0 = 1.0 - h0, c1 = 1.0 - h1, c2 = 1.0 - h2, c3 = 1.0 - h3;
    vec2 c4 = 1.0 - h4, c5 = 1.0 - h5, c6 = 1.0 - h6, c7 = 1.0 - h7;

    for (uint i = 0u; i < push.iterations; ++i) {
        if (CONDITION(gid, i)) {
            h0 = h0 * 0.50 + h1 * 0.25 + 0.10;
            h1 = h1 * 0.55 + h2 * 0.20 + 0.11;
            h2 = h2 * 0.60 + h3 * 0.15 + 0.12;
            h3 = h3 * 0.65 + h4 * 0.10 + 0.13;
            h4 = h4 * 0.50 + h5 * 0.30 + 0.14;
            h5 = h5 * 0.45 + h6 * 0.35 + 0.15;
            h6 = h6 * 0.40 + h7 * 0.40 + 0.16;
            h7 = h7 * 0.35 + h0 * 0.45 + 0.17;
        } else {
            c0 = c0 * 0.45 + c1 * 0.30 + 0.17;
            c1 = c1 * 0.50 + c2 * 0.25 + 0.16;
            c2 = c2 * 0.55 + c3 * 0.20 + 0.15;
            c3 = c3 * 0.60 + c4 * 0.15 + 0.14;
            c4 = c4 * 0.45 + c5 * 0.35 + 0.13;
            c5 = c5 * 0.40 + c6 * 0.40 + 0.12;
            c6 = c6 * 0.35 + c7 * 0.45 + 0.11;
            c7 = c7 * 0.30 + c0 * 0.50 + 0.10;
        }
    }
    result[gid] = (h0 + h1 + h2 + h3 + h4 + h5 + h6 + h7) - (c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7);
}
