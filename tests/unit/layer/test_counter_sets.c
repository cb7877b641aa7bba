/* Counters by binding, against what Vulkan says of sets: random programs record twice, through the hooks and
 * straight, over a made-up driver that follows the rules of 14.2.2 step by step. At each draw and dispatch a
 * set that the pipeline could use without the layer is there with it, with the same content, and so is the
 * layer's own. The rules are written down here by whole layouts, in the layer by hashes and masks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layer/base/newer.h"
#include "layer/commands/counter_sets.h"
#include "tests/support/effort.h"
#include "tests/unit/layer/idle_device.h"

enum {
    SETS = 8,
    VALUES = 8,
    SET_LAYOUTS = 10,
    LAYOUTS = 10,
    PIPELINES = 3 * LAYOUTS,
    STEPS = 120,
    LEFT_SETS = 4, /* of the device */
    OBJECTS = 4096
};

/* -- Memory that runs out: allocations of this program fail while `failing`. A sanitizer has allocations of
 * its own: there this part rests. */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_FAIL 0
static bool failing;
#else
#define CAN_FAIL 1
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
static bool failing;

void *calloc(size_t count, size_t size)
{
    return failing ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return failing ? NULL : __libc_realloc(old, size);
}
#endif

/* -- What Vulkan does not say of pushes, and drivers do in either way: whether one disturbs other sets, and
 * whether values stay where the sets below are others. A program counts on what is there both ways. */

static bool pushes_disturb, values_stay;

/* -- The driver's objects */

typedef struct driver_set_layout {
    uint32_t definition, dynamic, values;
    bool pushes;
} driver_set_layout;

typedef struct driver_layout {
    uint32_t count, range;
    driver_set_layout sets[SETS];
} driver_layout;

static driver_set_layout set_layouts[OBJECTS];
static driver_layout layouts[OBJECTS];
static VkDescriptorUpdateTemplateEntry entries[OBJECTS][2];
static VkPipelineBindPoint template_points[OBJECTS];
static uint32_t objects;
static VkPipelineLayout layouts_of_ours[OBJECTS]; /* the layout that was made right after the program's */

#define SLOT(handle) ((uint32_t)(uint64_t)(handle))

static uint32_t mix(uint32_t sum, uint32_t more)
{
    return (sum ^ more) * 16777619u;
}

