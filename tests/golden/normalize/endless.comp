// expect: inlined=6 kept=0 functions=1 run
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
// loops left by returns only: their merge blocks are unreachable
uint collatz(uint v)
{
    uint n = 0u;
    for (;;) {
        if (v <= 1u)
            return n;
        v = (v & 1u) == 0u ? v >> 1 : v * 3u + 1u;
        n++;
    }
}
uint nested(uint v)
{
    for (;;) {
        v += 3u;
        do {
            if ((v & 7u) == 1u)
                return v;
            v++;
            if ((v & 31u) == 30u)
                break;
        } while (true);
        if (v > 5000u)
            return 0u;
    }
}
// a switch every way out of which returns
uint kind(uint v)
{
    switch (v % 3u) {
    case 0u: return 10u;
    case 1u: if (v > 50u) return collatz(v); return 11u;
    default: return 12u;
    }
}
void main()
{
    uint id = gl_GlobalInvocationID.x, r = 0u;
    for (uint i = 1u; i < 4u; i++) {
        r = r * 3u + collatz((a[id] & 63u) + i);
        if (kind(r) == 11u)
            continue;
        r ^= nested(r);
    }
    b[id] = r + kind(id);
}
