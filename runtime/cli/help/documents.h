/* The files that the build generates from the table of commands and the table of settings:
 *
 *     DIR/man/man1/wavepgo.1, wavepgo-COMMAND.1      man pages
 *     DIR/man/man5/wavepgo-settings.5
 *     DIR/bash-completion/completions/wavepgo
 *     DIR/zsh/site-functions/_wavepgo
 *
 * Owns: nothing.
 * Threads: one. */
#ifndef WPG_RUNTIME_CLI_HELP_DOCUMENTS_H
#define WPG_RUNTIME_CLI_HELP_DOCUMENTS_H

#include "runtime/cli/help/help.h"

/* Each prints one file; false if a usage text is too long to be taken apart. */
bool wpg_man_overview(FILE *out, const wpg_command_table *table);
bool wpg_man_command(FILE *out, const wpg_command_table *table, const wpg_command *command);
bool wpg_man_settings(FILE *out, const wpg_command_table *table);
bool wpg_completion_bash(FILE *out, const wpg_command_table *table);
bool wpg_completion_zsh(FILE *out, const wpg_command_table *table);

/* All of them below `folder`; an exit code. */
int wpg_write_documents(const wpg_command_table *table, const char *folder);

#endif
