/* The layer's records: one for the process, one for each instance, one for each device. The process record is
 * static. Instances and devices are created and destroyed with their handles (instance.c, device.c). They are
 * constant after creation, except fields that name their own lock. */
#ifndef WPG_LAYER_BASE_STATE_H
#define WPG_LAYER_BASE_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "layer/base/dispatch.h"
#include "layer/base/features.h"
#include "layer/base/handles.h"
#include "runtime/bundle/verdicts.h"
#include "runtime/config/settings.h"
#include "runtime/counters/counters.h"

#define WPG_LAYER_NAME "VK_LAYER_WAVEPGO_shader_pgo"

typedef struct wpg_instance {
    VkInstance handle;
    wpg_instance_commands next;
    uint32_t api_version;            /* what the instance was created with: ours when we raised it */
    char application[WPG_MADE_TEXT]; /* what the program calls itself, and its version; "" if it does not */
    bool active;                     /* false: everything below this instance passes through */
    bool validated;                  /* a validation layer is below us */
} wpg_instance;

typedef struct wpg_queue {
    VkQueue handle;
    uint32_t family;
    bool drains; /* the family can run our transfer commands */
} wpg_queue;

struct wpg_counted;                                       /* files.h */
typedef struct wpg_loss_attribution wpg_loss_attribution; /* loss_attribution.h */

typedef struct wpg_device {
    VkDevice handle;
    wpg_instance *instance;
    wpg_device_commands next;
    wpg_mode mode; /* WPG_MODE_OFF: passes through */
    wpg_device_features features;
    PFN_vkSetDeviceLoaderData set_loader_data;
    wpg_handles modules;            /* VkShaderModule -> wpg_shader_module */
    wpg_handles identifiers;        /* hash of a module's identifier -> wpg_shader_module */
    atomic_size_t identified_bytes; /* of words in it */
    VkPipelineCache cache;          /* for our own compiles; VK_NULL_HANDLE = the driver's default */
    wpg_queue *queues;
    size_t queue_count;

    wpg_handles libraries;           /* VkPipeline -> what is known of a pipeline library (libraries.h) */
    wpg_handles ray_libraries;       /* VkPipeline of a ray-tracing library with words of ours -> not NULL */
    pthread_rwlock_t libraries_lock; /* making a link excludes destroying its render pass */
    wpg_handles shaders;             /* VkShaderEXT -> the program's own (shader_objects.h) */

    bool records;              /* binds, draws and push constants are followed (record.h); constant */
    wpg_handles command_pools; /* VkCommandPool -> wpg_command_pool */
    wpg_handles bindables;     /* VkPipeline -> wpg_bindable */
    wpg_handles layouts;       /* VkPipelineLayout -> its push constants */
    wpg_handles objects;       /* VkShaderEXT -> who it is (record_objects.c) */
    wpg_handles combinations;  /* of shaders of objects bound together -> wpg_bindable */
    wpg_device_key key;        /* tune, and use of verdicts: who it is */
    wpg_hash128 key_hash;
    bool tuned;           /* use: there are verdicts of this device; constant */
    size_t tuned_open;    /* use: verdicts whose tuning is not finished; constant */
    wpg_handles verdicts; /* low half of a pipeline hash -> its winner (tune.c) */
    bool binds;           /* pipelines are sampled by bind, or tuned (sample_bind.h); constant */
    bool times;           /* tune: candidates are timed, beside what the driver says of them; constant */
    wpg_handles twins;    /* VkPipeline -> its counting twin */
    struct wpg_variants *variants;  /* pipelines for values of push constants (variants.h); NULL: none */
    struct wpg_contents *contents;  /* use: for contents of uniform blocks (contents.h); NULL: none */
    struct wpg_steer_device *steer; /* tune: dispatches that are recorded once (steer.h); NULL: not steered */
    struct wpg_query_plan *queries; /* what is measured of command buffers; NULL: nothing */
    struct wpg_hardware *hardware;  /* counters of the hardware that queries read; NULL: none */
    wpg_handles view_passes;        /* VkRenderPass with several views -> not NULL */
    wpg_handles pass_outputs;       /* VkRenderPass -> what its subpasses draw to (record_passes.c) */
    atomic_bool views_unknown;      /* one could not be noted */

    wpg_counters *counters;                /* generate only */
    struct wpg_counter_sets *counter_sets; /* reached by binding (counter_layouts.h); NULL: by address */
    char made[WPG_MADE_NAME]; /* generate: name of the record that says who made the counts; constant */
    unsigned live;            /* number of the file that they lie in (live.h), under its lock; 0: none */
    pthread_mutex_t counted_lock;
    struct wpg_counted *counted; /* list of instrumented pipelines, under counted_lock */
    wpg_handles counting;        /* VkPipeline -> wpg_hold (layer/profile/holds.h) */
    size_t impossible;           /* stages with impossible counts, under the files lock */
    wpg_handles named;           /* VkPipeline or VkShaderModule -> what rewrite/object_names.c knows of it */
    struct wpg_powered *power;   /* the GPU whose power state it holds (power.h); NULL: none */
    wpg_loss_attribution *attribution;     /* which pipelines ran last; NULL: not followed */
    atomic_uint_fast64_t first_use_began;  /* the call that is timed (first_use.h); 0: none */
    atomic_uint_fast64_t first_use_polled; /* the same, where the program polls */
    atomic_bool lost, loss_told;
    atomic_bool submitted;          /* once */
    atomic_bool drain_wanted;       /* set by the writer thread, taken by the queue hooks */
    atomic_uint draining;           /* queue hooks that may be about to submit one */
    atomic_bool drain_failed;       /* one was refused: what was asked for may not have been done */
    struct wpg_device *next_device; /* in the process's list, under wpg_process.lock */
} wpg_device;

typedef struct wpg_process {
    wpg_settings settings;
    wpg_mode mode;     /* of the settings; WPG_MODE_OFF when privileges were raised (setuid) */
    uint32_t probes;   /* of the settings: WPG_PROBE_* */
    bool inert;        /* privileges were raised: nothing is read, nothing is done */
    pid_t pid;         /* a forked child is another process: it writes nothing */
    char folder[4096]; /* working folder at load: relative names of the settings count from here */
    wpg_handles instances, devices; /* by dispatch key */
    pthread_mutex_t lock;           /* guards device_list */
    wpg_device *device_list;
    atomic_uint instance_count;
    atomic_bool left; /* exit() has begun: the driver may be gone, with what it had mapped (lifetime.c) */
} wpg_process;

extern wpg_process wpg_the_process;

/* In a forked child the parent's counters and files are not ours. */
bool wpg_process_is_owner(void);

static inline wpg_instance *wpg_instance_of(const void *dispatchable)
{
    return wpg_handles_get(&wpg_the_process.instances, wpg_dispatch_key(dispatchable));
}
static inline wpg_device *wpg_device_of(const void *dispatchable)
{
    return wpg_handles_get(&wpg_the_process.devices, wpg_dispatch_key(dispatchable));
}

#endif
