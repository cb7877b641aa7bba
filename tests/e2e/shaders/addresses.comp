#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
/* Physical addresses of its own: as 64-bit integers and as pairs of 32-bit ones, indexed by both. */
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
layout(push_constant) uniform Push { uvec2 from; uvec2 to; } push;
void main()
{
    uint id = gl_GlobalInvocationID.x, sum = 0u;
    Words from = Words(push.from);
    uint64_t far = packUint2x32(push.to) + uint64_t(id) * 4ul;
    for (uint64_t i = 0ul; i < uint64_t(from.at[id] & 15u); i++) {
        if (((from.at[id] >> uint(i)) & 1u) == 0u)
            sum += uint(i) * 3u;
        else
            sum ^= from.at[uint(i)] & 0x5au;
    }
    Words(far).at[0] = sum + 1u;
}
