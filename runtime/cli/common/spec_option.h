/* A specialisation value on the command line. Threads: no shared state. */
#ifndef WPG_RUNTIME_CLI_COMMON_SPEC_OPTION_H
#define WPG_RUNTIME_CLI_COMMON_SPEC_OPTION_H

#include <stdbool.h>

#include "compiler/spirv/stage.h"

/* "ID=VALUE": a whole number, true, false, or a 32-bit float with a point or exponent. false: none of them.
 */
bool wpg_spec_option(wpg_spec_value *value, const char *text);

#endif
