// Depth comes from the shader: there were no early tests to lose.
// OPTIONS: early-state
// EARLY: kept
// ABSENT: EarlyFragmentTests
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    colour = vec4(at, 0, 1);
    gl_FragDepth = at.x;
}
