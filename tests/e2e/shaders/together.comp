#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
/* Subgroup operations of its own in divergent loops: what they give depends on who is together. */
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) readonly buffer Inputs { uint inputs[]; };
layout(std430, set = 0, binding = 1) buffer Results { uint results[]; };
void main()
{
    uint id = gl_GlobalInvocationID.x, sum = gl_SubgroupSize;
    for (uint i = 0u; i < (inputs[id] & 7u); i++) {
        sum += subgroupAdd(i + 1u);
        if (((inputs[id] >> i) & 1u) == 0u)
            sum ^= subgroupBallotBitCount(subgroupBallot(true)) << i;
    }
    results[id] = sum;
}
