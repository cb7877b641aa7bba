// The loop over words of uniform blocks has the code of one slot. Drivers make much of an atomic operation.
// OPTIONS: words
// EXPECT: OpLoopMerge
// ONCE: OpAtomicCompareExchange
// ONCE: OpAtomicUMax
// ONCE: OpAtomicStore
#version 450
layout(set = 0, binding = 0) uniform Values { uint mode; int sign; float weight; };
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main()
{
    result = mode > 3u && sign < 0 ? color * weight : color;
}
