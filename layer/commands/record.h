/* Recordings: for each command buffer, which pipeline each draw and dispatch uses, and the push constants at
 * that time. No GPU cost, no change to the driver's commands.
 *
 *     record commands --> entries of the command buffer, one a pipeline
 *     execute commands --> a secondary's entries are added to its primary's
 *     submit          --> entries are added to the pipelines' totals (totals.h)
 *
 * A recording is found through a sharded map, and through a per-thread memory of the last command buffer. So
 * a draw takes no shared lock. A command buffer and its pool are externally synchronised (Vulkan 1.3, 3.6),
 * so a recording needs no lock of its own. When memory runs out the recording is dropped until the command
 * buffer begins anew, and the program goes on.
 *
 * Push constants (Vulkan 1.3, 14.6 and 14.2.2) are undefined when recording begins. A push through a layout
 * with other push-constant ranges makes earlier pushes count as undefined. Binding a pipeline disturbs
 * nothing. But a word counts as pushed only for a pipeline whose layout has the ranges it was pushed with.
 *
 * A link of library parts, and shader objects that are bound together, count for the pipeline hash of their
 * shaders, as the same pipeline made whole would (record_objects.h).
 *
 * Each command buffer of a device that does not pass through has one recording, made and destroyed with the
 * command buffer: a freed handle may come again at once, on another device and in another thread. Binds,
 * draws and push constants are intercepted only on devices with `records` set: in generate mode with a
 * bundle, in tune mode, and in use mode where a profile may lead to variants (variants.h). On other devices a
 * recording has only its suspects. Threads: as Vulkan says of each command. */
#ifndef WPG_LAYER_COMMANDS_RECORD_H
#define WPG_LAYER_COMMANDS_RECORD_H

#include "layer/base/bindable.h"
#include "layer/base/state.h"
#include "layer/base/loss_attribution.h"
#include "layer/profile/totals.h"
#include "layer/profile/tune.h"
#include "layer/rewrite/pipeline_plan.h"
#include "runtime/base/vec.h"

/* One pipeline's counts in one command buffer. */
typedef struct wpg_record_entry {
    wpg_totals *totals;
    uint64_t counters[WPG_RECORD_COUNTER_COUNT];
    uint64_t push_words;
    wpg_word_values *words; /* [word_count], owned; up to the last word in push_words at least */
    size_t word_count;
    wpg_push_sets sets; /* the words together; in generate mode alone, which writes a bundle */
} wpg_record_entry;

typedef enum wpg_bind_point {
    WPG_BIND_GRAPHICS,
    WPG_BIND_COMPUTE,
    WPG_BIND_RAYS,
    WPG_BIND_POINTS
} wpg_bind_point;
enum { WPG_NOTHING_BOUND = -1 };
/* Stages that shader objects may have: vertex to fragment, and compute as the last (wpg_stage_rank). */
enum { WPG_OBJECT_STAGES = 8 };

typedef struct wpg_bound {
    ptrdiff_t entry; /* index into the recording's entries, or WPG_NOTHING_BOUND: unknown to us */
    uint64_t push_signature, push_words;
    struct wpg_variant_set *variants; /* of the pipeline; NULL: none */
    VkPipeline base;    /* what runs where there are variants and none serves: chosen at the bind */
    VkPipeline actual;  /* what is bound where there are variants */
    VkPipeline given;   /* what the bind handed down; VK_NULL_HANDLE: nothing, or shader objects */
    uint64_t pending;   /* draws and dispatches since the words were last counted */
    wpg_trial trial;    /* tune: what the bind chose, until a run takes it */
    VkPipeline steered; /* tune: the program's own, chosen for at each submission; else null */
    struct wpg_variant_set *steered_variants; /* of it */
} wpg_bound;

typedef struct wpg_command_pool {
    VkCommandPool handle;
    uint32_t family;
    bool is_protected;
    struct wpg_recording *recordings; /* list */
} wpg_command_pool;

