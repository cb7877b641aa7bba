// Branches that part every wave, a side that no lane takes, a switch, and a loop left early.
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) readonly buffer Given { uint given[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Answer { uint answer[]; };

void main()
{
    uint id = gl_GlobalInvocationID.x;
    uint r = given[id];
    if ((id & 1u) != 0u)
        r += 11u;
    else
        r *= 3u;
    if (id > 5000u) {
        r = r / 7u;
        r ^= 12345u;
    }
    switch (id & 3u) {
    case 0u:
        r += 2u;
        break;
    case 1u:
        r -= 9u;
        break;
    default:
        r ^= 4u;
        break;
    }
    for (uint i = 0u; i < 10u; i++) {
        if (i > id / 128u)
            break;
        r += i;
    }
    answer[id] = r;
}
