#version 450
// An expensive value that few invocations need, chosen by a select: what un-flattening is for.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { uint data[]; } src;
layout(std430, binding = 1) buffer Out { uint data[]; } dst;
layout(std140, binding = 2) uniform Params { int n; int m; float f; } params;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    float x = float(src.data[i] & 1023u) * 0.01 + params.f;
    bool rare = (src.data[i] & 1024u) != 0u;
    float e = pow(x + 1.0, 3.7) + exp(sin(x) * cos(x * 0.5)) * sqrt(x + 2.0);
    float cheap = x * 2.0;
    float r = mix(cheap, e, rare);
    dst.data[i] = floatBitsToUint(r);
}
