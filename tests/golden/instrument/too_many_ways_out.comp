// A shader with so many ways out and so many counters that their sums at each way out would be more ids than
// SPIR-V allows: every block is counted in place.
// OPTIONS: additive
// NOTE: counted in place: too many ways out to sum counters at each
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer B { uint d[]; } b;
#define IF(j)                                                                                                \
    if ((h & (j + 1u)) == (j >> 1)) {                                                                        \
        h = h * 3u + j;                                                                                      \
        if (h == j * 7u) {                                                                                   \
            b.d[i] = j;                                                                                      \
            return;                                                                                          \
        }                                                                                                    \
    }
#define TEN(j)                                                                                               \
    IF(j) IF(j + 1u) IF(j + 2u) IF(j + 3u) IF(j + 4u) IF(j + 5u) IF(j + 6u) IF(j + 7u) IF(j + 8u) IF(j + 9u)
void main()
{
    uint i = gl_GlobalInvocationID.x, h = b.d[i];
    for (uint k = 0u; k < b.d[0]; k++) {
        TEN(0u) TEN(10u) TEN(20u) TEN(30u) TEN(40u) TEN(50u) TEN(60u) TEN(70u) TEN(80u)
        TEN(90u) TEN(100u) TEN(110u) TEN(120u) TEN(130u) TEN(140u) TEN(150u) TEN(160u)
    }
    b.d[i] = h;
}