/* By order of number: the program here names them in any order. */
static VKAPI_ATTR VkResult VKAPI_CALL create_set_layout(VkDevice d,
                                                        const VkDescriptorSetLayoutCreateInfo *info,
                                                        const VkAllocationCallbacks *a,
                                                        VkDescriptorSetLayout *made)
{
    (void)d, (void)a;
    driver_set_layout *layout = &set_layouts[++objects];
    *layout = (driver_set_layout){.definition = mix(7, info->flags), .pushes = info->flags & 1};
    for (uint32_t number = 0; number < 8; number++)
        for (uint32_t i = 0; i < info->bindingCount; i++) {
            const VkDescriptorSetLayoutBinding *b = &info->pBindings[i];
            if (b->binding != number)
                continue;
            layout->definition =
                mix(mix(mix(layout->definition, number), b->descriptorCount), (uint32_t)b->descriptorType);
            layout->values += b->descriptorCount;
            if (b->descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
                layout->dynamic += b->descriptorCount;
        }
    *made = HANDLE(VkDescriptorSetLayout, objects);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipeline_layout(VkDevice d,
                                                             const VkPipelineLayoutCreateInfo *info,
                                                             const VkAllocationCallbacks *a,
                                                             VkPipelineLayout *made)
{
    (void)d, (void)a;
    driver_layout *layout = &layouts[++objects];
    assert_true(info->setLayoutCount <= LEFT_SETS);
    *layout = (driver_layout){.count = info->setLayoutCount, .range = info->pushConstantRangeCount};
    for (uint32_t i = 0; i < layout->count; i++)
        layout->sets[i] = set_layouts[SLOT(info->pSetLayouts[i])];
    *made = HANDLE(VkPipelineLayout, objects);
    layouts_of_ours[objects - 1] = *made;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_template(VkDevice d,
                                                      const VkDescriptorUpdateTemplateCreateInfo *info,
                                                      const VkAllocationCallbacks *a,
                                                      VkDescriptorUpdateTemplate *made)
{
    (void)d, (void)a;
    assert_int_equal(info->descriptorUpdateEntryCount, 2);
    memcpy(entries[++objects], info->pDescriptorUpdateEntries, sizeof *entries);
    template_points[objects] = info->pipelineBindPoint;
    *made = HANDLE(VkDescriptorUpdateTemplate, objects);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_any(void) {}

/* -- What is bound, by the rules */

typedef struct driver_set {
    bool bound, undefined;
    const driver_layout *layout;
    VkDescriptorSet set; /* VK_NULL_HANDLE: pushed */
    uint32_t offset;
    VkBuffer values[VALUES]; /* VK_NULL_HANDLE: undefined */
} driver_set;

typedef struct driver_state {
    driver_set sets[2][SETS];
} driver_state;

static driver_state with, without[2], *into; /* without: pushes disturb nothing; they do */
static VkPipeline bound_pipeline[2];
static uint32_t checked;
static bool starving; /* memory runs out now and then: what is bound is anyone's guess */

static bool compatible(const driver_layout *a, const driver_layout *b, uint32_t index)
{
    if (index >= a->count || index >= b->count || a->range != b->range)
        return false;
    for (uint32_t i = 0; i <= index; i++)
        if (a->sets[i].definition != b->sets[i].definition)
            return false;
    return true;
}

static void disturb(driver_set *set, const driver_layout *by)
{
    if (!set->bound)
        return;
    set->undefined = true;
    set->layout = by;
}

static void bind_one(driver_set *sets, const driver_layout *layout, uint32_t index, bool disturbs)
{
    const driver_set before = sets[index];
    assert_true(index < layout->count);
    for (uint32_t k = 0; disturbs && k < index; k++)
        if (sets[k].bound && !compatible(sets[k].layout, layout, k))
            disturb(&sets[k], layout);
    if (disturbs && before.bound && !compatible(before.layout, layout, index))
        for (uint32_t k = index + 1; k < SETS; k++)
            disturb(&sets[k], layout);
    sets[index].bound = true;
    sets[index].undefined = false;
    sets[index].layout = layout;
}

static VKAPI_ATTR void VKAPI_CALL bind_sets(VkCommandBuffer c, VkPipelineBindPoint point,
                                            VkPipelineLayout handle, uint32_t first, uint32_t count,
                                            const VkDescriptorSet *sets, uint32_t offset_count,
                                            const uint32_t *offsets)
{
    (void)c;
    const driver_layout *layout = &layouts[SLOT(handle)];
    for (uint32_t i = 0; i < count; i++) {
        driver_set *set = &into->sets[point][first + i];
        bind_one(into->sets[point], layout, first + i, true);
        assert_false(layout->sets[first + i].pushes);
        assert_true(layout->sets[first + i].dynamic <= offset_count);
        set->set = sets[i];
        set->offset = layout->sets[first + i].dynamic ? offsets[0] : 0;
        offsets += layout->sets[first + i].dynamic;
        offset_count -= layout->sets[first + i].dynamic;
    }
    assert_int_equal(offset_count, 0);
}

/* The values of a set of pushes, before those of a push. */
static VkBuffer *push_one(VkPipelineBindPoint point, VkPipelineLayout handle, uint32_t index)
{
    const driver_layout *layout = &layouts[SLOT(handle)];
    driver_set *set = &into->sets[point][index];
    assert_true(index < layout->count && layout->sets[index].pushes);
    const bool same = set->bound && !set->undefined && !set->set &&
                      (values_stay ? set->layout->sets[index].definition == layout->sets[index].definition
                                   : compatible(set->layout, layout, index));
    bind_one(into->sets[point], layout, index, into == &with ? pushes_disturb : into == &without[1]);
    if (!same)
        memset(set->values, 0, sizeof set->values);
    set->set = VK_NULL_HANDLE;
    return set->values;
}

/* Bindings 2 (two descriptors) and 5 of every set that is pushed; of some 6, too. */
static uint32_t value_of(uint32_t binding, uint32_t element)
{
    return (binding == 2 ? 0 : binding == 5 ? 2 : 3) + element;
}

static void write_values(VkBuffer *values, uint32_t count, const VkWriteDescriptorSet *writes)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < writes[i].descriptorCount; k++)
            values[value_of(writes[i].dstBinding, writes[i].dstArrayElement) + k] =
                writes[i].pBufferInfo[k].buffer;
}

static VKAPI_ATTR void VKAPI_CALL push_sets(VkCommandBuffer c, VkPipelineBindPoint point,
                                            VkPipelineLayout layout, uint32_t set, uint32_t count,
                                            const VkWriteDescriptorSet *writes)
{
    (void)c;
    write_values(push_one(point, layout, set), count, writes);
}

static VKAPI_ATTR void VKAPI_CALL push_by(VkCommandBuffer c, VkDescriptorUpdateTemplate by,
                                          VkPipelineLayout layout, uint32_t set, const void *data)
{
    (void)c;
    VkBuffer *values = push_one(template_points[SLOT(by)], layout, set);
    for (uint32_t i = 0; i < 2; i++) {
        const VkDescriptorUpdateTemplateEntry *entry = &entries[SLOT(by)][i];
        for (uint32_t k = 0; k < entry->descriptorCount; k++)
            memcpy(&values[value_of(entry->dstBinding, entry->dstArrayElement) + k],
                   (const char *)data + entry->offset + k * entry->stride, sizeof *values);
    }
}

static VKAPI_ATTR void VKAPI_CALL bind_sets_2(VkCommandBuffer c, const wpg_bind_descriptor_sets_info *info)
{
    for (int point = 0; point < 2; point++)
        if (info->stageFlags & (point ? VK_SHADER_STAGE_COMPUTE_BIT : VK_SHADER_STAGE_ALL_GRAPHICS))
            bind_sets(c, (VkPipelineBindPoint)point, info->layout, info->firstSet, info->descriptorSetCount,
                      info->pDescriptorSets, info->dynamicOffsetCount, info->pDynamicOffsets);
}

static VKAPI_ATTR void VKAPI_CALL push_sets_2(VkCommandBuffer c, const wpg_push_descriptor_set_info *info)
{
    for (int point = 0; point < 2; point++)
        if (info->stageFlags & (point ? VK_SHADER_STAGE_COMPUTE_BIT : VK_SHADER_STAGE_ALL_GRAPHICS))
            push_sets(c, (VkPipelineBindPoint)point, info->layout, info->set, info->descriptorWriteCount,
                      info->pDescriptorWrites);
}

static VKAPI_ATTR void VKAPI_CALL push_by_2(VkCommandBuffer c, const wpg_push_descriptor_set_by_info *info)
{
    push_by(c, info->descriptorUpdateTemplate, info->layout, info->set, info->pData);
}

static VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer c, VkPipelineBindPoint point, VkPipeline p)
{
    (void)c;
    bound_pipeline[point] = p;
}

/* -- The program's pipelines: of each layout two that count, where there is room, and one that does not. */

static VkPipelineLayout program_layouts[LAYOUTS];
static const VkPipeline first_pipeline = HANDLE(VkPipeline, 1000);

static VkPipelineLayout layout_of(VkPipeline pipeline)
{
    return program_layouts[(SLOT(pipeline) - SLOT(first_pipeline)) / 3];
}
static VkDescriptorSet counters_of(VkPipeline pipeline)
{
    const uint32_t number = SLOT(pipeline) - SLOT(first_pipeline);
    const bool room = layouts[SLOT(layout_of(pipeline))].count < LEFT_SETS;
    return room && number % 3 ? HANDLE(VkDescriptorSet, 5000 + number) : VK_NULL_HANDLE;
}

static bool usable(const driver_set *set, const driver_layout *layout, uint32_t index)
{
    return set->bound && !set->undefined && compatible(set->layout, layout, index);
}

static void check(VkPipelineBindPoint point)
{
    const VkPipeline pipeline = bound_pipeline[point];
    if (!pipeline || starving)
        return;
    const driver_layout *layout = &layouts[SLOT(layout_of(pipeline))];
    for (uint32_t k = 0; k < layout->count; k++) {
        const driver_set *is = &with.sets[point][k], *was = &without[0].sets[point][k];
        if (!usable(was, layout, k) || !usable(&without[1].sets[point][k], layout, k))
            continue;
        assert_true(usable(is, layout, k));
        assert_true(is->set == was->set);
        assert_int_equal(is->offset, was->set ? was->offset : is->offset);
        for (uint32_t i = 0; !was->set && i < VALUES; i++)
            if (without[1].sets[point][k].values[i])
                assert_true(!was->values[i] || is->values[i] == was->values[i]);
        checked++;
    }
    const VkDescriptorSet counters = counters_of(pipeline);
    if (!counters)
        return;
    const driver_set *ours = &with.sets[point][layout->count];
    const driver_layout *its = &layouts[SLOT(layouts_of_ours[SLOT(layout_of(pipeline))])];
    assert_int_equal(its->count, layout->count + 1);
    assert_true(usable(ours, its, layout->count));
    assert_true(ours->set == counters);
}

static VKAPI_ATTR void VKAPI_CALL draw(VkCommandBuffer c, uint32_t v, uint32_t i, uint32_t fv, uint32_t fi)
{
    (void)c, (void)v, (void)i, (void)fv, (void)fi;
    check(VK_PIPELINE_BIND_POINT_GRAPHICS);
}
static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z)
{
    (void)c, (void)x, (void)y, (void)z;
    check(VK_PIPELINE_BIND_POINT_COMPUTE);
}

