/* See vk_rays.h. */
#include "tests/e2e/vk_rays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call) check((call), #call)
#define FUNCTION(vk, name)                                                                                   \
    PFN_##name name##_;                                                                                      \
    name##_ = (PFN_##name)vkGetDeviceProcAddr((vk)->device, #name)

enum { ADDRESSED = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT };

static void check(VkResult result, const char *what)
{
    if (result < 0) {
        fprintf(stderr, "%s: VkResult %d\n", what, (int)result);
        exit(VK_EXIT_FAILURE);
    }
}

static VkDeviceAddress address_of(const vk_program *vk, const vk_buffer *buffer)
{
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                      .buffer = buffer->buffer};
    return vkGetBufferDeviceAddress(vk->device, &info);
}

static void build(struct vk_structure *made, vk_program *vk, VkAccelerationStructureTypeKHR type,
                  const VkAccelerationStructureGeometryKHR *geometry, uint32_t primitives)
{
    FUNCTION(vk, vkGetAccelerationStructureBuildSizesKHR);
    FUNCTION(vk, vkCreateAccelerationStructureKHR);
    FUNCTION(vk, vkGetAccelerationStructureDeviceAddressKHR);
    FUNCTION(vk, vkCmdBuildAccelerationStructuresKHR);
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = type,
        .mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
        .geometryCount = 1,
        .pGeometries = geometry};
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    vkGetAccelerationStructureBuildSizesKHR_(vk->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR,
                                             &info, &primitives, &sizes);
    vk_make_buffer(vk, &made->memory, (size_t)sizes.accelerationStructureSize / 4 + 1,
                   VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR | ADDRESSED);
    vk_make_buffer(vk, &made->scratch, (size_t)sizes.buildScratchSize / 4 + 1,
                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | ADDRESSED);
    VkAccelerationStructureCreateInfoKHR create = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .buffer = made->memory.buffer,
        .size = sizes.accelerationStructureSize,
        .type = type};
    CHECK(vkCreateAccelerationStructureKHR_(vk->device, &create, NULL, &made->handle));
    info.dstAccelerationStructure = made->handle;
    info.scratchData.deviceAddress = address_of(vk, &made->scratch);
    VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = primitives};
    const VkAccelerationStructureBuildRangeInfoKHR *ranges = &range;
    vk_begin(vk);
    vkCmdBuildAccelerationStructuresKHR_(vk->commands, 1, &info, &ranges);
    vk_finish(vk);
    VkAccelerationStructureDeviceAddressInfoKHR where = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = made->handle};
    made->address = vkGetAccelerationStructureDeviceAddressKHR_(vk->device, &where);
}

static void make_input(vk_buffer *buffer, vk_program *vk, const void *data, size_t size)
{
    vk_make_buffer(vk, buffer, size / 4,
                   VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR | ADDRESSED);
    memcpy(buffer->words, data, size);
}

static void make_bottoms(vk_scene *scene, vk_program *vk)
{
    static const float triangle[] = {-4, -4, 0, 8, -4, 0, -4, 8, 0};
    static const VkAabbPositionsKHR box = {-2, 8, -0.5f, 2, 12, 0.5f};
    make_input(&scene->vertices, vk, triangle, sizeof triangle);
    make_input(&scene->bounds, vk, &box, sizeof box);
    VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .flags = VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR};
    geometry.geometry.triangles = (VkAccelerationStructureGeometryTrianglesDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
        .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
        .vertexData.deviceAddress = address_of(vk, &scene->vertices),
        .vertexStride = 12,
        .maxVertex = 2,
        .indexType = VK_INDEX_TYPE_NONE_KHR};
    build(&scene->triangle, vk, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, &geometry, 1);
    geometry.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
    geometry.flags = VK_GEOMETRY_OPAQUE_BIT_KHR;
    geometry.geometry.aabbs = (VkAccelerationStructureGeometryAabbsDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
        .data.deviceAddress = address_of(vk, &scene->bounds),
        .stride = sizeof box};
    build(&scene->box, vk, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, &geometry, 1);
}

