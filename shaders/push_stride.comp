// A filter over images stored in tiles, as tensor and video kernels are written: one shader for every shape, so that
// image size, tile size, radius, border mode and channel come as push constants. Each tap wraps its coordinates and finds
// its tile by integer division and remainder, which no CPU does on vectors and no GPU in one instruction.
// A profile of a bundle shows the words with one value each; made for these, divisions become multiplications and shifts,
// the loops have constant trips and the switch in the innermost one is gone. All arithmetic is in integers: the result has
// the same bits however it is compiled.
#version 450

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { uint result[]; };
layout(std430, set = 0, binding = 2) readonly buffer Texels { uint texels[]; };
layout(push_constant) uniform Push {
    uint width;
    uint height;
    uint images;
    uint tile_width;
    uint tile_height;
    uint radius;
    uint border; // 0 repeat, 1 mirror, 2 clamp, 3 zero
    uint channel;
} push;

uint weight(uint tap) { return 1u + min(tap, 2u * push.radius - tap); }

// `at` counts from -size on.
uint wrap(uint at, uint size)
{
    switch (push.border) {
    case 0u: return at % size;
    case 1u: at = (at + size) % (2u * size); return at < size ? at : 2u * size - 1u - at;
    default: return clamp(at, size, 2u * size - 1u) - size;
    }
}

uint texel(uint image, uint x, uint y)
{
    uint per_row = (push.width + push.tile_width - 1u) / push.tile_width;
    uint per_column = (push.height + push.tile_height - 1u) / push.tile_height;
    uint tile = (image * per_column + y / push.tile_height) * per_row + x / push.tile_width;
    uint inside = (y % push.tile_height) * push.tile_width + x % push.tile_width;
    return texels[tile * (push.tile_width * push.tile_height) + inside];
}

void main()
{
    uint gid = gl_GlobalInvocationID.x;
    uint x = gid % push.width;
    uint y = gid / push.width % push.height;
    uint image = gid / (push.width * push.height);
    if (image >= push.images)
        return;
    uint sum = 0u, total = 0u;
    for (uint j = 0u; j <= 2u * push.radius; ++j) {
        for (uint i = 0u; i <= 2u * push.radius; ++i) {
            uint far_x = x + i - push.radius + push.width, far_y = y + j - push.radius + push.height;
            uint tap = weight(i) * weight(j);
            bool inside = push.border != 3u || (far_x - push.width < push.width && far_y - push.height < push.height);
            uint value = texel(image, wrap(far_x, push.width), wrap(far_y, push.height));
            sum += inside ? tap * (value >> (8u * push.channel) & 255u) : 0u;
            total += tap;
        }
    }
    result[gid] = sum / total;
}
