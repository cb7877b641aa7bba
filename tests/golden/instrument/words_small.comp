// One workgroup of 256 asks, where waves are small. All its lanes have one number: none is broadcast.
// OPTIONS: words small-waves no-selects
// EXPECT: OpULessThan %bool %{} %uint_16777216
// ABSENT: OpGroupNonUniformBroadcastFirst
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform Values { uint mode, length; };
layout(set = 0, binding = 1) buffer Data { uint data[]; };
void main()
{
    uint at = gl_GlobalInvocationID.x;
    if (at < length)
        data[at] = mode > 3u ? data[at] * 5u : data[at];
}
