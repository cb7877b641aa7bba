// llama.cpp pull requests 15281, "vulkan: optimize rms_norm", and 17701, "add more num_blocks instantiations in rms_norm".
// Before: a loop over the columns of a row, whose number is a push constant.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "rms_norm.glsl"

void main()
{
    const uint thread = gl_LocalInvocationID.x, row = gl_WorkGroupID.x, channel = gl_WorkGroupID.y;
    const uint from = row * p.nb_row + channel * p.nb_channel, weights_at = row % p.weight_rows * p.nb_weight_row;
    float sum = 0.0;
    for (uint column = thread; column < p.columns; column += BLOCK) {
        float x = data[from + column];
        sum += x * x;
    }
    const float scale = inversesqrt(over_group(sum) / float(p.columns) + p.epsilon);
    const uint to = row * p.nb_out_row + channel * p.nb_out_channel;
    for (uint column = thread; column < p.columns; column += BLOCK)
        result[to + column] = scale * data[from + column] * weights[weights_at + column % p.weight_columns];
}
