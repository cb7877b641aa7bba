/* Running shaders for check.h: on the driver, or by the interpreter in step. */
#ifndef WPG_TESTS_E2E_RANDOM_LAUNCH_H
#define WPG_TESTS_E2E_RANDOM_LAUNCH_H

#include "tests/e2e/random/check.h"

enum { COUNTER_BYTES = 1 << 20 };

/* Runs it over the source's inputs: c->buffers and c->counters hold what it leaves. Shaders that are drawn
 * must report (random_source_report); what they report is checked and taken out of buffer 1 again. False with
 * c->refused set. */
bool launch_run(checker *c, const uint32_t *words, size_t count, const random_source *source);
/* Which wave each invocation runs in, by some number of the wave; NULL if that cannot be known. Valid until
 * the next call. */
const uint32_t *launch_waves(checker *c, const random_source *source);
/* Which invocations of a fragment shader are helpers or not there at all; NULL in other stages. After
 * launch_waves. */
const bool *launch_helpers(checker *c, const random_source *source);
/* Does a shader of the source tell about its waves? */
bool launch_wants_report(const checker *c, const random_source *source);

#endif