/* The last map entries that a command buffer found, to save a look-up. Valid while the generation is the
 * same. */
enum { WPG_RECENT_PIPELINES = 16 };
typedef struct wpg_recent {
    uint64_t generation; /* 0: never */
    VkPipelineLayout layout;
    uint64_t layout_signature;
    struct {
        VkPipeline pipeline;
        const wpg_bindable *bindable;
    } pipelines[WPG_RECENT_PIPELINES];
} wpg_recent;

/* Changes whenever a recorded command buffer, pipeline or layout is destroyed: remembered handles are looked
 * up again. A program that reuses a handle has synchronised with its destruction. */
extern atomic_uint_fast64_t wpg_record_generation;
static inline void wpg_record_next_generation(void)
{
    (void)atomic_fetch_add_explicit(&wpg_record_generation, 1, memory_order_relaxed);
}

typedef struct wpg_recording {
    VkCommandBuffer handle;
    wpg_device *device;
    wpg_command_pool *pool;
    struct wpg_recording *next, *previous; /* in the pool's list */
    bool secondary;
    bool dropped; /* memory ran out: counts of this recording are not used */
    WPG_VEC(wpg_record_entry) entries;
    size_t entries_made; /* entries beyond `count` whose `words` and `sets` are kept for the next recording */
    wpg_map by_totals;   /* totals -> index into entries */
    wpg_bound bound[WPG_BIND_POINTS];
    uint64_t objects[WPG_OBJECT_STAGES];        /* VkShaderEXT bound, by stage; 0: none */
    struct wpg_runs *runs;                      /* record_queries.h; NULL: nothing is measured */
    struct wpg_content_recording *contents;     /* content_record.h; NULL: contents are not followed */
    struct wpg_counter_recording *counter_sets; /* counter_sets.h; NULL: nothing was bound */
    bool unmeasured_pass;     /* inside a pass with several views, or resumed before the resets */
    uint32_t program_queries; /* active ones of its own */
    wpg_recent recent;
    wpg_bound_set blamed; /* suspects if the device is lost */
    uint64_t pushed;      /* words of `push` that are valid */
    uint64_t push_signature;
    uint32_t push[WPG_PUSH_WORDS];
    VkShaderStageFlags push_stages[WPG_PUSH_WORDS]; /* that each valid word was pushed for last */
} wpg_recording;

/* -- recordings.c -- */

/* The command buffer's recording; NULL if it has none. */
wpg_recording *wpg_recording_of(VkCommandBuffer commands);
/* The next layer's commands, and the recording (NULL if there is none). NULL for an unknown device. */
const wpg_device_commands *wpg_record_enter(wpg_recording **recording, VkCommandBuffer commands);
/* Makes this the recording of its command buffer, until it is forgotten. False: no memory. */
bool wpg_recording_keep(wpg_recording *recording);
void wpg_recording_forget(const wpg_recording *recording);
/* By the handle alone, on any device: for commands that name several command buffers. */
wpg_recording *wpg_recording_find(VkCommandBuffer commands);

/* -- record.c -- */

void wpg_recordings_init(wpg_device *device);
void wpg_recordings_finish(wpg_device *device); /* frees what the program never destroyed */
/* Before a command buffer goes to a queue of the device: adds its entries to the totals, and its pipelines to
 * the suspects. */
void wpg_record_submit(wpg_device *device, VkCommandBuffer commands, VkQueue queue);

/* -- record_entries.c -- */

/* Counts the push constants of draws and dispatches since the last change of push constants. */
void wpg_record_settle(wpg_recording *recording);
/* The index of the pipeline's entry, made if it is new; WPG_NOTHING_BOUND (and the recording dropped) when
 * memory runs out. */
