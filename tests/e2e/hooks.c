/* Scenario "hooks" of the test program: whose code each device command leads to. See app.c. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tests/e2e/app.h"

void app_hooks(vk_program *vk)
{
    static const char *const commands[] = {"vkCreateShaderModule",
                                           "vkCreateComputePipelines",
                                           "vkCreateGraphicsPipelines",
                                           "vkDestroyPipeline",
                                           "vkDestroyDevice",
                                           "vkQueueSubmit",
                                           "vkQueuePresentKHR",
                                           "vkAllocateCommandBuffers",
                                           "vkBeginCommandBuffer",
                                           "vkCmdBindPipeline",
                                           "vkCmdBindDescriptorSets",
                                           "vkCmdPushConstants",
                                           "vkCmdDraw",
                                           "vkCmdDrawIndexed",
                                           "vkCmdDispatch",
                                           "vkCmdPipelineBarrier",
                                           "vkMapMemory",
                                           "vkAllocateMemory",
                                           "vkUpdateDescriptorSets",
                                           "vkGetDeviceQueue"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        /* POSIX lets a function pointer be looked at as an object pointer; ISO C needs the copy. */
        PFN_vkVoidFunction function = vkGetDeviceProcAddr(vk->device, commands[i]);
        void *address;
        memcpy(&address, &function, sizeof address);
        Dl_info info;
        const char *where = address && dladdr(address, &info) && info.dli_fname ? info.dli_fname : "nowhere";
        const char *slash = strrchr(where, '/');
        printf("%s %s\n", commands[i], slash ? slash + 1 : where);
    }
}
