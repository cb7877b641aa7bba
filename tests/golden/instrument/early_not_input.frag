// Not declared: an input attachment may be the depth.
// OPTIONS: early-state
// EARLY: lost
// ABSENT: EarlyFragmentTests
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
layout(input_attachment_index = 0, binding = 0) uniform subpassInput before;
void main()
{
    colour = vec4(at, 0, 1);
    colour += subpassLoad(before);
}
