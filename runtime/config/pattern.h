/* File-name patterns: what PROFILE_FILE and its like may hold, and what each letter becomes.
 *
 *     %b   pipeline hash            %h        host
 *     %p   process id               %t        TMPDIR
 *     %e   executable               %m, %Nm   merge pool
 *     %%   a percent sign
 *
 * Owns: nothing.
 * Threads: any.
 * Source: LLVM's LLVM_PROFILE_FILE; %b and %e are ours. */
#ifndef WPG_RUNTIME_CONFIG_PATTERN_H
#define WPG_RUNTIME_CONFIG_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/error.h"

/* Expands the pattern into `path`. `hash` is the text for %b; with NULL, %b expands to nothing. %m gives
 * "<signature>_0", %Nm (N from 1 to 9) "<signature>_<pid modulo N>": one of N pools, as in LLVM_PROFILE_FILE.
 * The signature is a hash of the executable's name. An unknown %x stays as it is. A '/' in an expanded value,
 * %t aside, becomes '_': no such value leaves the folder. WPG_E_LIMIT: the path does not fit. */
wpg_status wpg_pattern_expand(char *path, size_t size, const char *pattern, const char *hash, wpg_error *err);
/* Whether %<letter> stands in the pattern; for 'm' also %Nm. */
bool wpg_pattern_has(const char *pattern, char letter);
/* Name of the running executable without folder; under Wine the game's own (.exe of the command line). */
void wpg_executable_name(char *name, size_t size);

#endif
