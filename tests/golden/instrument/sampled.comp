// Sampling in compute: whole workgroups, a weight known at run time, the body once with and once without counting; the
// decoration of the copy's result is copied.
// OPTIONS: sample-16
// SAMPLED: 16
// EXPECT: NoContraction
// EXPECT: NoContraction
// EXPECT: OpAtomicIAdd
// EXPECT: OpControlBarrier
// EXPECT: OpFunctionEnd
// EXPECT: OpFunction %void
// EXPECT: OpControlBarrier
// EXPECT: OpFunctionEnd
// EXPECT: OpFunction %void
// EXPECT: OpLoad %v3uint %gl_WorkGroupID
// EXPECT: OpLoad %v3uint %gl_NumWorkGroups
// EXPECT: OpSelectionMerge
// EXPECT: OpAtomicIAdd
// EXPECT: OpFunctionCall %void %main
// EXPECT: OpFunctionCall %void %{}
// EXPECT: OpReturn
// ABSENT: OpGroupNonUniformBroadcastFirst
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { float data[]; };
shared float part[64];
void main()
{
    uint i = gl_GlobalInvocationID.x;
    part[gl_LocalInvocationIndex] = data[i];
    barrier();
    precise float sum = part[63u - gl_LocalInvocationIndex] * 3.0 + data[i];
    if (sum > 1.0)
        data[i] = sum;
}
