/* The steps of loading a report (load.c). Private to runtime/report. Each writes into the report's arena. */
#ifndef WPG_RUNTIME_REPORT_MODEL_INTERNAL_H
#define WPG_RUNTIME_REPORT_MODEL_INTERNAL_H

#include "compiler/analysis/graph/cfg.h"
#include "compiler/normalize/contexts.h"
#include "compiler/spirv/stage.h"
#include "runtime/base/map.h"
#include "runtime/report/model/model.h"
#include "runtime/report/model/shader_source.h"

typedef struct wpg_report_loader {
    wpg_report *report;
    const wpg_report_options *options;
    wpg_map files; /* hash of name and text -> index in report->files */
} wpg_report_loader;

/* source.c: the files that the module as given names, with the texts it carries. */
typedef struct wpg_report_sources {
    const uint32_t *files; /* indices in report->files, in order of mention */
    size_t count;
} wpg_report_sources;
wpg_status wpg_report_read_sources(wpg_report_sources *sources, wpg_report_loader *loader,
                                   const wpg_module *module, wpg_error *err);
/* The file of that name among them, else a file without text. WPG_REPORT_NONE: no name, or no memory. */
uint32_t wpg_report_file_of(wpg_report_loader *loader, const wpg_report_sources *sources, const char *name);

/* blocks.c, lines.c: fill the functions' blocks and edges, and the shader's lines, from the words of the
 * shader. WPG_E_MISMATCH: the counts are of other code. */
wpg_status wpg_report_read_blocks(wpg_report_loader *loader, wpg_report_shader *shader,
                                  const wpg_report_sources *sources, const wpg_module *normal,
                                  const wpg_stage *stage, wpg_error *err);
wpg_status wpg_report_read_lines(wpg_report_loader *loader, wpg_report_shader *shader,
                                 const wpg_report_sources *sources, const uint32_t *words, size_t count,
                                 const wpg_stage *stage, wpg_error *err);

/* blocks.c: true for an instruction that a machine would run. */
bool wpg_report_is_work(const wpg_inst *inst);

/* source_branches.c: the ids of a function's labels -> the numbers of their blocks; and the counts of the
 * source branch that `inst` is, at the end of `block`. False: `inst` is no branch, or no copy of it is
 * counted. */
bool wpg_report_number_labels(wpg_map *labels, const wpg_inst *function);
bool wpg_report_count_branch(wpg_report_source_branch *branch, const wpg_report_shader *shader,
                             const wpg_context_table *table, uint32_t source_function, uint32_t block,
                             const wpg_inst *inst, const wpg_map *labels);

/* divergence.c: the branches of a function whose blocks are filled in. */
wpg_status wpg_report_read_branches(wpg_report_function *function, const wpg_cfg *cfg, wpg_arena *arena);
/* words.c: names of the function's words of uniform blocks. */
wpg_status wpg_report_read_words(wpg_report_function *function, const wpg_cfg *cfg, wpg_arena *arena);
/* words.c: the inputs that were asked about. */
wpg_status wpg_report_read_inputs(wpg_report_function *function, const wpg_cfg *cfg, wpg_arena *arena);

/* load.c: the shader's module in the bundle or the places. False: none has it. `err` may be NULL. */
bool wpg_report_find_source(wpg_shader_source *source, const wpg_report_loader *loader,
                            const wpg_report_shader *shader, wpg_error *err);
/* glsl.c: GLSL for the dear shaders that have no source lines, where SPIRV-Cross is there. */
void wpg_report_write_glsl(wpg_report_loader *loader);

/* names.c: what a person calls a shader by its module (NULL: no name there), by the program's names of its
 * module, else by stage and hash; and the pipelines. */
const char *wpg_report_name_of_id(const wpg_module *module, uint32_t id); /* OpName; NULL: none */
const char *wpg_report_module_name(wpg_report_loader *loader, const wpg_module *module,
                                   const wpg_report_sources *sources, const wpg_stage *stage);
void wpg_report_name_all(wpg_report_loader *loader);

#endif
