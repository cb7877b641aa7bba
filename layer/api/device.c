/* Device creation and destruction: features, counters, the queues that drain. If anything of ours fails, the
 * program gets its own device and it passes through. */
#include "layer/base/answers.h"
#include "layer/base/state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "compiler/optimize/ir/optimize.h"
#include "layer/api/hooks.h"
#include "layer/api/libraries.h"
#include "layer/api/lifetime.h"
#include "layer/api/shader_objects.h"
#include "layer/base/disk_cache.h"
#include "layer/base/power.h"
#include "layer/base/sampling.h"
#include "layer/base/stages_report.h"
#include "layer/base/loss_attribution.h"
#include "layer/base/window.h"
#include "layer/commands/counter_layouts.h"
#include "layer/commands/record_queries.h"
#include "layer/commands/sample_bind.h"
#include "layer/commands/steer.h"
#include "layer/contents/contents.h"
#include "layer/profile/bundle_files.h"
#include "layer/profile/files.h"
#include "layer/profile/ticker.h"
#include "layer/profile/times.h"
#include "layer/profile/tune.h"
#include "layer/profile/use.h"
#include "layer/profile/writer.h"
#include "layer/rewrite/object_names.h"
#include "layer/rewrite/shader_modules.h"
#include "layer/variants/variants.h"
#include "runtime/base/log.h"

static VkLayerDeviceCreateInfo *find_link(const VkDeviceCreateInfo *info, VkLayerFunction function)
{
    for (const VkBaseInStructure *at = info->pNext; at; at = at->pNext) {
        const VkLayerDeviceCreateInfo *link = (const void *)at;
        if (at->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && link->function == function)
            return (VkLayerDeviceCreateInfo *)(uintptr_t)link;
    }
    return NULL;
}

static void load_commands(wpg_device *device)
{
    PFN_vkGetDeviceProcAddr get = device->next.GetDeviceProcAddr;
#define COMMAND(name) device->next.name = (PFN_vk##name)get(device->handle, "vk" #name);
    WPG_DEVICE_COMMANDS(COMMAND)
#undef COMMAND
#define COMMAND(name) device->next.name = get(device->handle, "vk" #name);
    WPG_NEW_DEVICE_COMMANDS(COMMAND)
#undef COMMAND
}

/* -- Queues */

/* The device's queues with their families; their handles are ours to use before the program has them. */
static bool find_queues(wpg_device *device, VkPhysicalDevice physical, const VkDeviceCreateInfo *info)
{
    uint32_t family_count = 0;
    size_t queue_count = 0;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties ask =
        device->instance->next.GetPhysicalDeviceQueueFamilyProperties;
    ask(physical, &family_count, NULL);
    VkQueueFamilyProperties *families = calloc(family_count ? family_count : 1, sizeof *families);
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
        queue_count += info->pQueueCreateInfos[i].queueCount;
    device->queues = calloc(queue_count ? queue_count : 1, sizeof *device->queues);
    if (!families || !device->queues) {
        free(families);
        return false;
    }
    ask(physical, &family_count, families);
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
        const VkDeviceQueueCreateInfo *made = &info->pQueueCreateInfos[i];
        bool able = made->queueFamilyIndex < family_count &&
                    (families[made->queueFamilyIndex].queueFlags &
                     (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT));
        for (uint32_t j = 0; j < made->queueCount; j++) {
            wpg_queue *queue = &device->queues[device->queue_count];
            VkDeviceQueueInfo2 which = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2,
                                        .flags = made->flags,
                                        .queueFamilyIndex = made->queueFamilyIndex,
                                        .queueIndex = j};
            if (made->flags == 0)
                device->next.GetDeviceQueue(device->handle, made->queueFamilyIndex, j, &queue->handle);
            else if (device->next.GetDeviceQueue2)
                device->next.GetDeviceQueue2(device->handle, &which, &queue->handle);
            queue->family = made->queueFamilyIndex;
            queue->drains = able;
            if (queue->handle && device->set_loader_data(device->handle, queue->handle) == VK_SUCCESS)
                device->queue_count++;
        }
    }
    free(families);
    return true;
}

static const wpg_queue *draining_queue(const wpg_device *device)
{
    for (size_t i = 0; i < device->queue_count; i++)
        if (device->queues[i].drains)
            return &device->queues[i];
    return NULL;
}

