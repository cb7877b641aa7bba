/* The plan for one pipeline: the decision and everything it needs, made before the driver is called.
 *
 *     stages --identify--> hashes --filter--> --rewrite--> stages of our own --driver--> commit | give up
 *
 * The program's create-info is never changed. The plan holds copies of its stages that point at modules of
 * ours. Threads: one plan, one thread. */
#ifndef WPG_LAYER_REWRITE_PIPELINE_PLAN_H
#define WPG_LAYER_REWRITE_PIPELINE_PLAN_H

#include "layer/base/denials.h"
#include "layer/base/state.h"
#include "layer/profile/bundle_files.h"
#include "layer/profile/files.h"
#include "layer/profile/holds.h"
#include "layer/profile/tune.h"
#include "layer/rewrite/rewrite.h"
#include "layer/rewrite/shader_modules.h"

/* Most stages of a graphics pipeline or of its libraries, and of any pipeline: a ray-tracing pipeline may
 * have very many. */
enum { WPG_MAX_STAGES = 8, WPG_MOST_STAGES = 8192 };

/* Tune: one candidate. */
typedef struct wpg_plan_candidate {
    wpg_tune_set set;
    size_t alternative;                     /* in the pipeline's verdict; 0: decided, it is not made */
    VkShaderModule *modules;                /* ours, by index into pStages */
    VkPipelineShaderStageCreateInfo *infos; /* NULL: the program's own, with variants by push constants */
} wpg_plan_candidate;

typedef struct wpg_pipeline_plan {
    wpg_device *device;
    size_t count;
    wpg_arena arena;                        /* of the arrays */
    wpg_rewrite *stages;                    /* [count], in stage order; those of one kind by hash */
    uint32_t *at;                           /* [count], index into the application's pStages */
    wpg_shader_module **records;            /* [count], one reference each; NULL: inline */
    VkShaderModule *modules;                /* ours, by index into pStages */
    VkPipelineShaderStageCreateInfo *infos; /* to hand down, in the application's order */
    uint32_t info_count;
    const VkPipelineShaderStageCreateInfo *program; /* the application's; NULL: none. During its call only */
    wpg_hash128 hash;
    bool identified, part;   /* part: its stages are shared by pipelines, each counted under its own hash */
    bool uses;               /* a profile is applied; else it is counted */
    wpg_counter_slot **held; /* generate: [held_count], claimed */
    size_t held_count;
    wpg_counter_slot *bound_slot; /* its counters are reached by a descriptor set; NULL: by address */
    uint32_t counter_set;         /* index of that set */
    bool by_bind; /* the program keeps its own pipeline, ours stands beside it (sample_bind.h) */
    const wpg_output_use
        *targets;          /* of its fragment stage (targets.h); NULL: not known. During the call only */
    wpg_pace pace;         /* generate: what earlier runs noted */
    bool early_tests;      /* its state lets early tests be declared: see wpg_instrument_target */
    bool changed;          /* infos differ from the application's */
    wpg_rewrite_when when; /* use: whether words may be made during the program's call (COMPILE) */
    bool later;            /* use: they are not in the cache, and are made later */
    bool whole;    /* it is a pipeline by itself: wave sizes may be chosen, it can be replaced at binds */
    bool by_value; /* variants by push constants may be made of it (variants.h) */
    bool values_by_rule;   /* use: and no verdict says otherwise */
    wpg_counted **counted; /* generate: one; of a part one for each stage */
    size_t counted_count;
    wpg_plan_candidate *candidates; /* tune; they stand beside the program's own */
    size_t candidate_count;
    wpg_tuned *tuned;
    double *waves;       /* tune: [count] waves that entered each stage, by the profile; 0: unknown */
    const char *verdict; /* use: what tuning said of it; NULL: it was not asked. static, or `won` */
    char won[64];   /* letters of the passes; "(static)" behind: by the driver's figures; or how far it is */
    char label[80]; /* for the log: the hash, or what there is before it is known */
    char why[256];  /* why nothing was changed; "" in use mode when there was simply nothing to do */
    bool expected;  /* `why` is no failure */
    bool limit;     /* a limit of ours was reached: said once, however many pipelines follow */
} wpg_pipeline_plan;

