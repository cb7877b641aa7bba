// Inputs are asked at the entry by one wave of 64: the low bits of interpolated floats are rounded away.
// OPTIONS: inputs
// TARGET: vulkan1.2
// EXPECT: OpIsHelperInvocationEXT
// EXPECT-ANYWHERE: OpGroupNonUniformBroadcastFirst %uint
// EXPECT-ANYWHERE: OpConstant %uint 4294967280
#version 460
layout(location = 0) in vec4 tint;
layout(location = 1) flat in uint which;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(tint.xy, float(which), 1.0);
}
