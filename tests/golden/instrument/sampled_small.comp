// Sampling in compute without barriers: dispatches of fewer workgroups than N read where they begin, and say that they end.
// OPTIONS: sample-16
// SAMPLED: 16
// EXPECT: OpAtomicIAdd
// EXPECT: OpFunctionEnd
// EXPECT: OpFunction %void
// EXPECT: OpFunctionEnd
// EXPECT: OpFunction %void
// EXPECT: OpULessThan %bool
// EXPECT: OpAtomicLoad %uint
// EXPECT: OpUDiv %uint
// EXPECT: OpFunctionCall %void %main
// EXPECT: OpFunctionCall %void %{}
// EXPECT: OpAtomicIAdd
// EXPECT: OpAtomicLoad %uint
// EXPECT: OpUGreaterThanEqual %bool
// EXPECT: OpAtomicStore
// EXPECT: OpReturn
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0) buffer values
{
    float value[];
};
void main()
{
    uint at = gl_GlobalInvocationID.x;
    if (value[at] > 0.0)
        value[at] = sqrt(value[at]);
}
