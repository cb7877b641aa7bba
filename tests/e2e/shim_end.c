#include "tests/e2e/shim_end.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/e2e/shim.h"

enum { MAX_MAPPED = 256 };
static struct {
    pthread_mutex_t lock;
    struct {
        VkDeviceMemory memory;
        VkDeviceSize size;
        char *at; /* NULL: it is not mapped */
    } memories[MAX_MAPPED];
    size_t count;
    atomic_bool ended, submitted;
    atomic_int making;
} end = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool shim_ends(void)
{
    return getenv("SHIM_END") != NULL;
}

/* Without stdio, which may be at its end, too. */
static void broken(const char *what)
{
    (void)!write(2, what, strlen(what));
    abort();
}

/* Whole pages of what is mapped. */
static void end_driver(void)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (atomic_exchange(&end.ended, true))
        return;
    if (atomic_load(&end.making) > 0)
        broken("shim: the driver ends while it makes a pipeline\n");
    (void)pthread_mutex_lock(&end.lock);
    for (size_t i = 0; i < end.count; i++) {
        const uintptr_t at = (uintptr_t)end.memories[i].at, from = (at + page - 1) / page * page,
                        to = (uintptr_t)(at + end.memories[i].size) / page * page;
        if (at && to > from && mprotect((void *)from, to - from, PROT_NONE) != 0)
            perror("shim: mprotect");
    }
    (void)pthread_mutex_unlock(&end.lock);
}

void shim_end_watch(bool submits)
{
    if (shim_ends() && !(submits && atomic_exchange(&end.submitted, true)))
        (void)atexit(end_driver);
}

void shim_end_make(bool begins)
{
    const char *seconds = getenv("SHIM_END_COMPILE");
    const double wait = seconds ? strtod(seconds, NULL) : 0;
    if (!shim_ends())
        return;
    (void)atomic_fetch_add(&end.making, begins ? 1 : -1);
    if (begins && atomic_load(&end.ended))
        broken("shim: a pipeline is made after the driver's end\n");
    if (begins && wait > 0)
        (void)nanosleep(&(struct timespec){(time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9)}, NULL);
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkDeviceMemory *memory)
{
    VkResult result = SHIM_NEXT(vkAllocateMemory)(device, info, allocator, memory);
    (void)pthread_mutex_lock(&end.lock);
    if (result == VK_SUCCESS && end.count < MAX_MAPPED) {
        end.memories[end.count].memory = *memory;
        end.memories[end.count].at = NULL;
        end.memories[end.count++].size = info->allocationSize;
    }
    (void)pthread_mutex_unlock(&end.lock);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                                 VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    VkResult result = SHIM_NEXT(vkMapMemory)(device, memory, offset, size, flags, data);
    (void)pthread_mutex_lock(&end.lock);
    for (size_t i = 0; result == VK_SUCCESS && offset == 0 && i < end.count; i++)
        if (end.memories[i].memory == memory)
            end.memories[i].at = *data;
    (void)pthread_mutex_unlock(&end.lock);
    return result;
}

/* What is freed, or mapped no longer, may be another's from here on. */
static void forget(VkDeviceMemory memory, bool frees)
{
    (void)pthread_mutex_lock(&end.lock);
    for (size_t i = 0; i < end.count; i++)
        if (end.memories[i].memory == memory) {
            end.memories[i].at = NULL;
            if (frees)
                end.memories[i--] = end.memories[--end.count];
        }
    (void)pthread_mutex_unlock(&end.lock);
}

static VKAPI_ATTR void VKAPI_CALL unmap_memory(VkDevice device, VkDeviceMemory memory)
{
    forget(memory, false);
    SHIM_NEXT(vkUnmapMemory)(device, memory);
}

static VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                              const VkAllocationCallbacks *allocator)
{
    forget(memory, true);
    SHIM_NEXT(vkFreeMemory)(device, memory, allocator);
}

const shim_hook shim_end_hooks[] = {
    {"vkAllocateMemory", (PFN_vkVoidFunction)allocate_memory},
    {"vkMapMemory", (PFN_vkVoidFunction)map_memory},
    {"vkUnmapMemory", (PFN_vkVoidFunction)unmap_memory},
    {"vkFreeMemory", (PFN_vkVoidFunction)free_memory},
    {NULL, NULL},
};