static uint32_t unique_families(uint32_t *families, const wpg_device *device)
{
    uint32_t count = 0;
    for (size_t i = 0; i < device->queue_count; i++) {
        uint32_t j = 0;
        while (j < count && families[j] != device->queues[i].family)
            j++;
        if (j == count)
            families[count++] = device->queues[i].family;
    }
    return count;
}

/* -- Counters */

/* The address the directory had on this device in an earlier run, so that the driver's cache keeps working.
 */
static wpg_hash128 replay_key(const VkPhysicalDeviceProperties *properties, int64_t slots)
{
    struct {
        char what[8];
        uint8_t uuid[VK_UUID_SIZE];
        uint32_t vendor, device, driver;
        int32_t slots;
    } key = {.what = "replay2",
             .vendor = properties->vendorID,
             .device = properties->deviceID,
             .driver = properties->driverVersion,
             .slots = (int32_t)slots};
    memcpy(key.uuid, properties->pipelineCacheUUID, VK_UUID_SIZE);
    return wpg_hash_bytes(&key, sizeof key);
}

static void load_replay(wpg_replay *replay, wpg_hash128 key)
{
    uint8_t *data;
    size_t size;
    if (wpg_cache_get(&data, &size, wpg_disk_cache(), key, NULL) != WPG_OK)
        return;
    if (size == sizeof *replay)
        memcpy(replay, data, sizeof *replay);
    free(data);
}

static size_t import_alignment(const wpg_device *device, VkPhysicalDevice physical)
{
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &host};
    if (!device->features.host_import || !device->instance->next.GetPhysicalDeviceProperties2)
        return 0;
    device->instance->next.GetPhysicalDeviceProperties2(physical, &all);
    return (size_t)host.minImportedHostPointerAlignment;
}

static void say_address(const wpg_device *device, const wpg_feature_plan *plan)
{
    switch (wpg_counters_address_kind(device->counters)) {
    case WPG_ADDRESS_IMPORTED:
    case WPG_ADDRESS_REPLAYED:
    case WPG_ADDRESS_NONE:
        break;
    case WPG_ADDRESS_ORDINARY:
        wpg_log_once(WPG_LOG_WARN,
                     "counters have no stable address here%s: the driver's shader cache will miss",
                     plan->application_replays ? " (the program replays addresses itself)" : "");
        break;
    case WPG_ADDRESS_LITERAL:
        wpg_log_once(WPG_LOG_WARN, "the device has no memory: pipelines are compiled, nothing is counted");
        break;
    }
}

/* lavapipe (seen with 25.0.7) keeps memory in a file. Where files may not grow so far, it does not fail: the
 * program is ended, by SIGXFSZ in the call or by SIGBUS later. The program's own memory is in the same file,
 * so that ours may be half of it. */
static wpg_status check_file_size(const wpg_device *device, wpg_error *err)
{
    struct rlimit limit;
    const rlim_t bytes = (rlim_t)wpg_the_process.settings.counter_memory << 20;
    if (!device->features.memory_is_file || getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / 2 >= bytes)
        return WPG_OK;
    return wpg_fail(
        err, WPG_E_LIMIT,
        "files may grow to %llu bytes (ulimit -f), and this driver keeps its memory in files: set "
        "COUNTER_MEMORY (in MiB) to at most half of that",
        (unsigned long long)limit.rlim_cur);
}

