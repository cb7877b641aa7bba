/* Options that every command with a listing has: --color WHEN, --no-pager, --json, --csv. Threads: one. */
#ifndef WPG_RUNTIME_CLI_COMMON_OUTPUT_H
#define WPG_RUNTIME_CLI_COMMON_OUTPUT_H

#include "runtime/report/text/terminal.h"

typedef struct wpg_output {
    wpg_terminal_options terminal;
    bool json, csv;
} wpg_output;

/* Reads the option at argv[*at], and moves *at over its value. 1: taken; 0: another option; -1: wrong, and
 * the user was told. */
int wpg_output_option(wpg_output *output, const char *command, int argc, char **argv, int *at);
/* Opens the terminal: for documents (JSON, CSV) without colours and pager. */
void wpg_output_open(wpg_terminal *terminal, const wpg_output *output);
/* Ends output: `code`, or the exit code of what could not be written. */
int wpg_output_close(wpg_terminal *terminal, const char *command, int code);

#endif