/* -- The device */

static wpg_instance instance;

static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties *out)
{
    (void)physical;
    *out = (VkPhysicalDeviceProperties){.limits = {.maxBoundDescriptorSets = LEFT_SETS,
                                                   .maxPerStageDescriptorStorageBuffers = 100,
                                                   .maxPerStageResources = 100,
                                                   .maxDescriptorSetStorageBuffers = 100}};
}

static uint32_t seed;
static uint32_t below(uint32_t bound)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % bound;
}

static VkDescriptorSetLayout made_sets[SET_LAYOUTS];

/* Each definition twice, by two handles. */
static void make_set_layouts(void)
{
    const VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                           dynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    const VkShaderStageFlags all = VK_SHADER_STAGE_ALL;
    const VkDescriptorSetLayoutBinding bindings[5][3] = {
        {{0, storage, 1, all, NULL}},
        {{0, storage, 2, all, NULL}},
        {{0, dynamic, 1, all, NULL}},
        {{5, storage, 1, all, NULL}, {2, storage, 2, all, NULL}},
        {{6, storage, 1, all, NULL}, {2, storage, 2, all, NULL}, {5, storage, 1, all, NULL}}};
    static const uint32_t counts[5] = {1, 1, 1, 2, 3};
    for (uint32_t i = 0; i < SET_LAYOUTS; i++) {
        const VkDescriptorSetLayoutCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .flags = i / 2 >= 3 ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0,
            .bindingCount = counts[i / 2],
            .pBindings = bindings[i / 2]};
        assert_int_equal(wpg_counter_CreateDescriptorSetLayout(DEVICE, &info, NULL, &made_sets[i]),
                         VK_SUCCESS);
    }
}

