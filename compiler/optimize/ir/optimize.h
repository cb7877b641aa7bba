/* Use mode: takes a normalised module and its profile, and makes a faster module with the same results. One
 * readable function in passes/optimize.c gives the passes and their order. Legality: legality.h. Every pass
 * reports what it did, and why it did not. Threads: one module, one thread. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_OPTIMIZE_H
#define WPG_COMPILER_OPTIMIZE_IR_OPTIMIZE_H

#include "compiler/spirv/stage.h"
#include "runtime/base/push_sets.h"
#include "runtime/base/weights.h"

/* The wave sizes that the driver offers for the stage, and the fill of its waves at which the smallest is
 * chosen (passes/wave_size.c). `smallest` 0: no choice. */
typedef struct wpg_wave_choice {
    uint32_t smallest, usual;    /* lanes; usual: what the stage is compiled for as it stands */
    uint32_t most_per_workgroup; /* waves */
    double fill;                 /* 0..1 */
} wpg_wave_choice;

/* The value of one 32-bit word of the push constants; `offset` in bytes, a multiple of 4. */
typedef struct wpg_push_value {
    uint32_t offset, value;
} wpg_push_value;
enum { WPG_PUSH_FOLD_WORDS = WPG_PUSH_SET_WORDS }; /* words that are followed: 256 bytes */
/* A word that had another value in one draw or dispatch of a hundred counts as one of one value. */
#define WPG_PUSH_ALONG 0.99

/* A 32-bit word of a uniform block, and the bits that it must have. */
typedef struct wpg_word_test {
    uint32_t set, binding, offset; /* offset in bytes from the start of the block */
    uint32_t bits;
} wpg_word_test;
enum { WPG_MOST_WORD_TESTS = 64 };

/* Who reads what a stage writes: one bit a component (x is 1), by location. What is not `known` is all
 * read. */
enum { WPG_OUTPUT_LOCATIONS = 64 };
typedef struct wpg_output_use {
    bool known;
    uint8_t read[WPG_OUTPUT_LOCATIONS];
} wpg_output_use;

/* Thresholds: settings of use, never of the profile. */
/* What known floats of uniform blocks are good for (fold/float_setting.h). */
typedef enum wpg_float_choice {
    WPG_FLOAT_STRICT,    /* tests and integers alone */
    WPG_FLOAT_FRAGMENTS, /* what they multiply by 0 falls away in fragment stages that write no memory */
    WPG_FLOAT_STAGES,    /* and in every stage */
    WPG_FLOAT_SPEC,      /* and they become constants, where no output is exact */
} wpg_float_choice;

typedef struct wpg_optimize_options {
    double uniform_share; /* a block is uniform when uniform/waves is at least this; 0.9 */
    double rare_share;    /* a select's expensive side is rare when waves that need it are at most this share;
                             0.1 */
    double value_share;   /* a uniform value is guarded on when at least this share of waves saw it; 0.9 */
    bool lanes_alone;     /* an experiment: each lane counts as a wave, so divergence is not seen */
    uint32_t unflatten_cost;    /* least cost (weighted instructions) worth a branch; WPG_SELECT_WORK */
    uint32_t max_guarded_trips; /* largest trip count the trip-count guard specialises for; 64 */
    uint32_t max_growth;        /* most instructions a pass may add to a function, as a share of 100; 200 */
    wpg_wave_choice wave;       /* none by default */
    /* Allows regions of loads behind a vote. The device must load by one index for a wave at less cost than
     * by one for each lane, and the stage must have subgroup vote and ballot operations. Off by default. */
    bool scalarise;
    wpg_float_choice floats;  /* fragments */
    bool partial_descriptors; /* descriptors that no invocation uses may be invalid: no load of one is made
                                 where none was */
    /* Push constants whose values are taken as given: the result is for these values alone
     * (remarks.push_words tells which mattered). Borrowed. */
    const wpg_push_value *pushes;
    uint32_t push_count;
    /* Words that are folded even where they decide no branch, loop bound, index or divisor, if some other
     * word does. With sets: those that WPG_PUSH_ALONG of the draws and dispatches with the deciding words'
     * values have in common. Without (NULL): those of one value alone, one bit each. Borrowed. */
    const wpg_push_sets *push_sets;
    uint64_t push_along;
    /* The stage is to be its nth version alone, without a test (passes/versions.c): right only where
     * remarks->tests hold. The versions are in the order in which they are to be tested. 0: no. */
    uint32_t alone;
    bool no_scalar_unit;    /* what is uniform costs as much as what is not: software drivers */
    wpg_output_use outputs; /* not known by default (passes/outputs.c) */
    bool keep_size;  /* outputs of stages with branches stay: drivers that compile large shaders otherwise */
    bool keep_trips; /* no given value may decide how often a loop runs: drivers that unroll too much */
    bool measure;    /* wpg_remarks.savings is wanted */
    char passes[64]; /* letters of passes to leave out, "" = none; see passes/optimize.c */
} wpg_optimize_options;

