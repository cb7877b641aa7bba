/* The other stage of a pipeline that one module of the corpus makes half of: vertices that write each
 * location that a fragment stage reads, over the whole target; fragments that write what a vertex stage
 * gives. Threads: no state. */
#ifndef WPG_TESTS_CORPUS_PARTNER_H
#define WPG_TESTS_CORPUS_PARTNER_H

#include "tests/corpus/interface.h"

enum { PARTNER_TARGETS = 8 };

/* Three vertices, one triangle over the target. What is written depends on location, vertex and instance.
 * *words is malloc'd; false: out of memory. */
bool partner_vertices(uint32_t **words, size_t *count, const interface *wanted);
/* Slot k of the interface is added to target k modulo PARTNER_TARGETS, all four-vectors of floats; the first
 * has the place of the fragment, too. Nothing is interpolated. */
bool partner_fragments(uint32_t **words, size_t *count, const interface *given);
/* How many targets partner_fragments writes. */
uint32_t partner_targets(const interface *given);

#endif
