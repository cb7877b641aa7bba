/* Copies of whole graphics pipelines: everything that is read is copied, what is ignored is not looked at,
 * and what is not known is refused with its reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "layer/base/chain.h"
#include "layer/base/newer.h"
#include "layer/rewrite/library_copy.h"

#define NOWHERE ((const void *)(uintptr_t)16)

typedef struct state {
    VkPipelineShaderStageCreateInfo stages[2];
    VkSpecializationMapEntry entry;
    uint32_t value;
    VkSpecializationInfo values;
    VkVertexInputBindingDescription binding;
    VkVertexInputAttributeDescription attribute;
    VkPipelineVertexInputStateCreateInfo vertex;
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkViewport port;
    VkRect2D scissor;
    VkPipelineViewportStateCreateInfo view;
    VkPipelineRasterizationStateCreateInfo raster;
    VkSampleMask mask;
    VkPipelineMultisampleStateCreateInfo samples;
    VkPipelineDepthStencilStateCreateInfo depth;
    VkPipelineColorBlendAttachmentState target;
    VkPipelineColorBlendStateCreateInfo blend;
    VkDynamicState dynamic[4];
    VkPipelineDynamicStateCreateInfo moving;
    VkFormat format;
    VkPipelineRenderingCreateInfo rendering;
    VkGraphicsPipelineCreateInfo info;
} state;

static void fill(state *s)
{
    memset(s, 0, sizeof *s);
    s->value = 5;
    s->entry = (VkSpecializationMapEntry){3, 0, 4};
    s->values = (VkSpecializationInfo){1, &s->entry, 4, &s->value};
    for (int i = 0; i < 2; i++)
        s->stages[i] = (VkPipelineShaderStageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT,
            .module = (VkShaderModule)(uintptr_t)7,
            .pName = "main",
            .pSpecializationInfo = i ? &s->values : NULL};
    s->binding.stride = 12;
    s->attribute.location = 4;
    s->vertex = (VkPipelineVertexInputStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = 1,
        .pVertexBindingDescriptions = &s->binding,
        .vertexAttributeDescriptionCount = 1,
        .pVertexAttributeDescriptions = &s->attribute};
    s->assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    s->port.width = 8;
    s->scissor.extent.width = 9;
    s->view =
        (VkPipelineViewportStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                            .viewportCount = 1,
                                            .pViewports = &s->port,
                                            .scissorCount = 1,
                                            .pScissors = &s->scissor};
    s->raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
    s->mask = 0x5;
    s->samples = (VkPipelineMultisampleStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT,
        .pSampleMask = &s->mask};
    s->depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
    s->depth.depthTestEnable = VK_TRUE;
    s->target.colorWriteMask = 0xf;
    s->blend = (VkPipelineColorBlendStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &s->target};
    s->dynamic[0] = VK_DYNAMIC_STATE_LINE_WIDTH;
    s->dynamic[1] = VK_DYNAMIC_STATE_DEPTH_BIAS;
    s->moving =
        (VkPipelineDynamicStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                           .dynamicStateCount = 2,
                                           .pDynamicStates = s->dynamic};
    s->format = VK_FORMAT_R8G8B8A8_UNORM;
    s->rendering = (VkPipelineRenderingCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                   .colorAttachmentCount = 1,
                                                   .pColorAttachmentFormats = &s->format,
                                                   .depthAttachmentFormat = VK_FORMAT_D32_SFLOAT};
    s->info = (VkGraphicsPipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                             .flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT,
                                             .stageCount = 2,
                                             .pStages = s->stages,
                                             .pVertexInputState = &s->vertex,
                                             .pInputAssemblyState = &s->assembly,
                                             .pTessellationState = NOWHERE,
                                             .pViewportState = &s->view,
                                             .pRasterizationState = &s->raster,
                                             .pMultisampleState = &s->samples,
                                             .pDepthStencilState = &s->depth,
                                             .pColorBlendState = &s->blend,
                                             .pDynamicState = &s->moving,
                                             .layout = (VkPipelineLayout)(uintptr_t)8,
                                             .renderPass = (VkRenderPass)(uintptr_t)9,
                                             .subpass = 1};
}

static const wpg_subpass_outputs both = {true, true}, none = {false, false};

/* After the original is overwritten the copy still holds it. */
static void copies_all_of_it(void **unused)
{
    (void)unused;
    state s;
    wpg_arena arena;
    const char *why = NULL;
    wpg_arena_init(&arena);
    fill(&s);
    VkGraphicsPipelineCreateInfo *copy = wpg_library_copy_info(&why, &arena, &s.info, WPG_ALL_SUBSETS, &both);
    assert_non_null(copy);
    memset(&s, 0xa5, sizeof s);
    assert_int_equal(copy->flags, 0);
    assert_int_equal(copy->stageCount, 2);
    assert_null(copy->pStages[0].module);
    assert_string_equal(copy->pStages[1].pName, "main");
    assert_int_equal(*(const uint32_t *)copy->pStages[1].pSpecializationInfo->pData, 5);
    assert_int_equal(copy->pVertexInputState->pVertexBindingDescriptions->stride, 12);
    assert_int_equal(copy->pVertexInputState->pVertexAttributeDescriptions->location, 4);
    assert_null(copy->pTessellationState);
    assert_true(copy->pViewportState->pViewports->width > 7);
    assert_int_equal(copy->pViewportState->pScissors->extent.width, 9);
    assert_int_equal(*copy->pMultisampleState->pSampleMask, 5);
    assert_true(copy->pDepthStencilState->depthTestEnable);
    assert_int_equal(copy->pColorBlendState->pAttachments->colorWriteMask, 0xf);
    assert_int_equal(copy->pDynamicState->pDynamicStates[1], VK_DYNAMIC_STATE_DEPTH_BIAS);
    assert_ptr_equal(copy->renderPass, (VkRenderPass)(uintptr_t)9);
    assert_int_equal(copy->subpass, 1);
    wpg_arena_finish(&arena);
}

