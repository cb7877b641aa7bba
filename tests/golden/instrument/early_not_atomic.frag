// Not declared: an atomic of the shader's own.
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
    atomicAdd(count, 1);
}
