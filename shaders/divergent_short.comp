// Two short arms of integer work, one lane in so many the other way: nearly every wave runs both arms behind its masks, one
// after the other, where straight code with selects would run them side by side. This is what the flatten lever is for.
// A profile should show both arms run by nearly all waves, each by a part of the lanes. The arms are more than drivers flatten
// by themselves (Mesa: 8 instructions an arm), pure, and integer, so that no driver can compute them otherwise in one block
// with what stands around them.
#version 450

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { uint result[]; };
layout(push_constant) uniform Push { uint iterations; uint mask; } push;

void main()
{
    uint gid = gl_GlobalInvocationID.x;
    uint h = gid * 2654435761u + 12345u, sum = 0u;
    for (uint i = 0u; i < push.iterations; ++i) {
        uint k;
        if (((h >> 9u) & push.mask) == 0u) {
            k = h ^ (h << 13u);
            k ^= k >> 17u;
            k ^= k << 5u;
            k = k * 3u + i;
            k ^= k >> 11u;
        } else {
            k = (h ^ 61u) ^ (h >> 16u);
            k += k << 3u;
            k ^= k >> 4u;
            k = (k << 7u) - k;
            k ^= k >> 15u;
        }
        h = k + 374761393u;
        sum += k >> 24u;
    }
    result[gid] = sum ^ h;
}
