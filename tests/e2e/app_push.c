/* Scenarios of the test program about push descriptors: by every command that pushes or binds, with ordinary
 * sets beside them, in compute and graphics, in orders in which a layer's own set would take the place of the
 * program's. Nothing is bound or pushed again that Vulkan keeps (14.2.2). See app.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/newer.h"
#include "layer/commands/record.h"
#include "tests/e2e/app.h"

enum { SOURCE_WORDS = 64, TEXELS = 16 };

/* Pipelines of one stage each, by what their layouts have. All have the same push constants. */
typedef enum kernel { OWN_THEN_PUSHED, OWN, PUSHED_THEN_OWN, NOTHING, TWO_OWN, KERNELS } kernel;
static const struct {
    const char *compute, *fragment; /* NULL: there is none of that stage */
    char sets[3];                   /* o: ordinary, p: pushed */
} kernels[KERNELS] = {[OWN_THEN_PUSHED] = {"pushed_op.comp_push", "pushed_op.frag_push", "op"},
                      [OWN] = {"pushed_o.comp_push", "pushed_o.frag_push", "o"},
                      [PUSHED_THEN_OWN] = {"pushed_po.comp_push", "pushed_po.frag_push", "po"},
                      [NOTHING] = {"pushed_none.comp_push", "pushed_none.frag_push", ""},
                      [TWO_OWN] = {"pushed_oo.comp_push", NULL, "oo"}};

typedef void(VKAPI_PTR *bind_2)(VkCommandBuffer, const wpg_bind_descriptor_sets_info *);
typedef void(VKAPI_PTR *push_2)(VkCommandBuffer, const wpg_push_descriptor_set_info *);
typedef void(VKAPI_PTR *push_by_2)(VkCommandBuffer, const wpg_push_descriptor_set_by_info *);

typedef struct scene {
    vk_program *vk;
    VkPipelineBindPoint point;
    bool by_template, by_info;
    VkDescriptorSetLayout own, pushed;
    VkDescriptorPool pool;
    VkDescriptorSet sets[2];
    VkPipelineLayout layouts[KERNELS];
    VkPipeline pipelines[2][KERNELS]; /* by bind point */
    VkDescriptorUpdateTemplate templates[2][KERNELS];
    vk_buffer sources[2], factors[2], texels[2];
    VkBufferView views[2];
    uint32_t step;
    PFN_vkCmdPushDescriptorSetKHR push;
    PFN_vkCmdPushDescriptorSetWithTemplateKHR push_by;
    bind_2 bind_2;
    push_2 push_2;
    push_by_2 push_by_2;
    wpg_pfn_push_constants_2 constants_2;
} scene;

/* What is pushed, laid out as the templates say. */
typedef struct values {
    VkDescriptorBufferInfo factor;
    uint32_t between[3];
    VkDescriptorBufferInfo source[2], target;
    VkBufferView texels;
} values;

/* -- Set-up */

static void make_layouts(scene *s)
{
    vk_program *vk = s->vk;
    const VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    const VkDescriptorSetLayoutBinding own = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stages, NULL};
    const VkDescriptorSetLayoutBinding pushed[4] = {
        {3, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1, stages, NULL},
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, stages, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, stages, NULL},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stages, NULL}};
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &own};
    VK_MUST(vkCreateDescriptorSetLayout(vk->device, &info, NULL, &s->own));
    info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    info.bindingCount = 4;
    info.pBindings = pushed;
    VK_MUST(vkCreateDescriptorSetLayout(vk->device, &info, NULL, &s->pushed));
    for (int k = 0; k < KERNELS; k++) {
        VkDescriptorSetLayout sets[2];
        const VkPushConstantRange range = {stages, 0, 8};
        const uint32_t count = (uint32_t)strlen(kernels[k].sets);
        for (uint32_t i = 0; i < count; i++)
            sets[i] = kernels[k].sets[i] == 'p' ? s->pushed : s->own;
        const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                   .setLayoutCount = count,
                                                   .pSetLayouts = sets,
                                                   .pushConstantRangeCount = 1,
                                                   .pPushConstantRanges = &range};
        VK_MUST(vkCreatePipelineLayout(vk->device, &layout, NULL, &s->layouts[k]));
    }
}

