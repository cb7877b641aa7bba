/* A link's pieces put together: each state comes from the piece whose subset it is. Pieces that are not of
 * one create-info are refused with the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "layer/base/chain.h"
#include "layer/base/newer.h"
#include "layer/rewrite/dynamic_states.h"
#include "layer/rewrite/link_whole.h"

enum { PIECES = 4 };
#define PASS(n) ((VkRenderPass)(uintptr_t)(n))

typedef struct parts {
    VkPipelineVertexInputStateCreateInfo input;
    VkPipelineViewportStateCreateInfo view;
    VkPipelineMultisampleStateCreateInfo samples[2];
    VkPipelineDepthStencilStateCreateInfo depth;
    VkPipelineColorBlendStateCreateInfo blend;
    VkDynamicState of_before[2], of_output[2];
    VkPipelineDynamicStateCreateInfo dynamic[2];
    VkFormat format;
    VkPipelineRenderingCreateInfo rendering[2];
    VkPipelineRobustnessCreateInfoEXT robust[2];
    wpg_pipeline_flags_2 flags;
    VkGraphicsPipelineCreateInfo infos[PIECES], link;
    wpg_link_piece pieces[PIECES];
    wpg_arena arena;
} parts;

static void fill(parts *p)
{
    static const VkGraphicsPipelineLibraryFlagsEXT subsets[PIECES] = {
        WPG_SUBSET_INPUT, WPG_SUBSET_BEFORE, WPG_SUBSET_FRAGMENTS, WPG_SUBSET_OUTPUT};
    memset(p, 0, sizeof *p);
    wpg_arena_init(&p->arena);
    for (int i = 0; i < PIECES; i++) {
        p->infos[i] = (VkGraphicsPipelineCreateInfo){.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR |
                                                              VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT,
                                                     .renderPass = i ? PASS(10 + i) : VK_NULL_HANDLE,
                                                     .subpass = i ? 2 : 0};
        p->pieces[i] = (wpg_link_piece){&p->infos[i], subsets[i], false};
    }
    p->infos[0].pVertexInputState = &p->input;
    p->infos[1].pViewportState = &p->view;
    p->infos[2].pMultisampleState = &p->samples[0];
    p->infos[2].pDepthStencilState = &p->depth;
    p->infos[3].pMultisampleState = &p->samples[1];
    p->infos[3].pColorBlendState = &p->blend;
    p->of_before[0] = VK_DYNAMIC_STATE_VIEWPORT;
    p->of_before[1] = VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR;
    p->of_output[0] = VK_DYNAMIC_STATE_BLEND_CONSTANTS;
    p->of_output[1] = VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR;
    p->dynamic[0].dynamicStateCount = p->dynamic[1].dynamicStateCount = 2;
    p->dynamic[0].pDynamicStates = p->of_before;
    p->dynamic[1].pDynamicStates = p->of_output;
    p->infos[1].pDynamicState = &p->dynamic[0];
    p->infos[3].pDynamicState = &p->dynamic[1];
    p->link.flags =
        VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT | VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT;
    p->link.layout = (VkPipelineLayout)(uintptr_t)5;
}

static const VkGraphicsPipelineCreateInfo *make(parts *p, const char *because)
{
    const char *why = NULL;
    const VkGraphicsPipelineCreateInfo *whole = wpg_link_whole(&why, &p->arena, &p->link, p->pieces, PIECES);
    if (because)
        assert_non_null(strstr(why, because));
    else
        assert_null(why);
    return whole;
}

static void takes_each_state_from_its_piece(void **unused)
{
    (void)unused;
    parts p;
    fill(&p);
    const VkGraphicsPipelineCreateInfo *whole = make(&p, NULL);
    assert_non_null(whole);
    assert_int_equal(whole->flags, 0); /* no library; a link that is to be quick is made anew at leisure */
    assert_int_equal(whole->stageCount, 0);
    assert_ptr_equal(whole->pVertexInputState, &p.input);
    assert_ptr_equal(whole->pViewportState, &p.view);
    assert_ptr_equal(whole->pMultisampleState, &p.samples[1]);
    assert_ptr_equal(whole->pDepthStencilState, &p.depth);
    assert_ptr_equal(whole->pColorBlendState, &p.blend);
    assert_ptr_equal(whole->layout, p.link.layout);
    assert_ptr_equal(whole->renderPass, PASS(13));
    assert_int_equal(whole->subpass, 2);
    assert_int_equal(whole->pDynamicState->dynamicStateCount, 3);
    assert_int_equal(whole->pDynamicState->pDynamicStates[2], VK_DYNAMIC_STATE_BLEND_CONSTANTS);
    assert_null(whole->pNext);
    wpg_arena_finish(&p.arena);
}

