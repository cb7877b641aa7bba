/* Ray tracing for the end-to-end tests, beside vk.h: a scene of one triangle and one box, pipelines of one or
 * more raygen, miss, hit and callable shaders, launches. Style VK_STYLE_RAYS. Threads: one. */
#ifndef WPG_TESTS_E2E_VK_RAYS_H
#define WPG_TESTS_E2E_VK_RAYS_H

#include "tests/e2e/vk.h"

enum { VK_RAYS_STAGES = 16, VK_RAYS_GROUPS = 8 };

/* A ray along +z from (0, 0, -1) meets the triangle (not opaque), from (0, 10, -1) the box (procedural), from
 * (0, -50, -1) nothing. Hit groups: 0 of the triangle, 1 of the box. */
typedef struct vk_scene {
    struct vk_structure {
        VkAccelerationStructureKHR handle;
        vk_buffer memory, scratch;
        VkDeviceAddress address;
    } triangle, box, top;
    vk_buffer vertices, bounds, instances;
} vk_scene;

/* Does nothing without memory (a driver without hardware). */
void vk_scene_make(vk_scene *scene, vk_program *vk);
void vk_scene_drop(vk_scene *scene, vk_program *vk);

/* What a pipeline is made of, in the order raygen, miss, hit of triangle, hit of box, callable; a stage that
 * is not there is left out, and then so is a group that would be empty. */
typedef struct vk_rays {
    VkPipelineShaderStageCreateInfo stages[VK_RAYS_STAGES];
    VkRayTracingShaderGroupCreateInfoKHR groups[VK_RAYS_GROUPS];
    VkRayTracingPipelineInterfaceCreateInfoKHR interface;
    VkRayTracingPipelineCreateInfoKHR info;
} vk_rays;
void vk_rays_fill(vk_rays *rays, const vk_program *vk, const vk_stage *stages, uint32_t count);

typedef enum vk_rays_how { VK_RAYS_PLAIN, VK_RAYS_DEFERRED } vk_rays_how;
/* VK_NULL_HANDLE and *result on failure. Deferred: joined by the calling thread. */
VkPipeline vk_rays_pipeline(vk_program *vk, const VkRayTracingPipelineCreateInfoKHR *info, vk_rays_how how,
                            VkResult *result);

/* Launches width x 1 x 1 with groups in the order above, of which `groups` are there; submits and waits. The
 * scene's address is in the first 8 bytes of the push constants. */
void vk_rays_trace(vk_program *vk, VkPipeline pipeline, uint32_t groups, const vk_scene *scene,
                   uint32_t width);

#endif