static void make_templates(scene *s)
{
    const size_t stride = sizeof(VkDescriptorBufferInfo);
    const VkDescriptorUpdateTemplateEntry entries[] = {
        {3, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, offsetof(values, texels), 0},
        {0, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, offsetof(values, factor), 0},
        {1, 0, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, offsetof(values, source), stride}};
    for (int point = 0; point < 2; point++)
        for (int k = 0; k < KERNELS; k++) {
            const char *at = strchr(kernels[k].sets, 'p');
            const VkDescriptorUpdateTemplateCreateInfo info = {
                .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                .descriptorUpdateEntryCount = 3,
                .pDescriptorUpdateEntries = entries,
                .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
                .pipelineBindPoint = (VkPipelineBindPoint)point,
                .pipelineLayout = s->layouts[k],
                .set = at ? (uint32_t)(at - kernels[k].sets) : 0};
            if (at)
                VK_MUST(
                    vkCreateDescriptorUpdateTemplate(s->vk->device, &info, NULL, &s->templates[point][k]));
        }
}

static void make_pipelines(scene *s)
{
    vk_program *vk = s->vk;
    const VkShaderModule vertex = app_load(vk, "triangle.vert");
    for (int k = 0; k < KERNELS; k++) {
        const VkShaderModule module = app_load(vk, kernels[k].compute);
        VkComputePipelineCreateInfo info = vk_compute_info(vk, module, 0);
        info.layout = s->layouts[k];
        VK_MUST(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &s->pipelines[1][k]));
        vkDestroyShaderModule(vk->device, module, NULL);
        if (!kernels[k].fragment)
            continue;
        const vk_stage stages[2] = {{VK_SHADER_STAGE_VERTEX_BIT, vertex, NULL},
                                    {VK_SHADER_STAGE_FRAGMENT_BIT, app_load(vk, kernels[k].fragment), NULL}};
        vk_state state;
        vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
        state.info.layout = s->layouts[k];
        VK_MUST(
            vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &s->pipelines[0][k]));
        vkDestroyShaderModule(vk->device, stages[1].module, NULL);
    }
    vkDestroyShaderModule(vk->device, vertex, NULL);
}

static void make_sets(scene *s)
{
    vk_program *vk = s->vk;
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 2,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    const VkDescriptorSetLayout own[2] = {s->own, s->own};
    VK_MUST(vkCreateDescriptorPool(vk->device, &pool, NULL, &s->pool));
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = s->pool,
                                                  .descriptorSetCount = 2,
                                                  .pSetLayouts = own};
    VK_MUST(vkAllocateDescriptorSets(vk->device, &allocate, s->sets));
    for (int i = 0; i < 2; i++) {
        const VkDescriptorBufferInfo buffer = {vk->buffers[i].buffer, 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = s->sets[i],
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
    }
}