static wpg_status create_counters(wpg_device *device, VkPhysicalDevice physical, const wpg_feature_plan *plan,
                                  wpg_error *err)
{
    const wpg_settings *settings = &wpg_the_process.settings;
    const wpg_queue *queue = draining_queue(device);
    wpg_counters_vk vk;
    if (!queue)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "the device has no queue that can copy");
    if (!wpg_counters_vk_load(&vk, device->handle, device->next.GetDeviceProcAddr, device->set_loader_data))
        return wpg_fail(err, WPG_E_UNSUPPORTED, "the device lacks a command");
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceProperties properties;
    device->instance->next.GetPhysicalDeviceMemoryProperties(physical, &memory);
    device->instance->next.GetPhysicalDeviceProperties(physical, &properties);
    WPG_TRY(check_file_size(device, err));
    uint32_t *families = calloc(device->queue_count, sizeof *families);
    if (!families)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    bool replays = device->features.capture_replay && !plan->application_replays;
    wpg_counters_config config = {
        .limits = {.types = &memory,
                   .families = families,
                   .family_count = unique_families(families, device),
                   .host_import = device->features.host_import,
                   .physical = physical,
                   .external_buffers = device->instance->next.GetPhysicalDeviceExternalBufferProperties,
                   .capture_replay = replays,
                   .import_alignment = import_alignment(device, physical)},
        .device_type = properties.deviceType,
        .placement = settings->counter_placement == WPG_PLACEMENT_DEVICE ? WPG_COUNTERS_DEVICE
                     : settings->counter_placement == WPG_PLACEMENT_HOST ? WPG_COUNTERS_HOST
                                                                         : WPG_COUNTERS_AUTO,
        .bytes = (size_t)settings->counter_memory << 20,
        .slots = (size_t)settings->slots,
        .start = (uint64_t)settings->counter_start,
        .bound = device->features.by_binding,
        .alignment =
            device->features.by_binding ? (size_t)properties.limits.minStorageBufferOffsetAlignment : 0,
        .queue = queue->handle,
        .queue_family = queue->family,
    };
    wpg_hash128 key = replay_key(&properties, settings->slots);
    if (replays)
        load_replay(&config.replay, key);
    wpg_status status = wpg_counters_create(&device->counters, &vk, &config, err);
    free(families);
    if (status == WPG_OK && wpg_counters_address_kind(device->counters) == WPG_ADDRESS_REPLAYED) {
        wpg_replay replay = wpg_counters_replay(device->counters);
        if (memcmp(&replay, &config.replay, sizeof replay) != 0)
            (void)wpg_cache_put(wpg_disk_cache(), key, &replay, sizeof replay, NULL);
    }
    if (status == WPG_OK)
        say_address(device, plan);
    return status;
}

/* -- Creation */

static void pass_through(wpg_device *device, const char *why)
{
    wpg_log(wpg_log_is_first(why) ? WPG_LOG_WARN : WPG_LOG_INFO, "device passes through: %s", why);
    device->mode = WPG_MODE_OFF;
}

static void create_cache(wpg_device *device)
{
    /* The program's cache never sees our compiles. Ours is needed only to answer
     * FAIL_ON_PIPELINE_COMPILE_REQUIRED; otherwise the driver's own default does. */
    VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    if (!device->features.cache_control || !device->next.CreatePipelineCache)
        return;
    if (device->next.CreatePipelineCache(device->handle, &info, NULL, &device->cache) != VK_SUCCESS)
        device->cache = VK_NULL_HANDLE;
}

static void say_stages(const wpg_device *device, VkPhysicalDevice physical)
{
    VkPhysicalDeviceProperties properties;
    char text[640];
    if (!wpg_log_enabled(WPG_LOG_INFO))
        return;
    device->instance->next.GetPhysicalDeviceProperties(physical, &properties);
    wpg_stages_report(text, sizeof text, &device->features);
    wpg_log_info("device %s: %s", properties.deviceName, text);
}

/* Makes the new device ready for its mode; leaves it passing through if that cannot be. */
static void equip(wpg_device *device, VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                  const wpg_feature_plan *plan)
{
    wpg_error err;
    if (device->mode == WPG_MODE_GENERATE) {
        if (!device->features.buffer_device_address && !device->features.by_binding) {
            pass_through(device,
                         plan->refused[0] ? plan->refused : "bufferDeviceAddress could not be enabled");
            return;
        }
        if (plan->refused[0]) {
            pass_through(device, plan->refused);
            return;
        }
        if (!device->set_loader_data || !find_queues(device, physical, info)) {
            pass_through(device, "its queues could not be read");
            return;
        }
        const char *why = device->features.by_binding ? wpg_counter_sets_refuse(info) : NULL;
        if (why) {
            pass_through(device, why);
            return;
        }
        if (create_counters(device, physical, plan, &err) != WPG_OK) {
            pass_through(device, err.message);
            return;
        }
        if (device->features.by_binding && !wpg_counter_sets_start(device, physical)) {
            pass_through(device, device->features.buffer_device_address
                                     ? "the driver refuses a descriptor set layout"
                                     : "no bufferDeviceAddress, and no descriptor set layout");
            return;
        }
        device->records = wpg_bundle_on() || wpg_ticker_wanted() || device->counter_sets;
        device->binds = wpg_sampling_has_twins() || wpg_window_exists();
        wpg_queries_plan(device, physical);
        say_stages(device, physical);
        wpg_bundle_made_on(device->features.made_on);
        wpg_made_record_compose(device->made, &device->features.made);
    }
    if (device->mode == WPG_MODE_TUNE || device->mode == WPG_MODE_USE)
        wpg_tune_know_device(device, physical);
    if (device->mode == WPG_MODE_USE)
        wpg_tune_load_verdicts(device, wpg_use_bundle());
    if (device->mode == WPG_MODE_TUNE) {
        if (!*wpg_bundle_folder()) {
            pass_through(device, "tune mode writes verdicts into a bundle, and BUNDLE names none");
            return;
        }
        device->records = device->binds = true;
        device->times = wpg_tune_times(device, physical);
        if (device->times) {
            wpg_queries_plan(device, physical);
            wpg_steer_plan(device, physical);
        }
    }
    create_cache(device);
    if (device->mode == WPG_MODE_USE && wpg_ticker_wanted())
        device->records = true;
    if (device->mode == WPG_MODE_USE && wpg_times_on()) {
        wpg_times_device(device);
        wpg_queries_plan(device, physical);
    }
    if (device->mode == WPG_MODE_USE && wpg_contents_possible())
        wpg_contents_start(device, physical);
    if (wpg_variants_wanted(device))
        wpg_variants_start(device, info);
}

