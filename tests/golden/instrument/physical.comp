// A shader that has device addresses of its own.
// EXPECT: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// EXPECT: OpGroupNonUniformElect
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 8) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words words; };
void main()
{
    words.word[gl_GlobalInvocationID.x] = 7;
}
