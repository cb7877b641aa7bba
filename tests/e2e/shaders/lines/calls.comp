// A function called from two places, with a return of its own, and a function in a loop.
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) readonly buffer Given { uint given[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Answer { uint answer[]; };

uint twist(uint a, uint b)
{
    if (b < 100u)
        return a + 1u;
    uint c = a * 5u;
    return c ^ b;
}

uint fold(uint a)
{
    a ^= a >> 3u;
    return a;
}

void main()
{
    uint id = gl_GlobalInvocationID.x;
    uint r = twist(given[id], id);
    if (id >= 1000u)
        r += twist(r, id - 1000u);
    for (uint i = 0u; i < 3u; i++)
        r = fold(r + i);
    answer[id] = r;
}
