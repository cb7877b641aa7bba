/* What use mode would do with the shaders of a report, as remarks on them. */
#ifndef WPG_RUNTIME_CLI_REPORT_USE_MODE_H
#define WPG_RUNTIME_CLI_REPORT_USE_MODE_H

#include "runtime/report/model/model.h"

/* Runs the optimiser on the shaders of the report, dearest first, until `seconds` are over or the rest is
 * under 1 % of the work. `skip_passes`: letters of passes to leave out, NULL: none. A shader that cannot be
 * optimised has no remarks. Returns how many were asked. */
size_t wpg_report_ask_use_mode(wpg_report *report, const wpg_report_options *options, const char *skip_passes,
                               double seconds);

#endif
