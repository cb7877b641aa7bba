// expect: inlined=5 kept=0 functions=1 run
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
uint side = 0u;
// returns inside ifs
uint classify(uint v)
{
    if (v < 100u)
        return 1u;
    if ((v & 1u) == 0u) {
        side += v;
        if ((v & 2u) == 0u)
            return 2u;
        side ^= 3u;
    } else {
        return v >> 3;
    }
    return v + side;
}
// returns from a loop in a loop
uint search(uint key, uint limit)
{
    uint seen = 0u;
    for (uint i = 0u; i < limit; i++) {
        for (uint j = 0u; j < 4u; j++) {
            seen += a[(key + i * 4u + j) & 255u];
            if ((seen & 15u) == 3u)
                return seen;
            if ((seen & 31u) == 9u)
                break;
        }
        if ((seen & 63u) == 1u)
            return i;
    }
    return seen ^ 77u;
}
// returns from a switch, and from a switch in a loop
uint choose(uint v)
{
    while (v > 3u) {
        switch (v & 3u) {
        case 0u: v -= 3u; break;
        case 1u: return v * 5u;
        case 2u: v = v / 3u; continue;
        default: if ((v & 4u) != 0u) return v; v -= 2u;
        }
        side++;
    }
    return v;
}
void bump(inout uint v)
{
    if (v == 7u)
        return;
    v += 5u;
}
void main()
{
    uint id = gl_GlobalInvocationID.x;
    uint v = a[id] & 1023u;
    uint r = classify(v) + search(v, 9u) * 3u;
    r += choose(v) * 7u + choose(r & 511u);
    bump(r);
    b[id] = r ^ side;
}
