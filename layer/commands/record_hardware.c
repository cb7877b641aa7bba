/* See record_hardware.h. */
#include "layer/commands/record_hardware.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/log.h"

enum { MOST_COUNTERS = 16, MOST_OFFERED = 4096, KEY = WPG_FACTS_WORD };
/* How long the lock is waited for, in nanoseconds: another tool may have it. */
static const uint64_t patience = UINT64_C(50) * 1000 * 1000;

/* What is measured on queues of one family. */
typedef struct choice {
    uint32_t count;
    uint32_t indices[MOST_COUNTERS];
    VkPerformanceCounterStorageKHR storages[MOST_COUNTERS];
    char keys[MOST_COUNTERS][KEY + 1]; /* of the facts */
} choice;

struct wpg_hardware {
    PFN_vkReleaseProfilingLockKHR release;
    PFN_vkResetQueryPool reset;
    uint32_t family_count;
    choice families[];
};

typedef struct lock_commands {
    PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate;
    PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes;
    PFN_vkAcquireProfilingLockKHR acquire;
    PFN_vkReleaseProfilingLockKHR release;
    PFN_vkResetQueryPool reset;
} lock_commands;

static bool find_commands(lock_commands *found, const wpg_device *device)
{
    const wpg_instance *instance = device->instance;
    PFN_vkGetInstanceProcAddr ask = instance->next.GetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr get = device->next.GetDeviceProcAddr;
    found->enumerate = (PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR)ask(
        instance->handle, "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR");
    found->passes = (PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR)ask(
        instance->handle, "vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR");
    found->acquire = (PFN_vkAcquireProfilingLockKHR)get(device->handle, "vkAcquireProfilingLockKHR");
    found->release = (PFN_vkReleaseProfilingLockKHR)get(device->handle, "vkReleaseProfilingLockKHR");
    found->reset = (PFN_vkResetQueryPool)get(device->handle, "vkResetQueryPool");
    if (!found->reset)
        found->reset = (PFN_vkResetQueryPool)get(device->handle, "vkResetQueryPoolEXT");
    return found->enumerate && found->passes && found->acquire && found->release && found->reset;
}

/* -- Choosing */

/* Comma-separated globs; "*" is all. */
static bool is_wanted(const char *name)
{
    const char *list = wpg_the_process.settings.hardware_counters;
    char item[256];
    while (*list) {
        size_t length = strcspn(list, ",");
        if (length && length < sizeof item) {
            memcpy(item, list, length);
            item[length] = '\0';
            if (fnmatch(item, name, 0) == 0)
                return true;
        }
        list += length + (list[length] == ',');
    }
    return false;
}

/* What is measured in this unit adds up over commands; *ending is the key's. */
static bool adds_up(const char **ending, VkPerformanceCounterUnitKHR unit)
{
    switch (unit) {
    case VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR:
        *ending = "";
        return true;
    case VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR:
        *ending = ".bytes";
        return true;
    case VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR:
        *ending = ".cycles";
        return true;
    case VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR:
        *ending = ".nanoseconds";
        return true;
    default:
        return false;
    }
}

/* A fact's key from the driver's name: what may not be in a word becomes '-'. */
static void make_key(char key[KEY + 1], const char *name, const char *ending)
{
    (void)snprintf(key, KEY + 1, "counter.%.90s%s", name, ending);
    for (char *c = key; *c; c++)
        if (*c <= ' ' || *c > '~')
            *c = '-';
}

static bool is_taken(const choice *chosen, const char *key)
{
    for (uint32_t i = 0; i < chosen->count; i++)
        if (strcmp(chosen->keys[i], key) == 0)
            return true;
    return false;
}

static bool fits_one_pass(const lock_commands *vk, VkPhysicalDevice physical, uint32_t family, choice *chosen)
{
    VkQueryPoolPerformanceCreateInfoKHR info = {.sType =
                                                    VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
                                                .queueFamilyIndex = family,
                                                .counterIndexCount = chosen->count,
                                                .pCounterIndices = chosen->indices};
    uint32_t passes = 0;
    vk->passes(physical, &info, &passes);
    return passes == 1;
}

