// expect: inlined=2 kept=1 functions=2 because=continue
#version 450
layout(location = 0) in flat uint v;
layout(location = 0) out vec4 color;
uint alive(uint x) { if (x > 9u) discard; return x + 1u; }
void main()
{
    uint n = alive(v);
    for (uint i = 0u; i < 8u; i = alive(i)) n += i;
    if (n > 3u) n = alive(n);
    color = vec4(float(n));
}
