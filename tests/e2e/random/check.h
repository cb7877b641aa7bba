/* One shader counted on a real driver, compared with the interpreter: every block, every kind. */
#ifndef WPG_TESTS_E2E_RANDOM_CHECK_H
#define WPG_TESTS_E2E_RANDOM_CHECK_H

#include "compiler/instrument/code/instrument.h"
#include "tests/e2e/random/compare.h"
#include "tests/e2e/random/sources.h"
#include "tests/support/vk_compute.h"

/* A way of counting. Shaders of odd seeds get 64-bit atomics, others 32-bit ones with carry. */
typedef struct check_config {
    const char *name;
    wpg_strategy_choice strategy;
    unsigned every; /* one in so many shaders is counted this way */
    bool marks;     /* as on lavapipe 25 for all seeds, else for half: so lanes by marks (lane_marks.c) */
} check_config;

extern const check_config check_configs[];
extern const size_t check_config_count;

typedef struct checker {
    bool simulated;    /* by the interpreter in step, instead of a driver */
    char refused[160]; /* why the interpreter in step could not run the last shader */
    uint32_t simulated_shape[RANDOM_WORDS];
    bool helpers[RANDOM_WORDS];
    vkc_device *device;
    vkc_buffer counters;                /* the directory entry, then the counters */
    vkc_buffer buffers[RANDOM_BUFFERS]; /* of the shader */
    uint32_t *shapes[256];              /* by workgroup size: the wave of each invocation, as the GPU said */
    struct {
        bool known;
        uint64_t seed; /* of the shader whose triangles these are */
        uint32_t waves[RANDOM_WORDS];
    } drawn;
    uint32_t *vertex_words; /* of draws; NULL: not to be had */
    size_t vertex_count;
    comparison compared; /* totals so far */
} checker;

/* False if the device cannot do it; *why says what is missing. */
/* Without `glsl` there is no front end, and no fragment shader. */
bool checker_open(checker *c, bool simulated, bool glsl, const char **why);
void checker_close(checker *c);
/* Whether shaders of a stage can be run and compared. */
bool checker_has_stage(const checker *c, SpvExecutionModel stage);
bool checker_has_subgroups(const checker *c, SpvExecutionModel stage);
/* Lanes of a full wave: the driver's, or from the seed. */
uint32_t check_wave_size(const checker *c, const random_source *source);

typedef enum check_verdict {
    CHECK_EXACT,
    CHECK_WRONG,    /* counts or output under instrumentation */
    CHECK_DRIVER,   /* the output without instrumentation differs from the interpreter's */
    CHECK_UNUSABLE, /* the shader cannot be judged: message says why */
} check_verdict;

enum { CHECK_MESSAGE = COMPARE_MESSAGE };

/* The normal form of the shader's words, as the layer makes it; malloc'd. With `barriers`, workgroup barriers
 * are put into blocks that whole workgroups run together. */
bool check_normal_form(uint32_t **words, size_t *count, const checker *c, const random_source *source,
                       bool barriers, char *message);

/* Judges normalised words under config; NULL judges the driver alone. `source` gives shape and inputs. */
check_verdict check_words(checker *c, const uint32_t *words, size_t count, const random_source *source,
                          const check_config *config, char *message);

#endif
