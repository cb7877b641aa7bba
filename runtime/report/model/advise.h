/* What the rules of advice share (advise.c, advise_values.c). Private to runtime/report/model. Threads: one
 * report, one thread. */
#ifndef WPG_RUNTIME_REPORT_MODEL_ADVISE_H
#define WPG_RUNTIME_REPORT_MODEL_ADVISE_H

#include "runtime/report/model/internal.h"

enum { WPG_ADVICE_TEXT = 800 };

typedef struct wpg_adviser {
    wpg_report *report;
    uint32_t shader; /* index */
    double all;      /* cost of all shaders */
    bool failed;
} wpg_adviser;

/* A text that lives as long as the report. */
const char *wpg_advise_text(wpg_adviser *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A piece of advice on the adviser's shader. `saving` negative: not known. The texts are kept as they are. */
void wpg_advise_add(wpg_adviser *a, wpg_report_advice_kind kind, uint32_t function, uint32_t block,
                    double saving, const char *what, const char *evidence);
/* The share that a remark of use mode names: "..., 43 % of its work is saved". -1: it names none. */
double wpg_advise_saved_by(const char *text);

/* Rules by values. */
void wpg_advise_words(wpg_adviser *a, const wpg_report_function *function);
void wpg_advise_indices(wpg_adviser *a, const wpg_report_function *function);
void wpg_advise_inputs(wpg_adviser *a, const wpg_report_function *function);

#endif