static void copies_formats(void **unused)
{
    (void)unused;
    state s;
    wpg_arena arena;
    const char *why = NULL;
    wpg_arena_init(&arena);
    fill(&s);
    s.info.renderPass = VK_NULL_HANDLE;
    s.info.pNext = &s.rendering;
    VkGraphicsPipelineCreateInfo *copy = wpg_library_copy_info(&why, &arena, &s.info, WPG_ALL_SUBSETS, &none);
    assert_non_null(copy);
    memset(&s, 0xa5, sizeof s);
    const VkPipelineRenderingCreateInfo *rendering = copy->pNext;
    assert_int_equal(rendering->pColorAttachmentFormats[0], VK_FORMAT_R8G8B8A8_UNORM);
    assert_int_equal(rendering->depthAttachmentFormat, VK_FORMAT_D32_SFLOAT);
    assert_non_null(copy->pDepthStencilState); /* by the formats, whatever is said of a pass */
    assert_non_null(copy->pColorBlendState);
    wpg_arena_finish(&arena);
}

static void copies_attachment_indices(void **unused)
{
    (void)unused;
    state s;
    wpg_arena arena;
    const char *why = NULL;
    uint32_t outputs[2] = {1, 0}, inputs[2] = {3, 4}, depth = 5;
    wpg_attachment_locations locations = {WPG_STRUCTURE_ATTACHMENT_LOCATIONS, NULL, 2, outputs};
    wpg_input_attachments indices = {WPG_STRUCTURE_INPUT_ATTACHMENTS, &locations, 2, inputs, &depth, NULL};
    wpg_arena_init(&arena);
    fill(&s);
    s.info.pNext = &indices;
    VkGraphicsPipelineCreateInfo *copy = wpg_library_copy_info(&why, &arena, &s.info, WPG_ALL_SUBSETS, &both);
    assert_non_null(copy);
    memset(outputs, 0, sizeof outputs);
    memset(inputs, 0, sizeof inputs);
    memset(&locations, 0, sizeof locations);
    memset(&indices, 0, sizeof indices);
    depth = 0;
    const wpg_attachment_locations *to = wpg_chain_find(copy->pNext, WPG_STRUCTURE_ATTACHMENT_LOCATIONS);
    const wpg_input_attachments *from = wpg_chain_find(copy->pNext, WPG_STRUCTURE_INPUT_ATTACHMENTS);
    assert_int_equal(to->count, 2);
    assert_int_equal(to->locations[0], 1);
    assert_int_equal(from->colors[1], 4);
    assert_int_equal(*from->depth, 5);
    assert_null(from->stencil);
    wpg_arena_finish(&arena);
}

/* What is ignored may point anywhere. */
static void looks_at_nothing_that_is_ignored(void **unused)
{
    (void)unused;
    state s;
    wpg_arena arena;
    const char *why = NULL;
    wpg_arena_init(&arena);
    fill(&s);
    s.info.pDepthStencilState = NOWHERE;
    s.info.pColorBlendState = NOWHERE;
    s.dynamic[0] = VK_DYNAMIC_STATE_VIEWPORT;
    s.dynamic[1] = VK_DYNAMIC_STATE_SCISSOR;
    s.view.pViewports = NOWHERE;
    s.view.pScissors = NOWHERE;
    VkGraphicsPipelineCreateInfo *copy = wpg_library_copy_info(&why, &arena, &s.info, WPG_ALL_SUBSETS, &none);
    assert_non_null(copy);
    assert_null(copy->pDepthStencilState);
    assert_null(copy->pColorBlendState);
    assert_null(copy->pViewportState->pViewports);
    fill(&s);
    s.raster.rasterizerDiscardEnable = VK_TRUE;
    s.info.pMultisampleState = NOWHERE;
    s.info.pViewportState = NOWHERE;
    s.info.pDepthStencilState = NOWHERE;
    s.info.pColorBlendState = NOWHERE;
    copy = wpg_library_copy_info(&why, &arena, &s.info, WPG_ALL_SUBSETS, &both);
    assert_non_null(copy);
    assert_null(copy->pMultisampleState);
    assert_null(copy->pViewportState);
    fill(&s);
    s.moving.dynamicStateCount = 4;
    s.dynamic[0] = VK_DYNAMIC_STATE_SAMPLE_MASK_EXT;
    s.dynamic[1] = VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT;
    s.dynamic[2] = VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT;
    s.dynamic[3] = VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT;
    s.samples.pSampleMask = NOWHERE;
    s.blend.pAttachments = NOWHERE;
    copy = wpg_library_copy_info(&why, &arena, &s.info, WPG_ALL_SUBSETS, &both);
    assert_non_null(copy);
    assert_int_equal(copy->pMultisampleState->rasterizationSamples, VK_SAMPLE_COUNT_4_BIT);
    assert_null(copy->pMultisampleState->pSampleMask);
    assert_null(copy->pColorBlendState->pAttachments);
    wpg_arena_finish(&arena);
}

