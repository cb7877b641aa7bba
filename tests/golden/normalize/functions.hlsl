// expect: kept=0 functions=1 run
[[vk::binding(0, 0)]] RWStructuredBuffer<uint> a;
[[vk::binding(1, 0)]] RWStructuredBuffer<uint> b;
struct Pair { uint first; uint second; };
Pair make(uint v, uint w) { Pair p; p.first = v; p.second = w; if (v > w) { p.first = w; p.second = v; } return p; }
uint walk(Pair p, inout uint steps)
{
    [loop] while (true) {
        steps++;
        if (p.first == p.second) return p.first;
        if (steps > 20u) break;
        Pair q = make(p.second - p.first, p.first);
        p = q;
    }
    return steps;
}
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint steps = 0u;
    uint v = a[id.x] & 31u;
    uint r = walk(make(v, 12u), steps);
    [branch] if (r == 0u) r = walk(make(v + 1u, 3u), steps);
    b[id.x] = r * 64u + steps;
}
