/* Which pipeline each command runs: a variant where its words are valid, for its stages, and equal; over a
 * device whose driver does nothing but remember what is bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "layer/variants/variants_internal.h"
#include "tests/unit/layer/idle_device.h"

static VkCommandPool pool;
static VkCommandBuffer commands;
static VkPipeline bound[2]; /* by bind point, as the driver sees it */

#define ORIGINAL HANDLE(VkPipeline, 100)
#define VARIANT  HANDLE(VkPipeline, 101)
#define STRANGER HANDLE(VkPipeline, 102)

static VKAPI_ATTR void VKAPI_CALL bind_down(VkCommandBuffer c, VkPipelineBindPoint point, VkPipeline p)
{
    (void)c;
    bound[point] = p;
}
/* Whatever the arguments: the calling convention lets a callee ignore them. */
static VKAPI_ATTR void VKAPI_CALL ignore_down(void) {}

static wpg_usual usual = {.words = 3, .word = {{1, {7}, 1}, {1, {9}, 1}}};
static wpg_variant variant = {
    .words = 3, .values = {7, 9}, .stages = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT}};
static wpg_variant_set set;
static VkPipelineLayout layout, other;

static VkPipelineLayout layout_of(uint32_t size)
{
    VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, size};
    VkPipelineLayoutCreateInfo info = {.pushConstantRangeCount = 1, .pPushConstantRanges = &range};
    VkPipelineLayout made;
    assert_int_equal(wpg_record_CreatePipelineLayout(DEVICE, &info, NULL, &made), VK_SUCCESS);
    return made;
}

static int open_device(void **state)
{
    (void)state;
    assert_int_equal(open_idle_device(WPG_MODE_USE), 0);
    device.next.CmdBindPipeline = bind_down;
    device.next.CmdPushConstants = (PFN_vkCmdPushConstants)(PFN_vkVoidFunction)ignore_down;
    device.next.CmdExecuteCommands = (PFN_vkCmdExecuteCommands)(PFN_vkVoidFunction)ignore_down;
#define ACTION(name) device.next.name = (PFN_vk##name)(PFN_vkVoidFunction)ignore_down;
    WPG_RECORD_ACTIONS(ACTION)
#undef ACTION
    layout = layout_of(16);
    other = layout_of(8);

    VkCommandPoolCreateInfo wanted = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(wpg_record_CreateCommandPool(DEVICE, &wanted, NULL, &pool), VK_SUCCESS);
    VkCommandBufferAllocateInfo info = {.commandPool = pool, .commandBufferCount = 1};
    assert_int_equal(wpg_record_AllocateCommandBuffers(DEVICE, &info, &commands), VK_SUCCESS);
    assert_int_equal(wpg_record_BeginCommandBuffer(commands, &begin), VK_SUCCESS);
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    wpg_record_DestroyCommandPool(DEVICE, pool, NULL);
    wpg_recordings_finish(&device);
    (void)wpg_handles_remove(&wpg_the_process.devices, wpg_dispatch_key(DEVICE));
    return 0;
}

/* A pipeline with one variant that is ready, bound by the program. */
static void bind_with_variant(VkPipelineBindPoint point)
{
    const wpg_pipeline_plan plan = {.identified = true, .hash = {1, 1}};
    memset(&set, 0, sizeof set);
    variant.pipeline = VARIANT;
    set.original = ORIGINAL;
    set.point = point;
    set.usual = &usual;
    set.variants[0] = &variant;
    atomic_store(&set.ready, 1);
    atomic_store(&set.tries, WPG_MOST_VARIANT_TRIES);
    if (!wpg_handles_get(&device.bindables, (uint64_t)ORIGINAL))
        wpg_record_pipeline(&device, ORIGINAL, &plan, layout);
    wpg_bindable *bindable = wpg_handles_get(&device.bindables, (uint64_t)ORIGINAL);
    assert_non_null(bindable);
    bindable->variants = &set;
    wpg_record_next_generation();
    wpg_record_CmdBindPipeline(commands, point, ORIGINAL);
}

static void push(VkPipelineLayout to, VkShaderStageFlags stages, uint32_t word, uint32_t value)
{
    wpg_record_CmdPushConstants(commands, to, stages, word * 4, 4, &value);
}

static void push_both(uint32_t first, uint32_t second)
{
    push(layout, VK_SHADER_STAGE_ALL, 0, first);
    push(layout, VK_SHADER_STAGE_ALL, 1, second);
}

