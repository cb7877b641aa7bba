/* What the programs here that draw share: files, images, and hexadecimal bytes.
 * Owns: an image's memory and view, until the process ends. Threads: one. */
#ifndef WPG_SHADERS_REAL_DRAWING_H
#define WPG_SHADERS_REAL_DRAWING_H

#include "shaders/runner/resources.h"

/* Bytes of FOLDER/NAMESUFFIX, at most 2 MiB, ended by a zero byte. The caller frees them. NULL, which is said
 * on standard error: the file cannot be read. */
char *bench_read_file(const char *folder, const char *name, const char *suffix, size_t *size);

/* Reads the hexadecimal digits at the start of `text` into at most `most` bytes. Returns their number. */
size_t bench_read_hex(uint8_t *bytes, size_t most, const char *text);

/* A 2D image with a view of all its levels, in device-local memory where there is any. */
wpg_status bench_image_create(bench_image *im, const bench_device *dev, VkFormat format, uint32_t width,
                              uint32_t height, uint32_t levels, VkImageUsageFlags usage, wpg_error *err);

/* A shader module of that file. */
wpg_status bench_module_read(VkShaderModule *module, const bench_device *dev, const char *folder,
                             const char *name, const char *suffix, wpg_error *err);

/* A pipeline of a vertex and a fragment shader, with one colour image, without blending. */
typedef struct bench_drawing {
    const VkShaderModule *modules; /* two */
    const VkVertexInputAttributeDescription *inputs;
    uint32_t input_count, stride; /* stride: of a vertex, in bytes */
    VkPrimitiveTopology topology;
    uint32_t width, height; /* of the image */
    bool depth;             /* the nearest fragment wins, in the pass's depth image */
    VkPipelineLayout layout;
    VkRenderPass pass;
} bench_drawing;
wpg_status bench_drawing_create(VkPipeline *pipeline, const bench_device *dev, const bench_drawing *of,
                                wpg_error *err);

/* A barrier between all commands, and the image's new layout. */
void bench_image_barrier(VkCommandBuffer cmd, VkImage of, uint32_t levels, VkImageLayout from,
                         VkImageLayout to);

/* FNV-1a of the bytes. */
uint64_t bench_hash(const uint8_t *bytes, size_t size);

#endif
