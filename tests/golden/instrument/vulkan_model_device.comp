// Vulkan memory model with device scope.
// EXPECT: OpMemoryModel PhysicalStorageBuffer64 Vulkan
// OPTIONS: device-scope
// EXPECT: OpAtomicIAdd %ulong %{} %uint_1 %uint_0
// EXPECT-ANYWHERE: OpCapability VulkanMemoryModelDeviceScope
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { uint words[]; };
void main()
{
    atomicAdd(words[0], 1u, gl_ScopeQueueFamily, 0, 0);
}
