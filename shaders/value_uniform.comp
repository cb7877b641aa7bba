// A material whose kind is a member of a uniform buffer, asked about in every layer of every step: a compiler must keep
// the switch in the loops, a profile knows its only value. This is what the value guard is for: one test around the
// outer loop, the switch decided inside.
// A profile should show the inner loop entered for each outer iteration and one arm of the switch taken, all others
// never. Arms start from values that come through phis, and end in one: a specialised copy must keep what one arm
// computes apart from the next layer's arithmetic to have the last bits of the original.
#version 450

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { float result[]; };
layout(std140, set = 0, binding = 1) uniform Material { uint kind; uint layers; float gain; float bias; } material;
layout(push_constant) uniform Push { uint iterations; float scale; } push;

void main()
{
    uint gid = gl_GlobalInvocationID.x;
    float x = float(gid & 4095u) * push.scale;
    float sum = 0.0;
    for (uint i = 0u; i < push.iterations; ++i) {
        float value = x;
        for (uint layer = 0u; layer < material.layers; ++layer) {
            switch (material.kind) {
            case 0u: value = value * 0.5 + x; break;
            case 1u: value = abs(value - x) * material.gain; break;
            case 2u: value = value * material.gain + material.bias; break;
            case 3u: value = sqrt(abs(value) + x) * material.gain; break;
            case 4u: value = max(value * value, x) - material.bias; break;
            case 5u: value = value / (1.0 + abs(value)) + material.bias; break;
            case 6u: value = exp2(-abs(value)) * material.gain; break;
            case 7u: value = sin(value * material.gain) + x; break;
            case 8u: value = value > x ? value - material.gain : value + x; break;
            case 9u: value = floor(value * 16.0) * 0.0625 + material.bias; break;
            case 10u: value = log2(1.0 + abs(value)) * material.gain; break;
            default: value = cos(value) * material.gain + material.bias; break;
            }
            value = clamp(value, -4.0, 4.0);
        }
        sum += value + material.bias;
        x = fract(x * 1.21 + 0.07);
    }
    result[gid] = sum;
}
