/* See subject.h: what a pipeline of the module is made of. */
#include "tests/corpus/subject.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/builder.h"
#include "tests/corpus/capabilities.h"
#include "tests/corpus/contents.h"
#include "tests/corpus/partner.h"

static VkFormat format_of(interface_kind kind, uint32_t components)
{
    static const VkFormat formats[3][3] = {
        {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT},
        {VK_FORMAT_R32_SINT, VK_FORMAT_R32G32_SINT, VK_FORMAT_R32G32B32A32_SINT},
        {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32A32_UINT}};
    return formats[kind][components > 2 ? 2 : components - 1];
}

/* Targets by the outputs of a fragment stage. */
static bool read_targets(subject *to, const char **why)
{
    for (uint32_t i = 0; i < to->outputs.count; i++) {
        const interface_slot *slot = &to->outputs.slots[i];
        *why = "more than eight targets";
        if (slot->location >= SUBJECT_TARGETS)
            return false;
        *why = "two outputs of one target";
        if (to->targets[slot->location].size || slot->component)
            return false;
        to->targets[slot->location].format = format_of(slot->kind, slot->components);
        to->targets[slot->location].components = slot->components;
        to->targets[slot->location].size = slot->components > 2 ? 16 : slot->components * 4;
        if (slot->location >= to->target_count)
            to->target_count = slot->location + 1;
    }
    return true;
}

static bool read_push_constants(subject *to, const char **why, const vk_program *vk)
{
    VkPhysicalDeviceProperties properties;
    WPG_INST_EACH (i, to->module) {
        if (i->opcode == SpvOpFunction)
            break;
        if (i->opcode != SpvOpVariable || i->words[3] != SpvStorageClassPushConstant)
            continue;
        const uint32_t type = contents_type(to->module, i->result),
                       size = (uint32_t)(contents_size(to->module, type, 1) + 3) / 4 * 4;
        *why = "addresses in memory";
        if (contents_has_address(to->module, type))
            return false;
        if (size > to->push_size) {
            to->push_size = size;
            to->push_type = type;
        }
    }
    vkGetPhysicalDeviceProperties(vk->physical, &properties);
    *why = "push constants beyond the device's limit";
    return to->push_size <= properties.limits.maxPushConstantsSize;
}

static bool read_stage(subject *to, const char **why, const vk_program *vk)
{
    *why = "an address of physical memory";
    if (wpg_has_capability(to->module, SpvCapabilityPhysicalStorageBufferAddresses) ||
        wpg_has_capability(to->module, SpvCapabilityKernel))
        return false;
    *why = "a capability that the device has not, or that is not known here";
    if (!has_capabilities(to->module, &vk->features))
        return false;
    *why = "a descriptor that is not known here";
    if (!layout_read(&to->layout, to->module) || !resources_known(why, vk, to->module, &to->layout) ||
        !read_push_constants(to, why, vk))
        return false;
    for (uint32_t s = 0; s < LAYOUT_SETS; s++)
        if (to->layout.counts[s])
            to->set_count = s + 1;
    if (to->model == SpvExecutionModelGLCompute) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(vk->physical, &properties);
        const uint32_t invocations = wpg_stage_workgroup(to->module, to->entry);
        *why = "a workgroup of no size that the device has";
        return invocations && invocations <= properties.limits.maxComputeWorkGroupInvocations;
    }
    if (!interface_read(&to->inputs, why, to->module, to->entry, SpvStorageClassInput) ||
        !interface_read(&to->outputs, why, to->module, to->entry, SpvStorageClassOutput))
        return false;
    if (to->model == SpvExecutionModelFragment)
        return read_targets(to, why);
    *why = "vertices without a place";
    if (!to->outputs.place)
        return false;
    to->target_count = partner_targets(&to->outputs);
    for (uint32_t t = 0; t < to->target_count; t++) {
        to->targets[t].format = VK_FORMAT_R32G32B32A32_SFLOAT;
        to->targets[t].components = 4;
        to->targets[t].size = 16;
    }
    return true;
}

/* Colours by location, then a depth. */
static void make_pass(subject *to, const vk_program *vk)
{
    VkAttachmentDescription attachments[SUBJECT_TARGETS + 1];
    VkAttachmentReference colors[SUBJECT_TARGETS];
    uint32_t count = 0;
    for (uint32_t t = 0; t <= to->target_count; t++) {
        const bool depth = t == to->target_count;
        const VkImageLayout used = depth ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                                         : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
        if (!depth)
            colors[t] = (VkAttachmentReference){to->targets[t].size ? count : VK_ATTACHMENT_UNUSED, used};
        if (!depth && !to->targets[t].size)
            continue;
        attachments[count++] =
            (VkAttachmentDescription){.format = depth ? VK_FORMAT_D32_SFLOAT : to->targets[t].format,
                                      .samples = VK_SAMPLE_COUNT_1_BIT,
                                      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                      .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                      .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                      .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                      .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    }
    const VkAttachmentReference depth = {count - 1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = to->target_count,
                                          .pColorAttachments = colors,
                                          .pDepthStencilAttachment = &depth};
    const VkSubpassDependency after = {.srcSubpass = 0,
                                       .dstSubpass = VK_SUBPASS_EXTERNAL,
                                       .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                                       VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
                                       .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                       .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT |
                                                        VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                                       .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = count,
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass,
                                         .dependencyCount = 1,
                                         .pDependencies = &after};
    VK_MUST(vkCreateRenderPass(vk->device, &info, NULL, &to->pass));
}

static void make_layout(subject *to, const vk_program *vk)
{
    layout_make(to->sets, vk, &to->layout);
    const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, to->push_size};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = to->set_count,
                                             .pSetLayouts = to->sets,
                                             .pushConstantRangeCount = to->push_size != 0,
                                             .pPushConstantRanges = &range};
    VK_MUST(vkCreatePipelineLayout(vk->device, &info, NULL, &to->pipeline_layout));
}

