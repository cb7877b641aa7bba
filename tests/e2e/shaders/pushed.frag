#version 450
#extension GL_GOOGLE_include_directive : require
#include "pushed.glsl"
layout(location = 0) out vec4 color;
/* One strip of the image a draw. */
void main()
{
    if (uint(gl_FragCoord.y) / 4u != push.at)
        discard;
    uint sum = work(uint(gl_FragCoord.x));
#ifdef FIRST
    sum += first[uint(gl_FragCoord.x)];
#endif
    color = unpackUnorm4x8(sum);
}