static wpg_device *adopt(VkDevice handle, wpg_instance *instance, PFN_vkGetDeviceProcAddr get)
{
    wpg_device *device = calloc(1, sizeof *device);
    if (!device)
        return NULL;
    device->handle = handle;
    device->instance = instance;
    device->mode = instance->active ? wpg_the_process.mode : WPG_MODE_OFF;
    device->next.GetDeviceProcAddr = get;
    load_commands(device);
    wpg_handles_init(&device->modules);
    wpg_handles_init(&device->identifiers);
    wpg_recordings_init(device);
    wpg_twins_init(device);
    wpg_handles_init(&device->counting);
    wpg_object_names_init(device);
    wpg_libraries_init(device);
    wpg_handles_init(&device->shaders);
    wpg_handles_init(&device->verdicts);
    (void)pthread_mutex_init(&device->counted_lock, NULL);
    if (!wpg_handles_set(&wpg_the_process.devices, wpg_dispatch_key(handle), device)) {
        wpg_handles_finish(&device->modules);
        wpg_handles_finish(&device->identifiers);
        wpg_recordings_finish(device);
        wpg_twins_finish(device);
        wpg_handles_finish(&device->counting);
        wpg_object_names_finish(device);
        wpg_libraries_finish(device);
        wpg_handles_finish(&device->shaders);
        wpg_handles_finish(&device->verdicts);
        free(device);
        return NULL;
    }
    return device;
}

static unsigned feature_need(void)
{
    const wpg_process *process = &wpg_the_process;
    unsigned need = WPG_NEED_NOTHING;
    if (process->mode == WPG_MODE_GENERATE)
        need |= WPG_NEED_COUNTING;
    if (wpg_use_applies() && process->settings.pseudo_probes)
        need |= WPG_NEED_NON_SEMANTIC;
    if (wpg_use_applies() && !wpg_use_missing() && !strchr(process->settings.skip_passes, WPG_PASS_WAVE_SIZE))
        need |= WPG_NEED_WAVE_SIZES;
    if (wpg_contents_possible() && wpg_use_applies() && !wpg_use_missing())
        need |= WPG_NEED_CONTENTS;
    if (process->mode == WPG_MODE_TUNE && process->settings.tune_method != WPG_TUNE_TIMESTAMPS)
        need |= WPG_NEED_STATISTICS;
    return need;
}

static void link_device(wpg_device *device)
{
    wpg_process *process = &wpg_the_process;
    (void)pthread_mutex_lock(&process->lock);
    device->next_device = process->device_list;
    process->device_list = device;
    (void)pthread_mutex_unlock(&process->lock);
}

