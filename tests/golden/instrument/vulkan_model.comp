// Vulkan memory model without device scope: counters are added at queue-family scope.
// EXPECT: OpMemoryModel PhysicalStorageBuffer64 Vulkan
// EXPECT: %uint_5 = OpConstant %uint 5
// EXPECT: OpAtomicIAdd %ulong %{} %uint_5 %uint_0
// ABSENT: VulkanMemoryModelDeviceScope
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { uint words[]; };
void main()
{
    atomicAdd(words[0], 1u, gl_ScopeQueueFamily, 0, 0);
}
