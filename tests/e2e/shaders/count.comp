#version 450
/* The work of tests/e2e/app.c: no extension, no subgroup operation, so that it runs from Vulkan 1.0 on. */
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) readonly buffer Inputs { uint inputs[]; };
layout(std430, set = 0, binding = 1) buffer Results { uint results[]; };
void main()
{
    uint id = gl_GlobalInvocationID.x, sum = 0u;
    for (uint i = 0u; i < (inputs[id] & 15u); i++) {
        if (((inputs[id] >> i) & 1u) == 0u)
            sum += i * 3u;
        else
            sum ^= 0x5au;
    }
    results[id] = sum + 1u;
}
