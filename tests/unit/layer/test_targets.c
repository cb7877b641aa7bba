/* Which outputs of a fragment stage reach an attachment: by formats, masks, and state that is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "layer/rewrite/targets.h"

#define NOWHERE ((const void *)(uintptr_t)16)

typedef struct state {
    VkFormat formats[3];
    VkPipelineRenderingCreateInfo rendering;
    VkPipelineColorBlendAttachmentState targets[3];
    VkPipelineColorBlendStateCreateInfo blend;
    VkPipelineMultisampleStateCreateInfo samples;
    VkPipelineRasterizationStateCreateInfo raster;
    VkDynamicState dynamic;
    VkPipelineDynamicStateCreateInfo moving;
    VkGraphicsPipelineCreateInfo info;
} state;

/* Attachments 0 and 2 are drawn to; 1 is there with a mask of 0. */
static void fill(state *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 3; i++) {
        s->formats[i] = VK_FORMAT_R8G8B8A8_UNORM;
        s->targets[i].colorWriteMask = i == 1 ? 0 : 2;
    }
    s->rendering = (VkPipelineRenderingCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                   .colorAttachmentCount = 3,
                                                   .pColorAttachmentFormats = s->formats};
    s->blend.attachmentCount = 3;
    s->blend.pAttachments = s->targets;
    s->moving.pDynamicStates = &s->dynamic;
    s->info = (VkGraphicsPipelineCreateInfo){.pNext = &s->rendering,
                                             .pRasterizationState = &s->raster,
                                             .pMultisampleState = &s->samples,
                                             .pColorBlendState = &s->blend,
                                             .pDynamicState = &s->moving};
}

static wpg_device device; /* knows no render pass */

/* Locations that are seen, one bit each; -1: not known. */
static int seen(const state *s)
{
    wpg_output_use use;
    int bits = 0;
    wpg_targets_find(&use, &device, &s->info);
    for (int i = 0; i < WPG_OUTPUT_LOCATIONS && use.known; i++) {
        assert_true(use.read[i] == 0 || (use.read[i] == 15 && i < 3));
        if (use.read[i])
            bits |= 1 << i;
    }
    return use.known ? bits : -1;
}

static void by_masks(void **data)
{
    state s;
    (void)data;
    fill(&s);
    assert_int_equal(seen(&s), 5);
    s.targets[2].colorWriteMask = 0;
    assert_int_equal(seen(&s), 1);
    /* The command buffer says what the mask is. */
    s.dynamic = VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT;
    s.moving.dynamicStateCount = 1;
    assert_int_equal(seen(&s), 7);
    s.blend.attachmentCount = 0; /* nothing is left that it would state */
    s.blend.pAttachments = (const void *)NOWHERE;
    assert_int_equal(seen(&s), 7);
    s.blend.attachmentCount = 3;
    s.blend.pAttachments = s.targets;
    s.dynamic = VK_DYNAMIC_STATE_VIEWPORT;
    assert_int_equal(seen(&s), 1);
}

static void by_formats(void **data)
{
    state s;
    (void)data;
    fill(&s);
    s.formats[2] = VK_FORMAT_UNDEFINED;
    assert_int_equal(seen(&s), 1);
    /* Without colours the blend state may be anything. */
    s.formats[0] = s.formats[1] = VK_FORMAT_UNDEFINED;
    s.info.pColorBlendState = NOWHERE;
    assert_int_equal(seen(&s), 0);
    s.rendering.colorAttachmentCount = 0;
    assert_int_equal(seen(&s), 0);
    s.info.pNext = NULL;
    assert_int_equal(seen(&s), 0);
}

static void by_coverage(void **data)
{
    state s;
    (void)data;
    fill(&s);
    s.targets[0].colorWriteMask = 0;
    assert_int_equal(seen(&s), 4);
    s.samples.alphaToCoverageEnable = VK_TRUE;
    assert_int_equal(seen(&s), 5);
    s.samples.alphaToCoverageEnable = VK_FALSE;
    s.dynamic = VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT;
    s.moving.dynamicStateCount = 1;
    assert_int_equal(seen(&s), 5);
    s.moving.dynamicStateCount = 0;
    s.info.pMultisampleState = NULL;
    assert_int_equal(seen(&s), 5);
}

static void what_is_not_known(void **data)
{
    state s;
    (void)data;
    fill(&s);
    VkBaseInStructure other = {.sType = (VkStructureType)1999999999};
    s.rendering.pNext = &other; /* it may lead outputs to other attachments */
    assert_int_equal(seen(&s), -1);
    fill(&s);
    s.info.renderPass = (VkRenderPass)(uintptr_t)7;
    assert_int_equal(seen(&s), -1);
    fill(&s);
    s.raster.rasterizerDiscardEnable = VK_TRUE;
    assert_int_equal(seen(&s), -1);
    s.info.pRasterizationState = NULL;
    assert_int_equal(seen(&s), -1);
    fill(&s);
    s.info.pColorBlendState = NULL; /* all of it is dynamic */
    assert_int_equal(seen(&s), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_masks), cmocka_unit_test(by_formats),
                                       cmocka_unit_test(by_coverage), cmocka_unit_test(what_is_not_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
