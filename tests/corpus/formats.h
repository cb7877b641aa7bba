/* Texels of the images that a module of the corpus declares. Threads: no state. */
#ifndef WPG_TESTS_CORPUS_FORMATS_H
#define WPG_TESTS_CORPUS_FORMATS_H

#include <vulkan/vulkan.h>

#include "compiler/spirv/module.h"

typedef enum texel_kind {
    TEXEL_FLOAT,
    TEXEL_HALF,
    TEXEL_BYTES,
    TEXEL_INT8,
    TEXEL_INT16,
    TEXEL_INT,
    TEXEL_INT64
} texel_kind;

typedef struct texel_format {
    VkFormat format;
    uint32_t size; /* bytes */
    texel_kind kind;
} texel_format;

/* Of an OpTypeImage, as storage or to be sampled. False: none is known. */
bool texel_format_of(texel_format *to, const wpg_module *module, const wpg_inst *image, bool storage);
/* Fills `count` texels. */
void texel_fill(uint8_t *bytes, size_t count, texel_format format, uint32_t seed);

#endif