static void make_values(scene *s)
{
    uint32_t state = 4711;
    for (uint32_t i = 0; i < 2; i++) {
        vk_make_buffer(s->vk, &s->sources[i], SOURCE_WORDS, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
        vk_make_buffer(s->vk, &s->factors[i], 4, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
        vk_make_buffer(s->vk, &s->texels[i], TEXELS, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
        for (uint32_t k = 0; k < SOURCE_WORDS; k++)
            s->sources[i].words[k] = (state = state * 1664525u + 1013904223u) >> 16;
        for (uint32_t k = 0; k < TEXELS; k++)
            s->texels[i].words[k] = k * (7 + i);
        s->factors[i].words[0] = 3 + 8 * i;
        const VkBufferViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                             .buffer = s->texels[i].buffer,
                                             .format = VK_FORMAT_R32_UINT,
                                             .range = VK_WHOLE_SIZE};
        VK_MUST(vkCreateBufferView(s->vk->device, &view, NULL, &s->views[i]));
    }
}

static PFN_vkVoidFunction command(const scene *s, const char *name, const char *suffix)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    return vk_command(s->vk, full);
}

/* -- What a program does */

static void bind(scene *s, kernel by, uint32_t index, uint32_t which)
{
    const VkCommandBuffer commands = s->vk->commands;
    const wpg_bind_descriptor_sets_info info = {.sType = (VkStructureType)1000545003,
                                                .stageFlags = s->point ? VK_SHADER_STAGE_COMPUTE_BIT
                                                                       : VK_SHADER_STAGE_FRAGMENT_BIT,
                                                .layout = s->layouts[by],
                                                .firstSet = index,
                                                .descriptorSetCount = 1,
                                                .pDescriptorSets = &s->sets[which]};
    if (s->by_info)
        s->bind_2(commands, &info);
    else
        vkCmdBindDescriptorSets(commands, s->point, s->layouts[by], index, 1, &s->sets[which], 0, NULL);
}

static uint32_t push_index(kernel by)
{
    return (uint32_t)(strchr(kernels[by].sets, 'p') - kernels[by].sets);
}

static void push_writes(scene *s, kernel by, uint32_t count, const VkWriteDescriptorSet *writes)
{
    const wpg_push_descriptor_set_info info = {.sType = (VkStructureType)1000545005,
                                               .stageFlags = s->point ? VK_SHADER_STAGE_COMPUTE_BIT
                                                                      : VK_SHADER_STAGE_ALL_GRAPHICS,
                                               .layout = s->layouts[by],
                                               .set = push_index(by),
                                               .descriptorWriteCount = count,
                                               .pDescriptorWrites = writes};
    if (s->by_info)
        s->push_2(s->vk->commands, &info);
    else
        s->push(s->vk->commands, s->point, info.layout, info.set, count, writes);
}

static VkWriteDescriptorSet write_to(uint32_t binding, uint32_t count, VkDescriptorType type)
{
    return (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstBinding = binding,
                                  .descriptorCount = count,
                                  .descriptorType = type};
}

/* All descriptors: of the first or second sources, factor and texels. */
static void push_all(scene *s, kernel by, uint32_t which)
{
    values v = {.factor = {s->factors[which].buffer, 0, VK_WHOLE_SIZE},
                .source = {{s->sources[which].buffer, 0, VK_WHOLE_SIZE},
                           {s->sources[!which].buffer, 0, VK_WHOLE_SIZE}},
                .target = {s->vk->buffers[3].buffer, 0, VK_WHOLE_SIZE},
                .texels = s->views[which]};
    const VkDescriptorUpdateTemplate made = s->templates[s->point][by];
    const wpg_push_descriptor_set_by_info info = {.sType = (VkStructureType)1000545006,
                                                  .descriptorUpdateTemplate = made,
                                                  .layout = s->layouts[by],
                                                  .set = push_index(by),
                                                  .pData = &v};
    if (s->by_template && s->by_info)
        s->push_by_2(s->vk->commands, &info);
    else if (s->by_template)
        s->push_by(s->vk->commands, made, info.layout, info.set, &v);
    else {
        /* The sources, and beyond them the target. */
        const VkDescriptorBufferInfo storage[3] = {v.source[0], v.source[1], v.target};
        VkWriteDescriptorSet writes[3] = {write_to(1, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
                                          write_to(0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER),
                                          write_to(3, 1, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER)};
        writes[0].pBufferInfo = storage;
        writes[1].pBufferInfo = &v.factor;
        writes[2].pTexelBufferView = &v.texels;
        push_writes(s, by, 3, writes);
    }
    memset(&v, 0xa5, sizeof v); /* the command has read it */
}

static void push_factor(scene *s, kernel by, uint32_t which)
{
    const VkDescriptorBufferInfo factor = {s->factors[which].buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = write_to(0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
    write.pBufferInfo = &factor;
    push_writes(s, by, 1, &write);
}

/* A dispatch, or a draw of the next strip. */
static void run(scene *s, kernel which)
{
    const VkCommandBuffer commands = s->vk->commands;
    const uint32_t constants[2] = {s->step++, 3};
    const wpg_push_constants_info info = {.sType = (VkStructureType)1000545004,
                                          .layout = s->layouts[which],
                                          .stageFlags =
                                              VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
                                          .size = sizeof constants,
                                          .pValues = constants};
    vkCmdBindPipeline(commands, s->point, s->pipelines[s->point][which]);
    if (s->by_info)
        s->constants_2(commands, &info);
    else
        vkCmdPushConstants(commands, info.layout, info.stageFlags, 0, info.size, constants);
    if (!s->point) {
        vkCmdDraw(commands, 3, 1, 0, 0);
        return;
    }
    const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    vkCmdDispatch(commands, 2, 1, 1);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         0, 1, &memory, 0, NULL, 0, NULL);
}

/* What a layer's set at the index behind a pipeline's own would take the place of. */
static void swap(scene *s)
{
    bind(s, OWN_THEN_PUSHED, 0, 0);
    push_all(s, OWN_THEN_PUSHED, 0);
    run(s, OWN_THEN_PUSHED);
    run(s, OWN);             /* a set at 1: */
    run(s, OWN_THEN_PUSHED); /* what was pushed there is kept */
    run(s, OWN);
    push_factor(s, OWN_THEN_PUSHED, 1); /* the other values are kept */
    run(s, OWN_THEN_PUSHED);
    run(s, NOTHING); /* a set at 0: all is kept */
    run(s, OWN_THEN_PUSHED);
    /* Now pushed at 0. What was at 0 and 1 is disturbed. */
    push_all(s, PUSHED_THEN_OWN, 1);
    bind(s, PUSHED_THEN_OWN, 1, 1);
    run(s, PUSHED_THEN_OWN);
    run(s, NOTHING);
    push_factor(s, PUSHED_THEN_OWN, 0);
    run(s, PUSHED_THEN_OWN);
}

/* Ordinary sets alone, the higher one first. */
static void swap_own(scene *s)
{
    bind(s, TWO_OWN, 1, 1);
    bind(s, TWO_OWN, 0, 0);
    run(s, TWO_OWN);
    run(s, OWN);
    run(s, TWO_OWN);
    run(s, NOTHING);
    run(s, TWO_OWN);
}

static void compute(scene *s, const char *what)
{
    vk_program *vk = s->vk;
    for (int i = 0; i < VK_BUFFERS; i++)
        memset(vk->buffers[i].words, 0, vk->buffers[i].count * 4);
    s->point = VK_PIPELINE_BIND_POINT_COMPUTE;
    s->step = 0;
    vk_begin(vk);
    swap_own(s);
    swap(s);
    swap_own(s);
    vk_finish(vk);
    printf("%s: compute %08x %08x %08x\n", what, app_checksum(vk->buffers[0].words, vk->buffers[0].count),
           app_checksum(vk->buffers[1].words, vk->buffers[1].count),
           app_checksum(vk->buffers[3].words, vk->buffers[3].count));
}

static void draw(scene *s, const char *what)
{
    vk_program *vk = s->vk;
    const VkClearValue clear = {.color = {.float32 = {0.25f, 0.5f, 0.75f, 1.0f}}};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = vk->pass,
                                        .framebuffer = vk->framebuffer,
                                        .renderArea = {{0, 0}, {VK_WIDTH, VK_HEIGHT}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    s->point = VK_PIPELINE_BIND_POINT_GRAPHICS;
    s->step = 0;
    vk_begin(vk);
    vkCmdBeginRenderPass(vk->commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
    swap(s);
    vkCmdEndRenderPass(vk->commands);
    vk_copy_pixels(vk);
    vk_finish(vk);
    printf("%s: draw %08x in %u draws\n", what, app_checksum(vk->pixels.words, VK_WIDTH * VK_HEIGHT),
           s->step);
}

static void finish(scene *s)
{
    vk_program *vk = s->vk;
    for (int k = 0; k < KERNELS; k++) {
        for (int point = 0; point < 2; point++) {
            vkDestroyPipeline(vk->device, s->pipelines[point][k], NULL);
            vkDestroyDescriptorUpdateTemplate(vk->device, s->templates[point][k], NULL);
        }
        vkDestroyPipelineLayout(vk->device, s->layouts[k], NULL);
    }
    for (int i = 0; i < 2; i++) {
        vkDestroyBufferView(vk->device, s->views[i], NULL);
        vk_drop_buffer(vk, &s->sources[i]);
        vk_drop_buffer(vk, &s->factors[i]);
        vk_drop_buffer(vk, &s->texels[i]);
    }
    vkDestroyDescriptorPool(vk->device, s->pool, NULL);
    vkDestroyDescriptorSetLayout(vk->device, s->own, NULL);
    vkDestroyDescriptorSetLayout(vk->device, s->pushed, NULL);
}

void app_push(vk_program *vk, bool core, bool old)
{
    const char *suffix = core ? "" : "KHR";
    scene s = {.vk = vk};
    make_layouts(&s);
    make_templates(&s);
    make_pipelines(&s);
    make_sets(&s);
    make_values(&s);
    s.push = (PFN_vkCmdPushDescriptorSetKHR)command(&s, "vkCmdPushDescriptorSet", suffix);
    s.push_by =
        (PFN_vkCmdPushDescriptorSetWithTemplateKHR)command(&s, "vkCmdPushDescriptorSetWithTemplate", suffix);
    const bool newer = !old && (core || vk->optional.maintenance6);
    if (newer) {
        s.bind_2 = (bind_2)command(&s, "vkCmdBindDescriptorSets2", suffix);
        s.push_2 = (push_2)command(&s, "vkCmdPushDescriptorSet2", suffix);
        s.push_by_2 = (push_by_2)command(&s, "vkCmdPushDescriptorSetWithTemplate2", suffix);
        s.constants_2 = (wpg_pfn_push_constants_2)command(&s, "vkCmdPushConstants2", suffix);
    }
    for (int way = 0; way < (newer ? 4 : 2); way++) {
        static const char *const names[4] = {"values", "template", "values by structure",
                                             "template by structure"};
        s.by_template = way & 1;
        s.by_info = way & 2;
        compute(&s, names[way]);
        draw(&s, names[way]);
    }
    finish(&s);
}
