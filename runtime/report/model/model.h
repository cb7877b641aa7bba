/* The report model: what people look at of a profile. Loaded once; printers (json.c, page.c, export_*.c, the
 * command's tables) read it and compute nothing of their own.
 *
 *     profile --shader_view--> shaders, pipelines --+
 *     bundle: facts ---------> names, GPU time -----+--> wpg_report
 *     bundle: SPIR-V --source.c--> lines, files ----+
 *             --blocks.c--> blocks, edges, costs ---+
 *
 * A figure that was not measured is absent (a flag or WPG_REPORT_NONE), never zero.
 *
 * Owns: wpg_report owns everything it points to, until wpg_report_destroy.
 * Threads: immutable once loaded, remarked on and advised. */
#ifndef WPG_RUNTIME_REPORT_MODEL_MODEL_H
#define WPG_RUNTIME_REPORT_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/vec.h"
#include "runtime/bundle/bundle.h"
#include "runtime/profile/shader_view.h"

#define WPG_REPORT_NONE UINT32_MAX

/* A source file that shaders name. Files of one name and other texts are files of their own. */
typedef struct wpg_report_file {
    const char *name; /* as the modules have it */
    const char *text; /* NULL: no module carries the source */
    bool generated;   /* GLSL that SPIRV-Cross made of the module: not what the author wrote */
} wpg_report_file;

/* A source line with code. Counts are those of the line's most frequent block, summed over the places where
 * its function was inlined. */
typedef struct wpg_report_line {
    uint32_t file; /* index into the report's files */
    uint32_t line; /* from 1 */
    uint64_t lanes, waves, uniform;
} wpg_report_line;

/* A function as the source has it, before inlining. Counts are of all its copies. */
typedef struct wpg_report_source_function {
    const char *name;      /* OpName without parameter types, else as in compiler/normalize/contexts.h */
    uint32_t file, line;   /* of its first line with code; WPG_REPORT_NONE, 0: it has none */
    uint64_t lanes, waves; /* that entered */
} wpg_report_source_function;

/* What one source function says of a line. Work: instructions of the line times lanes, or waves. */
typedef struct wpg_report_line_part {
    uint32_t function; /* index into the shader's source_functions */
    uint32_t file, line;
    uint64_t lanes, waves, uniform, work_lanes, work_waves;
} wpg_report_line_part;

/* A conditional branch of a source function, over all its copies. Index 0: the condition holds. Branches that
 * inlining made are none of the source. */
typedef struct wpg_report_source_branch {
    uint32_t file, line;
    uint32_t ordinal; /* among the branches of this line in this shader */
    bool has_waves;
    uint64_t lanes[2], waves[2];
} wpg_report_source_branch;

typedef enum wpg_report_block_kind {
    WPG_BLOCK_PLAIN,
    WPG_BLOCK_ENTRY,
    WPG_BLOCK_LOOP,   /* header of a loop */
    WPG_BLOCK_IF,     /* ends in a conditional branch */
    WPG_BLOCK_SWITCH, /* ends in a switch */
    WPG_BLOCK_KINDS
} wpg_report_block_kind;
/* "", "entry", "loop", "if", "switch". */
const char *wpg_report_block_kind_name(wpg_report_block_kind kind);

/* A block of the normal form: the unit that is counted. */
typedef struct wpg_report_block {
    uint64_t lanes, waves, uniform; /* 0 where the shader's flags say that nothing was measured */
    uint32_t instructions;          /* without labels, lines, variables and phis */
    wpg_report_block_kind kind;
    uint32_t file, line; /* of the decision of an if or a switch, else of the first instruction with one;
                            WPG_REPORT_NONE, 0: unknown */
    uint32_t depth;      /* of loops around it */
    uint32_t idom;       /* immediate dominator, WPG_REPORT_NONE */
} wpg_report_block;

typedef struct wpg_report_edge {
    uint32_t from, to; /* blocks of one function */
    uint64_t lanes;
    bool known; /* the lanes follow from the counts */
} wpg_report_edge;

/* A conditional branch or switch with both sides, and what parting costs. */
typedef struct wpg_report_branch {
    uint32_t block;
    bool has_lanes, has_waves; /* of the probe of branches */
    uint64_t lanes[2];         /* index 0: the condition holds */
    uint64_t waves, both;      /* waves at the branch; those that went both ways */
    /* Work (instructions times lanes) that lanes idled through in the branch's arms, because they went the
     * other way here (divergence.c). Over all branches it adds up. */
    double idle;
    uint32_t never; /* the arm's first block that no lane entered, though lanes were at the branch;
                       WPG_REPORT_NONE */
    uint32_t never_instructions; /* of all blocks that only the arm reaches */
} wpg_report_branch;

