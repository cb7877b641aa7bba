/* Numbers for the memory of one module, from a file beside it: FOLDER/NAME.data for FOLDER/NAME.spv. A line
 * is
 *
 *     SET BINDING STRIDE TYPE NUMBER...       of a block of memory; "push 0" for SET BINDING: push constants
 *
 * where TYPE is int, uint or float, and STRIDE the bytes from one number to the next. Threads: no state. */
#ifndef WPG_TESTS_CORPUS_GIVEN_H
#define WPG_TESTS_CORPUS_GIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct given given;

/* NULL if there is no such file; the caller's, by given_drop. */
given *given_read(const char *module_path);
void given_drop(given *from);
enum { GIVEN_PUSH = 0xffff };
/* Writes the numbers over the contents of that block; false: none are given. */
bool given_apply(const given *from, uint8_t *bytes, size_t size, uint32_t set, uint32_t binding);

#endif
