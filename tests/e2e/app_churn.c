/* Scenarios of the test program that make, run and destroy ARGUMENT distinct things (1,000 without one), one
 * after the other, as a test suite does: one shader under as many specialisation values. "COUNT,RUN,VALUES":
 * each RUN-th runs, 0: none; with only so many values, which come again; 0: with as many as COUNT.
 *
 *     churn          compute pipelines, a module each
 *     churn-parts    graphics pipelines linked from libraries; each third link is an optimised one
 *     churn-objects  compute shader objects; with each a linked pair for draws, which runs nowhere
 *
 * "COUNT,RUN,VALUES,late": the last few that ran stay alive, and run again at their end. By then the layer
 * has given to others what it takes back. Libraries are destroyed as soon as they are linked. This takes
 * SHIM_KEEP (shim_layer.c): lavapipe 25.0.7 reads their memory when the link draws, also without a layer.
 *
 * To standard error, ten times: how many, KiB of resident memory, KiB in use of the heap, the least and the
 * most since the line before, milliseconds of processor time. What goes to standard output does not depend on
 * a layer: checksums, and how often something ran. See app.c. */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layer/base/newer.h"
#include "tests/e2e/app.h"

enum { KEPT = 8 /* late */ };

typedef void(VKAPI_PTR *pfn_bind_shaders)(VkCommandBuffer commands, uint32_t count,
                                          const VkShaderStageFlagBits *stages, const wpg_shader *shaders);

typedef struct churn {
    vk_program *vk;
    uint32_t *words[3]; /* by index into names[] */
    size_t counts[3];
    wpg_pfn_create_shaders create; /* objects */
    wpg_pfn_destroy_shader destroy;
    pfn_bind_shaders bind;
    VkPipeline parts[VK_PARTS]; /* of the last link, where they are destroyed with it */
    unsigned long ran;
    uint32_t sum;
    bool late;
} churn;

static const char *const names[3] = {"push.comp", "triangle.vert", "churn.frag"};

typedef struct kind {
    const char *name;
    uint64_t (*make)(churn *all, uint32_t value); /* a handle */
    void (*run)(churn *all, uint64_t handle);
    void (*destroy)(churn *all, uint64_t handle);
} kind;

/* -- Memory */

static size_t least = SIZE_MAX, most; /* bytes of the heap */

static size_t look(void)
{
    const struct mallinfo2 info = mallinfo2();
    const size_t heap = info.uordblks + info.hblkhd;
    least = heap < least ? heap : least;
    most = heap > most ? heap : most;
    return heap;
}

static void tell(unsigned long count)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    const size_t heap = look() / 1024;
    fprintf(stderr, "churn %lu: %ld KiB resident, %zu KiB of heap ( %zu to %zu ), %.0f ms of processors\n",
            count, app_resident(), heap, least / 1024, most / 1024,
            (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6);
    least = SIZE_MAX;
    most = 0;
}

/* -- Compute pipelines */

static uint64_t make_pipeline(churn *all, uint32_t value)
{
    return (uint64_t)app_make_of_value(all->vk, all->words[0], all->counts[0], value);
}

static void add(churn *all, const uint32_t *words, size_t count)
{
    all->sum = all->sum * 31 + app_checksum(words, count);
    all->ran++;
}

static void run_pipeline(churn *all, uint64_t handle)
{
    app_run_of_value(all->vk, (VkPipeline)handle);
    add(all, all->vk->buffers[2].words, 32);
}

static void destroy_pipeline(churn *all, uint64_t handle)
{
    vkDestroyPipeline(all->vk->device, (VkPipeline)handle, NULL);
}

/* -- Links */

static const VkSpecializationMapEntry entry = {3, 0, sizeof(uint32_t)};

static uint64_t make_link(churn *all, uint32_t value)
{
    vk_program *vk = all->vk;
    VkResult result;
    const VkSpecializationInfo specialization = {1, &entry, sizeof value, &value};
    const vk_stage stages[2] = {
        {VK_SHADER_STAGE_VERTEX_BIT, vk_module(vk, all->words[1], all->counts[1], &result), NULL},
        {VK_SHADER_STAGE_FRAGMENT_BIT, vk_module(vk, all->words[2], all->counts[2], &result),
         &specialization}};
    VkPipeline parts[VK_PARTS];
    vk_state state;
    vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    const VkPipeline pipeline = vk_make_link(
        parts, vk, &state,
        value % 3 ? 0 : (VkPipelineCreateFlags)VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT);
    for (int i = 0; i < VK_PARTS; i++)
        if (all->late)
            vkDestroyPipeline(vk->device, parts[i], NULL);
        else
            all->parts[i] = parts[i];
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
    return (uint64_t)pipeline;
}

static void destroy_link(churn *all, uint64_t handle)
{
    destroy_pipeline(all, handle);
    for (int i = 0; i < VK_PARTS; i++)
        vkDestroyPipeline(all->vk->device, all->parts[i], NULL);
}

static void run_link(churn *all, uint64_t handle)
{
    vk_draw(all->vk, (VkPipeline)handle, 3);
    add(all, all->vk->pixels.words, VK_WIDTH * VK_HEIGHT);
}

