/* Device features: which ones the mode needs, which ones the program enabled, which ones we add. A plan
 * changes nothing: it gives the create-info to try. Source: Vulkan 1.3, VkDeviceCreateInfo valid usage;
 * layer/README.md, When something goes wrong. Threads: no shared state. */
#ifndef WPG_LAYER_BASE_FEATURES_H
#define WPG_LAYER_BASE_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "compiler/instrument/code/instrument.h"
#include "compiler/normalize/spirv_tools.h"
#include "runtime/base/arena.h"
#include "runtime/profile/made_record.h"

struct wpg_instance;

/* The features that a device has with a given create-info. */
typedef struct wpg_device_features {
    uint32_t api_version; /* min of instance and physical device */
    bool buffer_device_address, capture_replay, host_import;
    bool by_binding; /* counters are reached by a descriptor set (COUNTER_WAY) */
    bool vertex_stores, fragment_stores;
    bool int64, buffer_int64_atomics;
    bool demote, maximal_reconvergence;
    bool memory_model, memory_model_device_scope;
    bool statistics;          /* pipelineStatisticsQuery */
    bool performance_queries; /* VK_KHR_performance_query, and queries are reset by the host */
    bool program_performance; /* the program itself enabled VK_KHR_performance_query */
    bool cache_control;       /* pipelineCreationCacheControl */
    bool module_identifier;   /* shaderModuleIdentifier */
    bool non_semantic;        /* modules may hold non-semantic instructions */
    VkShaderStageFlags subgroup_stages;
    VkSubgroupFeatureFlags subgroup_operations;
    uint32_t subgroup_size, subgroup_most; /* lanes of a wave: usual, at most (0: not known) */
    bool amd;         /* the hardware is AMD's: loads by one index for a whole wave are cheaper there */
    bool executables; /* pipelineExecutableInfo */
    bool conditional_rendering;
    uint32_t contents;       /* most pipelines for contents of uniform blocks (CONTENTS); 0: none */
    bool contents_if_better; /* only where they save more than versions in the stage do */
    bool wave_control;       /* subgroupSizeControl: the next three are meant then */
    uint32_t wave_smallest, waves_per_workgroup;
    VkShaderStageFlags wave_stages; /* that take a required size */
    const char *own_passes;         /* letters of passes that this driver makes useless or risky */
    bool memory_is_file;            /* vkAllocateMemory grows a file (RLIMIT_FSIZE) */
    bool hints_are_lost;            /* the driver gains nothing by branch weights and loop control */
    bool specialises;    /* compiles a shader of more than 100 values anew for the values of its uniforms */
    bool no_scalar_unit; /* what is uniform is computed once a lane: software drivers */
    bool loses_by_trips; /* loops whose trips a variant fixes are unrolled to more than their time */
    bool partial_descriptors; /* the program may leave descriptors unwritten that a shader does not use */
    bool loses_exit_values, suspends_at_barriers, loops_over_lanes; /* see wpg_instrument_target */
    char made_on[96]; /* the device and its driver, as people read them */
    wpg_made made;    /* who makes profiles here */
    wpg_validate_options validate;
} wpg_device_features;

typedef struct wpg_feature_plan {
    wpg_arena arena;             /* owns everything `info` points to that is not the application's */
    VkDeviceCreateInfo info;     /* to try first */
    bool changed;                /* `info` differs from the application's */
    bool by_binding;             /* counters are to be reached by a descriptor set */
    bool application_replays;    /* the application enabled a captureReplay feature itself */
    char refused[160];           /* why counting is impossible; "" if it is possible */
    wpg_device_features planned; /* with `info` */
    wpg_device_features plain;   /* with the application's own create-info */
} wpg_feature_plan;

/* The needs of the mode besides the features that the program enables. */
typedef enum wpg_feature_need {
    WPG_NEED_NOTHING = 0,      /* or some of these together */
    WPG_NEED_COUNTING = 1,     /* generate mode */
    WPG_NEED_NON_SEMANTIC = 2, /* pseudo probes */
    WPG_NEED_WAVE_SIZES = 4,   /* use mode with a profile */
    WPG_NEED_STATISTICS = 8,   /* tune mode: what the driver says of pipelines */
    WPG_NEED_CONTENTS = 16,    /* use mode: conditional rendering and addresses (layer/contents) */
} wpg_feature_need;

/* Plans the features for `need` (wpg_feature_need, combined). Without a need the plan only reads what is
 * enabled. The plan is always usable; release it with wpg_feature_plan_finish. Each added feature is logged
 * at info. */
void wpg_feature_plan_make(wpg_feature_plan *plan, const struct wpg_instance *instance,
                           VkPhysicalDevice physical, const VkDeviceCreateInfo *info, unsigned need);
void wpg_feature_plan_finish(wpg_feature_plan *plan);

/* What instrumentation may use in a stage. False: the stage cannot be counted, and *why (static) is the
 * reason. */
bool wpg_features_target(wpg_instrument_target *target, const char **why, const wpg_device_features *features,
                         VkShaderStageFlagBits stage);

#endif
