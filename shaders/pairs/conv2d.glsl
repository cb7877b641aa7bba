// The kernel of the pair conv2d: a convolution as a matrix product of kernels and patches, by tiles in shared memory. A workgroup
// makes 16 channels of 64 pixels, an invocation 4 of 4.
layout(local_size_x = 64) in;
layout(push_constant) uniform Push {
    uint cout, cin, batch, kernel_w, kernel_h, width, height, out_width, out_height;
    uint stride_x, stride_y, pad_x, pad_y, dilation_x, dilation_y;
    uint nb_kernel_row, nb_kernel_plane, nb_kernel_channel, nb_row, nb_plane, nb_image, nb_out_row, nb_out_plane, nb_out_image;
    uint ow_magic, ow_shift, owoh_magic, owoh_shift;
} p;
layout(std430, set = 0, binding = 0) writeonly buffer Result { float result[]; };
layout(std430, set = 0, binding = 2) readonly buffer Kernels { float kernels[]; };
layout(std430, set = 0, binding = 3) readonly buffer Image { float image[]; };

const uint BS_K = 16u, BS_CRS = 16u, BS_NPQ = 64u;
shared float tile_kernels[BS_K * (BS_CRS + 1u)];
shared float tile_patches[BS_CRS * (BS_NPQ + 1u)];

uint quotient(uint n, uint magic, uint shift)
{
    uint high, low;
    umulExtended(n, magic, high, low);
    return (high + n) >> shift;
}

void main()
{
    const uint thread = gl_LocalInvocationID.x, first_k = gl_WorkGroupID.x * BS_K, first_npq = gl_WorkGroupID.y * BS_NPQ;
    const uint crs_count = p.cin * KERNEL_W * KERNEL_H, npq_count = p.batch * p.out_width * p.out_height;
    float sums[16];
    for (uint i = 0u; i < 16u; i++)
        sums[i] = 0.0;
    for (uint first = 0u; first < crs_count; first += BS_CRS) {
        for (uint i = thread; i < BS_K * BS_CRS; i += 64u) {
            uint row = i / BS_CRS, column = i % BS_CRS, crs = first + column, k = first_k + row;
            uint channel = crs / (KERNEL_W * KERNEL_H), rest = crs - channel * KERNEL_W * KERNEL_H, ky = rest / KERNEL_W, kx = rest - ky * KERNEL_W;
            float value = 0.0;
            if (k < p.cout && crs < crs_count)
                value = kernels[kx + ky * p.nb_kernel_row + channel * p.nb_kernel_plane + k * p.nb_kernel_channel];
            tile_kernels[row * (BS_CRS + 1u) + column] = value;
        }
        for (uint i = thread; i < BS_CRS * BS_NPQ; i += 64u) {
            uint row = i / BS_NPQ, column = i % BS_NPQ, crs = first + row, npq = first_npq + column;
            uint n = quotient(npq, p.owoh_magic, p.owoh_shift), in_image = npq - n * p.out_width * p.out_height;
            uint oy = quotient(in_image, p.ow_magic, p.ow_shift), ox = in_image - oy * p.out_width;
            uint channel = crs / (KERNEL_W * KERNEL_H), rest = crs - channel * KERNEL_W * KERNEL_H, ky = rest / KERNEL_W, kx = rest - ky * KERNEL_W;
            uint y = oy * STRIDE_Y + ky * DILATION_Y - PAD_Y, x = ox * STRIDE_X + kx * DILATION_X - PAD_X;
            float value = 0.0;
            if (y < p.height && x < p.width && crs < crs_count && npq < npq_count)
                value = image[x + y * p.nb_row + channel * p.nb_plane + n * p.nb_image];
            tile_patches[row * (BS_NPQ + 1u) + column] = value;
        }
        barrier();
        for (uint c = 0u; c < BS_CRS; c++) {
            float a[4], b[4];
            for (uint i = 0u; i < 4u; i++) {
                a[i] = tile_kernels[(thread / 16u * 4u + i) * (BS_CRS + 1u) + c];
                b[i] = tile_patches[c * (BS_NPQ + 1u) + thread % 16u * 4u + i];
            }
            for (uint i = 0u; i < 4u; i++)
                for (uint k = 0u; k < 4u; k++)
                    sums[i * 4u + k] = fma(a[i], b[k], sums[i * 4u + k]);
        }
        barrier();
    }
    for (uint i = 0u; i < 4u; i++) {
        for (uint j = 0u; j < 4u; j++) {
            uint k = first_k + thread / 16u * 4u + i, npq = first_npq + thread % 16u * 4u + j;
            uint n = quotient(npq, p.owoh_magic, p.owoh_shift), in_image = npq - n * p.out_width * p.out_height;
            uint oy = quotient(in_image, p.ow_magic, p.ow_shift), ox = in_image - oy * p.out_width;
            if (k < p.cout && npq < npq_count)
                result[ox + oy * p.nb_out_row + k * p.nb_out_plane + n * p.nb_out_image] = sums[i * 4u + j];
        }
    }
}
