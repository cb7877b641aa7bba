/* A module whose variables begin with zeros, and that has no undefined value: what it reads is what somebody
 * wrote. Of variables of a workgroup nothing is said. Threads: no state. */
#ifndef WPG_TESTS_CORPUS_ZEROS_H
#define WPG_TESTS_CORPUS_ZEROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *to is malloc'd. False: not a module, or out of memory. */
bool zeros_begin(uint32_t **to, size_t *to_count, const uint32_t *words, size_t count);

#endif