void vk_scene_make(vk_scene *scene, vk_program *vk)
{
    memset(scene, 0, sizeof *scene);
    if (vk->memoryless)
        return;
    make_bottoms(scene, vk);
    VkAccelerationStructureInstanceKHR instances[2];
    memset(instances, 0, sizeof instances);
    for (uint32_t i = 0; i < 2; i++) {
        for (int axis = 0; axis < 3; axis++)
            instances[i].transform.matrix[axis][axis] = 1;
        instances[i].mask = 0xff;
        instances[i].instanceShaderBindingTableRecordOffset = i & 0xff;
        instances[i].flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR & 0xff;
        instances[i].accelerationStructureReference = i ? scene->box.address : scene->triangle.address;
    }
    make_input(&scene->instances, vk, instances, sizeof instances);
    VkAccelerationStructureGeometryKHR geometry = {.sType =
                                                       VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
                                                   .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR};
    geometry.geometry.instances = (VkAccelerationStructureGeometryInstancesDataKHR){
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
        .data.deviceAddress = address_of(vk, &scene->instances)};
    build(&scene->top, vk, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &geometry, 2);
}

void vk_scene_drop(vk_scene *scene, vk_program *vk)
{
    FUNCTION(vk, vkDestroyAccelerationStructureKHR);
    struct vk_structure *all[] = {&scene->triangle, &scene->box, &scene->top};
    for (unsigned i = 0; i < 3 && !vk->memoryless; i++) {
        vkDestroyAccelerationStructureKHR_(vk->device, all[i]->handle, NULL);
        vk_drop_buffer(vk, &all[i]->memory);
        vk_drop_buffer(vk, &all[i]->scratch);
    }
    vk_drop_buffer(vk, &scene->vertices);
    vk_drop_buffer(vk, &scene->bounds);
    vk_drop_buffer(vk, &scene->instances);
}

/* -- Pipelines */

static uint32_t stage_at(const vk_stage *stages, uint32_t count, VkShaderStageFlagBits bit, uint32_t number)
{
    for (uint32_t i = 0; i < count; i++)
        if (stages[i].stage == bit && number-- == 0)
            return i;
    return VK_SHADER_UNUSED_KHR;
}

static void add_group(vk_rays *rays, VkRayTracingShaderGroupTypeKHR type, uint32_t general, uint32_t closest,
                      uint32_t any, uint32_t intersection)
{
    const uint32_t none = VK_SHADER_UNUSED_KHR;
    if (general == none && closest == none && any == none && intersection == none)
        return;
    rays->groups[rays->info.groupCount++] = (VkRayTracingShaderGroupCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
        .type = type,
        .generalShader = general,
        .closestHitShader = closest,
        .anyHitShader = any,
        .intersectionShader = intersection};
}

void vk_rays_fill(vk_rays *rays, const vk_program *vk, const vk_stage *stages, uint32_t count)
{
    const uint32_t none = VK_SHADER_UNUSED_KHR;
    const VkRayTracingShaderGroupTypeKHR general = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR;
    memset(rays, 0, sizeof *rays);
    for (uint32_t i = 0; i < count; i++)
        rays->stages[i] = vk_stage_info(stages[i]);
#define AT(bit) stage_at(stages, count, VK_SHADER_STAGE_##bit##_BIT_KHR, 0)
    uint32_t closest = AT(CLOSEST_HIT), intersection = AT(INTERSECTION);
    add_group(rays, general, AT(RAYGEN), none, none, none);
    add_group(rays, general, AT(MISS), none, none, none);
    add_group(rays, VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR, none, closest, AT(ANY_HIT),
              none);
    if (intersection != none)
        add_group(rays, VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR, none, closest, none,
                  intersection);
    add_group(rays, general, AT(CALLABLE), none, none, none);
#undef AT
    rays->interface = (VkRayTracingPipelineInterfaceCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
        .maxPipelineRayPayloadSize = 16,
        .maxPipelineRayHitAttributeSize = 8};
    rays->info.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
    rays->info.stageCount = count;
    rays->info.pStages = rays->stages;
    rays->info.pGroups = rays->groups;
    rays->info.maxPipelineRayRecursionDepth = 1;
    rays->info.layout = vk->layout;
    rays->info.basePipelineIndex = -1;
}

