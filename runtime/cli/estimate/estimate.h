/* `wavepgo estimate`: the driver's compile statistics of each pipeline in three forms: as the program gave
 * it, as use mode rewrites it, and without the blocks that the profile never saw executed. The last form is
 * an experiment: it goes to the driver's compiler and nowhere else.
 *
 *     profile, modules --estimate_sources.c--> pipelines --estimate_forms.c--> three forms of each stage
 *         --estimate_compile.c: a child, estimate_vulkan.c--> statistics --estimate_report.c--> text, JSON
 *
 * Ownership: a pipeline owns its stages, forms and results; the view and the profile behind it outlive it.
 * Threads: one. */
#ifndef WPG_RUNTIME_CLI_ESTIMATE_ESTIMATE_H
#define WPG_RUNTIME_CLI_ESTIMATE_ESTIMATE_H

#include <stdio.h>

#include "compiler/optimize/ir/optimize.h"
#include "compiler/optimize/passes/cut_dead.h"
#include "compiler/spirv/reflect.h"
#include "runtime/base/vec.h"
#include "runtime/profile/shader_view.h"
#include "runtime/report/model/model.h"

#define WPG_ESTIMATE_COMMAND "estimate"
#define WPG_ESTIMATE_AND     "prw" /* passes of --and-passes */

enum {
    WPG_ESTIMATE_STAGES = 5,
    WPG_ESTIMATE_EXECUTABLES = 16,
    WPG_ESTIMATE_STATISTICS = 64,
    WPG_ESTIMATE_PASSES = 16,
    WPG_ESTIMATE_REPEATS = 99,
    WPG_ESTIMATE_NO_STATISTICS = 3, /* exit code: the driver does not tell */
};

typedef enum wpg_estimate_form {
    WPG_ESTIMATE_ORIGINAL, /* as the program gave it */
    WPG_ESTIMATE_USE,      /* as use mode rewrites it, by rule */
    WPG_ESTIMATE_CUT,      /* without what never ran */
    WPG_ESTIMATE_FORMS
} wpg_estimate_form;

typedef struct wpg_estimate_words {
    uint32_t *words; /* malloc'd; NULL: as in the original */
    size_t count;
    bool missing; /* it could not be made: the stage's note says why */
} wpg_estimate_words;

typedef struct wpg_estimate_stage {
    const wpg_shader_counts *counts; /* [functions] of the stage's functions */
    size_t functions;
    wpg_stage stage; /* specialisation values are `spec` */
    wpg_spec_value *spec;
    wpg_estimate_words forms[WPG_ESTIMATE_FORMS];
    wpg_reflection reflection;
    wpg_cut_info cut;
    bool by_lanes, sampled;
    const char *passes[WPG_ESTIMATE_PASSES]; /* that changed the use form, by name; static storage */
    size_t pass_count;
    uint32_t wave_size; /* lanes of a wave that the use form asks for; 0: none */
    size_t emitted;     /* words of the use form with both bodies; --version-alone has less */
    double rewrite_us;  /* processor time of making the use form: median */
    char note[200];     /* why a form is missing; "" */
} wpg_estimate_stage;

typedef struct wpg_estimate_statistic {
    char name[96], value[40];
    bool is_number;
    double number;
} wpg_estimate_statistic;

typedef struct wpg_estimate_executable {
    char name[96], stages[40]; /* "vert", "vert+geom" */
    uint32_t subgroup_size;
    wpg_estimate_statistic *statistics;
    size_t count;
} wpg_estimate_executable;

typedef struct wpg_estimate_result {
    wpg_estimate_executable *executables;
    size_t count;
    bool same;         /* as the original: not compiled once more */
    double compile_us; /* processor time of pipeline creation: median; 0: not compiled */
    double times[WPG_ESTIMATE_REPEATS];
    size_t time_count;
    char problem[200]; /* "" where it was compiled */
} wpg_estimate_result;

