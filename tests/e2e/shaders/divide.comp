#version 450
/* Divisors that one word decides, of numbers beside their multiples: tests/e2e/app_divide.c. The barrier is what
 * a version of the whole stage would have behind a branch. */
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Results { uint results[]; };
layout(std140, set = 0, binding = 1) uniform Sizes { uint columns, seed; } sizes;
shared uint tile[64];
uint number(uint at, uint d)
{
    uint k = (at >> 2) * 0x9e3779b9u >> (at & 31u);
    uint n = at < 128u ? k * d : 0xffffffffu - k;
    return n + (at & 3u) - 1u;
}
void main()
{
    uint at = gl_GlobalInvocationID.x, d = sizes.columns, tiles = (d - 1u) / 16u + 1u;
    uint n = number(at, d) ^ sizes.seed;
    tile[gl_LocalInvocationIndex] = n / d * 3u + n % d;
    barrier();
    uint other = tile[63u - gl_LocalInvocationIndex];
    uint v = (other ^ n) / tiles * 16u + (other ^ n) % tiles;
    if (at % 3u == 1u)
        v += (n + 77u) / d;
    results[at] = results[at] * 31u + v;
}
