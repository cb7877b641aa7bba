// Lanes alone: no version raised, no subgroup capability, waves and uniform absent. One arm follows from flow.
// OPTIONS: no-subgroups
// COUNTERS: 2
// NOTE: waves and uniform absent: no subgroup operations in this stage
// ABSENT: GroupNonUniform
// EXPECT: OpAtomicIAdd
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { uint words[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (words[i] > 5)
        words[i] = 0;
    else
        words[i] = 1;
}
