#version 450
/* Words of a uniform block that loops of counted trips read by their counters: tests/e2e/app_divide.c. */
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Results { uint results[]; };
layout(std140, set = 0, binding = 1) uniform Sizes { uvec4 shape[2]; } sizes;
void main()
{
    uint at = gl_GlobalInvocationID.x, x = at * 0x9e3779b9u ^ results[at], v = 0u;
    for (uint i = 0u; i < 2u; i++)
        v = v * 31u + (x ^ i) / sizes.shape[i].y + (x + i) % sizes.shape[i].y;
    /* By a number of words: an index and a component. */
    for (int i = 2; i < 6; ++i)
        v = v * 31u + x / sizes.shape[i >> 2][i & 3] + x % sizes.shape[i >> 2][i & 3];
    /* The counter is another number for lanes that skip one. */
    for (uint i = 0u; i < 2u; i++) {
        if ((x & 0x100u) != 0u && i == 0u)
            i++;
        v = v * 31u + x % sizes.shape[i].w;
    }
    /* The first comparison says nothing of the trips. */
    for (uint i = 0u;; i++) {
        v += i < 1u ? 5u : 0u;
        if (i >= 2u)
            break;
        v = v * 31u + x / sizes.shape[i].z;
    }
    /* Backwards, with a step of two. */
    for (int i = 7; i > 0; i -= 2)
        v = v * 31u + (x >> 3) % sizes.shape[i / 4][i % 4];
    results[at] = v;
}
