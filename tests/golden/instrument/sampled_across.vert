// A shader that works across lanes is not split where waves cannot be kept whole: everything is counted.
// OPTIONS: sample-4 no-subgroups
// SAMPLED: 1
// NOTE: waves and uniform absent: no subgroup operations in this stage
// ABSENT: OpFunctionCall
#version 450
#extension GL_KHR_shader_subgroup_ballot : require
void main()
{
    gl_Position = vec4(subgroupBroadcastFirst(float(gl_VertexIndex)), 0, 0, 1);
}
