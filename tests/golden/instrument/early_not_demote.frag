// Not declared: demote takes coverage away.
// OPTIONS: early-state
// EARLY: lost
// ABSENT: EarlyFragmentTests
#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    colour = vec4(at, 0, 1);
    if (at.x > 0.5)
        demote;
}