ptrdiff_t wpg_record_entry_of(wpg_recording *recording, wpg_totals *totals, uint64_t push_words);
void wpg_record_forget_state(wpg_recording *recording); /* bound pipelines and push constants */
void wpg_record_drop(wpg_recording *recording); /* memory ran out: the recording is given up, and said once */

/* -- record_bind.c -- */

/* Whether anybody asks what the pipeline did: the bundle's facts, TIMES, or tuning. A process may make
 * pipelines without end. */
bool wpg_record_has_totals(const wpg_device *device, wpg_hash128 pipeline);

/* Notes a pipeline made for the program, if the plan knows its hash. */
void wpg_record_pipeline(wpg_device *device, VkPipeline pipeline, const wpg_pipeline_plan *plan,
                         VkPipelineLayout layout);

/* A pipeline, or shader objects that count as one, are bound from here on. NULL: unknown. */
void wpg_record_bind(wpg_recording *recording, wpg_bound *bound, const wpg_bindable *bindable);
/* -- push_ranges.c -- */

/* The 32-bit words [offset, offset + size) of bytes that are followed. */
uint64_t wpg_record_words(uint32_t offset, uint32_t size);
/* A signature of push-constant ranges: equal signatures are compatible. `words` are the words in the ranges.
 * False when memory runs out. */
bool wpg_record_ranges(uint64_t *signature, uint64_t *words, const VkPushConstantRange *ranges,
                       uint32_t count);

/* The hooks: HOOK(command). The function is wpg_record_<command>, of the command's own type. LIFE: on every
 * device that does not pass through. */
#define WPG_RECORD_LIFE_HOOKS(HOOK)                                                                          \
    HOOK(CreateCommandPool)                                                                                  \
    HOOK(DestroyCommandPool)                                                                                 \
    HOOK(ResetCommandPool)                                                                                   \
    HOOK(AllocateCommandBuffers)                                                                             \
    HOOK(FreeCommandBuffers)                                                                                 \
    HOOK(BeginCommandBuffer)                                                                                 \
    HOOK(ResetCommandBuffer)                                                                                 \
    HOOK(CmdExecuteCommands)
#define WPG_RECORD_HOOKS(HOOK)                                                                               \
    HOOK(EndCommandBuffer)                                                                                   \
    HOOK(CreateRenderPass)                                                                                   \
    HOOK(CreateRenderPass2)                                                                                  \
    HOOK(CreateRenderPass2KHR)                                                                               \
    HOOK(DestroyRenderPass)                                                                                  \
    HOOK(CreatePipelineLayout)                                                                               \
    HOOK(DestroyPipelineLayout)                                                                              \
    HOOK(DestroyPipeline)                                                                                    \
    HOOK(CmdBindPipeline)                                                                                    \
    HOOK(CmdPushConstants)                                                                                   \
    WPG_RECORD_ACTIONS(HOOK)

/* Draws and dispatches. */
#define WPG_RECORD_ACTIONS(HOOK)                                                                             \
    HOOK(CmdDraw)                                                                                            \
    HOOK(CmdDrawIndexed)                                                                                     \
    HOOK(CmdDrawIndirect)                                                                                    \
    HOOK(CmdDrawIndexedIndirect)                                                                             \
    HOOK(CmdDrawIndirectCount)                                                                               \
    HOOK(CmdDrawIndirectCountKHR)                                                                            \
    HOOK(CmdDrawIndirectCountAMD)                                                                            \
    HOOK(CmdDrawIndexedIndirectCount)                                                                        \
    HOOK(CmdDrawIndexedIndirectCountKHR)                                                                     \
    HOOK(CmdDrawIndexedIndirectCountAMD)                                                                     \
    HOOK(CmdDrawIndirectByteCountEXT)                                                                        \
    HOOK(CmdDrawMultiEXT)                                                                                    \
    HOOK(CmdDrawMultiIndexedEXT)                                                                             \
    HOOK(CmdDrawMeshTasksEXT)                                                                                \
    HOOK(CmdDrawMeshTasksIndirectEXT)                                                                        \
    HOOK(CmdDrawMeshTasksIndirectCountEXT)                                                                   \
    HOOK(CmdDrawMeshTasksNV)                                                                                 \
    HOOK(CmdDrawMeshTasksIndirectNV)                                                                         \
    HOOK(CmdDrawMeshTasksIndirectCountNV)                                                                    \
    HOOK(CmdDispatch)                                                                                        \
    HOOK(CmdDispatchBase)                                                                                    \
    HOOK(CmdDispatchBaseKHR)                                                                                 \
    HOOK(CmdDispatchIndirect)                                                                                \
    HOOK(CmdTraceRaysKHR)                                                                                    \
    HOOK(CmdTraceRaysIndirectKHR)                                                                            \
    HOOK(CmdTraceRaysIndirect2KHR)

