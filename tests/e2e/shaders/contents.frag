#version 450
/* A small uber-shader: parts with weights and flags in uniform blocks. app_contents.c writes them in every way. */
layout(set = 0, binding = 0, std140) uniform Material { uint kind; uint divisor; uint rounds; float coat; float sheen; uint flags; vec4 tint; } m;
layout(set = 0, binding = 1, std140) uniform Scene { uint lights; float fog; ivec2 size; } s;
layout(location = 0) flat in uint cell;
layout(location = 0) out vec4 color;
void main()
{
    uint at = uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * uint(s.size.x) + cell * 977u;
    uint sum = at / m.divisor + at % m.divisor * 31u;
    for (uint i = 0u; i < m.rounds; ++i)
        sum = sum * 31u + (sum / m.divisor) + i;
    if (m.kind == 2u)
        sum ^= sum << 3;
    else if (m.kind == 1u)
        sum += at / 7u;
    if ((m.flags & 4u) != 0u)
        sum *= 0x9e3779b9u;
    for (uint i = 0u; i < s.lights; ++i)
        sum += (sum >> 5) % m.divisor;
    vec4 base = unpackUnorm4x8(sum);
    if (m.coat > 0.0)
        base += m.coat * sin(base.yzxw * 7.0 + m.tint);
    vec4 glow = base; /* dear: skipped where the weight is 0 */
    for (uint i = 0u; i < s.lights + 2u; ++i)
        glow = cos(glow.zxyw * 5.0) + sin(glow * exp(-glow.wxyz * base)) * 0.5;
    base += m.sheen * glow;
    color = mix(base, vec4(0.25), s.fog);
}