static void make_layouts(void)
{
    for (uint32_t i = 0; i < LAYOUTS; i++) {
        VkDescriptorSetLayout sets[LEFT_SETS];
        const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 16};
        VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                           .setLayoutCount = below(LEFT_SETS + 1),
                                           .pSetLayouts = sets,
                                           .pushConstantRangeCount = below(5) == 0,
                                           .pPushConstantRanges = &range};
        bool pushes = false;
        for (uint32_t k = 0; k < info.setLayoutCount; k++) {
            const uint32_t which = below(3) ? k % 4 * 2 + below(2) : below(SET_LAYOUTS); /* alike, mostly */
            sets[k] = made_sets[pushes && which >= 6 ? which % 6 : which];
            pushes |= which >= 6;
        }
        assert_int_equal(wpg_record_CreatePipelineLayout(DEVICE, &info, NULL, &program_layouts[i]),
                         VK_SUCCESS);
    }
    for (uint32_t i = 0; i < PIPELINES; i++) {
        const VkPipeline pipeline = HANDLE(VkPipeline, SLOT(first_pipeline) + i);
        wpg_counter_layout *layout = wpg_counter_layout_of(&device, layout_of(pipeline));
        assert_non_null(layout);
        assert_int_equal(!layout->why, layout->count < LEFT_SETS);
        assert_true(wpg_counter_pipeline_add(&device, pipeline, layout, counters_of(pipeline)));
    }
}

