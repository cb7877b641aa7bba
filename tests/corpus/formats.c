/* See formats.h. */
#include "tests/corpus/formats.h"

#include <string.h>

#include "tests/corpus/contents.h"

static const struct known {
    SpvImageFormat name;
    texel_format is;
} formats[] = {
    {SpvImageFormatRgba32f, {VK_FORMAT_R32G32B32A32_SFLOAT, 16, TEXEL_FLOAT}},
    {SpvImageFormatRgba16f, {VK_FORMAT_R16G16B16A16_SFLOAT, 8, TEXEL_HALF}},
    {SpvImageFormatR32f, {VK_FORMAT_R32_SFLOAT, 4, TEXEL_FLOAT}},
    {SpvImageFormatRgba8, {VK_FORMAT_R8G8B8A8_UNORM, 4, TEXEL_BYTES}},
    {SpvImageFormatRgba8Snorm, {VK_FORMAT_R8G8B8A8_SNORM, 4, TEXEL_BYTES}},
    {SpvImageFormatRg32f, {VK_FORMAT_R32G32_SFLOAT, 8, TEXEL_FLOAT}},
    {SpvImageFormatRg16f, {VK_FORMAT_R16G16_SFLOAT, 4, TEXEL_HALF}},
    {SpvImageFormatR11fG11fB10f, {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, TEXEL_INT}},
    {SpvImageFormatR16f, {VK_FORMAT_R16_SFLOAT, 2, TEXEL_HALF}},
    {SpvImageFormatRgba16, {VK_FORMAT_R16G16B16A16_UNORM, 8, TEXEL_BYTES}},
    {SpvImageFormatRgb10A2, {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, TEXEL_BYTES}},
    {SpvImageFormatRg16, {VK_FORMAT_R16G16_UNORM, 4, TEXEL_BYTES}},
    {SpvImageFormatRg8, {VK_FORMAT_R8G8_UNORM, 2, TEXEL_BYTES}},
    {SpvImageFormatR16, {VK_FORMAT_R16_UNORM, 2, TEXEL_BYTES}},
    {SpvImageFormatR8, {VK_FORMAT_R8_UNORM, 1, TEXEL_BYTES}},
    {SpvImageFormatRgba16Snorm, {VK_FORMAT_R16G16B16A16_SNORM, 8, TEXEL_BYTES}},
    {SpvImageFormatRg16Snorm, {VK_FORMAT_R16G16_SNORM, 4, TEXEL_BYTES}},
    {SpvImageFormatRg8Snorm, {VK_FORMAT_R8G8_SNORM, 2, TEXEL_BYTES}},
    {SpvImageFormatR16Snorm, {VK_FORMAT_R16_SNORM, 2, TEXEL_BYTES}},
    {SpvImageFormatR8Snorm, {VK_FORMAT_R8_SNORM, 1, TEXEL_BYTES}},
    {SpvImageFormatRgba32i, {VK_FORMAT_R32G32B32A32_SINT, 16, TEXEL_INT}},
    {SpvImageFormatRgba16i, {VK_FORMAT_R16G16B16A16_SINT, 8, TEXEL_INT16}},
    {SpvImageFormatRgba8i, {VK_FORMAT_R8G8B8A8_SINT, 4, TEXEL_INT8}},
    {SpvImageFormatR32i, {VK_FORMAT_R32_SINT, 4, TEXEL_INT}},
    {SpvImageFormatRg32i, {VK_FORMAT_R32G32_SINT, 8, TEXEL_INT}},
    {SpvImageFormatRg16i, {VK_FORMAT_R16G16_SINT, 4, TEXEL_INT16}},
    {SpvImageFormatRg8i, {VK_FORMAT_R8G8_SINT, 2, TEXEL_INT8}},
    {SpvImageFormatR16i, {VK_FORMAT_R16_SINT, 2, TEXEL_INT16}},
    {SpvImageFormatR8i, {VK_FORMAT_R8_SINT, 1, TEXEL_INT8}},
    {SpvImageFormatRgba32ui, {VK_FORMAT_R32G32B32A32_UINT, 16, TEXEL_INT}},
    {SpvImageFormatRgba16ui, {VK_FORMAT_R16G16B16A16_UINT, 8, TEXEL_INT16}},
    {SpvImageFormatRgba8ui, {VK_FORMAT_R8G8B8A8_UINT, 4, TEXEL_INT8}},
    {SpvImageFormatR32ui, {VK_FORMAT_R32_UINT, 4, TEXEL_INT}},
    {SpvImageFormatRgb10a2ui, {VK_FORMAT_A2B10G10R10_UINT_PACK32, 4, TEXEL_BYTES}},
    {SpvImageFormatRg32ui, {VK_FORMAT_R32G32_UINT, 8, TEXEL_INT}},
    {SpvImageFormatRg16ui, {VK_FORMAT_R16G16_UINT, 4, TEXEL_INT16}},
    {SpvImageFormatRg8ui, {VK_FORMAT_R8G8_UINT, 2, TEXEL_INT8}},
    {SpvImageFormatR16ui, {VK_FORMAT_R16_UINT, 2, TEXEL_INT16}},
    {SpvImageFormatR8ui, {VK_FORMAT_R8_UINT, 1, TEXEL_INT8}},
    {SpvImageFormatR64ui, {VK_FORMAT_R64_UINT, 8, TEXEL_INT64}},
    {SpvImageFormatR64i, {VK_FORMAT_R64_SINT, 8, TEXEL_INT64}},
};

