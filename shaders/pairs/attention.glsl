// The kernel of the pair attention: one workgroup for a head and four queries; keys go by in blocks of 64, with a running maximum.
layout(local_size_x = 64) in;
layout(push_constant) uniform Push {
    uint queries, keys, heads, key_heads;
    uint nb_query, nb_query_head, nb_key, nb_key_head, nb_value, nb_value_head, nb_mask;
    float scale, max_bias, logit_softcap;
    uint mask_and_heads; // bit 16: there is a mask
    float m0, m1;
    uint split_k;
} p;
layout(std430, set = 0, binding = 0) writeonly buffer Result { float result[]; };
layout(std430, set = 0, binding = 2) readonly buffer Tensors { float tensors[]; }; // queries, keys, values behind each other
layout(std430, set = 0, binding = 3) readonly buffer Mask { float mask[]; };

const uint SIZE = 64u, ROWS = 4u, BLOCK = 64u;
shared float query[ROWS * SIZE];
shared float weights[ROWS * BLOCK];
shared float folded[BLOCK];

float over_group(float value, bool sum)
{
    uint thread = gl_LocalInvocationID.x;
    folded[thread] = value;
    barrier();
    for (uint s = 32u; s > 0u; s >>= 1) {
        if (thread < s)
            folded[thread] = sum ? folded[thread] + folded[thread + s] : max(folded[thread], folded[thread + s]);
        barrier();
    }
    float all = folded[0];
    barrier();
    return all;
}

void main()
{
    const uint thread = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * ROWS, head = gl_WorkGroupID.y;
    const uint key_head = head / (p.heads / p.key_heads), keys_at = p.queries * p.nb_query, values_at = keys_at + p.keys * p.nb_key;
    float slope = 1.0;
    if (p.max_bias > 0.0) {
        uint log2_heads = p.mask_and_heads & 0xffffu;
        float base = head < log2_heads ? p.m0 : p.m1;
        slope = pow(base, float(head < log2_heads ? head + 1u : 2u * (head - log2_heads) + 1u));
    }
    float out_sums[ROWS], most[ROWS], total[ROWS];
    for (uint r = 0u; r < ROWS; r++) {
        query[r * SIZE + thread] = first + r < p.queries ? tensors[(first + r) * p.nb_query + head * p.nb_query_head + thread] * p.scale : 0.0;
        out_sums[r] = 0.0;
        most[r] = -1e30;
        total[r] = 0.0;
    }
    barrier();
    for (uint block = 0u; block < p.keys; block += BLOCK) {
        uint key = block + thread;
        for (uint r = 0u; r < ROWS; r++) {
            float score = 0.0;
            for (uint d = 0u; d < SIZE; d++)
                score += query[r * SIZE + d] * tensors[keys_at + key * p.nb_key + key_head * p.nb_key_head + d];
            if (SOFTCAP)
                score = p.logit_softcap * tanh(score);
            if (MASK)
                score += slope * mask[(first + r) * p.nb_mask + key];
            float high = max(most[r], over_group(score, false)), shrink = exp(most[r] - high), weight = exp(score - high);
            weights[r * BLOCK + thread] = weight;
            total[r] = total[r] * shrink + over_group(weight, true);
            out_sums[r] *= shrink;
            most[r] = high;
        }
        for (uint k = 0u; k < BLOCK; k++) {
            float value = tensors[values_at + (block + k) * p.nb_value + key_head * p.nb_value_head + thread];
            for (uint r = 0u; r < ROWS; r++)
                out_sums[r] += weights[r * BLOCK + k] * value;
        }
        barrier();
    }
    for (uint r = 0u; r < ROWS; r++)
        if (first + r < p.queries)
            result[((first + r) * p.heads + head) * SIZE + thread] = out_sums[r] / total[r];
}
