// One small wave of 256 asks for words of uniform blocks.
// OPTIONS: words small-waves
// EXPECT: OpGroupNonUniformBroadcastFirst
// EXPECT: OpULessThan %bool %{} %uint_16777216
#version 450
layout(set = 0, binding = 0) uniform Values { uint mode; float weight; };
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main()
{
    result = mode > 3u ? color * weight : color;
}
