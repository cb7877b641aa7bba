/* A small headless Vulkan program's worth of set-up for the end-to-end tests: one instance, one device, one
 * queue, host-visible buffers, compute dispatches and draws into one colour target. What it asks of Vulkan is
 * what a plain program would ask, 1.1 by default; a failure that is not the test's subject prints and exits
 * with code 3. Ownership: vk_close destroys everything made through the struct. Threads: one. */
#ifndef WPG_TESTS_E2E_VK_H
#define WPG_TESTS_E2E_VK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

enum {
    VK_BUFFERS = 4,
    VK_MAX_STAGES = 5,
    VK_WIDTH = 61,
    VK_HEIGHT = 47,
    VK_EXIT_FAILURE = 3,
    VK_EXIT_SKIP = 77
};

typedef struct vk_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint32_t *words; /* mapped, coherent */
    size_t count;    /* in 32-bit words */
} vk_buffer;

/* How the device is asked for: the ways programs differ in that a layer which adds features must cope with.
 */
typedef enum vk_style {
    VK_STYLE_FEATURES2, /* VkPhysicalDeviceFeatures2 with one extension structure */
    VK_STYLE_CORE,      /* pEnabledFeatures, no extension */
    VK_STYLE_VERSIONS,  /* Vulkan11, 12 and 13 structures with everything the device has, but for
                           capture-replay */
    VK_STYLE_LIBRARY, /* graphics pipeline libraries and creation cache control; exits with 77 without them */
    VK_STYLE_MESH,    /* VK_EXT_mesh_shader; likewise */
    VK_STYLE_OBJECTS, /* shader objects and dynamic rendering; exits with 77 without them */
    VK_STYLE_DYNAMIC, /* VK_EXT_extended_dynamic_state3 and dynamic rendering; likewise */
    VK_STYLE_STATE,   /* what pipelines may be asked for beyond the core: see vk_program */
    VK_STYLE_ANSWERS, /* creation cache control; exits with 77 without it; module identifiers if there */
    VK_STYLE_RAYS,    /* VK_KHR_ray_tracing_pipeline and what it needs; likewise (vk_rays.h) */
    VK_STYLE_FEEDBACK,   /* VK_EXT_transform_feedback; exits with 77 without it */
    VK_STYLE_EVERYTHING, /* the versions' structures and the extensions of vk_program.optional */
    VK_STYLE_PUSH,       /* VK_KHR_push_descriptor; exits with 77 without it; VK_KHR_maintenance6 if there */
    VK_STYLE_PUSH_CORE,  /* Vulkan 1.4 with push descriptors; likewise */
    VK_STYLE_ALL, /* core features, and the versions' structures, with everything the device has, but for
                     capture-replay */
} vk_style;

typedef struct vk_program {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceFeatures features; /* enabled */
    bool demote;                       /* VK_EXT_shader_demote_to_helper_invocation enabled */
    bool identifiers;                  /* VK_EXT_shader_module_identifier enabled */
    bool memoryless;                   /* a driver without hardware: pipelines can be made, nothing run */
    /* VK_STYLE_DYNAMIC: blending, write mask and sample mask as dynamic state; pipeline libraries. */
    bool dynamic_blending, libraries;
    /* VK_STYLE_STATE: alpha to coverage as dynamic state, attachment feedback loops and these as dynamic
     * state, wave sizes per stage, what the compiler says of pipelines. */
    bool dynamic_coverage, feedback, dynamic_feedback, wave_sizes, executables;
    struct { /* VK_STYLE_EVERYTHING: enabled */
        bool pipeline_robustness, descriptor_buffer, reconvergence, maintenance5, generated;
        bool maintenance6; /* VK_STYLE_PUSH */
        bool binaries;     /* VK_KHR_pipeline_binary: VK_STYLE_ANSWERS */
    } optional;
    char device_name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    VkPipeline *parts; /* [part_count], of vk_make_linked */
    uint32_t part_count;

    VkCommandPool pool;
    VkCommandBuffer commands;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout
        layout; /* set 0: storage buffers 0..VK_BUFFERS-1, all stages; push constants: 16 bytes */
    VkDescriptorPool descriptor_pool;
    VkDescriptorSet set;
    vk_buffer buffers[VK_BUFFERS];

    VkImage image; /* R8G8B8A8_UNORM, VK_WIDTH x VK_HEIGHT */
    VkDeviceMemory image_memory;
    VkImageView view;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    vk_buffer pixels; /* copy of the image after vk_draw */
} vk_program;

