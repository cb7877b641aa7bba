/* A Vulkan driver in memory, to fail on purpose. It computes nothing: command buffers are no work, memory is
 * the host's and its address the device's. It keeps every object it made, so that what is leaked, destroyed
 * twice, or used though it is not there, is found. A test links it, or the Vulkan loader loads it by its
 * manifest (wpg_test_icd.json, in the build folder); then the environment speaks:
 *
 *     ICD_FAIL=vkCreateBuffer:2:-2   the second call of this command gives VkResult -2, and does nothing
 *     ICD_LACKS=a,b,...              features, extensions and commands (names) that are not there
 *     ICD_ODD=NAME                   odd limits: one of icd_odd_names
 *     ICD_COST=OWN:OTHER             cycles a wave that a pipeline of the application's shaders costs by its
 *                                    statistics, and one of others (100:100)
 *     ICD_REPORT=1                   at the end: wrong uses and live objects, on standard error
 *
 * Who owns what: `icd` is the one state, all of it the test's to set between cases; objects are the driver's
 * until icd_reset. Threads: calls are under one lock; the state is set while no call is in flight. */
#ifndef WPG_TEST_ICD_H
#define WPG_TEST_ICD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#define ICD_TYPED(name) ICD_##name,
#define ICD_PLAIN       ICD_TYPED
typedef enum icd_command {
#include "tests/icd/commands.inc"
    ICD_COMMANDS,
    ICD_NO_COMMAND = -1
} icd_command;
#undef ICD_TYPED
#undef ICD_PLAIN

typedef enum icd_odd {
    ICD_ORDINARY,
    ICD_ODD_MINIMAL,       /* the least limits that Vulkan allows, one queue family, no timestamps */
    ICD_ODD_ALIGNED,       /* imports and buffers aligned to 64 KiB, memory larger than asked for */
    ICD_ODD_SUBGROUP_1,    /* one lane a subgroup, in all stages */
    ICD_ODD_SUBGROUP_128,  /* 128 lanes */
    ICD_ODD_SUBGROUP_NONE, /* subgroups of nothing, in no stage */
    ICD_ODD_NO_HOST,       /* no memory that the host sees */
    ICD_ODD_NO_MEMORY,     /* no memory types at all */
    ICD_ODD_TINY_HEAP,     /* a heap of 64 KiB */
    ICD_ODD_SMALL_HEAP,    /* a heap of 1 MiB + 64 KiB */
    ICD_ODD_NOT_COHERENT,  /* host-visible memory is not coherent */
    ICD_ODD_DISCRETE,      /* device-local memory and a small window of it for the host */
    ICD_ODD_NO_ADDRESS,    /* every device address is 0 */
    ICD_ODD_TRANSFER,      /* queues copy, and can do nothing else */
    ICD_ODD_NO_QUEUES,     /* queues can do nothing that we know */
    ICD_ODD_OLD,           /* a device of Vulkan 1.0 */
    ICD_ODDS
} icd_odd;
extern __attribute__((visibility("default"))) const char *const icd_odd_names[ICD_ODDS];

/* The n-th call of a command, counted from `icd_arm` on. */
typedef struct icd_fault {
    icd_command command;
    unsigned at; /* from 1 */
    VkResult with;
    bool lasting;     /* all later calls of the command too; of a lost device all that can tell of it */
    unsigned own;     /* failures so far of the application's own calls, with its own objects */
    unsigned foreign; /* and of others */
    unsigned last[ICD_COMMANDS]; /* the last call that failed */
} icd_fault;

typedef struct icd_state {
    icd_fault fault;
    icd_command application; /* the command the application is in; ICD_NO_COMMAND: not known */
    icd_odd odd;
    const char *lacks;      /* comma-separated names; "" = nothing is lacking */
    bool cached;            /* pipelines are at hand: FAIL_ON_PIPELINE_COMPILE_REQUIRED is no obstacle */
    bool counts;            /* each submission raises what looks like counters */
    bool replays;           /* addresses can be captured and replayed, instead of pages imported */
    bool recycles;          /* a freed command buffer's handle is the next one allocated, on any device */
    uint64_t own_words[64]; /* hashes of the application's shaders (icd_hash_words): others are foreign */
    size_t own_count;
    unsigned calls[ICD_COMMANDS];
    unsigned wrongs;             /* wrong uses so far, each told on standard error */
    unsigned changed;            /* pipelines and shaders made of other words than the application's */
    size_t live;                 /* objects alive */
    bool can_fail[ICD_COMMANDS]; /* called, and gives a VkResult */
} icd_state;
#define ICD_API __attribute__((visibility("default")))
extern ICD_API icd_state icd;

extern ICD_API const char *const icd_names[ICD_COMMANDS]; /* "vkCreateInstance" ... */

/* Forgets counts and objects; those alive are told, and counted as wrong. Settings stay. */
ICD_API void icd_reset(void);
/* Zeroes the counts and sets the fault; at = 0: none. */
ICD_API void icd_arm(icd_command command, unsigned at, VkResult with);
/* Commands that can tell of a lost device. */
ICD_API bool icd_may_lose_device(icd_command command);
/* The application holds this pipeline: what is linked of others is foreign. */
ICD_API void icd_hold(VkPipeline pipeline);
ICD_API uint64_t icd_hash_words(const void *words, size_t bytes);
ICD_API bool icd_lacks(const char *name);
/* The commands, as a loader or a layer above asks for them. */
ICD_API VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL icd_instance_proc(VkInstance instance, const char *name);
ICD_API VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL icd_device_proc(VkDevice device, const char *name);

#endif
