// A device that takes SPIR-V 1.0 only cannot be asked for ballots.
// OPTIONS: spirv-1.0
// TARGET: vulkan1.0
// NOTE: waves and uniform absent: subgroup operations need SPIR-V 1.3
// ABSENT: GroupNonUniform
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { uint words[]; };
void main()
{
    words[gl_GlobalInvocationID.x] = 1;
}