#define HOOK(command) extern __typeof__(vk##command) wpg_record_##command;
WPG_RECORD_LIFE_HOOKS(HOOK)
WPG_RECORD_HOOKS(HOOK)
#undef HOOK

/* Commands newer than the oldest headers we build with: their own types, values from the registry. */
typedef struct wpg_push_constants_info { /* VkPushConstantsInfoKHR (VK_KHR_maintenance6, Vulkan 1.4) */
    VkStructureType sType;
    const void *pNext;
    VkPipelineLayout layout;
    VkShaderStageFlags stageFlags;
    uint32_t offset, size;
    const void *pValues;
} wpg_push_constants_info;
typedef void(VKAPI_PTR *wpg_pfn_push_constants_2)(VkCommandBuffer commands,
                                                  const wpg_push_constants_info *info);
typedef void(VKAPI_PTR *wpg_pfn_bind_shaders)(VkCommandBuffer commands, uint32_t count,
                                              const VkShaderStageFlagBits *stages, const uint64_t *shaders);
VKAPI_ATTR void VKAPI_CALL wpg_record_CmdPushConstants2(VkCommandBuffer commands,
                                                        const wpg_push_constants_info *info);
VKAPI_ATTR void VKAPI_CALL wpg_record_CmdPushConstants2KHR(VkCommandBuffer commands,
                                                           const wpg_push_constants_info *info);
VKAPI_ATTR void VKAPI_CALL wpg_record_CmdBindShadersEXT(VkCommandBuffer commands, uint32_t count,
                                                        const VkShaderStageFlagBits *stages,
                                                        const uint64_t *shaders);

/* Commands that begin, divide or end passes and queries: HOOK(command). */
#define WPG_PASS_COMMANDS(HOOK)                                                                              \
    HOOK(CmdPipelineBarrier)                                                                                 \
    HOOK(CmdPipelineBarrier2)                                                                                \
    HOOK(CmdPipelineBarrier2KHR)                                                                             \
    HOOK(CmdBeginRenderPass)                                                                                 \
    HOOK(CmdBeginRenderPass2)                                                                                \
    HOOK(CmdBeginRenderPass2KHR)                                                                             \
    HOOK(CmdNextSubpass)                                                                                     \
    HOOK(CmdNextSubpass2)                                                                                    \
    HOOK(CmdNextSubpass2KHR)                                                                                 \
    HOOK(CmdEndRenderPass)                                                                                   \
    HOOK(CmdEndRenderPass2)                                                                                  \
    HOOK(CmdEndRenderPass2KHR)                                                                               \
    HOOK(CmdBeginRendering)                                                                                  \
    HOOK(CmdBeginRenderingKHR)                                                                               \
    HOOK(CmdEndRendering)                                                                                    \
    HOOK(CmdEndRenderingKHR)                                                                                 \
    HOOK(CmdBeginQuery)                                                                                      \
    HOOK(CmdEndQuery)                                                                                        \
    HOOK(CmdBeginQueryIndexedEXT)                                                                            \
    HOOK(CmdEndQueryIndexedEXT)

#endif
