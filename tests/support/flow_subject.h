/* The control flow of a compute shader in its normal form, for tests of what counting reads off it. The
 * shader names its blocks by the element of a buffer that they write.
 *
 * Ownership: flow_end frees what flow_begin made. Errors fail the test. Threads: one subject, one thread. */
#ifndef WPG_TESTS_SUPPORT_FLOW_SUBJECT_H
#define WPG_TESTS_SUPPORT_FLOW_SUBJECT_H

#include "compiler/instrument/code/structure.h"

typedef struct flow_subject {
    wpg_module *module;
    wpg_cfg *cfg;
    wpg_arena arena;
    wpg_mask_classes classes;
    wpg_structure structure;
} flow_subject;

/* The shader is `declarations`, and a main that writes o[0], does `body`, and writes o[9]. There `x` is the
 * invocation's own number. `small_arms`: wpg_structure_make. */
void flow_begin(flow_subject *s, const char *declarations, const char *body, bool small_arms);
void flow_end(flow_subject *s);

/* The block that writes o[element]. */
uint32_t flow_block(const flow_subject *s, uint32_t element);

#endif
