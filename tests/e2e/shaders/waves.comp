#version 450
/* Work that differs by lane, in workgroups of a size the program chooses; with BALLOT, across lanes too. */
#ifdef BALLOT
#extension GL_KHR_shader_subgroup_ballot : require
#endif
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) readonly buffer inputs
{
    uint numbers[];
};
layout(set = 0, binding = 1) writeonly buffer outputs
{
    uint results[];
};
void main()
{
    uint at = gl_GlobalInvocationID.x, value = numbers[at & 1023u], steps = 0u;
    while (value > 1u && steps < 40u) {
        value = (value & 1u) == 0u ? value / 2u : value * 3u + 1u;
        steps++;
    }
#ifdef BALLOT
    steps += subgroupBallotBitCount(subgroupBallot(steps > 20u)) * gl_SubgroupSize;
#endif
    results[at & 1023u] = steps;
}