bool texel_format_of(texel_format *to, const wpg_module *module, const wpg_inst *image, bool storage)
{
    const wpg_inst *scalar = wpg_module_def(module, image->words[2]);
    const uint32_t named = image->words[8];
    for (size_t i = 0; named != SpvImageFormatUnknown && i < sizeof formats / sizeof *formats; i++)
        if (formats[i].name == (SpvImageFormat)named) {
            *to = formats[i].is;
            return true;
        }
    if (named != SpvImageFormatUnknown || !scalar ||
        (scalar->opcode != SpvOpTypeInt && scalar->opcode != SpvOpTypeFloat) || scalar->words[2] > 32)
        return false;
    if (scalar->opcode == SpvOpTypeInt)
        *to = (texel_format){scalar->words[3] ? VK_FORMAT_R32G32B32A32_SINT : VK_FORMAT_R32G32B32A32_UINT, 16,
                             TEXEL_INT};
    else if (storage)
        *to = (texel_format){VK_FORMAT_R32G32B32A32_SFLOAT, 16, TEXEL_FLOAT};
    else if (image->words[4] == 1)
        *to = (texel_format){VK_FORMAT_D32_SFLOAT, 4, TEXEL_FLOAT};
    else /* filtered by every device */
        *to = (texel_format){VK_FORMAT_R16G16B16A16_SFLOAT, 8, TEXEL_HALF};
    return true;
}

void texel_fill(uint8_t *bytes, size_t count, texel_format format, uint32_t seed)
{
    static const size_t sizes[] = {[TEXEL_FLOAT] = 4, [TEXEL_HALF] = 2, [TEXEL_BYTES] = 1, [TEXEL_INT8] = 1,
                                   [TEXEL_INT16] = 2, [TEXEL_INT] = 4,  [TEXEL_INT64] = 8};
    const size_t size = sizes[format.kind];
    for (uint32_t i = 0; i < count * format.size / size; i++) {
        const uint64_t number =
            format.kind == TEXEL_BYTES ? contents_int(i, seed) * 53 : contents_int(i, seed);
        const uint16_t half = contents_half(i, seed);
        float real = contents_float(i, seed);
        if (format.format == VK_FORMAT_D32_SFLOAT)
            real = (float)contents_int(i, seed) / 8;
        memcpy(bytes + i * size,
               format.kind == TEXEL_FLOAT  ? (const void *)&real
               : format.kind == TEXEL_HALF ? (const void *)&half
                                           : (const void *)&number,
               size);
    }
}
