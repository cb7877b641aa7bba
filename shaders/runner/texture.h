/* A texture of a case: image, view and sampler, filled with the case's texels. Threads: one. */
#ifndef SHADERS_RUNNER_TEXTURE_H
#define SHADERS_RUNNER_TEXTURE_H

#include "shaders/runner/case.h"
#include "shaders/runner/device.h"

typedef struct bench_texture {
    VkImage image;
    VkDeviceMemory memory;
    VkSampler sampler;
    VkDescriptorImageInfo info; /* the descriptor, with the view */
} bench_texture;

/* Makes the texture and waits until its texels are there; destroy on failure too. */
wpg_status bench_texture_create(bench_texture *t, const bench_device *dev, const bench_texels *texels,
                                wpg_error *err);
void bench_texture_destroy(bench_texture *t, const bench_device *dev);

/* The write of the texture's descriptor; it points to `t`. */
VkWriteDescriptorSet bench_texture_write(const bench_texture *t, VkDescriptorSet set, uint32_t binding);

#endif
