// Functions that return out of ifs, loops and a switch in a loop, called from several places and depths: what
// contexts.sh runs in the place of a benchmark, whose interface this is.
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { vec2 result[]; };
layout(push_constant) uniform Push { uint iterations; float seed; } push;

uint calls = 0u;
uint leaf(uint v) // returns inside ifs
{
    calls++;
    if ((v & 3u) == 0u)
        return v + 7u;
    if ((v & 4u) != 0u) {
        calls += 2u;
        if ((v & 8u) != 0u)
            return v * 3u;
        v ^= 5u;
    }
    return v + 1u;
}
uint search(uint key, uint limit) // returns from a loop in a loop
{
    uint seen = key;
    for (uint i = 0u; i < limit; i++) {
        for (uint j = 0u; j < 4u; j++) {
            seen = leaf(seen + j);
            if ((seen & 15u) == 3u)
                return seen;
            if ((seen & 31u) == 9u)
                break;
        }
        if ((seen & 63u) == 1u)
            return i;
        calls += 3u;
    }
    return leaf(seen ^ 77u);
}
uint choose(uint v) // returns from a switch in a loop
{
    while (v > 3u) {
        switch (v & 3u) {
        case 0u: v -= 3u; break;
        case 1u: return v * 5u;
        case 2u: v = v / 3u; continue;
        default: if ((v & 4u) != 0u) return v; v -= 2u;
        }
        calls++;
    }
    return v;
}
bool below(uint v, uint limit) { calls += 3u; if (v > 200u) return false; return v < limit; }

void main()
{
    uint gid = gl_GlobalInvocationID.x, v = (gid * 2654435761u) >> 22, r = 0u;
    for (uint i = v & 7u; below(i, 12u); i += (leaf(i) & 1u) + 1u)
        r += search(v + i, 5u);
    if ((gid & 2u) != 0u)
        r += choose(v) * 7u + choose(r & 511u);
    else if ((gid & 64u) != 0u)
        r ^= search(r & 127u, 3u);
    result[gid] = vec2(float(r), float(calls));
}
