/* Where the cost of a report goes, as stacks: pipeline > shader > function > source line. A pipeline's cost
 * is split among its shaders by their work, a shader's among its lines by their work. The weights of a
 * pipeline's stacks add up to its cost exactly.
 *
 *     cost: nanoseconds of GPU time where every pipeline that ran was timed, else work (README.md)
 *
 * Owns: the list, until wpg_vec_free. Threads: no shared state. */
#ifndef WPG_RUNTIME_REPORT_EXPORT_STACKS_H
#define WPG_RUNTIME_REPORT_EXPORT_STACKS_H

#include <stdio.h>

#include "runtime/report/model/model.h"

typedef struct wpg_report_stack {
    uint32_t pipeline;    /* WPG_REPORT_NONE: a shader of no known pipeline */
    uint32_t shader;      /* WPG_REPORT_NONE: the pipeline's time, which no count splits */
    const char *function; /* NULL: the shader has no lines */
    uint32_t file, line;
    uint64_t weight; /* at least 1 */
} wpg_report_stack;

typedef WPG_VEC(wpg_report_stack) wpg_report_stacks;

/* By pipeline, dearest first. WPG_E_NOMEM only. */
wpg_status wpg_report_stacks_make(wpg_report_stacks *stacks, const wpg_report *report);

/* Frames of a stack, outermost first: pipeline, shader, function, line. Returns their number. */
enum { WPG_STACK_FRAMES = 4, WPG_STACK_TEXT = 160 };
size_t wpg_report_stack_frames(char frames[WPG_STACK_FRAMES][WPG_STACK_TEXT], const wpg_report *report,
                               const wpg_report_stack *stack);
/* Stage, name and the hash's first digits, each once: a shader without a name is called by the others. */
const char *wpg_report_shader_label(char *buffer, size_t size, const wpg_report_shader *shader);
/* "GPU time" or "work". */
const char *wpg_report_stacks_unit(const wpg_report *report);

#endif
