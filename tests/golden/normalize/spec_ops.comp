// expect: kept=0 spec-ops=3 run spec=0:4:4294967251,1:4:9,3:4:0
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const int S = -17;
layout(constant_id = 1) const uint U = 5u;
layout(constant_id = 2) const uint ZERO = 0u;
layout(constant_id = 3) const bool B = true;
layout(constant_id = 4) const float F = 1.5;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
const int division = S / 5, modulo = S % 7, negative = -S, inverted = ~S, product = S * 1234567;
const uint quotient = (U * 77u) / 3u, rest = (U * 77u) % 13u;
const int right = S >> 3, left = S << 4;
const uint uright = (U * 0x12345678u) >> 5u, mixed = (U & 6u) | (U ^ 0xffu);
const bool less = S < -3, uless = U < 6u, both = less && uless, either = less || B, same = both == either;
const bool unequal = S != int(U), atleast = U >= 5u, most = S <= -45;
const int chosen = B ? S : 99;
const uint converted = uint(S), logical = uint(B);
const uvec3 vector = uvec3(U, U + 1u, 2u);
const uvec3 sum = vector + uvec3(1u, 2u, 3u);
const uvec2 shuffled = sum.zx;
const ivec2 signs = ivec2(S, 7) / ivec2(2, -3);
const uint never = 7u / ZERO, over = 1u << (U + 40u); // no defined result: stay as they are
const float scale = F;
void main()
{
    uint r = uint(division) ^ uint(modulo) * 3u ^ uint(negative) * 5u ^ uint(inverted) * 7u ^ uint(product);
    r = r * 31u + quotient * 3u + rest + uint(right) + uint(left) + uright + mixed;
    r = r * 31u + uint(less) + uint(uless) * 2u + uint(both) * 4u + uint(either) * 8u + uint(same) * 16u;
    r = r * 31u + uint(unequal) + uint(atleast) * 2u + uint(most) * 4u + uint(chosen) + converted + logical;
    r = r * 31u + shuffled.x * 3u + shuffled.y + sum.y + vector.x + uint(signs.x) + uint(signs.y);
    if (r == 0x12345u) r += never + over;
    b[gl_GlobalInvocationID.x] = r ^ a[0] ^ uint(scale * 8.0);
}
