// Not declared: a store of the shader's own would not happen for fragments killed early.
// OPTIONS: early-state
// EARLY: kept
// ABSENT: EarlyFragmentTests
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
layout(binding = 0) buffer Data { uint count; };
void main()
{
    colour = vec4(at, 0, 1);
    count = 1;
}