VkResult VKAPI_CALL wpg_create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                      const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    wpg_instance *instance = wpg_instance_of(physical);
    VkLayerDeviceCreateInfo *link = find_link(info, VK_LAYER_LINK_INFO);
    VkLayerDeviceCreateInfo *callback = find_link(info, VK_LOADER_DATA_CALLBACK);
    if (!instance || !link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)next(instance->handle, "vkCreateDevice");
    if (!create)
        return VK_ERROR_INITIALIZATION_FAILED;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkLayerDeviceLink *below = link->u.pLayerInfo;

    wpg_feature_plan plan = {.info = *info};
    bool active = instance->active && wpg_process_is_owner();
    if (active)
        wpg_feature_plan_make(&plan, instance, physical, info, feature_need());
    wpg_device_features features = plan.planned;
    VkResult result = create(physical, &plan.info, allocator, handle);
    if (result != VK_SUCCESS && plan.changed) {
        wpg_log_warn(
            "the driver refuses the device features that the layer adds (VkResult %d): trying without them",
            (int)result);
        link->u.pLayerInfo = below;
        features = plan.plain;
        result = create(physical, info, allocator, handle);
    }
    if (result == VK_SUCCESS) {
        wpg_device *device = adopt(*handle, instance, next_device);
        if (!device) {
            PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)next_device(*handle, "vkDestroyDevice");
            if (destroy)
                destroy(*handle, allocator);
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
        } else {
            device->features = features;
            device->set_loader_data = callback ? callback->u.pfnSetDeviceLoaderData : NULL;
            if (!active)
                device->mode = WPG_MODE_OFF;
            else
                equip(device, physical, info, &plan);
            if ((device->mode == WPG_MODE_USE || device->mode == WPG_MODE_TUNE) &&
                *device->features.own_passes)
                wpg_log_info("passes that this driver makes useless or wrong are left out: %s",
                             device->features.own_passes);
            if (device->mode != WPG_MODE_OFF)
                device->attribution = wpg_attribution_create();
            wpg_power_hold(device, physical);
            if (device->mode == WPG_MODE_TUNE)
                wpg_writer_start();
            if (device->mode != WPG_MODE_OFF)
                wpg_ticker_start();
            if (device->mode == WPG_MODE_GENERATE) {
                link_device(device);
                wpg_writer_start();
            }
            if (device->mode != WPG_MODE_OFF)
                wpg_process_watch_exit();
        }
    }
    wpg_feature_plan_finish(&plan);
    return result;
}

/* -- Destruction */

/* The last drain: everything the device ran is counted. A lost device gives what is mapped. */
static void drain_last(wpg_device *device)
{
    const uint64_t patience = UINT64_C(10000000000); /* ten seconds; the device is idle already */
    const wpg_queue *queue = draining_queue(device);
    wpg_drain *drain = wpg_counters_drain(device->counters);
    wpg_error err = {0};
    if (!drain || !queue)
        return;
    if (atomic_load(&device->lost) || device->next.DeviceWaitIdle(device->handle) != VK_SUCCESS ||
        wpg_drain_wait(drain, patience) != WPG_OK ||
        wpg_drain_submit(drain, queue->handle, queue->family, &err) != WPG_OK ||
        wpg_drain_wait(drain, patience) != WPG_OK) {
        atomic_store(&device->lost, true);
        wpg_log_warn("the last counts of a device could not be fetched%s%s", err.message[0] ? ": " : "",
                     err.message);
    }
}

static void retire(wpg_device *device)
{
    if (!wpg_process_is_owner())
        return;
    drain_last(device);
    if (wpg_files_retire(device))
        wpg_writer_stop();
    wpg_files_write_all(false);
}

void VKAPI_CALL wpg_destroy_device(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    if (!handle)
        return;
    wpg_device *device = wpg_handles_remove(&wpg_the_process.devices, wpg_dispatch_key(handle));
    if (!device)
        return;
    wpg_variants_finish(device);
    wpg_answers_keep();
    wpg_recordings_finish(device); /* the last results of queries, before files are written */
    wpg_steer_forget(device);
    wpg_contents_finish(device);
    if (device->mode == WPG_MODE_GENERATE)
        retire(device);
    if (device->mode == WPG_MODE_TUNE)
        wpg_tune_write();
    wpg_power_release(device);
    wpg_counter_sets_finish(device);
    wpg_counters_destroy(device->counters, true);
    if (device->cache)
        device->next.DestroyPipelineCache(handle, device->cache, NULL);
    device->next.DestroyDevice(handle, allocator);
    wpg_libraries_finish(device);
    wpg_shader_objects_finish(device);
    wpg_tune_forget_verdicts(device);
    wpg_twins_finish(device);
    wpg_handles_free(&device->counting);
    wpg_attribution_destroy(device->attribution);
    wpg_object_names_finish(device);
    wpg_shader_modules_finish(device);
    (void)pthread_mutex_destroy(&device->counted_lock);
    free(device->queues);
    free(device);
}