/* The object that is planned. */
typedef enum wpg_plan_kind {
    WPG_PLAN_PIPELINE,
    WPG_PLAN_PART,      /* stages that pipelines share: of a library */
    WPG_PLAN_SHADER,    /* one shader object: the words are wanted, no module of them */
    WPG_PLAN_LINK,      /* a graphics pipeline linked from parts */
    WPG_PLAN_RAYS,      /* of ray-tracing shaders, which are called by the handles of one pipeline */
    WPG_PLAN_UNCOUNTED, /* generate mode: the pipeline for uncounted binds, made by a profile */
} wpg_plan_kind;

/* What the pipeline's state says that the stages do not. */
typedef struct wpg_plan_state {
    bool early_tests; /* allowed (wpg_instrument_target) */
    bool links_count; /* a part: where some binds count, its links have counting twins, and it stays plain */
    bool behind;      /* use: it is made behind its creation, though its words may be at hand; */
    const wpg_rewrite *const *known;   /* then who its stages are, by index into `infos`, NULL: not known; */
    wpg_shader_module *const *records; /* and where their words are, NULL: in `infos` */
    uint32_t counter_set;              /* counters by binding: index of their descriptor set; */
    const char *no_counters;           /* why there is none, static; NULL: there is */
    wpg_output_use targets; /* outputs of the fragment stage that reach an attachment (targets.h) */
} wpg_plan_state;

/* Decides. The plan is always usable afterwards. `state` NULL: nothing is known. */
void wpg_pipeline_plan_make(wpg_pipeline_plan *plan, wpg_device *device,
                            const VkPipelineShaderStageCreateInfo *infos, uint32_t count, wpg_plan_kind kind,
                            const wpg_plan_state *state);
/* A plan that waits for its words (plan->later) goes on behind the program's call. The first function
 * moves `plan` into `kept`, and makes it independent of the program's memory; what is left of `plan` says
 * who it is. False: memory ran out, and `plan` is as it was. The last makes the words of plan->stages;
 * `infos` are the stages, or copies of them. Any thread, one at a time. */
bool wpg_pipeline_plan_keep(wpg_pipeline_plan *kept, wpg_pipeline_plan *plan);
/* Makes `copy` another plan of the same stages, for their words alone: it is never committed. */
bool wpg_pipeline_plan_copy(wpg_pipeline_plan *copy, const wpg_pipeline_plan *plan);
void wpg_pipeline_plan_resume(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos);
/* The plan for a pipeline that passes through without being examined. `why` is static. */
void wpg_pipeline_plan_pass(wpg_pipeline_plan *plan, wpg_device *device,
                            const VkPipelineShaderStageCreateInfo *infos, uint32_t count, const char *why);
/* The same for a link of parts whose stages are known already: its draws can be attributed. */
void wpg_pipeline_plan_pass_known(wpg_pipeline_plan *plan, wpg_device *device,
                                  const wpg_rewrite *const known[], uint32_t count, const char *why);

/* For plan_passes.c. One function records that nothing is changed, and why. The other makes in `made` the
 * program's stages with the changes of `stages`, and creates `modules` for them; both by index into
 * pStages. */
void wpg_pipeline_plan_give_up(wpg_pipeline_plan *plan, bool expected, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void wpg_pipeline_plan_stages(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos,
                              uint32_t count, const wpg_rewrite *stages, VkShaderModule *modules,
                              VkPipelineShaderStageCreateInfo *made);

/* The pipeline as the bundle keeps it. Borrows from the plan. */
wpg_bundle_subject wpg_pipeline_plan_subject(const wpg_pipeline_plan *plan);

/* After the driver was called. `made`: the program got the pipeline of our words, or its own if nothing was
 * to change. Logs, counts and registers. */
void wpg_pipeline_plan_commit(wpg_pipeline_plan *plan, bool made);
/* After the commit: the pipeline holds the slots of the plan, if it counts, and those of the parts that it
 * was linked from, until it is destroyed. NULL: it was not linked. */
void wpg_pipeline_plan_hold(wpg_pipeline_plan *plan, VkPipeline pipeline,
                            const VkPipelineLibraryCreateInfoKHR *parts);
/* The same for a shader object, which is of one stage: what it holds is the caller's. */
wpg_hold *wpg_pipeline_plan_take_hold(wpg_pipeline_plan *plan);
/* Words of the plan's code, ours and the program's: a measure of what compiling takes. */
uint64_t wpg_pipeline_plan_words(const wpg_pipeline_plan *plan);
void wpg_pipeline_plan_finish(wpg_pipeline_plan *plan);

#endif
