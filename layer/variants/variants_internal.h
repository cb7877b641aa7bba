/* Declarations shared by the files of the variants: sets, and objects kept for them. Private to
 * layer/variants. */
#ifndef WPG_LAYER_VARIANTS_VARIANTS_INTERNAL_H
#define WPG_LAYER_VARIANTS_VARIANTS_INTERNAL_H

#include "layer/profile/usual.h"
#include "layer/variants/variants.h"

enum { WPG_MOST_VARIANTS = 16, WPG_MOST_VARIANT_TRIES = WPG_MOST_VARIANTS * 2 };

/* One pipeline made for values. Immutable once it is counted in `ready`. */
typedef struct wpg_variant {
    VkPipeline pipeline;
    uint64_t words; /* what it depends on */
    uint32_t values[WPG_PUSH_WORDS];
    VkShaderStageFlags stages[WPG_PUSH_WORDS]; /* in which the word was folded */
} wpg_variant;

/* One pipeline made for contents of uniform blocks. Immutable once it is counted in `contents_ready`. */
typedef struct wpg_content_variant {
    VkPipeline pipeline;
    uint32_t count;
    wpg_word_test tests[WPG_MOST_WORD_TESTS];
} wpg_content_variant;
enum { WPG_MOST_CONTENTS = 8 };

typedef struct wpg_variant_set {
    struct wpg_variant_set *next, *previous, *next_job;
    wpg_arena arena;
    VkPipeline original;
    VkPipelineBindPoint point;
    wpg_hash128 hash;
    wpg_pipeline_plan
        *plan; /* of the pipeline that is made in the background; the builder's. NULL: none is */
    atomic_bool waiting, hurried; /* it is not made yet; it was bound meanwhile */
    atomic_bool rests;            /* and it is not asked for before a bind at `rests_until` (wpg_now) */
    uint64_t rests_until;
    _Atomic(VkPipeline) made;       /* it; VK_NULL_HANDLE: the program's own is bound */
    const wpg_usual *_Atomic usual; /* NULL: no push constants are usual */
    atomic_uint contents_wanted;    /* most pipelines for contents; 0: none */
    atomic_bool contents_due;       /* a draw asked for them */
    atomic_bool contents_tried;     /* all are made that there will be */
    bool has_job;                   /* `job` holds push constants that were asked for */
    atomic_uint contents_ready;
    wpg_content_variant *contents[WPG_MOST_CONTENTS]; /* in the order of their tests */
    bool by_rule;                                     /* no verdict asks for variants */
    size_t stage_count;
    wpg_rewrite *stages; /* identities, in stage order; their words and names lie in the arena. NULL: no
                                    variant is made */
    uint32_t at[WPG_MAX_STAGES]; /* [stage_count], index into pStages */
    VkComputePipelineCreateInfo compute;
    VkGraphicsPipelineCreateInfo *graphics; /* NULL: compute */
    VkPipelineLayout layout;
    VkRenderPass pass;
    size_t bytes; /* of words, for VARIANT_MEMORY */
    bool building;
    atomic_bool dead;             /* read before a compile begins, without the lock */
    uint32_t job[WPG_PUSH_WORDS]; /* values asked for, of usual->words; the builder's while `asked` */
    atomic_bool asked;
    atomic_uint ready, tries;
    atomic_uint closed;      /* usual sets, one bit each, that were asked for or are served by a variant */
    atomic_uint passed_over; /* draws and dispatches whose usual set waits for commoner ones */
    wpg_variant *variants[WPG_MOST_VARIANTS];
    atomic_uint_least64_t tried[WPG_MOST_VARIANT_TRIES]; /* hashes of combinations */
} wpg_variant_set;

enum { WPG_MOST_BUILDERS = 8 };
typedef struct wpg_variants {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t threads[WPG_MOST_BUILDERS]; /* [running] */
    void *(*run)(void *device);           /* a builder */
    /* Builders: that there may be, that there are, that took their number, that wait for work. */
    unsigned most, running, started, idle;
    bool stop;
    wpg_variant_set *sets, *jobs, **jobs_end;
    const wpg_variant_set *current[WPG_MOST_BUILDERS]; /* being built; NULL: none */
    wpg_handles layouts, passes; /* that sets may be built with; under lock (variant_kept.c) */
} wpg_variants;

