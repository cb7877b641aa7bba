#version 450
/* A layer's colour, transparent in a chequer; by macro, what tells early depth tests from late ones. */
#ifdef DECLARED
layout(early_fragment_tests) in;
#endif
#ifdef INPUT
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput behind;
#endif
#ifdef STORES
layout(set = 0, binding = 0) buffer storage
{
    uint invocations;
};
#endif
layout(push_constant) uniform layer
{
    float depth;
    uint number;
};
layout(location = 0) out vec4 color;
void main()
{
    bool hole = ((int(gl_FragCoord.x) ^ int(gl_FragCoord.y)) & 1) != 0;
    float shade = float(number + 1u) * 0.25;
#ifdef DISCARD
    if (hole)
        discard;
#endif
#ifdef DEPTH
    gl_FragDepth = hole ? 0.95 : gl_FragCoord.z;
#endif
#ifdef MASK
    gl_SampleMask[0] = hole ? 0 : 1;
#endif
#ifdef INPUT
    shade *= subpassLoad(behind).r;
#endif
#ifdef STORES
    atomicAdd(invocations, 1u);
#endif
    color = vec4(shade, gl_FragCoord.z, 1.0 - shade, hole ? 0.0 : 1.0);
}
