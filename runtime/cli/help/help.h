/* `wavepgo help`: the overview, the settings by group, and the files generated from the same tables.
 *
 * Two tables feed everything here: the commands of runtime/cli/main.c with their usage texts, and
 * runtime/config/settings.inc.
 *
 * Owns: nothing.
 * Threads: one. */
#ifndef WPG_RUNTIME_CLI_HELP_HELP_H
#define WPG_RUNTIME_CLI_HELP_HELP_H

#include <stdio.h>

#include "runtime/cli/common/command.h"
#include "runtime/config/settings.h"

typedef struct wpg_command_table {
    const wpg_command *commands;
    size_t count;
} wpg_command_table;

/* `wavepgo help [COMMAND | settings | SETTING]` and `wavepgo help --write DIR`; argv[0] is "help". */
int wpg_command_help(const wpg_command_table *table, int argc, char **argv);

void wpg_print_overview(FILE *out, const wpg_command_table *table);
void wpg_print_usage(FILE *out, const wpg_command *command);

/* The settings by group as options of `run` ("  --flush-interval N", the help below), or by name. */
void wpg_print_setting_options(FILE *out);
void wpg_print_settings(FILE *out);
void wpg_print_setting(FILE *out, const wpg_setting_info *info);
/* The section "The settings" of runtime/config/README.md: a Markdown table a group. */
void wpg_print_setting_tables(FILE *out);

/* What the settings of a group are for. */
const char *wpg_setting_group_text(wpg_setting_group group);
/* What a setting takes: "auto|on|off", "0|1", "N", "TEXT". */
const char *wpg_setting_value(const wpg_setting_info *info);
enum { WPG_OPTION_SIZE = 64 };
/* "FLUSH_INTERVAL" to "--flush-interval". */
void wpg_setting_option(char option[WPG_OPTION_SIZE], const wpg_setting_info *info);
/* The setting of that name, any case, '-' for '_'; NULL if there is none. */
const wpg_setting_info *wpg_setting_named(const char *name);

#endif