/* Of a part only its own subsets are looked at. */
static void copies_a_part(void **unused)
{
    (void)unused;
    state s;
    wpg_arena arena;
    const char *why = NULL;
    wpg_arena_init(&arena);
    fill(&s);
    s.dynamic[0] = VK_DYNAMIC_STATE_VIEWPORT;
    s.dynamic[1] = VK_DYNAMIC_STATE_BLEND_CONSTANTS;
    s.info.pStages = NOWHERE;
    s.info.pViewportState = NOWHERE;
    s.info.pRasterizationState = NOWHERE;
    s.info.pVertexInputState = NOWHERE;
    VkGraphicsPipelineCreateInfo *copy =
        wpg_library_copy_info(&why, &arena, &s.info, WPG_SUBSET_OUTPUT, &both);
    assert_non_null(copy);
    assert_int_equal(copy->stageCount, 0);
    assert_null(copy->pViewportState);
    assert_null(copy->pVertexInputState);
    assert_null(copy->pDepthStencilState);
    assert_int_equal(copy->pColorBlendState->pAttachments->colorWriteMask, 0xf);
    assert_int_equal(copy->pMultisampleState->rasterizationSamples, VK_SAMPLE_COUNT_4_BIT);
    assert_int_equal(copy->pDynamicState->dynamicStateCount, 1);
    assert_int_equal(copy->pDynamicState->pDynamicStates[0], VK_DYNAMIC_STATE_BLEND_CONSTANTS);
    assert_null(wpg_library_copy_info(&why, &arena, &s.info, WPG_SUBSET_OUTPUT, NULL));
    assert_string_equal(why, "its render pass is not known");
    /* A fragment shader's depth state is stated though the formats are the output's. */
    s.info.renderPass = VK_NULL_HANDLE;
    s.info.pStages = s.stages;
    copy = wpg_library_copy_info(&why, &arena, &s.info, WPG_SUBSET_FRAGMENTS, NULL);
    assert_non_null(copy);
    assert_true(copy->pDepthStencilState->depthTestEnable);
    assert_null(copy->pColorBlendState);
    assert_int_equal(copy->stageCount, 2);
    wpg_arena_finish(&arena);
}

static void refused(state *s, const char *because)
{
    wpg_arena arena;
    const char *why = NULL;
    wpg_arena_init(&arena);
    assert_null(wpg_library_copy_info(&why, &arena, &s->info, WPG_ALL_SUBSETS, &both));
    assert_non_null(strstr(why, because));
    wpg_arena_finish(&arena);
}

static void refuses_what_is_not_known(void **unused)
{
    (void)unused;
    const VkBaseInStructure stranger = {.sType = (VkStructureType)1999999000};
    state s;
    fill(&s);
    s.info.pNext = &stranger;
    refused(&s, "a structure that this layer does not know");
    fill(&s);
    s.stages[1].pNext = &stranger;
    refused(&s, "a structure that this layer does not know");
    fill(&s);
    s.raster.pNext = &stranger;
    refused(&s, "a structure that this layer does not know");
    fill(&s);
    s.blend.pNext = &stranger;
    refused(&s, "a structure that this layer does not know");
    fill(&s);
    s.depth.pNext = &stranger;
    refused(&s, "depth state holds structures");
    fill(&s);
    s.samples.pNext = &stranger;
    refused(&s, "multisample state holds structures");
    fill(&s);
    s.dynamic[1] = VK_DYNAMIC_STATE_VIEWPORT_W_SCALING_ENABLE_NV;
    refused(&s, "dynamic state that is not known");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_all_of_it),
        cmocka_unit_test(copies_formats),
        cmocka_unit_test(copies_attachment_indices),
        cmocka_unit_test(looks_at_nothing_that_is_ignored),
        cmocka_unit_test(copies_a_part),
        cmocka_unit_test(refuses_what_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
