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
 * Threads: immutable once loaded. */
#ifndef WPG_RUNTIME_REPORT_MODEL_H
#define WPG_RUNTIME_REPORT_MODEL_H

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
} wpg_report_file;

/* A source line with code. Counts are those of the line's most frequent block, summed over the places where
 * its function was inlined. */
typedef struct wpg_report_line {
    uint32_t file; /* index into the report's files */
    uint32_t line; /* from 1 */
    uint64_t lanes, waves, uniform;
} wpg_report_line;

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
    uint32_t file, line; /* of the first instruction with one; WPG_REPORT_NONE, 0: unknown */
    uint32_t depth;      /* of loops around it */
    uint32_t idom;       /* immediate dominator, WPG_REPORT_NONE */
} wpg_report_block;

typedef struct wpg_report_edge {
    uint32_t from, to; /* blocks of one function */
    uint64_t lanes;
    bool known; /* the lanes follow from the counts */
} wpg_report_edge;

/* A function of the normal form that was counted. */
typedef struct wpg_report_function {
    const wpg_shader_counts *counts; /* of all kinds; probes: runtime/profile/probe_records.h */
    wpg_report_block *blocks;        /* [counts->block_count] */
    const wpg_report_edge *edges;    /* none without the module */
    size_t edge_count;
} wpg_report_function;

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
    const wpg_report_line *lines; /* by file, then line */
    size_t line_count;
    uint32_t *pipelines; /* that have it, by index */
    size_t pipeline_count;
} wpg_report_shader;

typedef struct wpg_report_stage {
    uint32_t shader; /* index */
    uint64_t runs, lanes, waves;
    bool has_waves;
} wpg_report_stage;

typedef struct wpg_report_pipeline {
    wpg_hash128 hash;
    char hex[WPG_HASH_HEX + 1];
    const char *name;
    wpg_report_stage *stages;
    size_t stage_count;
    bool has_facts, has_time;
    uint64_t draws, dispatches, submissions;
    uint64_t gpu_ns, timed; /* runs between two timestamps; their number */
    double cost;            /* share of all pipelines, 0 to 1: of GPU time where all that ran have it, else of
                               work */
} wpg_report_pipeline;

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
    bool cost_is_time; /* what wpg_report_pipeline.cost is a share of */
    WPG_VEC(wpg_report_file) files;
} wpg_report;

typedef struct wpg_report_options {
    const char *path;          /* a profile, a folder of profiles, or a bundle */
    const char *const *places; /* further bundles and folders of SPIR-V */
    size_t place_count;
    bool without_modules; /* names of hashes, no lines: fast */
    bool may_be_empty;    /* without counts: an empty report, no error */
} wpg_report_options;

/* Loads everything. A shader whose SPIR-V is missing or damaged is still there, and says why. Errors: those
 * of reading the profile; WPG_E_NOT_FOUND if it has no counts; WPG_E_NOMEM. */
wpg_status wpg_report_load(wpg_report **report, const wpg_report_options *options, wpg_error *err);
void wpg_report_destroy(wpg_report *report);

/* "raymarch.comp:57" of a block, or "block 4" where no line is known. Returns buffer. */
const char *wpg_report_place(char *buffer, size_t size, const wpg_report *report,
                             const wpg_report_shader *shader, uint32_t function, uint32_t block);
/* A file's name without its folders. */
const char *wpg_report_base_name(const char *path);

/* Finds shaders by any unique part of name or hash, or by both; an exact hash or name wins. WPG_E_NOT_FOUND:
 * nothing has it; WPG_E_ARGUMENT: several do, and the message names up to five. */
wpg_status wpg_report_find_shader(uint32_t *index, const wpg_report *report, const char *part,
                                  wpg_error *err);

#endif
