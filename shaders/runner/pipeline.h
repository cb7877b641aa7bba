/* The pipeline of a case: descriptor set layout, shader modules, render pass, pipeline. Needs no memory, so
 * it works on drivers without hardware too. Threads: one. */
#ifndef SHADERS_RUNNER_PIPELINE_H
#define SHADERS_RUNNER_PIPELINE_H

#include "shaders/runner/case.h"
#include "shaders/runner/device.h"

#define BENCH_COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define BENCH_DEPTH_FORMAT VK_FORMAT_D16_UNORM /* both are formats every device renders to */

typedef struct bench_pipeline {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkRenderPass render_pass; /* graphics only */
    VkShaderModule modules[BENCH_MAX_STAGES];
    uint32_t module_count;
    VkPipeline pipeline;
    uint64_t create_ns; /* vkCreateShaderModule of every stage and the pipeline's creation */
} bench_pipeline;

/* Reads the case's .spv files from `shader_folder` and makes the pipeline, named after the case. On failure
 * destroy what was made with bench_pipeline_destroy, as on success. */
wpg_status bench_pipeline_create(bench_pipeline *p, const bench_device *dev, const bench_case *c,
                                 const bench_work *work, const char *shader_folder, wpg_error *err);
void bench_pipeline_destroy(bench_pipeline *p, const bench_device *dev);

#endif
