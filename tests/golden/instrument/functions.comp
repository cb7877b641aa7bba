// A function left as a call: the entry mask crosses in a variable, the memory's address is read again.
// OPTIONS: raw
// FUNCTIONS: 2
// EXPECT: OpVariable %_ptr_Private_v4uint Private
// EXPECT: OpStore
// EXPECT: OpFunction
// EXPECT: OpLoad %v2uint
// EXPECT: OpLoad %v4uint
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
