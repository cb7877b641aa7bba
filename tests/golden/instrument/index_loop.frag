// Loops with an election before their exit. A driver that knows no bound but an array's length must not unroll
// the first one (compiler/instrument/code/unrolled.c); the others are as they were: a constant bound, a buffer.
// OPTIONS: no-selects
// EXPECT: OpLoopMerge %{} %{} DontUnroll
// EXPECT: OpSLessThan
// EXPECT: OpLoopMerge %{} %{} None
// EXPECT: OpSLessThan
// EXPECT: OpLoopMerge %{} %{} None
// EXPECT: OpSLessThan
#version 450
#extension GL_EXT_control_flow_attributes : require
layout(set = 0, binding = 0) uniform Bounds { int bound; };
layout(set = 0, binding = 1) readonly buffer Words { float words[]; };
layout(location = 0) in vec4 from;
layout(location = 0) out vec4 color;
void main()
{
    float table[4] = float[](from.x, from.y, from.z, from.w), sum = 0.0;
    [[unroll]] for (int i = 0; i < bound; i++)
        sum += table[i];
    for (int i = 0; i < 4; i++)
        sum += table[i];
    for (int i = 0; i < bound; i++)
        sum += words[i];
    color = vec4(sum);
}
