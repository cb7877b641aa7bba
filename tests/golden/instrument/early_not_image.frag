// Not declared: an image is written.
// OPTIONS: early-state
// EARLY: kept
// ABSENT: EarlyFragmentTests
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
layout(binding = 0, r32ui) uniform writeonly uimage2D image;
void main()
{
    colour = vec4(at, 0, 1);
    imageStore(image, ivec2(at), uvec4(1));
}