/* An input of a fragment stage, by site (compiler/analysis/values/input_sites.h). */
typedef struct wpg_report_input {
    const char *name; /* "v_color.w" */
    bool rounds;      /* interpolated: asked without its last bits */
} wpg_report_input;

/* A function of the normal form that was counted. */
typedef struct wpg_report_function {
    const wpg_shader_counts *counts; /* of all kinds; probes: runtime/profile/probe_records.h */
    wpg_report_block *blocks;        /* [counts->block_count] */
    const wpg_report_edge *edges;    /* none without the module */
    size_t edge_count;
    wpg_report_branch *branches; /* dearest by idle work first; none without the module */
    size_t branch_count;
    const char *const *word_names; /* of the words of uniform blocks, by site; NULL: not known */
    size_t word_count;
    const wpg_report_input *inputs; /* NULL: not known */
    size_t input_count;
} wpg_report_function;

/* What a pass of use mode did, or why it did not. */
typedef struct wpg_report_remark {
    bool done;
    const char *pass, *text;
    uint32_t function, block;
    double saving; /* of the pass, on the first of its remarks; negative: not known, or not here */
} wpg_report_remark;

typedef enum wpg_report_advice_kind {
    WPG_ADVICE_CONSTANT, /* a uniform word that has one value */
    WPG_ADVICE_DIVERGE,  /* lanes idle because of a branch */
    WPG_ADVICE_TRIPS,    /* a loop that always runs the same number of times */
    WPG_ADVICE_NEVER,    /* code that never runs */
    WPG_ADVICE_UNIFORM,  /* an index or address that all lanes of a wave share */
    WPG_ADVICE_INPUT,    /* an input of a fragment stage that has one value */
    WPG_ADVICE_OUTPUT,   /* an output that nobody reads */
    WPG_ADVICE_USE,      /* what use mode does by itself */
    WPG_ADVICE_KINDS
} wpg_report_advice_kind;
/* "constant", "divergence", ... */
const char *wpg_report_advice_name(wpg_report_advice_kind kind);
/* All lanes of all waves that were asked had one value, and enough were asked. */
struct wpg_value_site_counts;
bool wpg_report_is_steady(const struct wpg_value_site_counts *site);

/* One thing that the author of a shader could do. */
typedef struct wpg_report_advice {
    wpg_report_advice_kind kind;
    uint32_t shader, function, block;
    const char *what;     /* what to do */
    const char *evidence; /* the counts behind it */
    double saving;        /* share of the shader's work, 0 to 1; negative: not known */
    double of_all;        /* share of all work, the same */
} wpg_report_advice;
/* For a piece of advice whose saving is not above 0: why. Static storage. */
const char *wpg_report_no_prediction(const wpg_report_advice *advice);

typedef struct wpg_report_shader {
    wpg_hash128 hash;
    char hex[WPG_HASH_HEX + 1];
    const char *stage, *entry;
    const char *name; /* what a person calls it; not unique */
    bool has_waves, has_uniform, has_lanes;
    bool has_module;       /* the bundle has its SPIR-V, and the checksums agree */
    const char *no_module; /* else why not */
    wpg_report_function *functions;
    size_t function_count;
    uint64_t lanes, waves;        /* at the entry */
    uint64_t most_lanes;          /* of the hottest block */
    uint64_t most_waves;          /* of the hottest block */
    uint64_t work_lanes;          /* instructions times lanes, over all blocks; without the module: lanes */
    uint64_t work_waves;          /* the same in waves; 0 without waves */
    double cost;                  /* work in waves, estimated from lanes where waves are absent */
    bool is_generated;            /* the lines are of a generated file */
    const wpg_report_line *lines; /* by file, then line */
    size_t line_count;
    const wpg_report_source_function *source_functions; /* these and the two below: none without lines */
    size_t source_function_count;
    const wpg_report_line_part *line_parts; /* by function, file, line */
    size_t line_part_count;
    const wpg_report_source_branch *source_branches; /* by file, line, ordinal; of the probe of branches */
    size_t source_branch_count;
    uint32_t *pipelines; /* that have it, by index */
    size_t pipeline_count;
    bool has_input_saving;              /* use mode was asked, and could tell */
    double input_saving;                /* share of the work that steady inputs would save as constants */
    WPG_VEC(wpg_report_remark) remarks; /* of use mode; none: use mode was not asked */
} wpg_report_shader;