static int open_device(void **state)
{
    (void)state;
    if (open_idle_device(WPG_MODE_GENERATE) != 0)
        return -1;
    instance.next.GetPhysicalDeviceProperties = properties;
    device.instance = &instance;
    device.next.CreateDescriptorSetLayout = create_set_layout;
    device.next.CreatePipelineLayout = create_pipeline_layout;
    device.next.CreateDescriptorPool = (PFN_vkCreateDescriptorPool)(PFN_vkVoidFunction)destroy_any;
    device.next.DestroyPipelineLayout = (PFN_vkDestroyPipelineLayout)(PFN_vkVoidFunction)destroy_any;
    device.next.DestroyDescriptorSetLayout =
        (PFN_vkDestroyDescriptorSetLayout)(PFN_vkVoidFunction)destroy_any;
    device.next.CreateDescriptorUpdateTemplate = create_template;
    device.next.CreateDescriptorUpdateTemplateKHR = create_template;
    device.next.DestroyDescriptorUpdateTemplate =
        (PFN_vkDestroyDescriptorUpdateTemplate)(PFN_vkVoidFunction)destroy_any;
    device.next.CmdBindDescriptorSets = bind_sets;
    device.next.CmdBindPipeline = bind_pipeline;
    device.next.CmdDraw = draw;
    device.next.CmdDispatch = dispatch;
    device.next.CmdBindDescriptorSets2 = (PFN_vkVoidFunction)bind_sets_2;
    device.next.CmdBindDescriptorSets2KHR = (PFN_vkVoidFunction)bind_sets_2;
    device.next.CmdPushDescriptorSet = (PFN_vkVoidFunction)push_sets;
    device.next.CmdPushDescriptorSetKHR = (PFN_vkVoidFunction)push_sets;
    device.next.CmdPushDescriptorSet2 = (PFN_vkVoidFunction)push_sets_2;
    device.next.CmdPushDescriptorSet2KHR = (PFN_vkVoidFunction)push_sets_2;
    device.next.CmdPushDescriptorSetWithTemplate = (PFN_vkVoidFunction)push_by;
    device.next.CmdPushDescriptorSetWithTemplateKHR = (PFN_vkVoidFunction)push_by;
    device.next.CmdPushDescriptorSetWithTemplate2 = (PFN_vkVoidFunction)push_by_2;
    device.next.CmdPushDescriptorSetWithTemplate2KHR = (PFN_vkVoidFunction)push_by_2;
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    wpg_recordings_finish(&device);
    (void)wpg_handles_remove(&wpg_the_process.devices, wpg_dispatch_key(DEVICE));
    return 0;
}

/* -- One step of a program: the same call through the hook, and straight to the reading without a layer. */

static VkCommandBuffer commands;

#define BOTH(hooked, straight)                                                                               \
    do {                                                                                                     \
        into = &with;                                                                                        \
        hooked;                                                                                              \
        into = &without[0];                                                                                  \
        straight;                                                                                            \
        into = &without[1];                                                                                  \
        straight;                                                                                            \
        into = &with;                                                                                        \
    } while (0)
#define PUSH_HOOK(type, name) ((type)(wpg_counter_push_hook(below(2) ? "vk" name : "vk" name "KHR")))

static void step_bind_sets(VkPipelineBindPoint point, VkPipelineLayout layout)
{
    const driver_layout *is = &layouts[SLOT(layout)];
    VkDescriptorSet sets[LEFT_SETS];
    uint32_t offsets[LEFT_SETS], offset_count = 0, count = 0;
    if (!is->count)
        return;
    const uint32_t first = below(is->count);
    while (first + count < is->count && !is->sets[first + count].pushes && (!count || below(2))) {
        sets[count] = HANDLE(VkDescriptorSet, 2000 + below(20));
        if (is->sets[first + count].dynamic)
            offsets[offset_count++] = below(4) * 64;
        count++;
    }
    if (!count)
        return;
    if (below(2)) {
        BOTH(wpg_counter_CmdBindDescriptorSets(commands, point, layout, first, count, sets, offset_count,
                                               offsets),
             bind_sets(commands, point, layout, first, count, sets, offset_count, offsets));
        return;
    }
    const wpg_bind_descriptor_sets_info info = {
        .stageFlags = below(4) ? (point ? VK_SHADER_STAGE_COMPUTE_BIT : VK_SHADER_STAGE_FRAGMENT_BIT)
                               : VK_SHADER_STAGE_ALL,
        .layout = layout,
        .firstSet = first,
        .descriptorSetCount = count,
        .pDescriptorSets = sets,
        .dynamicOffsetCount = offset_count,
        .pDynamicOffsets = offsets};
    typedef void(VKAPI_PTR * hook)(VkCommandBuffer, const wpg_bind_descriptor_sets_info *);
    const hook bind = PUSH_HOOK(hook, "CmdBindDescriptorSets2");
    BOTH(bind(commands, &info), bind_sets_2(commands, &info));
}