static VkResult make_compute(subject *to, vk_program *vk)
{
    VkComputePipelineCreateInfo info = vk_compute_info(vk, to->own, 0);
    info.stage.pName = wpg_inst_string(to->entry, 3);
    info.layout = to->pipeline_layout;
    return vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &to->pipeline);
}

static uint32_t fill_inputs(const subject *to, VkVertexInputAttributeDescription attributes[INTERFACE_SLOTS])
{
    static const VkFormat formats[] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SINT,
                                       VK_FORMAT_R32G32B32A32_UINT};
    uint32_t count = 0;
    for (uint32_t i = 0; i < to->inputs.count; i++) {
        const interface_slot *slot = &to->inputs.slots[i];
        bool found = false; /* two variables of one location are components of one attribute */
        for (uint32_t j = 0; j < count; j++)
            found |= attributes[j].location == slot->location;
        if (!found)
            attributes[count++] = (VkVertexInputAttributeDescription){slot->location, 0, formats[slot->kind],
                                                                      slot->location * 16};
    }
    return count;
}

static VkResult make_graphics(subject *to, vk_program *vk)
{
    const bool own_fragments = to->model == SpvExecutionModelFragment;
    const vk_stage stages[2] = {{VK_SHADER_STAGE_VERTEX_BIT, own_fragments ? to->partner : to->own, NULL},
                                {VK_SHADER_STAGE_FRAGMENT_BIT, own_fragments ? to->own : to->partner, NULL}};
    const VkVertexInputBindingDescription binding = {0, INTERFACE_SLOTS * 16, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthWriteEnable = VK_TRUE,
        .depthCompareOp = VK_COMPARE_OP_ALWAYS};
    VkVertexInputAttributeDescription attributes[INTERFACE_SLOTS];
    VkPipelineColorBlendAttachmentState blend[SUBJECT_TARGETS] = {{0}};
    vk_state state;
    vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    state.stages[own_fragments].pName = wpg_inst_string(to->entry, 3);
    state.viewport = (VkViewport){0, 0, SUBJECT_WIDTH, SUBJECT_HEIGHT, 0, 1};
    state.scissor.extent = (VkExtent2D){SUBJECT_WIDTH, SUBJECT_HEIGHT};
    for (uint32_t t = 0; t < to->target_count; t++)
        blend[t].colorWriteMask = (1u << to->targets[t].components) - 1;
    state.blend.attachmentCount = to->target_count;
    state.blend.pAttachments = blend;
    if (!own_fragments) {
        state.input.vertexAttributeDescriptionCount = fill_inputs(to, attributes);
        state.input.pVertexAttributeDescriptions = attributes;
        state.input.vertexBindingDescriptionCount = 1;
        state.input.pVertexBindingDescriptions = &binding;
    }
    state.info.pDepthStencilState = &depth;
    state.info.layout = to->pipeline_layout;
    state.info.renderPass = to->pass;
    return vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &to->pipeline);
}

static bool make_pipeline(subject *to, const char **why, vk_program *vk, const uint32_t *words, size_t count)
{
    VkResult result;
    *why = "refused by the driver";
    make_layout(to, vk);
    to->own = vk_module(vk, words, count, &result);
    if (!to->own)
        return false;
    if (to->model == SpvExecutionModelGLCompute)
        return make_compute(to, vk) == VK_SUCCESS;
    uint32_t *partner;
    size_t partner_count;
    if (!(to->model == SpvExecutionModelFragment ? partner_vertices(&partner, &partner_count, &to->inputs)
                                                 : partner_fragments(&partner, &partner_count, &to->outputs)))
        exit(VK_EXIT_FAILURE);
    to->partner = vk_module(vk, partner, partner_count, &result);
    free(partner);
    make_pass(to, vk);
    return make_graphics(to, vk) == VK_SUCCESS;
}

bool subject_make(subject *to, const char **why, vk_program *vk, const uint32_t *words, size_t count,
                  uint32_t model, const char *entry, given *by)
{
    *to = (subject){.model = model, .given = by};
    *why = "no module";
    if (wpg_module_parse(&to->module, words, count, NULL) == WPG_OK) {
        *why = "no such entry point";
        to->entry = wpg_find_entry_point(to->module, (SpvExecutionModel)model, entry);
        if (to->entry && read_stage(to, why, vk) && make_pipeline(to, why, vk, words, count))
            return true;
    }
    subject_drop(to, vk);
    return false;
}

void subject_drop(subject *of, vk_program *vk)
{
    vkDestroyPipeline(vk->device, of->pipeline, NULL);
    vkDestroyRenderPass(vk->device, of->pass, NULL);
    vkDestroyShaderModule(vk->device, of->own, NULL);
    vkDestroyShaderModule(vk->device, of->partner, NULL);
    vkDestroyPipelineLayout(vk->device, of->pipeline_layout, NULL);
    layout_drop(vk, of->sets);
    wpg_module_destroy(of->module);
    given_drop(of->given);
    *of = (subject){0};
}
