// llama.cpp pull requests 15281, "vulkan: optimize rms_norm", and 17701, "add more num_blocks instantiations in rms_norm".
// After: the number of blocks is a constant that the code is instantiated for, so that loops unroll; the columns are tested in each.
// The real one has several instantiations in one shader and a switch over them. Here the constant comes from the pipeline.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
layout(constant_id = 0) const uint num_blocks = 1u;
#include "rms_norm.glsl"

void main()
{
    const uint thread = gl_LocalInvocationID.x, row = gl_WorkGroupID.x, channel = gl_WorkGroupID.y;
    const uint from = row * p.nb_row + channel * p.nb_channel, weights_at = row % p.weight_rows * p.nb_weight_row;
    float sum = 0.0;
    [[unroll]] for (uint block = 0u; block < num_blocks; block++) {
        uint column = thread + block * BLOCK;
        float x = 0.0;
        if (column < p.columns)
            x = data[from + column];
        sum += x * x;
    }
    const float scale = inversesqrt(over_group(sum) / float(p.columns) + p.epsilon);
    const uint to = row * p.nb_out_row + channel * p.nb_out_channel;
    [[unroll]] for (uint block = 0u; block < num_blocks; block++) {
        uint column = thread + block * BLOCK;
        if (column < p.columns)
            result[to + column] = scale * data[from + column] * weights[weights_at + column % p.weight_columns];
    }
}
