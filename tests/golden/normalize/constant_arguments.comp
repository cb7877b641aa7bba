// expect: inlined=4 kept=0 functions=1 blocks=14 run
#version 450
// Constants that reach branches through variables: arguments, members of structures, defaults of a function
// that is called with other constants, comparisons of floats. Nothing is left to branch on.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
struct Closure { int kind; uvec2 seed; float weight; };
struct Film { bool airy; int model; float thickness; };
Film make(float thickness, int model)
{
    Film f;
    f.model = model;
    f.airy = thickness > 0.0;
    f.thickness = thickness;
    return f;
}
uint fresnel(uint x, Film f)
{
    if (f.airy)
        return x * 77u;
    else if (f.model == 2)
        return x ^ 5u;
    return x + 9u;
}
uint lobe(Closure c, int mode[2], float weight)
{
    if (weight < 1e-8)
        return 3u;
    Film f = make(0.0, mode[1]);
    switch (c.kind) {
    case 1:
        return fresnel(c.seed.x, f);
    case 2:
        for (uint i = 0u; i < c.seed.y; i++)
            c.seed.x = c.seed.x * 3u + i;
        return c.seed.x;
    }
    return 1u;
}
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint x = lobe(Closure(1, uvec2(a[i], 5u), 1.0), int[2](0, 2), 1.0);
    x += lobe(Closure(2, uvec2(a[i], 5u), 1.0), int[2](0, 1), 0.0);
    b[i] = x;
}
