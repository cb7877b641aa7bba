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
        TEN(0u) TEN(10u) TEN(20u) TEN(30u) TEN(40u) TEN(50u) TEN(60u) TEN(70u)
        TEN(80u) TEN(90u) TEN(100u) TEN(110u) TEN(120u) TEN(130u) TEN(140u) TEN(150u)
        TEN(160u) TEN(170u) TEN(180u) TEN(190u) TEN(200u) TEN(210u) TEN(220u) TEN(230u)
        TEN(240u) TEN(250u) TEN(260u) TEN(270u) TEN(280u) TEN(290u) TEN(300u) TEN(310u)
        TEN(320u) TEN(330u) TEN(340u) TEN(350u) TEN(360u) TEN(370u) TEN(380u) TEN(390u)
        TEN(400u) TEN(410u) TEN(420u) TEN(430u) TEN(440u) TEN(450u) TEN(460u) TEN(470u)
        TEN(480u) TEN(490u) TEN(500u) TEN(510u)
    }
    b.d[i] = h;
}