VkPipeline vk_rays_pipeline(vk_program *vk, const VkRayTracingPipelineCreateInfoKHR *info, vk_rays_how how,
                            VkResult *result)
{
    FUNCTION(vk, vkCreateRayTracingPipelinesKHR);
    FUNCTION(vk, vkCreateDeferredOperationKHR);
    FUNCTION(vk, vkDeferredOperationJoinKHR);
    FUNCTION(vk, vkGetDeferredOperationResultKHR);
    FUNCTION(vk, vkDestroyDeferredOperationKHR);
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDeferredOperationKHR operation = VK_NULL_HANDLE;
    if (how == VK_RAYS_DEFERRED)
        CHECK(vkCreateDeferredOperationKHR_(vk->device, NULL, &operation));
    *result =
        vkCreateRayTracingPipelinesKHR_(vk->device, operation, VK_NULL_HANDLE, 1, info, NULL, &pipeline);
    if (operation) {
        if (*result == VK_OPERATION_DEFERRED_KHR) {
            while (vkDeferredOperationJoinKHR_(vk->device, operation) == VK_THREAD_IDLE_KHR)
                ;
            *result = vkGetDeferredOperationResultKHR_(vk->device, operation);
        } else if (*result == VK_OPERATION_NOT_DEFERRED_KHR) {
            *result = VK_SUCCESS;
        }
        vkDestroyDeferredOperationKHR_(vk->device, operation, NULL);
    }
    return *result == VK_SUCCESS ? pipeline : VK_NULL_HANDLE;
}

/* -- Launches */

void vk_rays_trace(vk_program *vk, VkPipeline pipeline, uint32_t groups, const vk_scene *scene,
                   uint32_t width)
{
    FUNCTION(vk, vkGetRayTracingShaderGroupHandlesKHR);
    FUNCTION(vk, vkCmdTraceRaysKHR);
    VkPhysicalDeviceRayTracingPipelinePropertiesKHR limits = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &limits};
    vkGetPhysicalDeviceProperties2(vk->physical, &properties);
    uint32_t size = limits.shaderGroupHandleSize;
    uint32_t stride = limits.shaderGroupBaseAlignment;
    stride = stride < size ? size : stride;
    uint8_t handles[VK_RAYS_GROUPS * 256];
    if ((size_t)size * groups > sizeof handles)
        exit(VK_EXIT_FAILURE);
    CHECK(vkGetRayTracingShaderGroupHandlesKHR_(vk->device, pipeline, 0, groups, (size_t)size * groups,
                                                handles));
    vk_buffer table;
    vk_make_buffer(vk, &table, (size_t)stride * (VK_RAYS_GROUPS + 1) / 4,
                   VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR | ADDRESSED);
    VkDeviceAddress base = (address_of(vk, &table) + stride - 1) / stride * stride;
    size_t shift = (size_t)(base - address_of(vk, &table));
    for (uint32_t i = 0; i < groups; i++)
        memcpy((char *)table.words + shift + (size_t)i * stride, handles + (size_t)i * size, size);
    VkStridedDeviceAddressRegionKHR raygen = {base, stride, stride}, miss = {base + stride, stride, stride};
    VkStridedDeviceAddressRegionKHR hit = {base + 2 * (VkDeviceAddress)stride, stride,
                                           2 * (VkDeviceSize)stride};
    VkStridedDeviceAddressRegionKHR callable = {base + 4 * (VkDeviceAddress)stride, stride, stride};
    if (groups < 5)
        callable = (VkStridedDeviceAddressRegionKHR){0};
    if (groups < 4)
        hit.size = stride;
    vk_begin(vk);
    vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, vk->layout, 0, 1, &vk->set,
                            0, NULL);
    VkDeviceAddress push[2] = {scene->top.address, 0};
    vkCmdPushConstants(vk->commands, vk->layout, VK_SHADER_STAGE_ALL, 0, sizeof push, push);
    vkCmdTraceRaysKHR_(vk->commands, &raygen, &miss, &hit, &callable, width, 1, 1);
    vk_finish(vk);
    vk_drop_buffer(vk, &table);
}
