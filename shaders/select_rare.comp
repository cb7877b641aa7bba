// An expensive pure value that a select throws away for all but 1 lane in 4096: mix(cheap, expensive, bool) is OpSelect,
// so both values are computed in one block by every lane. This is what the un-flatten lever is for.
// A profile should show the selector true in almost no wave (sampled by the selector's probe); moving the chain of
// sines and square roots under a branch leaves the outputs bit-equal and nearly all of its work undone. The chain is one
// nested expression without variables: it cannot trap, load or touch memory.
#version 450

#define STEP(x) sqrt(abs(sin((x) * 1.7 + 0.3)) + 0.2)
#define STEP4(x) STEP(STEP(STEP(STEP(x))))
#define STEP16(x) STEP4(STEP4(STEP4(STEP4(x))))

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { float result[]; };
layout(push_constant) uniform Push { uint iterations; uint period; float scale; } push;

void main()
{
    uint gid = gl_GlobalInvocationID.x;
    float x = float(gid & 1023u) * push.scale;
    float sum = 0.0;
    for (uint i = 0u; i < push.iterations; ++i) {
        bool rare = (gid + i * 977u) % push.period == 0u;
        sum += mix(x * 0.5 + 0.25, STEP16(x), rare);
        x = fract(x * 1.37 + 0.11);
    }
    result[gid] = sum;
}
