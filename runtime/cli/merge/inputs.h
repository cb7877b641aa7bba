/* The inputs of a merge one after another: arguments, and what list files name. A list is read as the merge
 * goes: it may be a pipe, and longer than memory.
 *
 * A list has an input a line, as for llvm-profdata's --input-files: blanks around a line, empty lines and
 * lines that begin with # do not count; "N,FILE" weighs FILE N times. Lists do not nest.
 *
 * Owns: nothing. A path that a visitor gets is valid during the call.
 * Threads: one. */
#ifndef WPG_RUNTIME_CLI_MERGE_INPUTS_H
#define WPG_RUNTIME_CLI_MERGE_INPUTS_H

#include "runtime/cli/merge/merge.h"

typedef int wpg_merge_visit(void *context, const wpg_merge_input *input);

/* Calls `visit` for each input until it returns another code than 0. Returns that code; complains itself
 * about lists that cannot be read. */
int wpg_merge_each_input(const wpg_merge_options *options, wpg_merge_visit *visit, void *context);

#endif
