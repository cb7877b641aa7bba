// A wave's numbers of lanes and marks tell a place in memory: one addition counts the wave.
// OPTIONS: auto small-waves
// EXPECT: OpGroupNonUniformBallotBitCount
// EXPECT: OpGroupNonUniformIAdd %uint %{} Reduce
// ONCE: OpAtomicIAdd
// ABSENT: OpAtomicLoad
// ABSENT: OpAtomicCompareExchange
// ABSENT: OpLoopMerge
// COUNTERS: 142
#version 450
layout(location = 0) in float x;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(0.0);
    if (x > 0.5)
        color = vec4(1.0);
}
