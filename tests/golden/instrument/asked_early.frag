// The author asks for early tests: they stay.
// EARLY: kept
#version 450
layout(early_fragment_tests) in;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    colour = vec4(at, 0, 1);
}
