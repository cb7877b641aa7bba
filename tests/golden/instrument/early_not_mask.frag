// Not declared: the shader writes the sample mask.
// OPTIONS: early-state
// EARLY: lost
// ABSENT: EarlyFragmentTests
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    colour = vec4(at, 0, 1);
    gl_SampleMask[0] = 1;
}
