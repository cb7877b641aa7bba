/* Memory of a case: its buffers, descriptor set and, for graphics, its render target. Threads: one. */
#ifndef SHADERS_RUNNER_RESOURCES_H
#define SHADERS_RUNNER_RESOURCES_H

#include "shaders/runner/pipeline.h"
#include "shaders/runner/texture.h"

typedef struct bench_image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
} bench_image;

typedef struct bench_resources {
    bench_buffer uniform, input[BENCH_INPUTS];
    bench_buffer output;  /* compute: binding 0, device memory */
    bench_buffer indices; /* graphics with indices */
    bench_buffer readback;
    bench_image color, depth; /* graphics */
    bench_texture textures[BENCH_TEXTURES];
    VkFramebuffer framebuffer;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    size_t output_size; /* bytes in readback */
} bench_resources;

/* Makes and fills everything; destroy on failure too. */
wpg_status bench_resources_create(bench_resources *r, const bench_device *dev, const bench_pipeline *p,
                                  const bench_work *work, bool compute, wpg_error *err);
void bench_resources_destroy(bench_resources *r, const bench_device *dev);

/* Copies the output into r->readback and waits. */
wpg_status bench_resources_read_back(const bench_resources *r, const bench_device *dev,
                                     const bench_work *work, bool compute, wpg_error *err);

#endif
