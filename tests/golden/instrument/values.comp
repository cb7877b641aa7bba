// A bound is asked once where the loop is entered, loaded there again; a table of values and its 32-bit words.
// OPTIONS: values
// EXPECT: OpAtomicCompareExchange %uint
// EXPECT: OpLoopMerge
// EXPECT-ANYWHERE: OpAtomicUMax %uint
// EXPECT-ANYWHERE: OpBitcast %{} %{}
// ABSENT: OpGroupNonUniformBroadcastFirst
#version 450
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { uint n; };
layout(set = 0, binding = 0) buffer Data { uint words[4]; };
void main()
{
    uint sum = 0;
    for (uint i = 0; i < n; i++)
        sum += i * sum + 3;
    words[3] = sum;
}
