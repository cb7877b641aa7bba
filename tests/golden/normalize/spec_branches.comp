// expect: frozen=14 folded=5 kept=0 functions=1 run spec=0:4:2,2:4:0,3:4:16
#version 450
layout(local_size_x_id = 3, local_size_y = 1) in;
layout(constant_id = 0) const int MODE = 1;
layout(constant_id = 1) const uint COUNT = 5u;
layout(constant_id = 2) const bool FAST = true;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
uint pick(uint v)
{
    switch (MODE) {
    case 0: return v;
    case 1: v += 9u;
    case 2: if ((v & 1u) == 0u) { v *= 3u; break; } v ^= 5u; break;
    default: v = 0u;
    }
    return v + 1u;
}
void main()
{
    uint id = gl_GlobalInvocationID.x;
    uint v = a[id], r = 0u;
    uint store[COUNT + 2u];
    for (uint i = 0u; i < COUNT + 2u; i++) store[i] = v + i;
    if (FAST) { r = v; } else { for (uint i = 0u; i < COUNT; i++) { r += store[i]; if (MODE == 1) break; } }
    while (MODE > 5) { r++; }
    do { r += 2u; } while (MODE == 0);
    if (MODE == 2 && !FAST) r ^= pick(v);
    b[id] = r + uint(gl_WorkGroupSize.x);
}
