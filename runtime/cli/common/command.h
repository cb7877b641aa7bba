/* The `wavepgo` command: one file for each subcommand; main.c has the table. Exit codes: 0 done, 1 failed, 2
 * wrong usage, 3 (estimate) no driver reports statistics. `run` gives the program's own exit code. Messages
 * go to stderr as "wavepgo COMMAND: text". */
#ifndef WPG_RUNTIME_CLI_COMMON_COMMAND_H
#define WPG_RUNTIME_CLI_COMMON_COMMAND_H

#include <stdio.h>

enum { WPG_EXIT_FAILED = 1, WPG_EXIT_USAGE = 2 };

typedef struct wpg_command {
    const char *name, *arguments, *summary;
    const char *help;                  /* options and examples, printed by --help below the synopsis */
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name */
} wpg_command;

int wpg_command_run(int argc, char **argv);
int wpg_command_compare(int argc, char **argv);
int wpg_command_top(int argc, char **argv);
int wpg_command_merge(int argc, char **argv);
int wpg_command_show(int argc, char **argv);
int wpg_command_annotate(int argc, char **argv);
int wpg_command_diff(int argc, char **argv);
int wpg_command_overlap(int argc, char **argv);
int wpg_command_report(int argc, char **argv);
int wpg_command_export(int argc, char **argv);
int wpg_command_advise(int argc, char **argv);
int wpg_command_instrument(int argc, char **argv);
int wpg_command_verify(int argc, char **argv);
int wpg_command_estimate(int argc, char **argv);
int wpg_command_doctor(int argc, char **argv);
int wpg_command_clean(int argc, char **argv);
int wpg_command_gpu(int argc, char **argv);
int wpg_command_isa(int argc, char **argv);
int wpg_command_install(int argc, char **argv);
int wpg_command_uninstall(int argc, char **argv);

/* "wavepgo COMMAND: text" on stderr; returns `code`. */
int wpg_complain(int code, const char *command, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* For a wrong call: prints the message, and a line that points to --help. Returns WPG_EXIT_USAGE. */
int wpg_usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* From now on, escapes control characters in text printed to a terminal. Files and pipes get the text
 * unchanged. */
void wpg_escape_terminal(void);

#endif
