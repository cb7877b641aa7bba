/* Performance queries that are made up, by the rules of VK_KHR_performance_query (SHIM_PERFORMANCE). */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/e2e/shim.h"
#include "tests/e2e/shim_counters.h"

enum { MAX_POOLS = 64, POOL_QUERIES = 1024 };
static struct fake_pool {
    VkQueryPool handle;
    uint32_t counters, indices[SHIM_COUNTERS];
    uint8_t state[POOL_QUERIES]; /* 0: as made, 1: reset, 2: begun, 3: ended */
} fake_pools[MAX_POOLS];
static unsigned locks_held;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void rule(bool holds, const char *what)
{
    if (!holds)
        fprintf(stderr, "shim: %s\n", what);
}

static struct fake_pool *fake_pool_of(VkQueryPool handle)
{
    for (unsigned i = 0; handle && i < MAX_POOLS; i++)
        if (fake_pools[i].handle == handle)
            return &fake_pools[i];
    return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL acquire_lock(VkDevice device, const VkAcquireProfilingLockInfoKHR *info)
{
    (void)device;
    rule(info->timeout < 1000000000u, "the lock is waited for too long");
    rule(!locks_held, "the lock is taken twice");
    if (shim_performance("busy"))
        return VK_TIMEOUT;
    locks_held++;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL release_lock(VkDevice device)
{
    (void)device;
    rule(locks_held == 1, "a lock that is not held is released");
    locks_held = 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_query_pool(VkDevice device, const VkQueryPoolCreateInfo *info,
                                                        const VkAllocationCallbacks *allocator,
                                                        VkQueryPool *pool)
{
    VkQueryPoolCreateInfo plain = *info;
    if (info->queryType != VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR)
        return SHIM_NEXT(vkCreateQueryPool)(device, info, allocator, pool);
    const VkQueryPoolPerformanceCreateInfoKHR *what = info->pNext;
    plain.queryType = VK_QUERY_TYPE_OCCLUSION; /* a handle of the driver's, never used there */
    plain.pNext = NULL;
    VkResult result = SHIM_NEXT(vkCreateQueryPool)(device, &plain, allocator, pool);
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < MAX_POOLS && fake_pools[i].handle)
        i++;
    rule(i < MAX_POOLS && info->queryCount <= POOL_QUERIES && what &&
             what->counterIndexCount <= SHIM_COUNTERS,
         "too many performance queries");
    if (result == VK_SUCCESS && i < MAX_POOLS) {
        fake_pools[i] = (struct fake_pool){.handle = *pool, .counters = what->counterIndexCount};
        memcpy(fake_pools[i].indices, what->pCounterIndices, what->counterIndexCount * sizeof(uint32_t));
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_query_pool(VkDevice device, VkQueryPool pool,
                                                     const VkAllocationCallbacks *allocator)
{
    struct fake_pool *fake = fake_pool_of(pool);
    if (fake)
        fake->handle = VK_NULL_HANDLE;
    SHIM_NEXT(vkDestroyQueryPool)(device, pool, allocator);
}

static VKAPI_ATTR void VKAPI_CALL reset_query_pool(VkDevice device, VkQueryPool pool, uint32_t first,
                                                   uint32_t count)
{
    struct fake_pool *fake = fake_pool_of(pool);
    if (fake)
        memset(fake->state + first, 1, count);
    else
        SHIM_NEXT(vkResetQueryPool)(device, pool, first, count);
}

static VKAPI_ATTR void VKAPI_CALL cmd_reset_query_pool(VkCommandBuffer commands, VkQueryPool pool,
                                                       uint32_t first, uint32_t count)
{
    rule(!fake_pool_of(pool), "performance queries are reset in a command buffer");
    if (!fake_pool_of(pool))
        SHIM_NEXT(vkCmdResetQueryPool)(commands, pool, first, count);
}

static VKAPI_ATTR void VKAPI_CALL cmd_begin_query(VkCommandBuffer commands, VkQueryPool pool, uint32_t query,
                                                  VkQueryControlFlags flags)
{
    struct fake_pool *fake = fake_pool_of(pool);
    if (!fake) {
        SHIM_NEXT(vkCmdBeginQuery)(commands, pool, query, flags);
        return;
    }
    rule(locks_held == 1, "a performance query begins without the lock");
    rule(fake->state[query] == 1, "a performance query begins that was not reset");
    fake->state[query] = 2;
}

static VKAPI_ATTR void VKAPI_CALL cmd_end_query(VkCommandBuffer commands, VkQueryPool pool, uint32_t query)
{
    struct fake_pool *fake = fake_pool_of(pool);
    if (!fake) {
        SHIM_NEXT(vkCmdEndQuery)(commands, pool, query);
        return;
    }
    rule(fake->state[query] == 2, "a performance query ends that did not begin");
    fake->state[query] = 3;
}

/* Of each query as many instructions as 1000, and as many bytes as 64.25; a run of a recording has the same
 * each time it is submitted, so that the queries stay ended after the first time. */
static VKAPI_ATTR VkResult VKAPI_CALL get_query_results(VkDevice device, VkQueryPool pool, uint32_t first,
                                                        uint32_t count, size_t size, void *data,
                                                        VkDeviceSize stride, VkQueryResultFlags flags)
{
    struct fake_pool *fake = fake_pool_of(pool);
    if (!fake)
        return SHIM_NEXT(vkGetQueryPoolResults)(device, pool, first, count, size, data, stride, flags);
    rule(flags == 0 && size >= count * stride, "results of performance queries are asked for with flags");
    VkPerformanceCounterResultKHR *results = data;
    for (uint32_t q = 0; q < count; q++)
        for (uint32_t i = 0; i < fake->counters; i++)
            if (fake->indices[i] == 3)
                results[q * (stride / sizeof *results) + i].float64 = 64.25;
            else
                results[q * (stride / sizeof *results) + i].uint64 = 1000;
    return VK_SUCCESS;
}

const shim_hook shim_query_hooks[] = {
    {"vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR",
     (PFN_vkVoidFunction)shim_enumerate_counters},
    {"vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR", (PFN_vkVoidFunction)shim_query_passes},
    {"vkAcquireProfilingLockKHR", (PFN_vkVoidFunction)acquire_lock},
    {"vkReleaseProfilingLockKHR", (PFN_vkVoidFunction)release_lock},
    {"vkCreateQueryPool", (PFN_vkVoidFunction)create_query_pool},
    {"vkDestroyQueryPool", (PFN_vkVoidFunction)destroy_query_pool},
    {"vkResetQueryPool", (PFN_vkVoidFunction)reset_query_pool},
    {"vkCmdResetQueryPool", (PFN_vkVoidFunction)cmd_reset_query_pool},
    {"vkCmdBeginQuery", (PFN_vkVoidFunction)cmd_begin_query},
    {"vkCmdEndQuery", (PFN_vkVoidFunction)cmd_end_query},
    {"vkGetQueryPoolResults", (PFN_vkVoidFunction)get_query_results},
    {NULL, NULL},
};