/* -- Shader objects */

static uint64_t make_object(churn *all, uint32_t value)
{
    static const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 16};
    static const VkShaderStageFlagBits stages[3] = {VK_SHADER_STAGE_COMPUTE_BIT, VK_SHADER_STAGE_VERTEX_BIT,
                                                    VK_SHADER_STAGE_FRAGMENT_BIT};
    const VkSpecializationInfo specialization = {1, &entry, sizeof value, &value};
    wpg_shader_create_info infos[3];
    wpg_shader made[3];
    for (int i = 0; i < 3; i++)
        infos[i] = (wpg_shader_create_info){
            .sType = (VkStructureType)1000482002, /* VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT */
            .flags = i ? WPG_SHADER_LINK_STAGE : 0,
            .stage = stages[i],
            .nextStage = i == 1 ? (VkShaderStageFlags)VK_SHADER_STAGE_FRAGMENT_BIT : 0,
            .codeType = WPG_SHADER_CODE_SPIRV,
            .codeSize = all->counts[i] * 4,
            .pCode = all->words[i],
            .pName = "main",
            .setLayoutCount = 1,
            .pSetLayouts = &all->vk->set_layout,
            .pushConstantRangeCount = 1,
            .pPushConstantRanges = &range,
            .pSpecializationInfo = i == 1 ? NULL : &specialization};
    VK_MUST(all->create(all->vk->device, 1, infos, NULL, made));
    VK_MUST(all->create(all->vk->device, 2, infos + 1, NULL, made + 1));
    for (int i = 1; i < 3; i++)
        all->destroy(all->vk->device, made[i], NULL);
    return made[0];
}

static void run_object(churn *all, uint64_t handle)
{
    static const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    const uint32_t push[4] = {1, 2, 3, 4};
    const wpg_shader shader = handle;
    vk_program *vk = all->vk;
    vk_begin(vk);
    all->bind(vk->commands, 1, &stage, &shader);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, vk->layout, 0, 1, &vk->set, 0,
                            NULL);
    vkCmdPushConstants(vk->commands, vk->layout, VK_SHADER_STAGE_ALL, 0, sizeof push, push);
    vkCmdDispatch(vk->commands, 2, 1, 1);
    vk_finish(vk);
    add(all, vk->buffers[2].words, 32);
}

static void destroy_object(churn *all, uint64_t handle)
{
    all->destroy(all->vk->device, handle, NULL);
}

/* -- The scenarios */

static const kind kinds[] = {{"churn", make_pipeline, run_pipeline, destroy_pipeline},
                             {"churn-parts", make_link, run_link, destroy_link},
                             {"churn-objects", make_object, run_object, destroy_object}};

static const kind *kind_of(const char *scenario)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, scenario) == 0)
            return &kinds[i];
    printf("no scenario %s\n", scenario);
    exit(VK_EXIT_FAILURE);
}

static void end(churn *all, const kind *what, uint64_t handle)
{
    what->run(all, handle);
    what->destroy(all, handle);
}

void app_churn(vk_program *vk, const char *scenario, const char *argument)
{
    const kind *what = kind_of(scenario);
    churn all = {.vk = vk};
    char *rest = NULL;
    unsigned long count = argument ? strtoul(argument, &rest, 10) : 1000, every = 1, values = 0;
    uint64_t kept[KEPT];
    unsigned long in = 0, out = 0; /* of what is kept */
    if (rest && *rest == ',')
        every = strtoul(rest + 1, &rest, 10);
    if (rest && *rest == ',')
        values = strtoul(rest + 1, &rest, 10);
    all.late = rest && strcmp(rest, ",late") == 0;
    for (int i = 0; i < 3; i++)
        app_read_shader(&all.words[i], &all.counts[i], names[i]);
    if (strcmp(scenario, "churn-objects") == 0) {
        all.create = (wpg_pfn_create_shaders)vk_command(vk, "vkCreateShadersEXT");
        all.destroy = (wpg_pfn_destroy_shader)vk_command(vk, "vkDestroyShaderEXT");
        all.bind = (pfn_bind_shaders)vk_command(vk, "vkCmdBindShadersEXT");
    }
    tell(0);
    for (unsigned long i = 1; i <= count; i++) {
        const uint64_t handle = what->make(&all, (uint32_t)(values ? i % values : i));
        const bool runs = every && i % every == 0;
        if (runs)
            what->run(&all, handle);
        if (!runs || !all.late)
            what->destroy(&all, handle);
        else {
            if (in - out == KEPT)
                end(&all, what, kept[out++ % KEPT]);
            kept[in++ % KEPT] = handle;
        }
        if (i % 16 == 0)
            (void)look();
        if (count >= 10 && i % (count / 10) == 0)
            tell(i);
    }
    while (out < in)
        end(&all, what, kept[out++ % KEPT]);
    printf("churn of %lu: %08x\n%lu runs\n", count, all.sum, all.ran);
    for (int i = 0; i < 3; i++)
        free(all.words[i]);
}
