#version 450
// A loop whose bound is a member of a uniform block: what the trip guard is for.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { uint data[]; } src;
layout(std430, binding = 1) buffer Out { uint data[]; } dst;
layout(std140, binding = 2) uniform Params { int n; int m; float f; } params;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint h = src.data[i];
    float x = 0.0;
    for (int k = 0; k < params.n; k++) {
        h = h * 1664525u + 1013904223u + uint(k);
        x = x * 0.5 + float(h >> 9u);
    }
    dst.data[i] = h ^ floatBitsToUint(x);
}
