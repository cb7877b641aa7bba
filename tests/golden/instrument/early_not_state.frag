// Early tests are not declared where the pipeline's state is not known to allow it.
// EARLY: lost
// ABSENT: EarlyFragmentTests
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    colour = vec4(at, 0, 1);
}
