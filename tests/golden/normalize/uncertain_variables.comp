// expect: inlined=2 kept=0 functions=1 run
#version 450
// Variables that hold one constant in one place, and still decide nothing: another store comes in between, an
// index is not constant, a callee writes, a loop comes round, or nothing was written yet.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
void change(inout int mode, uint x) { if (x > 7u) mode = 2; }
int twice(int mode, uint x) { if ((x & 1u) != 0u) mode = 4; return mode; }
void main()
{
    uint i = gl_GlobalInvocationID.x, x = a[i], y = 1u;
    int mode = 1;
    change(mode, x);
    if (mode == 1) y += 10u;
    if (twice(1, x) == 1) y ^= 3u;
    int table[4] = int[4](1, 1, 1, 1);
    table[x & 3u] = 0;
    if (table[2] == 1) y += 100u;
    bool first = true;
    for (uint k = 0u; k < (x & 7u); k++) {
        if (first) y *= 5u; else y += k;
        first = false;
    }
    struct { int p, q; } pair;
    pair.p = 1;
    if ((x & 4u) != 0u) pair.p = 2;
    pair.q = 1;
    if (pair.p == pair.q) y += 1000u;
    b[i] = y;
}