/* -- variant_kept.c: what the program may destroy meanwhile. All under all->lock. */

/* Counts one more set that needs them; false when memory runs out, and nothing is held. */
bool wpg_variant_hold(wpg_variants *all, const wpg_variant_set *set);
/* Counts one set less. Objects that the program has destroyed are destroyed with the last set. */
void wpg_variant_release(wpg_device *device, const wpg_variant_set *set);

/* -- variant_copy.c */

/* False: VARIANT_MEMORY has no room for so many bytes of words more, which is said. The second function
 * counts them, the third does both. */
bool wpg_variant_room(size_t bytes);
/* With so many bytes more a quarter of VARIANT_MEMORY is taken at most. Nothing is said. */
bool wpg_variant_roomy(size_t bytes);
void wpg_variant_took(wpg_variant_set *set, size_t bytes);
bool wpg_variant_fits(wpg_variant_set *set, size_t bytes);
/* The set's words no longer count for VARIANT_MEMORY; or so many bytes of them. */
void wpg_variant_gave(const wpg_variant_set *set);
void wpg_variant_give_back(wpg_variant_set *set, size_t bytes);
/* Copies the pipeline's state, for later builds. *why (static): it cannot be copied. */
bool wpg_variant_copy_state(wpg_variant_set *set, const char **why, wpg_device *device,
                            const wpg_pipeline_plan *plan, const void *info);
/* Copies its stages, for variants. False: VARIANT_MEMORY has no room for them, which is said, or memory ran
 * out. */
bool wpg_variant_copy_stages(wpg_variant_set *set, const wpg_pipeline_plan *plan);
/* Most pipelines for contents of the pipeline's uniform blocks: where its fragment stage has a profile. */
uint32_t wpg_variant_contents_of(const wpg_device *device, const wpg_pipeline_plan *plan, bool graphics);
/* Variants are made of the planned pipeline from here on, where there are any to make. `plan` is
 * committed. */
void wpg_variant_open(const wpg_device *device, wpg_variant_set *set, const wpg_pipeline_plan *plan);
void wpg_variant_finish(wpg_variant_set *set);

/* -- variant_jobs.c: all under the lock. */

/* Into the device's list, and out of it. */
void wpg_variant_enlist(wpg_variants *all, wpg_variant_set *set);
void wpg_variant_delist(wpg_variants *all, wpg_variant_set *set);
/* The set waits for a builder, and one more is started if all are busy and there may be more; it waits no
 * more. */
void wpg_variant_ask(wpg_device *device, wpg_variant_set *set);
void wpg_variant_take_off(wpg_variants *all, wpg_variant_set *set);
/* What the builder does next, taken off; NULL: nothing. */
wpg_variant_set *wpg_variant_next_job(wpg_variants *all);
/* The set builds nothing more. */
void wpg_variant_stop(wpg_variants *all, wpg_variant_set *set);

/* -- variant_build.c */

/* Makes the variant for set->job, by the builder's thread. */
void wpg_variant_build(wpg_device *device, wpg_variant_set *set);
/* Copies of the set's stages, to be rewritten. False when memory runs out; finish them all the same. */
bool wpg_variant_recall(wpg_rewrite *stages, const wpg_variant_set *set);
/* The pipeline of these stages, with the state of the program's own; VK_NULL_HANDLE: the driver refuses. */
VkPipeline wpg_variant_compile(wpg_device *device, const wpg_variant_set *set, const wpg_rewrite *stages);

/* -- base_build.c */

/* Makes the pipeline of set->plan, or its words alone, by the builder's thread. It is bound in place of the
 * program's own from then on; the plan is finished. */
void wpg_base_build(wpg_device *device, wpg_variant_set *set);
/* A bind of a set that rests: asks for it once it is time. */
void wpg_base_wake(wpg_device *device, wpg_variant_set *set);
/* The plan ends without it. */
void wpg_base_drop(wpg_variant_set *set);

/* -- content_build.c */

/* Makes all pipelines for contents, by the builder's thread. */
void wpg_content_build(wpg_device *device, wpg_variant_set *set);

/* -- variants.c */

uint64_t wpg_variant_hash(const wpg_usual *usual, const uint32_t values[WPG_PUSH_WORDS]);

#endif
