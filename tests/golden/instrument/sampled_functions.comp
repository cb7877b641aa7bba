// A function that is left as a call is copied too, and the copy calls the copy. Without 64-bit atomics the products have a
// high half.
// OPTIONS: raw narrow sample-5
// SAMPLED: 5
// FUNCTIONS: 2
// EXPECT: OpVariable %_ptr_Private_uint Private
// EXPECT: OpFunction %void
// EXPECT: OpFunctionCall %uint %collatz_u1_
// EXPECT: OpUMulExtended
// EXPECT: OpFunction %void
// EXPECT: OpFunctionCall %uint %{}
// EXPECT: OpFunction %void
// EXPECT: OpUMod
// EXPECT: OpFunctionCall %void %main
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { uint words[]; };
uint collatz(uint n)
{
    uint steps = 0;
    for (; n > 1 && steps < 50; steps++)
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
}
void main()
{
    words[gl_GlobalInvocationID.x] = collatz(gl_GlobalInvocationID.x + 1);
}