/* In the driver's order, each that one pass takes with those before it. */
static void choose(choice *chosen, const lock_commands *vk, VkPhysicalDevice physical, uint32_t family)
{
    uint32_t count = 0;
    if (vk->enumerate(physical, family, &count, NULL, NULL) != VK_SUCCESS || !count)
        return;
    count = count < MOST_OFFERED ? count : MOST_OFFERED;
    VkPerformanceCounterKHR *counters = calloc(count, sizeof *counters);
    VkPerformanceCounterDescriptionKHR *texts = calloc(count, sizeof *texts);
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; counters && texts && i < count; i++) {
        counters[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
        texts[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
    }
    if (counters && texts)
        result = vk->enumerate(physical, family, &count, counters, texts);
    for (uint32_t i = 0; (result == VK_SUCCESS || result == VK_INCOMPLETE) && i < count; i++) {
        const char *ending;
        char name[VK_MAX_DESCRIPTION_SIZE + 1];
        if (chosen->count == MOST_COUNTERS)
            break;
        (void)snprintf(name, sizeof name, "%.*s", VK_MAX_DESCRIPTION_SIZE, texts[i].name);
        if (counters[i].scope != VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR || !is_wanted(name) ||
            !adds_up(&ending, counters[i].unit))
            continue;
        make_key(chosen->keys[chosen->count], name, ending);
        if (is_taken(chosen, chosen->keys[chosen->count]))
            continue;
        chosen->indices[chosen->count] = i;
        chosen->storages[chosen->count++] = counters[i].storage;
        if (!fits_one_pass(vk, physical, family, chosen))
            chosen->count--;
    }
    free(counters);
    free(texts);
}

/* -- Life */

static wpg_hardware *without(wpg_hardware *hardware, const char *why)
{
    wpg_log_once(WPG_LOG_WARN, "HARDWARE_COUNTERS: %s", why);
    free(hardware);
    return NULL;
}

wpg_hardware *wpg_hardware_create(wpg_device *device, VkPhysicalDevice physical, uint32_t families)
{
    const char *wanted = wpg_the_process.settings.hardware_counters;
    lock_commands vk;
    uint32_t count = 0;
    if (!wanted || !*wanted)
        return NULL;
    if (device->features.program_performance)
        return without(NULL, "the program measures by itself, nothing is read");
    if (!device->features.performance_queries)
        return without(NULL,
                       "the device has no VK_KHR_performance_query, or cannot reset queries by the host");
    if (!find_commands(&vk, device))
        return without(NULL, "the driver lacks a command of VK_KHR_performance_query");
    wpg_hardware *hardware = calloc(1, sizeof *hardware + families * sizeof *hardware->families);
    if (!hardware)
        return without(NULL, "out of memory");
    hardware->release = vk.release;
    hardware->reset = vk.reset;
    hardware->family_count = families;
    for (uint32_t i = 0; i < families; i++) {
        choose(&hardware->families[i], &vk, physical, i);
        count += hardware->families[i].count;
    }
    if (!count)
        return without(hardware, "no counter of that name is read per command, adds up and fits one pass");
    const VkAcquireProfilingLockInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR,
                                                .timeout = patience};
    if (vk.acquire(device->handle, &info) != VK_SUCCESS)
        return without(hardware, "the profiling lock cannot be taken: is another profiler at work?");
    return hardware;
}

void wpg_hardware_destroy(wpg_hardware *hardware, wpg_device *device)
{
    if (!hardware)
        return;
    hardware->release(device->handle);
    free(hardware);
}

/* -- Queries */

VkQueryPool wpg_hardware_pool(const wpg_hardware *hardware, wpg_device *device, uint32_t family,
                              uint32_t count)
{
    VkQueryPool pool = VK_NULL_HANDLE;
    if (!hardware || family >= hardware->family_count || !hardware->families[family].count)
        return VK_NULL_HANDLE;
    const choice *chosen = &hardware->families[family];
    const VkQueryPoolPerformanceCreateInfoKHR what = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .queueFamilyIndex = family,
        .counterIndexCount = chosen->count,
        .pCounterIndices = chosen->indices};
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .pNext = &what,
                                        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
                                        .queryCount = count};
    if (device->next.CreateQueryPool(device->handle, &info, NULL, &pool) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    wpg_hardware_reset(hardware, device, pool, count);
    return pool;
}

void wpg_hardware_reset(const wpg_hardware *hardware, wpg_device *device, VkQueryPool pool, uint32_t count)
{
    if (pool && count)
        hardware->reset(device->handle, pool, 0, count);
}

static uint64_t rounded(double value)
{
    return value > 0 && value < 1.8e19 ? (uint64_t)(value + 0.5) : 0;
}

static uint64_t value_of(const VkPerformanceCounterResultKHR *result, VkPerformanceCounterStorageKHR storage)
{
    switch (storage) {
    case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR:
        return result->int32 > 0 ? (uint64_t)result->int32 : 0;
    case VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR:
        return result->int64 > 0 ? (uint64_t)result->int64 : 0;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR:
        return result->uint32;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR:
        return result->uint64;
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR:
        return rounded((double)result->float32);
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR:
        return rounded(result->float64);
    default:
        return 0;
    }
}

void wpg_hardware_read(const wpg_hardware *hardware, wpg_device *device, uint32_t family, VkQueryPool pool,
                       uint32_t query, wpg_totals *totals, uint64_t commands)
{
    const choice *chosen = &hardware->families[family];
    VkPerformanceCounterResultKHR results[MOST_COUNTERS] = {0};
    const size_t size = chosen->count * sizeof *results;
    /* Performance queries have no availability word: one at a time, it is there or it is not. */
    if (device->next.GetQueryPoolResults(device->handle, pool, query, 1, size, results, size, 0) !=
        VK_SUCCESS)
        return;
    const char *keys[MOST_COUNTERS];
    uint64_t values[MOST_COUNTERS];
    for (uint32_t i = 0; i < chosen->count; i++) {
        keys[i] = chosen->keys[i];
        values[i] = value_of(&results[i], chosen->storages[i]);
    }
    wpg_totals_add_hardware(totals, keys, values, chosen->count, commands);
}