static VkDescriptorBufferInfo any_buffer(void)
{
    return (VkDescriptorBufferInfo){HANDLE(VkBuffer, 9000 + below(500)), 0, 64};
}

static void step_push_by(VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t set)
{
    struct {
        VkDescriptorBufferInfo pair[2];
        uint32_t between;
        VkDescriptorBufferInfo last;
    } data = {.pair = {any_buffer(), any_buffer()}, .last = any_buffer()};
    const VkDescriptorUpdateTemplateEntry both[2] = {
        {2, 0, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, sizeof *data.pair},
        {5, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, (size_t)((char *)&data.last - (char *)&data), 0}};
    const VkDescriptorUpdateTemplateCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 2,
        .pDescriptorUpdateEntries = both,
        .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
        .pipelineBindPoint = point,
        .pipelineLayout = layout,
        .set = set};
    VkDescriptorUpdateTemplate by;
    const PFN_vkCreateDescriptorUpdateTemplate create =
        PUSH_HOOK(PFN_vkCreateDescriptorUpdateTemplate, "CreateDescriptorUpdateTemplate");
    assert_int_equal(create(DEVICE, &info, NULL, &by), VK_SUCCESS);
    if (below(2)) {
        const PFN_vkCmdPushDescriptorSetWithTemplateKHR push =
            PUSH_HOOK(PFN_vkCmdPushDescriptorSetWithTemplateKHR, "CmdPushDescriptorSetWithTemplate");
        BOTH(push(commands, by, layout, set, &data), push_by(commands, by, layout, set, &data));
    } else {
        const wpg_push_descriptor_set_by_info what = {
            .descriptorUpdateTemplate = by, .layout = layout, .set = set, .pData = &data};
        typedef void(VKAPI_PTR * hook)(VkCommandBuffer, const wpg_push_descriptor_set_by_info *);
        const hook push = PUSH_HOOK(hook, "CmdPushDescriptorSetWithTemplate2");
        BOTH(push(commands, &what), push_by_2(commands, &what));
    }
    ((PFN_vkDestroyDescriptorUpdateTemplate)wpg_counter_push_hook("vkDestroyDescriptorUpdateTemplate"))(
        DEVICE, by, NULL);
    objects--; /* the driver's slot serves the next */
}

/* Of one binding, of both, or of one that goes on in the next. */
static void step_push(VkPipelineBindPoint point, VkPipelineLayout layout)
{
    const driver_layout *is = &layouts[SLOT(layout)];
    uint32_t set = 0;
    while (set < is->count && !is->sets[set].pushes)
        set++;
    if (set == is->count)
        return;
    if (below(3) == 0) {
        step_push_by(point, layout, set);
        return;
    }
    const VkDescriptorBufferInfo buffers[3] = {any_buffer(), any_buffer(), any_buffer()};
    const uint32_t element = below(2), count = 1 + below(3 - element);
    const VkWriteDescriptorSet writes[2] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                             .dstBinding = 2,
                                             .dstArrayElement = element,
                                             .descriptorCount = count,
                                             .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                             .pBufferInfo = buffers},
                                            {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                             .dstBinding = is->sets[set].values == 4 && below(2) ? 6 : 5,
                                             .descriptorCount = 1,
                                             .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                             .pBufferInfo = &buffers[2]}};
    const uint32_t from = below(2), write_count = 1 + (from ? 0 : below(2));
    if (below(2)) {
        const PFN_vkCmdPushDescriptorSetKHR push =
            PUSH_HOOK(PFN_vkCmdPushDescriptorSetKHR, "CmdPushDescriptorSet");
        BOTH(push(commands, point, layout, set, write_count, writes + from),
             push_sets(commands, point, layout, set, write_count, writes + from));
        return;
    }
    const wpg_push_descriptor_set_info info = {
        .stageFlags = below(4) ? (point ? VK_SHADER_STAGE_COMPUTE_BIT : VK_SHADER_STAGE_ALL_GRAPHICS)
                               : VK_SHADER_STAGE_ALL,
        .layout = layout,
        .set = set,
        .descriptorWriteCount = write_count,
        .pDescriptorWrites = writes + from};
    typedef void(VKAPI_PTR * hook)(VkCommandBuffer, const wpg_push_descriptor_set_info *);
    const hook push = PUSH_HOOK(hook, "CmdPushDescriptorSet2");
    BOTH(push(commands, &info), push_sets_2(commands, &info));
}