typedef struct vk_stage {
    VkShaderStageFlagBits stage;
    VkShaderModule module;
    const VkSpecializationInfo *specialization; /* or NULL */
} vk_stage;

/* A render pass like vk->pass; the caller's. */
VkRenderPass vk_make_pass(vk_program *vk);

/* Whether vk_open asks for VK_EXT_debug_utils. */
extern bool vk_debug_utils;

/* Opens instance and device with every feature named in vk_program that the device has. `words` = size of
 * each storage buffer. */
void vk_open(vk_program *vk, uint32_t api_version, vk_style style, size_t words);
void vk_close(vk_program *vk);

/* State that every graphics pipeline of ours shares; `info` points into `state`. */
typedef struct vk_state {
    VkPipelineShaderStageCreateInfo stages[VK_MAX_STAGES];
    VkPipelineVertexInputStateCreateInfo input;
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkPipelineTessellationStateCreateInfo tessellation;
    VkViewport viewport;
    VkRect2D scissor;
    VkPipelineViewportStateCreateInfo view;
    VkPipelineRasterizationStateCreateInfo raster;
    VkPipelineMultisampleStateCreateInfo samples;
    VkPipelineColorBlendAttachmentState attachment;
    VkPipelineColorBlendStateCreateInfo blend;
    VkGraphicsPipelineCreateInfo info;
} vk_state;
void vk_fill_state(vk_state *state, const vk_program *vk, const vk_stage *stages, uint32_t count,
                   VkPrimitiveTopology topology);

/* Makes a pipeline of the state's two stages from four libraries, and links it with `flags`. The caller
 * destroys the parts. */
enum { VK_PARTS = 4 };
VkPipeline vk_make_link(VkPipeline parts[VK_PARTS], const vk_program *vk, const vk_state *state,
                        VkPipelineCreateFlags flags);
/* The same with link-time optimisation. The parts stay until vk_close: lavapipe 25.0.7 reads them in draws of
 * the link. */
VkPipeline vk_make_linked(vk_program *vk, const vk_state *state);

/* VK_NULL_HANDLE and *result on failure. */
VkShaderModule vk_module(vk_program *vk, const uint32_t *words, size_t count, VkResult *result);
/* Prints what failed and exits, unless it succeeded. */
void vk_must(VkResult result, const char *what);
/* The same for a call, whose text is what failed. */
#define VK_MUST(call) vk_must((call), #call)
/* A device command; exits when the device has none of that name. */
PFN_vkVoidFunction vk_command(const vk_program *vk, const char *name);
/* The module of FOLDER/NAME.spv; exits when it cannot be made. */
VkShaderModule vk_load(vk_program *vk, const char *folder, const char *name);

/* Reads a .spv file; exits when it cannot. *words is malloc'd. */
void vk_read_spirv(uint32_t **words, size_t *count, const char *path);

/* A compute pipeline of the module's "main", with vk->layout. */
VkComputePipelineCreateInfo vk_compute_info(const vk_program *vk, VkShaderModule module,
                                            VkPipelineCreateFlags flags);

/* Both give VK_NULL_HANDLE and *result on failure. */
VkPipeline vk_compute_pipeline(vk_program *vk, vk_stage stage, VkResult *result);
VkPipeline vk_graphics_pipeline(vk_program *vk, const vk_stage *stages, uint32_t count,
                                VkPrimitiveTopology topology, VkResult *result);

/* A host-visible, coherent, mapped buffer of `count` zeroed 32-bit words. */
void vk_make_buffer(vk_program *vk, vk_buffer *buffer, size_t count, VkBufferUsageFlags usage);
void vk_drop_buffer(vk_program *vk, vk_buffer *buffer);

/* What the two below are made of: begins the command buffer; copies the image, which is in
 * TRANSFER_SRC_OPTIMAL, to `pixels`; ends, submits and waits. */
void vk_begin(vk_program *vk);
void vk_copy_pixels(vk_program *vk);
void vk_finish(vk_program *vk);

/* Memory of the device for an image. */
void vk_bind_image(vk_program *vk, VkImage image, VkDeviceMemory *memory);

VkPipelineShaderStageCreateInfo vk_stage_info(vk_stage stage);
/* Records, submits and waits. */
void vk_dispatch(vk_program *vk, VkPipeline pipeline, uint32_t groups);
void vk_draw(vk_program *vk, VkPipeline pipeline, uint32_t vertices);
/* Style VK_STYLE_MESH: draws that many workgroups. */
void vk_draw_mesh(vk_program *vk, VkPipeline pipeline, uint32_t groups);

#endif