/* The passes, each by the letter that settings, verdicts and wpg_optimize_options.passes call it. */
typedef enum wpg_pass_letter {
    WPG_PASS_ANNOTATE = 'a',
    WPG_PASS_VERSIONS = 'c',
    WPG_PASS_PEEL = 'e',
    WPG_PASS_FLATTEN = 'f',
    WPG_PASS_UNSWITCH = 'l',
    WPG_PASS_OUTPUTS = 'o',
    WPG_PASS_PUSH_FOLD = 'p',
    WPG_PASS_SCALARISE = 'r',
    WPG_PASS_SSA = 's', /* no pass: the form that others work on */
    WPG_PASS_TRIP_GUARD = 't',
    WPG_PASS_UNFLATTEN = 'u',
    WPG_PASS_VALUE_GUARD = 'v',
    WPG_PASS_WAVE_SIZE = 'w',
    WPG_PASS_ZERO_GUARD = 'z',
} wpg_pass_letter;

/* Letters of the passes that tuning tries, alone and together, in the order of the alphabet. */
#define WPG_TUNED_PASSES "aceflortuvwz"

void wpg_optimize_defaults(wpg_optimize_options *options);

typedef enum wpg_remark_kind { WPG_REMARK_DONE, WPG_REMARK_REFUSED } wpg_remark_kind;
typedef struct wpg_remark {
    wpg_remark_kind kind;
    const char *pass; /* "annotate", "flatten", "outputs", "peel", "push-fold", "scalarise", "trip-guard",
                         "unflatten", "unswitch", "value-guard", "versions", "wave-size", "zero-guard"; also
                         "ssa", "weights" (binding the profile). Static storage */
    uint32_t ordinal, block; /* function ordinal and block id in the normal form */
    char text[256];
} wpg_remark;

/* A conditional branch of the optimised module without weights, and the pass that could not tell them. */
typedef struct wpg_unknown_branch {
    uint32_t label;   /* of the block that ends in it */
    const char *pass; /* static storage */
} wpg_unknown_branch;

/* What a pass that moves code saves: work before less work after (ir/work.h), as a share of all work of the
 * functions that the profile knows. What drivers do with the result is not in it. */
typedef struct wpg_pass_saving {
    const char *pass; /* static storage */
    double share;
} wpg_pass_saving;
enum { WPG_MOST_SAVINGS = 8 };

typedef struct wpg_remarks {
    wpg_arena arena;
    wpg_remark *items;
    uint32_t count;
    wpg_unknown_branch *unknown;
    uint32_t unknown_count;
    bool mismatch;       /* some function's checksum disagreed: nothing of its profile was applied */
    uint32_t wave_size;  /* lanes of a wave to compile the stage for; 0 = as it is */
    uint64_t push_words; /* words of push constants that the result was specialised on; 0: on none */
    wpg_word_test tests[WPG_MOST_WORD_TESTS]; /* what a version alone holds for */
    uint32_t test_count;                      /* 0: the result holds always */
    /* Per mille of the stage's work over all waves: what versions in the stage save, and what versions alone
     * would (compiler/optimize/passes/versions.c). 0: none, or not asked. */
    uint32_t saved_within, saved_alone;
    wpg_pass_saving savings[WPG_MOST_SAVINGS]; /* of passes that did something, where asked */
    uint32_t saving_count;
} wpg_remarks;

void wpg_remarks_destroy(wpg_remarks *remarks);

/* A copy with storage of its own, without its unknown branches; NULL when memory runs out. */
wpg_remarks *wpg_remarks_copy(const wpg_remarks *remarks);

/* The first remark of `before` about a change that copies or moves code, and that `now` refuses; NULL if
 * there is none. `now` was made of the same stage by the same profile, with push constants taken as given. A
 * change that `now` made in another form, or no longer needs, is not lost. */
const wpg_remark *wpg_remarks_lost(const wpg_remarks *before, const wpg_remarks *now);

/* The SSA tier as a function pointer, so that this folder needs no SPIRV-Tools. Returns new malloc'd words.
 * NULL: not available, and passes that need it refuse. */
typedef wpg_status (*wpg_ssa_fn)(uint32_t **out_words, size_t *out_count, const uint32_t *words, size_t count,
                                 wpg_error *err);

/* Optimises. *module is replaced if the SSA tier ran (the old one is destroyed). *changed = false: nothing
 * was done, the caller may use the original words. On failure *module is destroyed and NULL: pass the
 * original through. */
wpg_status wpg_optimize(wpg_remarks **remarks, bool *changed, wpg_module **module, const wpg_stage *stage,
                        const wpg_weights *weights, const wpg_optimize_options *options, wpg_ssa_fn ssa,
                        wpg_error *err);

/* What a normalised fragment stage reads of the user-defined outputs before it (facts/interface.c).
 * `outputs`: who reads its own; inputs that feed nothing else are not read. use->known is false where that
 * cannot be told.
 * */
wpg_status wpg_inputs_read(wpg_output_use *use, const wpg_module *module, const wpg_output_use *outputs,
                           wpg_error *err);
/* An input of a fragment stage, by its site (compiler/analysis/values/input_sites.h), and the bits it had. */
typedef struct wpg_known_input {
    uint32_t site, bits;
} wpg_known_input;
/* What-if (passes/input_what_if.c): the share of the stage's work that would fall away were these inputs
 * constants, 0 to 1. `module` is in normal form, and is left with a few constants more. */
wpg_status wpg_inputs_what_if(double *saving, wpg_module *module, const wpg_stage *stage,
                              const wpg_weights *weights, const wpg_known_input *known, size_t count,
                              wpg_ssa_fn ssa, wpg_error *err);
/* True if the module has a user-defined output that nobody reads. */
bool wpg_writes_unread(const wpg_module *module, const wpg_output_use *outputs);

#endif
