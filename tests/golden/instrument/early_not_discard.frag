// Not declared: depth is written for fragments that are discarded later.
// OPTIONS: early-state
// EARLY: lost
// ABSENT: EarlyFragmentTests
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    colour = vec4(at, 0, 1);
    if (at.x > 0.5)
        discard;
}
