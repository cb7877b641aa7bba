/* See icd.h: counting, failing, objects, and the table of commands. */
#include "tests/icd/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

icd_state icd = {.fault.command = ICD_NO_COMMAND, .application = ICD_NO_COMMAND, .lacks = ""};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static icd_object *objects;
static const char *const kind_names[ICD_KINDS] = {
    "ended object", "instance", "physical device", "device", "queue",        "buffer",
    "memory",       "module",   "pipeline cache",  "layout", "pass",         "fence",
    "semaphore",    "queries",  "pipeline",        "shader", "command pool", "command buffer",
};

const char *const icd_names[ICD_COMMANDS] = {
#define ICD_TYPED(name) "vk" #name,
#define ICD_PLAIN       ICD_TYPED
#include "tests/icd/commands.inc"
#undef ICD_TYPED
#undef ICD_PLAIN
};

const char *const icd_odd_names[ICD_ODDS] = {
    "ordinary",   "minimal",   "aligned",   "subgroup-1", "subgroup-128", "subgroup-none",
    "no-host",    "no-memory", "tiny-heap", "small-heap", "not-coherent", "discrete",
    "no-address", "transfer",  "no-queues", "old",
};

uint64_t icd_hash_words(const void *words, size_t bytes)
{
    const uint8_t *at = words;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

bool icd_lacks(const char *name)
{
    size_t length = strlen(name);
    for (const char *at = icd.lacks; (at = strstr(at, name)) != NULL; at += length)
        if ((at == icd.lacks || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* -- Calls */

void icd_wrong(icd_command command, const char *what)
{
    fprintf(stderr, "icd: %s: %s\n", command == ICD_NO_COMMAND ? "end" : icd_names[command], what);
    icd.wrongs++;
}

bool icd_may_lose_device(icd_command command)
{
    switch (command) {
    case ICD_QueueSubmit:
    case ICD_QueueSubmit2:
    case ICD_QueueSubmit2KHR:
    case ICD_QueuePresentKHR:
    case ICD_QueueWaitIdle:
    case ICD_DeviceWaitIdle:
    case ICD_WaitForFences:
    case ICD_GetFenceStatus:
    case ICD_WaitSemaphores:
    case ICD_WaitSemaphoresKHR:
    case ICD_GetQueryPoolResults:
    case ICD_AcquireNextImageKHR:
    case ICD_AcquireNextImage2KHR:
        return true;
    default:
        return false;
    }
}

bool icd_enter(icd_command command, bool foreign, VkResult *result)
{
    (void)pthread_mutex_lock(&lock);
    unsigned call = ++icd.calls[command];
    icd.can_fail[command] |= result != NULL;
    icd_fault *fault = &icd.fault;
    bool hit = fault->command == command && (call == fault->at || (fault->lasting && call > fault->at));
    bool lost = fault->lasting && fault->with == VK_ERROR_DEVICE_LOST && fault->own + fault->foreign > 0;
    bool fails = result && fault->at && (hit || (lost && icd_may_lose_device(command)));
    if (fails) {
        if (foreign || (icd.application != ICD_NO_COMMAND && icd.application != command))
            fault->foreign++;
        else
            fault->own++;
        fault->last[command] = call;
        *result = fault->with;
    }
    (void)pthread_mutex_unlock(&lock);
    return !fails;
}

void icd_arm(icd_command command, unsigned at, VkResult with)
{
    memset(icd.calls, 0, sizeof icd.calls);
    icd.fault = (icd_fault){.command = at ? command : ICD_NO_COMMAND, .at = at, .with = with};
}

/* -- Objects. They stay in the list, ended or not, until icd_reset: an address is never given out twice, but
 * for command buffers while `icd.recycles`; and a handle is looked up before it is believed. */

static void *allocator_block(const VkAllocationCallbacks *allocator)
{
    return allocator
               ? allocator->pfnAllocation(allocator->pUserData, 16, 16, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT)
               : NULL;
}

icd_object *icd_new(icd_kind kind, icd_object *parent, const VkAllocationCallbacks *allocator)
{
    void *block = allocator_block(allocator);
    icd_object *object = !allocator || block ? calloc(1, sizeof *object) : NULL;
    if (!object)
        return NULL;
    (void)pthread_mutex_lock(&lock);
    icd_object *old = kind == ICD_COMMAND_BUFFER && icd.recycles ? objects : NULL;
    while (old && !old->recyclable)
        old = old->next;
    if (old) {
        free(object);
        object = old;
        *object = (icd_object){.next = old->next};
    } else {
        object->next = objects;
        objects = object;
    }
    object->dispatch = (void *)(uintptr_t)0x01cdc0de; /* ICD_LOADER_MAGIC */
    object->kind = kind;
    object->parent = parent;
    object->allocator = allocator;
    object->block = block;
    icd.live++;
    (void)pthread_mutex_unlock(&lock);
    return object;
}

icd_object *icd_device_of(icd_object *object)
{
    while (object && object->kind != ICD_DEVICE)
        object = object->parent;
    return object;
}

bool icd_side_taken(void)
{
    bool taken = false;
    (void)pthread_mutex_lock(&lock);
    for (const icd_object *at = objects; at; at = at->next)
        taken |= at->kind == ICD_DEVICE && at->side == 0;
    (void)pthread_mutex_unlock(&lock);
    return taken;
}

void icd_check_side(VkCommandBuffer commands, unsigned side, icd_command command)
{
    const icd_object *device = icd_device_of(icd_the(ICD_COMMAND_BUFFER, commands, command));
    if (device && device->side != side)
        icd_wrong(command, "the command of another device than the command buffer's");
}

icd_object *icd_the(icd_kind kind, const void *handle, icd_command command)
{
    (void)pthread_mutex_lock(&lock);
    icd_object *at = objects;
    while (at && at != handle)
        at = at->next;
    (void)pthread_mutex_unlock(&lock);
    char text[120];
    if (at && at->kind == kind)
        return at;
    (void)snprintf(text, sizeof text, "%p is no %s but %s", handle, kind_names[kind],
                   at ? kind_names[at->kind] : "nothing of ours");
    icd_wrong(command, text);
    return NULL;
}

static void end(icd_object *object)
{
    if (object->block)
        object->allocator->pfnFree(object->allocator->pUserData, object->block);
    if (object->kind == ICD_MEMORY && !object->imported)
        free(object->data);
    object->block = object->data = NULL;
    object->recyclable = object->kind == ICD_COMMAND_BUFFER;
    object->kind = ICD_FREE;
    icd.live--;
}

void icd_end(icd_kind kind, const void *handle, const VkAllocationCallbacks *allocator, icd_command command)
{
    icd_object *object = handle ? icd_the(kind, handle, command) : NULL;
    if (!object)
        return;
    if (object->allocator != allocator)
        icd_wrong(command, "not with the allocator that the object was made with");
    (void)pthread_mutex_lock(&lock);
    end(object);
    (void)pthread_mutex_unlock(&lock);
}

void icd_end_below(icd_object *parent, icd_kind kind)
{
    (void)pthread_mutex_lock(&lock);
    for (icd_object *at = objects; at; at = at->next)
        if (at->kind == kind && at->parent == parent)
            end(at);
    (void)pthread_mutex_unlock(&lock);
}

void icd_hold(VkPipeline pipeline)
{
    icd_object *object =
        pipeline ? icd_the(ICD_PIPELINE, (const void *)(uintptr_t)pipeline, ICD_NO_COMMAND) : NULL;
    if (object)
        object->held = true;
}

/* A MiB or more that shaders may address: each word takes another step, the same ones in every run. */
void icd_raise(void)
{
    (void)pthread_mutex_lock(&lock);
    for (icd_object *at = objects; icd.counts && at; at = at->next)
        for (size_t i = 0; at->kind == ICD_MEMORY && at->addressed && at->size >= 1 << 20 && i < 4096; i++)
            ((uint64_t *)at->data)[i] += UINT64_C(1000) >> i % 11;
    (void)pthread_mutex_unlock(&lock);
}

void icd_reset(void)
{
    while (objects) {
        icd_object *next = objects->next;
        if (objects->kind != ICD_FREE) {
            char text[80];
            (void)snprintf(text, sizeof text, "a %s of the %s was not destroyed", kind_names[objects->kind],
                           objects->allocator ? "application" : "layer");
            icd_wrong(ICD_NO_COMMAND, text);
            end(objects);
        }
        free(objects);
        objects = next;
    }
    icd_arm(ICD_NO_COMMAND, 0, VK_SUCCESS);
}

/* -- Commands that do nothing: one of each for each side, so that a command of the wrong device is found. */

#define ICD_TYPED(name)
#define ICD_PLAIN(name)                                                                                      \
    static VKAPI_ATTR void VKAPI_CALL plain_##name(VkCommandBuffer commands)                                 \
    {                                                                                                        \
        ENTER(name);                                                                                         \
        icd_check_side(commands, 0, ICD_##name);                                                             \
    }                                                                                                        \
    static VKAPI_ATTR void VKAPI_CALL other_##name(VkCommandBuffer commands)                                 \
    {                                                                                                        \
        ENTER(name);                                                                                         \
        icd_check_side(commands, 1, ICD_##name);                                                             \
    }
#include "tests/icd/commands.inc"
#undef ICD_TYPED
#undef ICD_PLAIN

static PFN_vkVoidFunction plain(const char *name, unsigned side)
{
#define ICD_TYPED(command)
#define ICD_PLAIN(command)                                                                                   \
    if (strcmp(name, "vk" #command) == 0)                                                                    \
        return side ? (PFN_vkVoidFunction)other_##command : (PFN_vkVoidFunction)plain_##command;
#include "tests/icd/commands.inc"
#undef ICD_TYPED
#undef ICD_PLAIN
    return NULL;
}

static PFN_vkVoidFunction find(const char *name, unsigned side)
{
    if (icd_lacks(name))
        return NULL;
    if (strcmp(name, "vkCmdBindPipeline") == 0)
        return (PFN_vkVoidFunction)icd_bind_of(side);
    PFN_vkVoidFunction found = icd_typed(name);
    return found ? found : plain(name, side);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL icd_device_proc(VkDevice device, const char *name)
{
    ENTER(GetDeviceProcAddr);
    for (int i = 0; i < ICD_DestroyDevice; i++) /* the instance's */
        if (i != ICD_GetDeviceProcAddr && strcmp(icd_names[i], name) == 0)
            return NULL;
    return find(name, device ? ((const icd_object *)device)->side : 0);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL icd_instance_proc(VkInstance instance, const char *name)
{
    (void)instance;
    ENTER(GetInstanceProcAddr);
    return find(name, 0);
}

/* -- Loaded by the Vulkan loader (LoaderDriverInterface.md) */

static void report(void)
{
    if (icd.wrongs || icd.live)
        fprintf(stderr, "icd: %u wrong uses, %zu objects alive\n", icd.wrongs, icd.live);
}

static void read_environment(void)
{
    static bool done;
    const char *fail = getenv("ICD_FAIL"), *odd = getenv("ICD_ODD"), *lacks = getenv("ICD_LACKS");
    char name[128];
    unsigned at;
    int with;
    if (done)
        return;
    done = true;
    if (fail && sscanf(fail, "%127[^:]:%u:%d", name, &at, &with) == 3)
        for (int i = 0; i < ICD_COMMANDS; i++)
            if (strcmp(icd_names[i], name) == 0)
                icd.fault = (icd_fault){.command = (icd_command)i, .at = at, .with = (VkResult)with};
    for (int i = 0; odd && i < ICD_ODDS; i++)
        if (strcmp(icd_odd_names[i], odd) == 0)
            icd.odd = (icd_odd)i;
    if (lacks)
        icd.lacks = lacks;
    if (getenv("ICD_REPORT"))
        (void)atexit(report);
}

#define EXPORT __attribute__((visibility("default"))) VKAPI_ATTR
EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name);

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    read_environment();
    if (*version > 5)
        *version = 5;
    return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    read_environment();
    return icd_instance_proc(instance, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance,
                                                                         const char *name)
{
    return strstr(name, "PhysicalDevice") ? icd_instance_proc(instance, name) : NULL;
}
