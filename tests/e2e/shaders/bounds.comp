#version 450
/* Reads and writes beyond the end of its buffer: nothing, with robustness. */
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) readonly buffer Inputs { uint inputs[]; };
layout(std430, set = 0, binding = 1) buffer Results { uint results[]; };
void main()
{
    uint id = gl_GlobalInvocationID.x, far = 0x100000u + id * 64u, sum = 0u;
    for (uint i = 0u; i < (inputs[id] & 7u) + 1u; i++)
        sum += inputs[far + i] + i;
    results[far] = 7u;
    results[id] = sum + inputs.length();
}
