/* Where the queries of runs are reset, over a device whose driver writes down what is recorded: never in a
 * command buffer whose queues cannot, and never before rendering that is resumed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layer/commands/record_queries.h"
#include "tests/unit/layer/idle_device.h"

enum { GRAPHICS_FAMILY, COMPUTE_FAMILY, TRANSFER_FAMILY, FAMILIES };

/* What was recorded: R reset, S timestamp, P pass begins, E pass ends, d draw, D dispatch. */
static char recorded[64];

static void note(char what)
{
    size_t length = strlen(recorded);
    assert_true(length + 1 < sizeof recorded);
    recorded[length] = what;
    recorded[length + 1] = '\0';
}

static VKAPI_ATTR VkResult VKAPI_CALL create_queries(VkDevice d, const VkQueryPoolCreateInfo *info,
                                                     const VkAllocationCallbacks *a, VkQueryPool *made)
{
    (void)d, (void)info, (void)a;
    *made = HANDLE(VkQueryPool, next_handle++);
    return VK_SUCCESS;
}
static VKAPI_ATTR void VKAPI_CALL destroy_queries(VkDevice d, VkQueryPool p, const VkAllocationCallbacks *a)
{
    (void)d, (void)p, (void)a;
}
static VKAPI_ATTR void VKAPI_CALL reset_down(VkCommandBuffer c, VkQueryPool p, uint32_t first, uint32_t count)
{
    (void)c, (void)p, (void)first, (void)count;
    note('R');
}
static VKAPI_ATTR void VKAPI_CALL stamp_down(VkCommandBuffer c, VkPipelineStageFlagBits stage, VkQueryPool p,
                                             uint32_t query)
{
    (void)c, (void)stage, (void)p, (void)query;
    note('S');
}
static VKAPI_ATTR void VKAPI_CALL pass_down(VkCommandBuffer c, const VkRenderPassBeginInfo *info,
                                            VkSubpassContents contents)
{
    (void)c, (void)info, (void)contents;
    note('P');
}
static VKAPI_ATTR void VKAPI_CALL rendering_down(VkCommandBuffer c, const VkRenderingInfo *info)
{
    (void)c, (void)info;
    note('P');
}
static VKAPI_ATTR void VKAPI_CALL end_pass_down(VkCommandBuffer c)
{
    (void)c;
    note('E');
}
static VKAPI_ATTR void VKAPI_CALL draw_down(VkCommandBuffer c, uint32_t vertices, uint32_t instances,
                                            uint32_t first, uint32_t first_instance)
{
    (void)c, (void)vertices, (void)instances, (void)first, (void)first_instance;
    note('d');
}
static VKAPI_ATTR void VKAPI_CALL dispatch_down(VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z)
{
    (void)c, (void)x, (void)y, (void)z;
    note('D');
}
static VKAPI_ATTR void VKAPI_CALL bind_down(VkCommandBuffer c, VkPipelineBindPoint b, VkPipeline p)
{
    (void)c, (void)b, (void)p;
}
static VKAPI_ATTR VkResult VKAPI_CALL end_down(VkCommandBuffer c)
{
    (void)c;
    return VK_SUCCESS;
}

static VkPipeline pipeline;

static int open_device(void **state)
{
    (void)state;
    if (open_idle_device(WPG_MODE_GENERATE) != 0)
        return -1;
    device.next.CreateQueryPool = create_queries;
    device.next.DestroyQueryPool = destroy_queries;
    device.next.CmdResetQueryPool = reset_down;
    device.next.CmdWriteTimestamp = stamp_down;
    device.next.CmdBeginRenderPass = pass_down;
    device.next.CmdEndRenderPass = end_pass_down;
    device.next.CmdBeginRendering = rendering_down;
    device.next.CmdEndRendering = end_pass_down;
    device.next.CmdDraw = draw_down;
    device.next.CmdDispatch = dispatch_down;
    device.next.CmdBindPipeline = bind_down;
    device.next.EndCommandBuffer = end_down;
    wpg_query_plan *plan = calloc(1, sizeof *plan + FAMILIES * sizeof *plan->families);
    if (!plan)
        return -1;
    *plan = (wpg_query_plan){.timestamps = true, .period = 1, .family_count = FAMILIES};
    plan->families[GRAPHICS_FAMILY].queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    plan->families[COMPUTE_FAMILY].queueFlags = VK_QUEUE_COMPUTE_BIT;
    plan->families[TRANSFER_FAMILY].queueFlags = VK_QUEUE_TRANSFER_BIT;
    for (int i = 0; i < FAMILIES; i++)
        plan->families[i].timestampValidBits = 64;
    device.queries = plan;
    const wpg_pipeline_plan known = {.identified = true, .hash = {7, 7}};
    pipeline = HANDLE(VkPipeline, next_handle++);
    wpg_record_pipeline(&device, pipeline, &known, VK_NULL_HANDLE);
    recorded[0] = '\0';
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    wpg_recordings_finish(&device);
    (void)wpg_handles_remove(&wpg_the_process.devices, wpg_dispatch_key(DEVICE));
    return 0;
}

