/* Inside of the driver: objects and what every command begins with. Threads: icd_enter takes the lock for the
 * count only; objects have the same lock. */
#ifndef WPG_TEST_ICD_DRIVER_H
#define WPG_TEST_ICD_DRIVER_H

#include "tests/icd/icd.h"

typedef enum icd_kind {
    ICD_FREE, /* was one, is gone */
    ICD_INSTANCE,
    ICD_PHYSICAL,
    ICD_DEVICE,
    ICD_QUEUE,
    ICD_BUFFER,
    ICD_MEMORY,
    ICD_MODULE,
    ICD_CACHE,
    ICD_LAYOUT,
    ICD_PASS,
    ICD_FENCE,
    ICD_SEMAPHORE,
    ICD_QUERIES,
    ICD_PIPELINE,
    ICD_SHADER,
    ICD_POOL,
    ICD_COMMAND_BUFFER,
    ICD_KINDS
} icd_kind;

typedef struct icd_object icd_object;

/* A copy between buffers that a command buffer recorded. */
typedef struct icd_copy {
    icd_object *from, *to;
    VkDeviceSize size;
} icd_copy;

struct icd_object {
    void *dispatch; /* the loader's, where the object is dispatchable */
    icd_kind kind;
    icd_object *parent, *next;
    const VkAllocationCallbacks *allocator;
    void *block;                  /* of the application's allocator: each object takes one */
    icd_object *memory;           /* of a buffer */
    void *data;                   /* of memory */
    uint64_t size, hash, capture; /* bytes; of a module's words; address asked for */
    uint32_t family;              /* of a queue, and of a command pool */
    unsigned side;                /* of a device: 1 beside a living device of side 0, else 0 */
    bool imported, addressed, mapped, signalled, held;
    bool recyclable;        /* was a command buffer, and is freed */
    bool foreign, captures; /* a pipeline: of others' words; made with statistics */
    icd_copy copies[4];
    unsigned copy_count;
};

/* Counts the call. false: it is the one to fail, with *result. */
bool icd_enter(icd_command command, bool foreign, VkResult *result);
/* NULL when memory runs out or the application's allocator refuses. */
icd_object *icd_new(icd_kind kind, icd_object *parent, const VkAllocationCallbacks *allocator);
/* The live object of this kind; a wrong use (told, counted) and NULL if there is none. */
icd_object *icd_the(icd_kind kind, const void *handle, icd_command command);
/* The end of an object and of what lives below it. NULL is nothing. */
void icd_end(icd_kind kind, const void *handle, const VkAllocationCallbacks *allocator, icd_command command);
void icd_end_below(icd_object *parent, icd_kind kind);
/* The device that an object lives on; NULL where there is none. */
icd_object *icd_device_of(icd_object *object);
/* Whether a device of side 0 is alive. */
bool icd_side_taken(void);
/* A wrong use if the command buffer's device is of the other side: the command is another device's. */
void icd_check_side(VkCommandBuffer commands, unsigned side, icd_command command);
/* What looks like counters rises. */
void icd_raise(void);
void icd_wrong(icd_command command, const char *what);

#define ENTER(name) (void)icd_enter(ICD_##name, false, NULL)
#define FAIL(name, foreign)                                                                                  \
    do {                                                                                                     \
        VkResult failure;                                                                                    \
        if (!icd_enter(ICD_##name, foreign, &failure))                                                       \
            return failure;                                                                                  \
    } while (0)
#define THE(kind, handle, name) icd_the(kind, (const void *)(uintptr_t)(handle), ICD_##name)

/* What the driver writes where a creation failed: nobody may use it. */
#define ICD_POISON UINT64_C(0xdeadbeefdeadbee0)

PFN_vkVoidFunction icd_typed(const char *name);
/* Binds of a device of this side. */
PFN_vkCmdBindPipeline icd_bind_of(unsigned side);

#endif
