#version 450
// Short integer arms, run by part of the lanes of most waves: worth running side by side.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { uint data[]; } src;
layout(std430, binding = 1) buffer Out { uint data[]; } dst;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint h = src.data[i];
    if ((h & 1u) == 0u) {
        h ^= h << 13u;
        h ^= h >> 17u;
        h ^= h << 5u;
    } else {
        h = (h ^ 61u) + i;
        h += h << 3u;
    }
    dst.data[i] = h;
}
