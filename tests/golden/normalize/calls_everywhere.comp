// expect: inlined=11 kept=0 functions=1 run
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
uint calls = 0u;
uint next(uint v) { calls++; if ((v & 1u) == 0u) return v + 2u; return v + 1u; }
bool below(uint v, uint limit) { calls += 3u; if (v > 200u) return false; return v < limit; }
uint table(uint i) { const uint t[4] = uint[4](3u, 1u, 4u, 1u); uint local[4] = t; local[i & 3u]++; return local[(i + 1u) & 3u]; }
void main()
{
    uint id = gl_GlobalInvocationID.x;
    uint v = a[id] & 63u, r = 0u;
    for (uint i = v; below(i, 60u); i = next(i)) r += table(i);     // condition, increment, body
    uint k = 0u;
    while (below(k, v & 7u)) { k = next(k); if (below(v, 3u)) continue; r ^= k; }
    do { r += 3u; k++; } while (below(k, 9u) && below(r, 100u));
    r += below(v, 20u) ? next(v) : table(v);
    b[id] = r * 31u + calls;
}