typedef struct wpg_report_stage {
    uint32_t shader; /* index */
    bool shared; /* counted with the shader alone, for all its pipelines: they were linked from libraries */
    uint64_t runs, lanes, waves; /* 0 if shared */
    bool has_waves;
    double work; /* the pipeline's part of the shader's cost; if shared, an equal part */
} wpg_report_stage;

typedef struct wpg_report_pipeline {
    wpg_hash128 hash;
    char hex[WPG_HASH_HEX + 1];
    const char *name;
    wpg_report_stage *stages;
    size_t stage_count;
    bool has_facts, has_time;
    uint64_t draws, dispatches, submissions;
    uint64_t gpu_ns, timed; /* of draws and dispatches; the first submission's left out if there are more */
    double work;            /* of its stages */
    double cost; /* share, 0 to 1: of all pipelines' GPU time where all that ran have it, else of all shaders'
                    work */
} wpg_report_pipeline;

/* A JSON document of another command that the report shows beside its own: "estimate", "compare". */
typedef struct wpg_report_extra {
    const char *name;
    const char *json; /* one valid document */
} wpg_report_extra;

typedef struct wpg_report {
    wpg_arena arena;
    const char *path;
    wpg_profile *profile;
    wpg_shader_view *view;
    wpg_bundle bundle;
    bool is_bundle;
    wpg_report_shader *shaders; /* hottest first */
    size_t shader_count;
    wpg_report_pipeline *pipelines; /* dearest first */
    size_t pipeline_count;
    bool cost_is_time;          /* what wpg_report_pipeline.cost is a share of */
    size_t alone_count;         /* shaders that no pipeline has */
    double alone;               /* their share of the work, 0 to 1; 0 where costs are times */
    WPG_VEC(const char *) made; /* how the counts were made: program, device, driver, sampling; of a bundle */
    WPG_VEC(wpg_report_extra) extras;
    WPG_VEC(wpg_report_file) files;
    WPG_VEC(wpg_report_advice) advice; /* best first; empty before wpg_report_advise */
} wpg_report;

typedef struct wpg_report_options {
    const char *path;          /* a profile, a folder of profiles, or a bundle */
    const char *const *places; /* further bundles and folders of SPIR-V */
    size_t place_count;
    const char *const *more; /* further profiles and bundles, whose counts are added; places, too */
    size_t more_count;
    bool without_modules; /* names of hashes, no lines: fast */
    bool with_glsl;       /* GLSL by SPIRV-Cross for dear shaders without source lines */
    bool may_be_empty;    /* without counts: an empty report, no error */
} wpg_report_options;

/* Loads everything. A shader whose SPIR-V is missing or damaged is still there, and says why. Errors: those
 * of reading the profile; WPG_E_NOT_FOUND if it has no counts; WPG_E_NOMEM. */
wpg_status wpg_report_load(wpg_report **report, const wpg_report_options *options, wpg_error *err);
void wpg_report_destroy(wpg_report *report);

/* Adds a remark of use mode on a shader; texts are copied. False when memory runs out. */
bool wpg_report_remark_add(wpg_report *report, uint32_t shader, const wpg_report_remark *remark);
/* Adds a document; both texts are copied. False when memory runs out. */
bool wpg_report_extra_add(wpg_report *report, const char *name, const char *json);
/* Fills report->advice from counts and remarks. WPG_E_NOMEM only. */
wpg_status wpg_report_advise(wpg_report *report, wpg_error *err);

/* "raymarch.comp:57" of a block, or "block 4" where no line is known. Returns buffer. */
const char *wpg_report_place(char *buffer, size_t size, const wpg_report *report,
                             const wpg_report_shader *shader, uint32_t function, uint32_t block);
/* A file's name without its folders. */
const char *wpg_report_base_name(const char *path);

typedef struct wpg_report_found {
    uint32_t shader, pipeline; /* indices; the one that was not found is WPG_REPORT_NONE */
} wpg_report_found;
/* Finds a shader or a pipeline by any unique part of name or hash, or by both ("NAME HASH"). An exact name
 * or hash wins over a part, and a shader over a pipeline. Several shaders that are all stages of the one
 * pipeline mean the pipeline. WPG_E_NOT_FOUND: nothing has it; WPG_E_ARGUMENT: several do, and the message
 * names up to five. */
wpg_status wpg_report_find(wpg_report_found *found, const wpg_report *report, const char *part,
                           wpg_error *err);
/* The same; of a pipeline its dearest shader. */
wpg_status wpg_report_find_shader(uint32_t *index, const wpg_report *report, const char *part,
                                  wpg_error *err);

#endif
