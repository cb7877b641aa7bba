// A loop of many trips, and an early return. tests/e2e/export.sh has the counts of these lines, made by hand.
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) readonly buffer Given { uint given[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Answer { uint answer[]; };
#ifndef EVERY
#define EVERY 5u
#endif

void main()
{
    uint id = gl_GlobalInvocationID.x;
    if (id % EVERY == 0u) {
        answer[id] = 7u;
        return;
    }
    uint sum = given[id];
    for (uint i = 0u; i < id % 8u; i++) {
        sum = sum * 3u + i;
        if (i == 5u)
            sum ^= id;
    }
    answer[id] = sum;
}
