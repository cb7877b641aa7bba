// What both sides of the pair rms_norm share: the tensors, and a sum over the workgroup.
layout(local_size_x = 128) in;
layout(push_constant) uniform Push {
    uint columns, rows, channels, nb_row, nb_channel, nb_out_row, nb_out_channel;
    uint weight_columns, weight_rows, nb_weight_row;
    float epsilon;
} p;
layout(std430, set = 0, binding = 0) writeonly buffer Result { float result[]; };
layout(std430, set = 0, binding = 2) readonly buffer Data { float data[]; };
layout(std430, set = 0, binding = 3) readonly buffer Weights { float weights[]; };

const uint BLOCK = 128u;
shared float sums[BLOCK];

float over_group(float value)
{
    uint thread = gl_LocalInvocationID.x;
    sums[thread] = value;
    barrier();
    for (uint s = BLOCK / 2u; s > 0u; s >>= 1) {
        if (thread < s)
            sums[thread] += sums[thread + s];
        barrier();
    }
    return sums[0];
}