typedef struct wpg_estimate_pipeline {
    wpg_hash128 hash;
    bool is_shader; /* a compute shader in no pipeline: `hash` is the shader's */
    wpg_estimate_stage stages[WPG_ESTIMATE_STAGES];
    size_t stage_count;
    uint64_t gpu_nanoseconds, heat;             /* heat: block executions of its stages */
    wpg_push_value pushes[WPG_PUSH_FOLD_WORDS]; /* usual values of push constants */
    uint32_t push_count;
    uint64_t push_along; /* those of one value alone, one bit a word */
    wpg_estimate_result results[WPG_ESTIMATE_FORMS];
    char problem[200]; /* why nothing can be said; "" */
} wpg_estimate_pipeline;

typedef struct wpg_estimate_device {
    char name[256], driver[256], info[256];
    char problem[256]; /* why it cannot tell; "" */
} wpg_estimate_device;

/* How the forms are made. All zero: by rule, each form once. */
typedef struct wpg_estimate_how {
    char skip[32];      /* letters of passes to leave out */
    char and_passes[4]; /* of WPG_ESTIMATE_AND: passes that need a device or a verdict otherwise */
    uint32_t floats;    /* the setting FLOAT: 1 + its choice; 0: as it is by default */
    bool version_alone; /* a stage with versions is its first version, without the test */
    bool no_what_if;
    bool changed;    /* only pipelines that use mode changes are compiled */
    uint32_t repeat; /* times each form is made and compiled; 0: once */
} wpg_estimate_how;

typedef struct wpg_estimate {
    wpg_estimate_how how;
    const char *profile_path, *driver;        /* driver: a manifest; NULL = as the loader finds them */
    bool radv;                                /* no other driver will do */
    bool any_manifest;                        /* VK_DRIVER_FILES and VK_ICD_FILENAMES are left out */
    WPG_VEC(const char *) places, hashes;     /* where modules are; what is asked for, empty = all */
    WPG_VEC(wpg_estimate_pipeline) pipelines; /* the hottest first */
    bool by_time;                             /* ordered by GPU time, else by block executions */
    size_t without_modules;                   /* pipelines left out: no place has any of their modules */
    wpg_estimate_device device;
    const wpg_report *names; /* what people call pipelines and shaders; NULL: hashes alone */
} wpg_estimate;

/* Fills the requested pipelines whose modules were found. WPG_E_NOT_FOUND: a hash that belongs to nothing
 * here, or no pipeline at all. */
wpg_status wpg_estimate_collect(wpg_estimate *estimate, const wpg_shader_view *view, wpg_error *err);

/* Makes the forms of all stages from the original's words. If one cannot be made, the stage's note says why
 * and the pipeline lacks that result. WPG_E_NOMEM only. */
wpg_status wpg_estimate_make_forms(const wpg_estimate *estimate, wpg_estimate_pipeline *pipeline,
                                   wpg_error *err);

/* Compiles every form in a child process, which may crash, and fills the results. The device is that of the
 * last child. WPG_E_UNSUPPORTED: no driver here reports statistics (device.problem says why). */
wpg_status wpg_estimate_compile(wpg_estimate *estimate, wpg_estimate_pipeline *pipeline, wpg_error *err);

/* The child process: compiles, and writes facts to the file, one a line, fields separated by tabs:
 *
 *     device NAME DRIVER INFO | absent WHY
 *     form N | failed N WHY | executable NAME STAGES SUBGROUP-SIZE | number NAME VALUE | text NAME VALUE
 *     time MICROSECONDS
 *     end
 *
 * Opens the Vulkan loader at run time. */
void wpg_estimate_child(FILE *out, const wpg_estimate *estimate, const wpg_estimate_pipeline *pipeline);

/* Processor time of this process, in microseconds. */
double wpg_estimate_clock(void);
/* Sorts the times; 0 of none. */
double wpg_estimate_median(double *times, size_t count);

const char *wpg_estimate_form_name(wpg_estimate_form form);
void wpg_estimate_text(FILE *out, const wpg_estimate *estimate);
/* 0, or -1 when memory runs out. */
int wpg_estimate_json(FILE *out, const wpg_estimate *estimate);

void wpg_estimate_pipeline_finish(wpg_estimate_pipeline *pipeline);

#endif
