// Fragment stage of the terrain: a height-line pattern under a branch.
// A profile should show the line arm taken by one pixel row of eight, divergent in every wave that covers two rows.
#version 450

layout(location = 0) in vec3 color;
layout(location = 0) out vec4 target;

void main()
{
    vec3 shade = color;
    if (fract(gl_FragCoord.y * 0.125) < 0.125)
        shade *= 0.6;
    target = vec4(shade, 1.0);
}
