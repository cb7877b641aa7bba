/* The least Vulkan a unit test needs to run a shader: one device, one queue, host-visible buffers, one
 * dispatch or draw at a time, whose colours are read back. The driver is the software one (lavapipe): the
 * manifest named by WPG_LVP_ICD, else the system's. Every feature the device has is enabled, buffer device
 * addresses included. Ownership: vkc_close frees all; buffers with vkc_buffer_free before that. Threads: one.
 */
#ifndef WPG_TESTS_SUPPORT_VK_COMPUTE_H
#define WPG_TESTS_SUPPORT_VK_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vkc_device vkc_device;

/* NULL when there is no driver (the test then skips); *why, if not NULL, says so. */
vkc_device *vkc_open(const char **why);
void vkc_close(vkc_device *device);
const char *vkc_name(const vkc_device *device);
/* "Mesa 25.0.7-...": the driver's own words; and the Mesa version in them, 0 if it is none. */
const char *vkc_driver(const vkc_device *device);
unsigned vkc_mesa_major(const vkc_device *device);
bool vkc_is_swiftshader(const vkc_device *device);
unsigned vkc_subgroup_size(const vkc_device *device);
/* Stages as VkShaderStageFlagBits has them. */
enum { VKC_VERTEX = 0x1, VKC_FRAGMENT = 0x10, VKC_COMPUTE = 0x20 };
/* Whether vertex or fragment shaders can be drawn with and write to buffers; fragment
 * shaders demote, too. And whether subgroup operations work in a stage. */
bool vkc_has_stage(const vkc_device *device, uint32_t stage);
bool vkc_has_subgroups(const vkc_device *device, uint32_t stage);
bool vkc_has_int64_atomics(const vkc_device *device);

typedef struct vkc_buffer {
    void *data; /* mapped, coherent, zeroed */
    size_t size;
    uint64_t address; /* device address, 0 where the device has none */
    void *handle;     /* the device's own */
} vkc_buffer;

bool vkc_buffer_make(vkc_buffer *buffer, vkc_device *device, size_t size);
void vkc_buffer_free(vkc_buffer *buffer, vkc_device *device);

enum { VKC_MAX_BINDINGS = 8, VKC_PUSH_BYTES = 128, VKC_MAX_COLOURS = 4 };

typedef enum vkc_kind { VKC_STORAGE, VKC_UNIFORM } vkc_kind;
typedef enum vkc_colour { VKC_UINTS, VKC_FLOATS } vkc_colour; /* four of 32 bits each pixel */

/* One dispatch, or one draw if `vertices` is not 0: of triangles, `words` being the fragment shader, or,
 * without vertex_words, of points that are not rasterised, `words` being the vertex shader. Binding i of set
 * 0 is bindings[i]. */
typedef struct vkc_job {
    const uint32_t *words; /* SPIR-V, entry point "main" */
    size_t word_count;
    struct {
        vkc_buffer *buffer;
        vkc_kind kind;
    } bindings[VKC_MAX_BINDINGS];
    unsigned binding_count;
    const void *push; /* VKC_PUSH_BYTES bytes, or NULL */
    uint32_t groups[3];
    const uint32_t *vertex_words;
    size_t vertex_word_count;
    uint32_t vertices, width, height;
    /* Colour attachments by location: cleared to zero, drawn without blending, copied to the buffer row by
     * row. */
    struct {
        vkc_buffer *buffer; /* 16 bytes each pixel */
        vkc_colour kind;
    } colours[VKC_MAX_COLOURS];
    unsigned colour_count;
    unsigned repeats; /* dispatches or draws in one submission, 0 = 1 */
} vkc_job;

/* Builds the pipeline, runs, waits. False when Vulkan refuses. *seconds (may be NULL): wall time of the
 * second submission of the same commands; the first one compiles and is not timed. With seconds == NULL the
 * commands run once. */
bool vkc_run(vkc_device *device, const vkc_job *job, double *seconds);

#endif