static void step(void)
{
    const VkPipelineBindPoint point = (VkPipelineBindPoint)(below(3) != 0); /* mostly one of them */
    /* Mostly the pipeline's own layout. */
    const VkPipelineLayout layout = bound_pipeline[point] && below(3) ? layout_of(bound_pipeline[point])
                                                                      : program_layouts[below(LAYOUTS)];
    switch (below(8)) {
    case 0:
    case 1:
        step_bind_sets(point, layout);
        break;
    case 2:
    case 3:
        step_push(point, layout);
        break;
    case 4:
    case 5:
        wpg_record_CmdBindPipeline(commands, point,
                                   HANDLE(VkPipeline, SLOT(first_pipeline) + below(PIPELINES)));
        break;
    default:
        if (point)
            wpg_record_CmdDispatch(commands, 1, 1, 1);
        else
            wpg_record_CmdDraw(commands, 3, 1, 0, 0);
    }
}

static void run_program(VkCommandPool pool, bool again)
{
    const VkCommandBufferAllocateInfo info = {.commandPool = pool, .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    memset(&with, 0, sizeof with);
    memset(without, 0, sizeof without);
    memset(bound_pipeline, 0, sizeof bound_pipeline);
    if (!again)
        assert_int_equal(wpg_record_AllocateCommandBuffers(DEVICE, &info, &commands), VK_SUCCESS);
    assert_int_equal(wpg_record_BeginCommandBuffer(commands, &begin), VK_SUCCESS);
    for (uint32_t i = 0; i < STEPS; i++) {
        failing = starving && below(3) == 0;
        step();
        failing = false;
    }
}

static void run_random(uint32_t program)
{
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    seed = program * 7919 + 17;
    objects = 0;
    pushes_disturb = program & 1;
    values_stay = program & 2;
    device.features.api_version = program & 4 ? VK_MAKE_API_VERSION(0, 1, 4, 0) : VK_API_VERSION_1_0;
    assert_true(wpg_counter_sets_start(&device, VK_NULL_HANDLE));
    make_set_layouts();
    make_layouts();
    for (uint32_t i = 0; i < SET_LAYOUTS; i++) /* no longer needed, says Vulkan */
        wpg_counter_DestroyDescriptorSetLayout(DEVICE, made_sets[i], NULL);
    assert_int_equal(wpg_record_CreateCommandPool(DEVICE, &info, NULL, &pool), VK_SUCCESS);
    run_program(pool, false);
    run_program(pool, true); /* what was noted of the first recording is forgotten */
    wpg_record_DestroyCommandPool(DEVICE, pool, NULL);
    for (uint32_t i = 0; i < LAYOUTS; i++)
        wpg_record_DestroyPipelineLayout(DEVICE, program_layouts[i], NULL);
    wpg_counter_sets_finish(&device);
}

static void test_random_programs(void **state)
{
    (void)state;
    const uint32_t programs = effort_count(15000, 200000);
    checked = 0;
    for (uint32_t program = 0; program < programs; program++)
        run_random(program);
    assert_true(checked > 20 * programs); /* the programs do use sets */
}

/* Nothing crashes, and every command goes down. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    if (!CAN_FAIL)
        skip();
    starving = true;
    for (uint32_t program = 0; program < 1000; program++)
        run_random(program);
    starving = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs),
                                       cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
