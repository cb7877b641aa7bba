// Without subgroup operations lanes decide by themselves, each for its group of vertices. The program's own built-in
// variables are used.
// OPTIONS: sample-4 no-subgroups
// SAMPLED: 4
// NOTE: waves and uniform absent: no subgroup operations in this stage
// EXPECT: OpLoad %int %gl_VertexIndex
// EXPECT: OpFunctionEnd
// EXPECT: OpLoad %int %gl_VertexIndex
// EXPECT: OpFunctionEnd
// EXPECT: OpLoad %int %gl_VertexIndex
// EXPECT: OpBitcast %uint
// EXPECT: OpLoad %uint %gl_InstanceIndex
// ABSENT: OpGroupNonUniform
#version 450
void main()
{
    gl_Position = vec4(gl_VertexIndex, 0, 0, 1);
}
