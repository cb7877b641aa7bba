/* A shader's source with its counts beside the lines; where the module has no source text, its SPIR-V with
 * the counts of each block in front. Printers: they compute nothing. Threads: one. */
#ifndef WPG_RUNTIME_REPORT_LISTING_ANNOTATE_H
#define WPG_RUNTIME_REPORT_LISTING_ANNOTATE_H

#include "compiler/spirv/stage.h"
#include "runtime/report/model/model.h"
#include "runtime/report/text/terminal.h"

enum { WPG_CONTEXT_ALL = -1, WPG_CONTEXT_AUTO = -2 };

typedef struct wpg_annotate {
    const wpg_report *report;
    const wpg_report_shader *shader;
    const wpg_module *normal; /* the shader's normal form, for a shader without source; NULL: not at hand */
    const wpg_stage *stage;   /* of `normal` */
    long context; /* lines around hot ones; WPG_CONTEXT_ALL: the whole file; WPG_CONTEXT_AUTO: the whole file
                     unless it is long */
} wpg_annotate;

/* True if a module carries the text of a file with code of the shader. */
bool wpg_annotate_has_source(const wpg_report *report, const wpg_report_shader *shader);

/* Text. WPG_E_NOMEM only. */
wpg_status wpg_annotate_text(const wpg_terminal *terminal, const wpg_annotate *annotate, wpg_error *err);
/* Lines with code, or blocks, as CSV: one header line, then a row each. */
wpg_status wpg_annotate_csv(FILE *out, const wpg_annotate *annotate, wpg_error *err);
/* One JSON document. */
wpg_status wpg_annotate_json(FILE *out, const wpg_annotate *annotate, wpg_error *err);

/* The instructions of a block as text, one a line, malloc'd. NULL: the module has no such block, or no
 * memory. */
char *wpg_annotate_block(const wpg_annotate *annotate, uint32_t function, uint32_t block);

#endif
