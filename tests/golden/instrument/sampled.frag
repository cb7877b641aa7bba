// Sampling in a fragment shader: tiles of the framebuffer, the first lane's for its whole wave; texture samples keep their
// derivatives, since quads are never split.
// OPTIONS: sample-16
// SAMPLED: 16
// EXPECT: OpExecutionMode %{} OriginUpperLeft
// EXPECT: BuiltIn FragCoord
// EXPECT: OpFunction %void
// EXPECT: OpAtomicIAdd
// EXPECT: OpImageSampleImplicitLod
// EXPECT: OpFunction %void
// EXPECT: OpImageSampleImplicitLod
// EXPECT: OpFunction %void
// EXPECT: OpConvertFToU
// EXPECT: OpGroupNonUniformBroadcastFirst
// EXPECT: OpSelectionMerge
// EXPECT: OpFunctionCall
// EXPECT: OpFunctionCall
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform sampler2D image;
void main()
{
    colour = texture(image, at);
}
