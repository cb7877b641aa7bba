// expect: inlined=0 kept=1 functions=2 because=continue run
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const bool ever = true;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
// never returns: nothing leads to the back edge of the loop that calls it as it continues
uint spin(uint k)
{
    while (ever)
        k = k * 3u + 1u;
    return k;
}
void main()
{
    uint id = gl_GlobalInvocationID.x, r = a[id];
    for (uint k = 0u; k < 8u; k = spin(k)) {
        r += k + 1u;
        if (r != 0u || id < 1000000u)
            break;
    }
    b[id] = r;
}
