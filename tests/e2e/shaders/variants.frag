#version 450
/* The other stage of variants.vert: it shares the word `mode`, and has words of its own. */
layout(push_constant) uniform Push { layout(offset = 8) uint mode; uint rounds; uint flags; float scale; } push;
layout(location = 0) flat in uint tint;
layout(location = 0) out vec4 color;
void main()
{
    uint sum = tint + uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 64u;
    for (uint i = 0u; i < push.rounds; ++i)
        sum = sum * 31u + (sum >> 7) + i;
    if ((push.flags & 1u) != 0u)
        sum ^= sum << 3;
    if ((push.flags & 4u) != 0u)
        sum *= 0x9e3779b9u;
    sum += push.mode == 2u ? sum / 3u : sum / 5u;
    color = unpackUnorm4x8(sum) * 0.5 + fract(gl_FragCoord.x * push.scale) * 0.5;
}
