#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
/* The Vulkan memory model: a message from each lane of a workgroup to its neighbour, by acquire and release. */
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) readonly buffer Inputs { uint inputs[]; };
layout(std430, set = 0, binding = 1) workgroupcoherent buffer Results { uint results[]; };
shared uint slots[32];
void main()
{
    uint id = gl_GlobalInvocationID.x, lane = gl_LocalInvocationIndex, sum = 0u;
    slots[lane] = inputs[id];
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    for (uint i = 0u; i < (slots[(lane + 1u) & 31u] & 15u); i++)
        sum += slots[(lane + i) & 31u] & 255u;
    if ((sum & 1u) != 0u)
        atomicAdd(results[id], sum, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
    else
        atomicStore(results[id], sum + 3u, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}