#define CHOOSES(pipeline, name, ...)                                                                         \
    do {                                                                                                     \
        wpg_record_##name(commands, __VA_ARGS__);                                                            \
        assert_ptr_equal(bound[set.point], pipeline);                                                        \
    } while (0)
#define BOTH_WAYS(name, ...)                                                                                 \
    do {                                                                                                     \
        push_both(7, 9);                                                                                     \
        CHOOSES(VARIANT, name, __VA_ARGS__);                                                                 \
        push_both(7, 8);                                                                                     \
        CHOOSES(ORIGINAL, name, __VA_ARGS__);                                                                \
    } while (0)

static void every_command_chooses(void **state)
{
    (void)state;
    const VkBuffer b = VK_NULL_HANDLE;
    const VkMultiDrawInfoEXT draw = {0, 3};
    const VkMultiDrawIndexedInfoEXT indexed = {0, 3, 0};
    bind_with_variant(VK_PIPELINE_BIND_POINT_GRAPHICS);
    BOTH_WAYS(CmdDraw, 3, 2, 0, 0);
    BOTH_WAYS(CmdDrawIndexed, 5, 2, 0, 0, 0);
    BOTH_WAYS(CmdDrawIndirect, b, 0, 4, 16);
    BOTH_WAYS(CmdDrawIndexedIndirect, b, 0, 5, 20);
    BOTH_WAYS(CmdDrawIndirectCount, b, 0, b, 0, 77, 16);
    BOTH_WAYS(CmdDrawIndirectCountKHR, b, 0, b, 0, 77, 16);
    BOTH_WAYS(CmdDrawIndirectCountAMD, b, 0, b, 0, 77, 16);
    BOTH_WAYS(CmdDrawIndexedIndirectCount, b, 0, b, 0, 77, 20);
    BOTH_WAYS(CmdDrawIndexedIndirectCountKHR, b, 0, b, 0, 77, 20);
    BOTH_WAYS(CmdDrawIndexedIndirectCountAMD, b, 0, b, 0, 77, 20);
    BOTH_WAYS(CmdDrawIndirectByteCountEXT, 1, 0, b, 0, 0, 4);
    BOTH_WAYS(CmdDrawMultiEXT, 1, &draw, 3, 0, sizeof draw);
    BOTH_WAYS(CmdDrawMultiIndexedEXT, 1, &indexed, 2, 0, sizeof indexed, NULL);
    BOTH_WAYS(CmdDrawMeshTasksEXT, 2, 3, 4);
    BOTH_WAYS(CmdDrawMeshTasksIndirectEXT, b, 0, 6, 12);
    BOTH_WAYS(CmdDrawMeshTasksIndirectCountEXT, b, 0, b, 0, 77, 12);
    BOTH_WAYS(CmdDrawMeshTasksNV, 7, 0);
    BOTH_WAYS(CmdDrawMeshTasksIndirectNV, b, 0, 2, 8);
    BOTH_WAYS(CmdDrawMeshTasksIndirectCountNV, b, 0, b, 0, 77, 8);
    bind_with_variant(VK_PIPELINE_BIND_POINT_COMPUTE);
    BOTH_WAYS(CmdDispatch, 2, 3, 4);
    BOTH_WAYS(CmdDispatchBase, 5, 5, 5, 1, 2, 3);
    BOTH_WAYS(CmdDispatchBaseKHR, 5, 5, 5, 1, 1, 1);
    BOTH_WAYS(CmdDispatchIndirect, b, 0);
}

/* A word counts if it was pushed last for all stages that it was folded in, through a compatible layout. */
static void words_have_to_be_valid(void **state)
{
    (void)state;
    bind_with_variant(VK_PIPELINE_BIND_POINT_GRAPHICS);
    CHOOSES(ORIGINAL, CmdDraw, 3, 1, 0, 0); /* nothing was pushed */
    push(layout, VK_SHADER_STAGE_ALL, 0, 7);
    CHOOSES(ORIGINAL, CmdDraw, 3, 1, 0, 0);
    push(layout, VK_SHADER_STAGE_VERTEX_BIT, 1, 9);
    CHOOSES(ORIGINAL, CmdDraw, 3, 1, 0, 0); /* not for the fragment stage */
    push(layout, VK_SHADER_STAGE_FRAGMENT_BIT, 1, 9);
    CHOOSES(VARIANT, CmdDraw, 3, 1, 0, 0);
    push(layout, VK_SHADER_STAGE_VERTEX_BIT, 0, 7); /* the fragment stage does not read it */
    CHOOSES(VARIANT, CmdDraw, 3, 1, 0, 0);
    push(other, VK_SHADER_STAGE_ALL, 0, 7); /* other ranges: what was pushed is undefined */
    CHOOSES(ORIGINAL, CmdDraw, 3, 1, 0, 0);
    push_both(7, 9);
    CHOOSES(VARIANT, CmdDraw, 3, 1, 0, 0);
    const wpg_recording *recording = wpg_recording_of(commands);
    assert_int_equal(recording->bound[WPG_BIND_GRAPHICS].push_words, 0); /* use mode counts no values */
}

