/* Scenario "objects" of the test program: VK_EXT_shader_object. A dispatch; draws with unlinked and with
 * linked objects; the binary of an object, as a program stores it, and an object made of that. See app.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/newer.h"
#include "tests/e2e/app.h"

#define STRUCTURE_SHADER_CREATE_INFO ((VkStructureType)1000482002)

typedef void(VKAPI_PTR *pfn_bind_shaders)(VkCommandBuffer commands, uint32_t count,
                                          const VkShaderStageFlagBits *stages, const wpg_shader *shaders);

typedef struct commands {
    wpg_pfn_create_shaders create;
    wpg_pfn_destroy_shader destroy;
    wpg_pfn_get_shader_binary binary;
    pfn_bind_shaders bind;
} commands;

static wpg_shader_create_info info_of(const vk_program *vk, VkShaderStageFlagBits stage,
                                      const uint32_t *words, size_t count)
{
    static const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 16};
    return (wpg_shader_create_info){.sType = STRUCTURE_SHADER_CREATE_INFO,
                                    .stage = stage,
                                    .nextStage = stage == VK_SHADER_STAGE_VERTEX_BIT
                                                     ? (VkShaderStageFlags)VK_SHADER_STAGE_FRAGMENT_BIT
                                                     : 0,
                                    .codeType = WPG_SHADER_CODE_SPIRV,
                                    .codeSize = count * 4,
                                    .pCode = words,
                                    .pName = "main",
                                    .setLayoutCount = 1,
                                    .pSetLayouts = &vk->set_layout,
                                    .pushConstantRangeCount = 1,
                                    .pPushConstantRanges = &range};
}

static void create(const vk_program *vk, const commands *c, wpg_shader *shaders,
                   const wpg_shader_create_info *infos, uint32_t count)
{
    VkResult result = c->create(vk->device, count, infos, NULL, shaders);
    if (result != VK_SUCCESS) {
        printf("vkCreateShadersEXT: VkResult %d\n", (int)result);
        exit(VK_EXIT_FAILURE);
    }
}

static void dispatch(vk_program *vk, const commands *c, wpg_shader shader, const char *what)
{
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    memset(vk->buffers[1].words, 0, vk->buffers[1].count * 4);
    app_fill(vk);
    vk_begin(vk);
    c->bind(vk->commands, 1, &stage, &shader);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, vk->layout, 0, 1, &vk->set, 0,
                            NULL);
    vkCmdDispatch(vk->commands, APP_INVOCATIONS / 32, 1, 1);
    vk_finish(vk);
    printf("%s: compute %08x\n", what, app_checksum(vk->buffers[1].words, APP_INVOCATIONS));
}

/* All the state that a draw with shader objects needs. */
static void set_state(vk_program *vk)
{
    VkCommandBuffer b = vk->commands;
    const VkViewport viewport = {0, 0, VK_WIDTH, VK_HEIGHT, 0, 1};
    const VkRect2D scissor = {{0, 0}, {VK_WIDTH, VK_HEIGHT}};
    const VkSampleMask mask = 1;
    const VkBool32 no = VK_FALSE;
    const VkColorComponentFlags all = 0xf;
#define COMMAND(name) ((PFN_vk##name)vk_command(vk, "vk" #name))
    vkCmdSetViewportWithCount(b, 1, &viewport);
    vkCmdSetScissorWithCount(b, 1, &scissor);
    vkCmdSetRasterizerDiscardEnable(b, VK_FALSE);
    vkCmdSetPrimitiveTopology(b, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    vkCmdSetPrimitiveRestartEnable(b, VK_FALSE);
    vkCmdSetCullMode(b, VK_CULL_MODE_NONE);
    vkCmdSetFrontFace(b, VK_FRONT_FACE_COUNTER_CLOCKWISE);
    vkCmdSetDepthTestEnable(b, VK_FALSE);
    vkCmdSetDepthWriteEnable(b, VK_FALSE);
    vkCmdSetDepthBiasEnable(b, VK_FALSE);
    vkCmdSetStencilTestEnable(b, VK_FALSE);
    COMMAND(CmdSetVertexInputEXT)(b, 0, NULL, 0, NULL);
    COMMAND(CmdSetPolygonModeEXT)(b, VK_POLYGON_MODE_FILL);
    COMMAND(CmdSetRasterizationSamplesEXT)(b, VK_SAMPLE_COUNT_1_BIT);
    COMMAND(CmdSetSampleMaskEXT)(b, VK_SAMPLE_COUNT_1_BIT, &mask);
    COMMAND(CmdSetAlphaToCoverageEnableEXT)(b, VK_FALSE);
    COMMAND(CmdSetColorBlendEnableEXT)(b, 0, 1, &no);
    COMMAND(CmdSetColorWriteMaskEXT)(b, 0, 1, &all);
#undef COMMAND
}

static void transition(vk_program *vk, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .image = vk->image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(vk->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         0, 0, NULL, 0, NULL, 1, &barrier);
}

static void draw(vk_program *vk, const commands *c, const wpg_shader shaders[2], const char *what)
{
    static const VkShaderStageFlagBits stages[2] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    VkRenderingAttachmentInfo target = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                        .imageView = vk->view,
                                        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                        .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea = {{0, 0}, {VK_WIDTH, VK_HEIGHT}},
                                 .layerCount = 1,
                                 .colorAttachmentCount = 1,
                                 .pColorAttachments = &target};
    vk_begin(vk);
    transition(vk, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vkCmdBeginRendering(vk->commands, &rendering);
    set_state(vk);
    c->bind(vk->commands, 2, stages, shaders);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk->layout, 0, 1, &vk->set, 0,
                            NULL);
    vkCmdDraw(vk->commands, 3, 1, 0, 0);
    vkCmdEndRendering(vk->commands);
    transition(vk, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vk_copy_pixels(vk);
    vk_finish(vk);
    printf("%s: draw %08x\n", what, app_checksum(vk->pixels.words, VK_WIDTH * VK_HEIGHT));
}

/* What a program would store: the same bytes with and without a layer, and fit to make the object of. */
static void store_and_load(vk_program *vk, const commands *c, wpg_shader shader, wpg_shader_create_info info)
{
    size_t size = 0;
    VkResult result = c->binary(vk->device, shader, &size, NULL);
    uint8_t *data = calloc(size + 4, 1);
    if (result != VK_SUCCESS || !data || c->binary(vk->device, shader, &size, data) != VK_SUCCESS) {
        printf("vkGetShaderBinaryDataEXT fails\n");
        exit(VK_EXIT_FAILURE);
    }
    printf("binary: %zu bytes, %08x\n", size, app_checksum((const uint32_t *)(const void *)data, size / 4));
    info.codeType = WPG_SHADER_CODE_BINARY;
    info.codeSize = size;
    info.pCode = data;
    wpg_shader again;
    create(vk, c, &again, &info, 1);
    dispatch(vk, c, again, "from binary");
    c->destroy(vk->device, again, NULL);
    free(data);
}

void app_objects(vk_program *vk)
{
    const commands c = {(wpg_pfn_create_shaders)vk_command(vk, "vkCreateShadersEXT"),
                        (wpg_pfn_destroy_shader)vk_command(vk, "vkDestroyShaderEXT"),
                        (wpg_pfn_get_shader_binary)vk_command(vk, "vkGetShaderBinaryDataEXT"),
                        (pfn_bind_shaders)vk_command(vk, "vkCmdBindShadersEXT")};
    static const char *const names[3] = {"count.comp", "triangle.vert", "gradient.frag"};
    static const VkShaderStageFlagBits stages[3] = {VK_SHADER_STAGE_COMPUTE_BIT, VK_SHADER_STAGE_VERTEX_BIT,
                                                    VK_SHADER_STAGE_FRAGMENT_BIT};
    uint32_t *words[3];
    wpg_shader_create_info infos[3];
    wpg_shader shaders[3], linked[2];
    for (int i = 0; i < 3; i++) {
        size_t count;
        app_read_shader(&words[i], &count, names[i]);
        infos[i] = info_of(vk, stages[i], words[i], count);
    }
    create(vk, &c, shaders, infos, 3);
    dispatch(vk, &c, shaders[0], "object");
    draw(vk, &c, shaders + 1, "unlinked");
    for (int i = 1; i < 3; i++)
        infos[i].flags = WPG_SHADER_LINK_STAGE;
    create(vk, &c, linked, infos + 1, 2);
    draw(vk, &c, linked, "linked");
    store_and_load(vk, &c, shaders[0], infos[0]);
    for (int i = 0; i < 3; i++) {
        c.destroy(vk->device, shaders[i], NULL);
        free(words[i]);
    }
    for (int i = 0; i < 2; i++)
        c.destroy(vk->device, linked[i], NULL);
}