static VkCommandBuffer begun(uint32_t family)
{
    VkCommandPoolCreateInfo info = {.queueFamilyIndex = family};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandPool pool;
    VkCommandBuffer c;
    assert_int_equal(wpg_record_CreateCommandPool(DEVICE, &info, NULL, &pool), VK_SUCCESS);
    VkCommandBufferAllocateInfo one = {.commandPool = pool, .commandBufferCount = 1};
    assert_int_equal(wpg_record_AllocateCommandBuffers(DEVICE, &one, &c), VK_SUCCESS);
    assert_int_equal(wpg_record_BeginCommandBuffer(c, &begin), VK_SUCCESS);
    return c;
}

static void draw(VkCommandBuffer c)
{
    wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    wpg_record_CmdDraw(c, 3, 1, 0, 0);
}

static void render(VkCommandBuffer c, VkRenderingFlags flags)
{
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .flags = flags, .layerCount = 1};
    wpg_record_CmdBeginRendering(c, &info);
    draw(c);
    wpg_record_CmdEndRendering(c);
}

static void ends(VkCommandBuffer c, const char *expected)
{
    assert_int_equal(wpg_record_EndCommandBuffer(c), VK_SUCCESS);
    assert_string_equal(recorded, expected);
}

/* VUID-vkCmdResetQueryPool-commandBuffer-cmdpool: graphics or compute. */
static void queues_that_copy(void **state)
{
    (void)state;
    ends(begun(TRANSFER_FAMILY), "");
}

static void before_the_first_run(void **state)
{
    (void)state;
    VkCommandBuffer c = begun(COMPUTE_FAMILY);
    wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    wpg_record_CmdDispatch(c, 1, 1, 1);
    ends(c, "RSDS");
}

static void before_the_pass(void **state)
{
    (void)state;
    VkCommandBuffer c = begun(GRAPHICS_FAMILY);
    wpg_record_CmdBeginRenderPass(c, &(VkRenderPassBeginInfo){0}, VK_SUBPASS_CONTENTS_INLINE);
    draw(c);
    wpg_record_CmdEndRenderPass(c);
    wpg_record_CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    wpg_record_CmdDispatch(c, 1, 1, 1);
    ends(c, "RPSdSESDS");
}

/* VUID-vkQueueSubmit-pCommandBuffers-06014: no command between rendering that is suspended and its
 * resumption, which may begin the next command buffer. */
static void resumed_rendering(void **state)
{
    (void)state;
    VkCommandBuffer c = begun(GRAPHICS_FAMILY);
    render(c, VK_RENDERING_SUSPENDING_BIT);
    ends(c, "RPSdSE");
    recorded[0] = '\0';
    c = begun(GRAPHICS_FAMILY);
    render(c, VK_RENDERING_RESUMING_BIT | VK_RENDERING_SUSPENDING_BIT);
    render(c, VK_RENDERING_RESUMING_BIT);
    assert_string_equal(recorded, "PdEPdE");
    render(c, 0);
    ends(c, "PdEPdERPSdSE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(queues_that_copy, open_device, close_device),
        cmocka_unit_test_setup_teardown(before_the_first_run, open_device, close_device),
        cmocka_unit_test_setup_teardown(before_the_pass, open_device, close_device),
        cmocka_unit_test_setup_teardown(resumed_rendering, open_device, close_device),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wpg_totals_finish();
    return failed;
}
