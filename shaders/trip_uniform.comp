// A filter whose number of taps is a member of a uniform buffer, the same in every dispatch of the run: a compiler must
// keep the loop, a profile knows its trip count. This is what the trip-count guard is for.
// A profile should show an inner loop, uniform at 100 %, with one bucket in its trip histogram (8 taps), entered once
// for each outer iteration. The filter starts from x itself: an unrolled first tap would be x * a + x * b, which drivers
// may factor, so that a specialised copy must keep the taps apart to have the loop's last bits.
#version 450

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { float result[]; };
layout(std140, set = 0, binding = 1) uniform Filter { uint taps; float bias; vec4 weights[16]; } kernel;
layout(push_constant) uniform Push { uint iterations; float scale; } push;

void main()
{
    uint gid = gl_GlobalInvocationID.x;
    float x = float(gid & 4095u) * push.scale;
    float sum = 0.0;
    for (uint i = 0u; i < push.iterations; ++i) {
        float value = x;
        for (uint tap = 0u; tap < kernel.taps; ++tap) {
            vec4 w = kernel.weights[tap & 15u];
            value = value * w.x + (x - float(tap)) * w.y;
            value = clamp(value, w.z, w.w);
        }
        sum += value + kernel.bias;
        x = fract(x * 1.21 + 0.07);
    }
    result[gid] = sum;
}