static void takes_a_pass_that_is_left(void **unused)
{
    (void)unused;
    parts p;
    fill(&p);
    p.pieces[3].pass_gone = p.pieces[2].pass_gone = true;
    assert_ptr_equal(make(&p, NULL)->renderPass, PASS(11));
    p.pieces[1].pass_gone = true;
    assert_null(make(&p, "the render pass of its parts is gone"));
    wpg_arena_finish(&p.arena);
    fill(&p);
    p.link.layout = VK_NULL_HANDLE;
    assert_null(make(&p, "no layout"));
    wpg_arena_finish(&p.arena);
}

/* Without render passes: the formats are the output's. */
static void takes_the_formats_of_the_output(void **unused)
{
    (void)unused;
    parts p;
    fill(&p);
    for (int i = 0; i < PIECES; i++)
        p.infos[i].renderPass = VK_NULL_HANDLE;
    p.format = VK_FORMAT_R8G8B8A8_UNORM;
    p.rendering[0].sType = p.rendering[1].sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
    p.rendering[1].colorAttachmentCount = 1;
    p.rendering[1].pColorAttachmentFormats = &p.format;
    p.infos[1].pNext = &p.rendering[0];
    p.infos[3].pNext = &p.rendering[1];
    const VkPipelineRenderingCreateInfo *rendering =
        wpg_chain_find(make(&p, NULL)->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
    assert_non_null(rendering);
    assert_int_equal(rendering->pColorAttachmentFormats[0], VK_FORMAT_R8G8B8A8_UNORM);
    wpg_attachment_locations locations = {.sType = WPG_STRUCTURE_ATTACHMENT_LOCATIONS, .count = 7};
    p.infos[2].pNext = &locations; /* ignored in a part without the output */
    assert_null(wpg_chain_find(make(&p, NULL)->pNext, WPG_STRUCTURE_ATTACHMENT_LOCATIONS));
    p.rendering[1].pNext = &locations;
    assert_non_null(wpg_chain_find(make(&p, NULL)->pNext, WPG_STRUCTURE_ATTACHMENT_LOCATIONS));
    p.pieces[3].subsets = 0; /* nothing is rasterised */
    rendering = wpg_chain_find(make(&p, NULL)->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
    assert_int_equal(rendering->colorAttachmentCount, 0);
    wpg_arena_finish(&p.arena);
}

static void refuses_pieces_that_differ(void **unused)
{
    (void)unused;
    parts p;
    fill(&p);
    p.robust[0].sType = p.robust[1].sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT;
    p.infos[1].pNext = &p.robust[0];
    assert_null(make(&p, "differ in a structure"));
    p.infos[2].pNext = &p.robust[1];
    assert_non_null(
        wpg_chain_find(make(&p, NULL)->pNext, VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT));
    p.robust[1].images = 1;
    assert_null(make(&p, "differ in a structure"));
    wpg_arena_finish(&p.arena);
}

/* Flags of the chain stand for the create-info's own; those of state are all pieces'. */
static void joins_flags(void **unused)
{
    (void)unused;
    parts p;
    fill(&p);
    p.infos[3].flags |= VK_PIPELINE_CREATE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;
    p.flags = (wpg_pipeline_flags_2){.sType = WPG_STRUCTURE_PIPELINE_FLAGS_2,
                                     .flags = WPG_FLAG_LEGACY_DITHERING |
                                              VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT};
    p.infos[2].pNext = &p.flags;
    const wpg_pipeline_flags_2 *flags = wpg_chain_find(make(&p, NULL)->pNext, WPG_STRUCTURE_PIPELINE_FLAGS_2);
    assert_true(flags->flags == (WPG_FLAG_LEGACY_DITHERING |
                                 VK_PIPELINE_CREATE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR));
    wpg_arena_finish(&p.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_each_state_from_its_piece),
        cmocka_unit_test(takes_a_pass_that_is_left),
        cmocka_unit_test(takes_the_formats_of_the_output),
        cmocka_unit_test(refuses_pieces_that_differ),
        cmocka_unit_test(joins_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
