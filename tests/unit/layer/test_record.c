/* What command buffers are seen to do: every kind of draw and dispatch, push constants under all their rules,
 * pools that go away with their command buffers, memory that runs out. The hooks run over a device whose
 * driver does nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/layer/idle_device.h"

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

/* -- What is passed down to the driver */

static int passed_down;

static VKAPI_ATTR VkResult VKAPI_CALL end_down(VkCommandBuffer c)
{
    (void)c;
    return VK_SUCCESS;
}
static VKAPI_ATTR void VKAPI_CALL bind_down(VkCommandBuffer c, VkPipelineBindPoint b, VkPipeline p)
{
    (void)c, (void)b, (void)p;
    passed_down++;
}
static VKAPI_ATTR void VKAPI_CALL push_down(VkCommandBuffer c, VkPipelineLayout l, VkShaderStageFlags s,
                                            uint32_t offset, uint32_t size, const void *values)
{
    (void)c, (void)l, (void)s, (void)offset, (void)size, (void)values;
    passed_down++;
}
static VKAPI_ATTR void VKAPI_CALL execute_down(VkCommandBuffer c, uint32_t n, const VkCommandBuffer *list)
{
    (void)c, (void)n, (void)list;
    passed_down++;
}
/* Draws and dispatches: whatever the arguments. The calling convention lets a callee ignore them. */
static VKAPI_ATTR void VKAPI_CALL act_down(void)
{
    passed_down++;
}

static int open_device(void **state)
{
    (void)state;
    if (open_idle_device(WPG_MODE_GENERATE) != 0)
        return -1;
    wpg_the_process.settings.bundle = "test-record.wavepgo"; /* nothing is written there */
    wpg_the_process.settings.bundle_pipelines = 1000;
    wpg_the_process.mode = WPG_MODE_GENERATE;
    device.next.EndCommandBuffer = end_down;
    device.next.CmdBindPipeline = bind_down;
    device.next.CmdPushConstants = push_down;
    device.next.CmdExecuteCommands = execute_down;
    device.next.CmdPushConstants2 = (PFN_vkVoidFunction)act_down;
    device.next.CmdPushConstants2KHR = (PFN_vkVoidFunction)act_down;
    device.next.CmdBindShadersEXT = (PFN_vkVoidFunction)act_down;
#define ACTION(name) device.next.name = (PFN_vk##name)(PFN_vkVoidFunction)act_down;
    WPG_RECORD_ACTIONS(ACTION)
#undef ACTION
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    wpg_recordings_finish(&device);
    (void)wpg_handles_remove(&wpg_the_process.devices, wpg_dispatch_key(DEVICE));
    return 0;
}

/* -- Shorthand */

static VkCommandPool pool;

static VkCommandBuffer make_buffer(VkCommandBufferLevel level)
{
    VkCommandBufferAllocateInfo info = {.commandPool = pool, .level = level, .commandBufferCount = 1};
    VkCommandBuffer commands;
    assert_int_equal(wpg_record_AllocateCommandBuffers(DEVICE, &info, &commands), VK_SUCCESS);
    return commands;
}