/* With sets a variant is asked for where the words together are a usual set. Commoner sets go first, unless
 * they do not come. */
static void sets_wait_for_commoner_ones(void **state)
{
    (void)state;
    enum { MOST = 2 };
    static wpg_usual together = {.words = 3, .usual_sets = 4};
    static wpg_variants all = {.lock = PTHREAD_MUTEX_INITIALIZER,
                               .stop = true}; /* what is asked for is not built */
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t values[WPG_PUSH_WORDS] = {20 + i, 30 + i};
        wpg_push_sets_count(&together.sets, 3, values, i < 2 ? 50 : 10 - i, 0);
    }
    wpg_push_sets_sort(&together.sets);
    wpg_the_process.settings.variants = MOST;
    device.variants = &all;
    bind_with_variant(VK_PIPELINE_BIND_POINT_COMPUTE);
    set.usual = &together;
    atomic_store(&set.tries, 0);
    push_both(7, 9);
    CHOOSES(VARIANT, CmdDispatch, 1, 1, 1);
    push_both(22, 30); /* each word has that in some set, but not together */
    CHOOSES(ORIGINAL, CmdDispatch, 1, 1, 1);
    assert_int_equal(set.passed_over, 0);
    push_both(20, 30); /* one of the two commonest, and one more variant may be made */
    CHOOSES(ORIGINAL, CmdDispatch, 1, 1, 1);
    assert_int_equal(set.passed_over, 0);
    push_both(22, 32); /* two commoner ones */
    CHOOSES(ORIGINAL, CmdDispatch, 1, 1, 1);
    assert_int_equal(set.passed_over, 1);
    atomic_store(&set.closed, 3); /* these were asked for, or are served */
    CHOOSES(ORIGINAL, CmdDispatch, 1, 1, 1);
    assert_int_equal(set.passed_over, 1);
    push_both(23, 33); /* one commoner one, and room for one */
    CHOOSES(ORIGINAL, CmdDispatch, 1, 1, 1);
    assert_int_equal(set.passed_over, 2);
    set.variants[1] = &variant;
    atomic_store(&set.ready, MOST);
    CHOOSES(ORIGINAL, CmdDispatch, 1, 1, 1); /* no more are made */
    assert_int_equal(set.passed_over, 2);
    device.variants = NULL;
    wpg_push_sets_finish(&together.sets);
}

/* The program's binds are its own; what secondaries leave is unknown. */
static void binds_go_down(void **state)
{
    (void)state;
    bind_with_variant(VK_PIPELINE_BIND_POINT_GRAPHICS);
    push_both(7, 9);
    CHOOSES(VARIANT, CmdDraw, 3, 1, 0, 0);
    wpg_record_CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, STRANGER);
    CHOOSES(STRANGER, CmdDraw, 3, 1, 0, 0);
    wpg_record_CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, ORIGINAL);
    assert_ptr_equal(bound[0], ORIGINAL);
    CHOOSES(VARIANT, CmdDraw, 3, 1, 0, 0);
    wpg_record_CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, ORIGINAL);
    wpg_record_CmdExecuteCommands(commands, 0, NULL);
    CHOOSES(ORIGINAL, CmdDraw, 3, 1, 0, 0); /* nothing is known to be bound: nothing is chosen */
    wpg_record_CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, ORIGINAL);
    CHOOSES(ORIGINAL, CmdDraw, 3, 1, 0, 0); /* nor is anything pushed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_command_chooses, open_device, close_device),
        cmocka_unit_test_setup_teardown(words_have_to_be_valid, open_device, close_device),
        cmocka_unit_test_setup_teardown(sets_wait_for_commoner_ones, open_device, close_device),
        cmocka_unit_test_setup_teardown(binds_go_down, open_device, close_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
