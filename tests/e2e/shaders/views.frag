#version 450
#extension GL_EXT_multiview : require
/* What each view draws differs, and so does the work for it. */
layout(location = 0) out vec4 color;
void main()
{
    float sum = 0.0;
    for (int i = 0; i < int(gl_ViewIndex) * 3 + int(gl_FragCoord.x) % 3; i++)
        sum += gl_FragCoord.y * 0.002;
    color = vec4(fract(sum), gl_ViewIndex == 0u ? 0.25 : 0.5, fract(gl_FragCoord.x * 0.01), 1.0);
}