static VkCommandBuffer begun(void)
{
    VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(wpg_record_CreateCommandPool(DEVICE, &info, NULL, &pool), VK_SUCCESS);
    VkCommandBuffer commands = make_buffer(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    assert_int_equal(wpg_record_BeginCommandBuffer(commands, &begin), VK_SUCCESS);
    return commands;
}

static VkPipelineLayout layout_with(uint32_t offset, uint32_t size)
{
    VkPushConstantRange range = {VK_SHADER_STAGE_ALL, offset, size};
    VkPipelineLayoutCreateInfo info = {.pushConstantRangeCount = 1, .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    assert_int_equal(wpg_record_CreatePipelineLayout(DEVICE, &info, NULL, &layout), VK_SUCCESS);
    return layout;
}

static VkPipeline pipeline_with(uint64_t hash, VkPipelineLayout layout)
{
    wpg_pipeline_plan plan = {.identified = true, .hash = {hash, hash}};
    VkPipeline pipeline = HANDLE(VkPipeline, next_handle++);
    wpg_record_pipeline(&device, pipeline, &plan, layout);
    return pipeline;
}

static void finish(VkCommandBuffer commands, int submissions)
{
    assert_int_equal(wpg_record_EndCommandBuffer(commands), VK_SUCCESS);
    for (int i = 0; i < submissions; i++)
        wpg_record_submit(&device, commands, VK_NULL_HANDLE);
    wpg_record_DestroyCommandPool(DEVICE, pool, NULL);
}

static uint64_t counted(uint64_t hash, wpg_record_counter counter)
{
    return wpg_totals_of((wpg_hash128){hash, hash})->counters[counter];
}

static uint64_t seen(uint64_t hash, int word, uint32_t value)
{
    const wpg_word_values *words = wpg_totals_of((wpg_hash128){hash, hash})->words;
    for (int i = 0; words && i < WPG_PUSH_VALUES; i++)
        if (words[word].counts[i] && words[word].values[i] == value)
            return words[word].counts[i];
    return 0;
}

static uint64_t unpushed(uint64_t hash, int word)
{
    const wpg_word_values *words = wpg_totals_of((wpg_hash128){hash, hash})->words;
    return words ? words[word].unpushed : 0;
}

/* Draws and dispatches that had these words together. */
static uint64_t together(uint64_t hash, uint64_t words, const uint32_t values[WPG_PUSH_WORDS])
{
    const wpg_push_sets *sets = &wpg_totals_of((wpg_hash128){hash, hash})->sets;
    for (uint32_t i = 0; i < sets->count; i++)
        if (sets->sets[i].key == wpg_push_set_key(words, values))
            return sets->sets[i].n;
    return 0;
}

/* -- Tests */

static void every_action(void **state)
{
    (void)state;
    enum { HASH = 1 };
    VkPipelineLayout layout = layout_with(0, 4);
    VkPipeline pipeline = pipeline_with(HASH, layout);
    VkCommandBuffer c = begun();
    VkBuffer b = VK_NULL_HANDLE;
    const VkMultiDrawInfoEXT draws[2] = {{0, 3}, {3, 6}};
    const VkMultiDrawIndexedInfoEXT indexed[3] = {{0, 3, 0}, {3, 6, 0}, {9, 1, 0}};
    passed_down = 0;
    wpg_record_CmdDraw(c, 1000, 1, 0, 0); /* nothing is bound: nobody's */
    wpg_record_CmdDispatch(c, 9, 9, 9);
    wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    wpg_record_CmdDispatch(c, 9, 9, 9); /* still nobody's: another bind point */
    wpg_record_CmdDraw(c, 3, 2, 0, 0);
    wpg_record_CmdDrawIndexed(c, 5, 2, 0, 0, 0);
    wpg_record_CmdDrawIndirect(c, b, 0, 4, 16);
    wpg_record_CmdDrawIndexedIndirect(c, b, 0, 5, 20);
    wpg_record_CmdDrawIndirectCount(c, b, 0, b, 0, 77, 16);
    wpg_record_CmdDrawIndirectCountKHR(c, b, 0, b, 0, 77, 16);
    wpg_record_CmdDrawIndirectCountAMD(c, b, 0, b, 0, 77, 16);
    wpg_record_CmdDrawIndexedIndirectCount(c, b, 0, b, 0, 77, 20);
    wpg_record_CmdDrawIndexedIndirectCountKHR(c, b, 0, b, 0, 77, 20);
    wpg_record_CmdDrawIndexedIndirectCountAMD(c, b, 0, b, 0, 77, 20);
    wpg_record_CmdDrawIndirectByteCountEXT(c, 1, 0, b, 0, 0, 4);
    wpg_record_CmdDrawMultiEXT(c, 2, draws, 3, 0, sizeof draws[0]);
    wpg_record_CmdDrawMultiIndexedEXT(c, 3, indexed, 2, 0, sizeof indexed[0], NULL);
    wpg_record_CmdDrawMeshTasksEXT(c, 2, 3, 4);
    wpg_record_CmdDrawMeshTasksIndirectEXT(c, b, 0, 6, 12);
    wpg_record_CmdDrawMeshTasksIndirectCountEXT(c, b, 0, b, 0, 77, 12);
    wpg_record_CmdDrawMeshTasksNV(c, 7, 0);
    wpg_record_CmdDrawMeshTasksIndirectNV(c, b, 0, 2, 8);
    wpg_record_CmdDrawMeshTasksIndirectCountNV(c, b, 0, b, 0, 77, 8);
    wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    wpg_record_CmdDispatch(c, 2, 3, 4);
    wpg_record_CmdDispatchBase(c, 5, 5, 5, 1, 2, 3);
    wpg_record_CmdDispatchBaseKHR(c, 5, 5, 5, 1, 1, 1);
    wpg_record_CmdDispatchIndirect(c, b, 0);
    finish(c, 2);
    assert_int_equal(passed_down, 28);
    assert_int_equal(counted(HASH, WPG_RECORD_SUBMISSIONS), 2);
    assert_int_equal(counted(HASH, WPG_RECORD_BINDS), 2 * 2);
    const uint64_t indirect = 4 + 5 + 6 + 1 + 6 + 1 + 2 + 1, direct = 1 + 1 + 2 + 3 + 1 + 1;
    assert_int_equal(counted(HASH, WPG_RECORD_DRAWS_INDIRECT), 2 * indirect);
    assert_int_equal(counted(HASH, WPG_RECORD_DRAWS), 2 * (indirect + direct));
    assert_int_equal(counted(HASH, WPG_RECORD_VERTICES), 2 * (6 + 10 + 27 + 20));
    assert_int_equal(counted(HASH, WPG_RECORD_DISPATCHES), 2 * 4);
    assert_int_equal(counted(HASH, WPG_RECORD_DISPATCHES_INDIRECT), 2);
    assert_int_equal(counted(HASH, WPG_RECORD_WORKGROUPS), 2 * (24 + 7 + 24 + 6 + 1));
    assert_int_equal(unpushed(HASH, 0), 2 * (indirect + direct + 4));
}

/* Sets are weighted by submissions, come in from secondaries, and follow no matrix. */
static void words_together(void **state)
{
    (void)state;
    enum { HASH = 40, MATRICES = 100 };
    const VkShaderStageFlags all = VK_SHADER_STAGE_ALL;
    const VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_COMPUTE;
    VkPipelineLayout layout = layout_with(0, 16);
    VkPipeline pipeline = pipeline_with(HASH, layout);
    VkCommandBuffer c = begun(), inner = make_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const uint32_t first[WPG_PUSH_WORDS] = {1, 2, 3, 4}, second[WPG_PUSH_WORDS] = {5, 6, 3, 4};
    assert_int_equal(wpg_record_BeginCommandBuffer(inner, &begin), VK_SUCCESS);
    wpg_record_CmdBindPipeline(inner, point, pipeline);
    wpg_record_CmdPushConstants(inner, layout, all, 0, 16, second);
    wpg_record_CmdDispatch(inner, 1, 1, 1);
    assert_int_equal(wpg_record_EndCommandBuffer(inner), VK_SUCCESS);
    wpg_record_CmdBindPipeline(c, point, pipeline);
    wpg_record_CmdPushConstants(c, layout, all, 0, 16, first);
    wpg_record_CmdDispatch(c, 1, 1, 1);
    wpg_record_CmdDispatch(c, 1, 1, 1);
    wpg_record_CmdExecuteCommands(c, 1, &inner);
    wpg_record_CmdExecuteCommands(c, 1, &inner);
    finish(c, 3);
    assert_int_equal(together(HASH, 15, first), 6);
    assert_int_equal(together(HASH, 15, second), 6);
    c = begun(); /* words 0 and 1 are of a matrix */
    wpg_record_CmdBindPipeline(c, point, pipeline);
    for (uint32_t i = 0; i < MATRICES; i++) {
        const uint32_t values[4] = {1000 + i, 1000 - i, 3, 4 + i % 2};
        wpg_record_CmdPushConstants(c, layout, all, 0, 16, values);
        wpg_record_CmdDispatch(c, 1, 1, 1);
    }
    finish(c, 1);
    const wpg_push_sets *sets = &wpg_totals_of((wpg_hash128){HASH, HASH})->sets;
    assert_int_equal(sets->loose, 3);
    assert_int_equal(sets->count, 2);
    assert_int_equal(sets->others, 0);
    assert_int_equal(together(HASH, 12, first), MATRICES / 2 + 12);
}

static void push_constants(void **state)
{
    (void)state;
    enum { HASH = 2, OTHER = 3 };
    const VkShaderStageFlags all = VK_SHADER_STAGE_ALL;
    const VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_COMPUTE;
    const uint32_t values[64] = {11, 12, 13, 14};
    VkPipelineLayout layout = layout_with(0, 16), twin = layout_with(0, 16), other = layout_with(4, 8);
    VkPipeline pipeline = pipeline_with(HASH, layout), second = pipeline_with(OTHER, other);
    VkCommandBuffer c = begun();
    wpg_record_CmdPushConstants(c, layout, all, 0, 8, values); /* before any bind */
    wpg_record_CmdBindPipeline(c, point, pipeline);
    wpg_record_CmdDispatch(c, 1, 1, 1);                          /* 11 12 - - */
    wpg_record_CmdPushConstants(c, twin, all, 8, 4, &values[2]); /* another layout with equal ranges */
    wpg_record_CmdDispatch(c, 1, 1, 1);                          /* 11 12 13 - */
    wpg_record_CmdBindPipeline(c, point, second);                /* disturbs nothing, and sees nothing */
    wpg_record_CmdDispatch(c, 1, 1, 1);
    wpg_record_CmdBindPipeline(c, point, pipeline);
    wpg_record_CmdDispatch(c, 1, 1, 1);                           /* 11 12 13 - */
    wpg_record_CmdPushConstants(c, other, all, 4, 4, &values[3]); /* other ranges: the rest is undefined */
    wpg_record_CmdBindPipeline(c, point, second);
    wpg_record_CmdDispatch(c, 1, 1, 1); /* word 1: 14, word 2: - */
    wpg_record_CmdBindPipeline(c, point, pipeline);
    wpg_record_CmdDispatch(c, 1, 1, 1); /* - - - - */
    const wpg_push_constants_info info = {
        .layout = layout, .stageFlags = all, .offset = 12, .size = 4, .pValues = values};
    wpg_record_CmdPushConstants2(c, &info);
    wpg_record_CmdDispatch(c, 1, 1, 1); /* - - - 11 */
    wpg_record_CmdPushConstants2KHR(c, &info);
    wpg_record_CmdPushConstants(c, layout, all, 240, 240, values); /* beyond what a layout has: left alone */
    wpg_record_CmdDispatch(c, 1, 1, 1);                            /* - - - 11 */
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    wpg_record_CmdBindShadersEXT(c, 1, &stage, NULL);
    wpg_record_CmdDispatch(c, 1, 1, 1); /* a shader object's: nobody's */
    finish(c, 1);
    assert_int_equal(counted(HASH, WPG_RECORD_DISPATCHES), 6);
    assert_int_equal(counted(OTHER, WPG_RECORD_DISPATCHES), 2);
    assert_int_equal(seen(HASH, 0, 11), 3);
    assert_int_equal(seen(HASH, 1, 12), 3);
    assert_int_equal(seen(HASH, 2, 13), 2);
    assert_int_equal(seen(HASH, 3, 11), 2);
    assert_int_equal(unpushed(HASH, 0), 3);
    assert_int_equal(together(HASH, 3, values), 1);
    assert_int_equal(together(HASH, 7, values), 2);
    assert_int_equal(together(HASH, 0, values), 1);
    assert_int_equal(together(HASH, 8, (const uint32_t[WPG_PUSH_WORDS]){[3] = 11}), 2);
    assert_int_equal(together(OTHER, 0, values), 1);
    assert_int_equal(together(OTHER, 2, (const uint32_t[WPG_PUSH_WORDS]){[1] = 14}), 1);
    assert_int_equal(unpushed(HASH, 2), 4);
    assert_int_equal(unpushed(HASH, 3), 4);
    assert_int_equal(seen(OTHER, 1, 14), 1);
    assert_int_equal(unpushed(OTHER, 1), 1);
    assert_int_equal(unpushed(OTHER, 2), 2);
    assert_int_equal(unpushed(OTHER, 0), 0); /* no word of its layout */
}

static void secondaries(void **state)
{
    (void)state;
    enum { HASH = 4 };
    VkPipelineLayout layout = layout_with(0, 4);
    VkPipeline pipeline = pipeline_with(HASH, layout);
    const uint32_t value = 5;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer primary = begun(), secondary = make_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    wpg_record_BeginCommandBuffer(secondary, &begin);
    wpg_record_CmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    wpg_record_CmdPushConstants(secondary, layout, VK_SHADER_STAGE_ALL, 0, 4, &value);
    wpg_record_CmdDispatch(secondary, 3, 1, 1);
    wpg_record_EndCommandBuffer(secondary);
    wpg_record_CmdBindPipeline(primary, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    wpg_record_CmdPushConstants(primary, layout, VK_SHADER_STAGE_ALL, 0, 4, &value);
    wpg_record_CmdDispatch(primary, 1, 1, 1);
    const VkCommandBuffer list[3] = {secondary, secondary, secondary};
    wpg_record_CmdExecuteCommands(primary, 3, list);
    wpg_record_CmdDispatch(primary, 1, 1, 1); /* state is undefined now: nobody's */
    finish(primary, 2);
    assert_int_equal(counted(HASH, WPG_RECORD_SUBMISSIONS), 2);
    assert_int_equal(counted(HASH, WPG_RECORD_DISPATCHES), 8);
    assert_int_equal(counted(HASH, WPG_RECORD_WORKGROUPS), 20);
    assert_int_equal(seen(HASH, 0, 5), 8);
}

/* What a pool takes with it is forgotten, also by the thread that used it last; a handle that comes again is
 * a new command buffer. */
static void pools_go(void **state)
{
    (void)state;
    enum { HASH = 5 };
    VkPipeline pipeline = pipeline_with(HASH, VK_NULL_HANDLE);
    for (int i = 0; i < 3 * IDLE_BUFFERS; i++) {
        VkCommandBuffer c = begun();
        assert_non_null(wpg_recording_of(c));
        wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        wpg_record_CmdDispatch(c, 1, 1, 1);
        finish(c, 1);
        assert_null(wpg_recording_of(c));
    }
    assert_int_equal(counted(HASH, WPG_RECORD_DISPATCHES), 3 * IDLE_BUFFERS);
}

/* -- Two devices alive at once, whose drivers give the same handle in turns */

static void *other_table;
static void *other_object[1] = {&other_table};
static wpg_device other;
#define OTHER ((VkDevice)(void *)other_object)

static VKAPI_ATTR VkResult VKAPI_CALL allocate_the_same(VkDevice d, const VkCommandBufferAllocateInfo *info,
                                                        VkCommandBuffer *commands)
{
    (void)info;
    command_objects[0][0] = *(void **)(void *)d;
    *commands = BUFFER(0);
    return VK_SUCCESS;
}
static VKAPI_ATTR void VKAPI_CALL free_down(VkDevice d, VkCommandPool p, uint32_t n, const VkCommandBuffer *c)
{
    (void)d, (void)p, (void)n, (void)c;
}

static VkCommandBuffer begun_on(VkDevice d, VkCommandPool from)
{
    VkCommandBufferAllocateInfo info = {.commandPool = from, .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer c;
    assert_int_equal(wpg_record_AllocateCommandBuffers(d, &info, &c), VK_SUCCESS);
    assert_int_equal(wpg_record_BeginCommandBuffer(c, &begin), VK_SUCCESS);
    return c;
}

static void *begin_elsewhere(void *from)
{
    (void)begun_on(OTHER, *(VkCommandPool *)from);
    return NULL;
}

/* A handle that was freed on one device and is allocated on the other, in another thread: it is the other's
 * for this thread too, and nothing that was bound on the first is blamed on the other. */
static void two_devices(void **state)
{
    (void)state;
    VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool mine, others;
    size_t suspected;
    pthread_t thread;
    device.attribution = wpg_attribution_create();
    device.next.AllocateCommandBuffers = allocate_the_same;
    device.next.FreeCommandBuffers = free_down;
    other = (wpg_device){.handle = OTHER, .mode = WPG_MODE_GENERATE, .next = device.next};
    other.attribution = wpg_attribution_create();
    wpg_recordings_init(&other);
    assert_true(wpg_handles_set(&wpg_the_process.devices, wpg_dispatch_key(OTHER), &other));
    assert_int_equal(wpg_record_CreateCommandPool(DEVICE, &info, NULL, &mine), VK_SUCCESS);
    assert_int_equal(wpg_record_CreateCommandPool(OTHER, &info, NULL, &others), VK_SUCCESS);

    for (uintptr_t i = 1; i <= 80; i++)
        wpg_attribution_add(&device, HANDLE(VkPipeline, i << 4), (wpg_hash128){i, i});
    VkCommandBuffer c = begun_on(DEVICE, mine);
    wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, HANDLE(VkPipeline, 80 << 4));
    wpg_record_submit(&device, c, VK_NULL_HANDLE);
    wpg_record_FreeCommandBuffers(DEVICE, mine, 1, &c);
    assert_null(wpg_recording_of(c));

    assert_int_equal(pthread_create(&thread, NULL, begin_elsewhere, &others), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_non_null(wpg_recording_of(c));
    assert_ptr_equal(wpg_recording_of(c)->device, &other);
    wpg_attribution_submission(&other, VK_NULL_HANDLE);
    wpg_record_submit(&other, c, VK_NULL_HANDLE);
    free(wpg_attribution_list(&suspected, &other));
    assert_int_equal(suspected, 0);
    wpg_record_submit(&device, c, VK_NULL_HANDLE); /* is not the first's */

    /* The other device's pools go with it, though the program left them. */
    wpg_recordings_finish(&other);
    assert_null(wpg_recording_of(c));
    (void)wpg_handles_remove(&wpg_the_process.devices, wpg_dispatch_key(OTHER));
    wpg_attribution_destroy(other.attribution);
    wpg_attribution_destroy(device.attribution);
    device.attribution = NULL;
}

/* One pipeline hash with layouts of other lengths in one command buffer, recorded again and again. */
static void layouts_of_one_hash(void **state)
{
    (void)state;
    enum { HASH = 8 };
    const uint32_t values[64] = {[0] = 3, [63] = 4};
    VkPipelineLayout layouts[2] = {layout_with(0, 4), layout_with(0, 256)};
    VkPipeline pipelines[2] = {pipeline_with(HASH, layouts[0]), pipeline_with(HASH, layouts[1])};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer c = begun();
    for (int round = 0; round < 3; round++) {
        wpg_record_BeginCommandBuffer(c, &begin);
        for (int i = 0; i < 2; i++) {
            const int which = round == 1 ? 1 - i : i;
            wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[which]);
            wpg_record_CmdPushConstants(c, layouts[which], VK_SHADER_STAGE_ALL, 0, which ? 256 : 4, values);
            wpg_record_CmdDispatch(c, 1, 1, 1);
        }
        wpg_record_EndCommandBuffer(c);
        wpg_record_submit(&device, c, VK_NULL_HANDLE);
    }
    finish(c, 0);
    assert_int_equal(counted(HASH, WPG_RECORD_DISPATCHES), 6);
    assert_int_equal(seen(HASH, 0, 3), 6);
    assert_int_equal(seen(HASH, 1, 0), 3);
    assert_int_equal(seen(HASH, 63, 4), 3);
    assert_int_equal(unpushed(HASH, 63), 0);
}

static void memory_runs_out(void **state)
{
    (void)state;
    if (!CAN_FAIL)
        skip();
    enum { HASH = 6, LATER = 7 };
    VkPipelineLayout layout = layout_with(0, 4);
    VkPipeline pipeline = pipeline_with(HASH, layout), later = pipeline_with(LATER, layout);
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer c = begun(), primary = make_buffer(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    wpg_record_CmdDispatch(c, 1, 1, 1);
    passed_down = 0;
    failing = true;
    wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, later);
    failing = false;
    wpg_record_CmdDispatch(c, 1, 1, 1);
    wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    wpg_record_CmdDispatch(c, 1, 1, 1);
    assert_int_equal(passed_down, 4); /* the program goes on */
    wpg_record_EndCommandBuffer(c);
    wpg_record_submit(&device, c, VK_NULL_HANDLE);
    /* A primary that executes it is no better known than it. */
    wpg_record_BeginCommandBuffer(primary, &begin);
    wpg_record_CmdBindPipeline(primary, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    wpg_record_CmdDispatch(primary, 1, 1, 1);
    wpg_record_CmdExecuteCommands(primary, 1, &c);
    wpg_record_EndCommandBuffer(primary);
    wpg_record_submit(&device, primary, VK_NULL_HANDLE);
    assert_int_equal(counted(HASH, WPG_RECORD_DISPATCHES), 0); /* half of it is nothing */
    /* Begun anew it is followed again. */
    wpg_record_BeginCommandBuffer(c, &begin);
    wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, later);
    wpg_record_CmdDispatch(c, 1, 1, 1);
    finish(c, 1);
    assert_int_equal(counted(LATER, WPG_RECORD_DISPATCHES), 1);
    assert_int_equal(unpushed(LATER, 0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_action, open_device, close_device),
        cmocka_unit_test_setup_teardown(push_constants, open_device, close_device),
        cmocka_unit_test_setup_teardown(words_together, open_device, close_device),
        cmocka_unit_test_setup_teardown(secondaries, open_device, close_device),
        cmocka_unit_test_setup_teardown(pools_go, open_device, close_device),
        cmocka_unit_test_setup_teardown(two_devices, open_device, close_device),
        cmocka_unit_test_setup_teardown(layouts_of_one_hash, open_device, close_device),
        cmocka_unit_test_setup_teardown(memory_runs_out, open_device, close_device),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wpg_totals_finish();
    return failed;
}
